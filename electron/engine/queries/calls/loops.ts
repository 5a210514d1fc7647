/** Returns the loops of a trace. Straight runs and back edges are counted in one walk, and kept in the index. */
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { MOST_LOOPS, type Loop, type Loops } from '../../../../shared/requests/profile.ts';
import { group } from '../../../../shared/base/numbers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { joinAddress, toHex } from '../../../../shared/base/units.ts';
import { knownCalls, walkEvents } from '../../flow/calls.ts';
import { UNKNOWN } from '../../flow/functions/functions.ts';
import { createRunCounter, type ExecutedRuns } from '../../flow/loops/executed-runs.ts';
import { findLoops, type FoundLoop } from '../../flow/loops/find-loops.ts';
import { createWholeTraceResult } from '../../flow/whole-trace.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { functionNames } from './function-names.ts';

const COUNTED = createWholeTraceResult<ExecutedRuns, ExecutedRuns>({
  name: 'loops',
  toTable: (runs) => runs,
  fromTable: (runs) => runs,
});

export async function loops(trace: Trace, task: Task<FlowProgress>): Promise<Result<Loops>> {
  const reach = reachOf(trace);
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  const { functions, records, unit, tally } = known.value;
  let counted = COUNTED.get(trace, records);
  if (counted === undefined) {
    const counter = createRunCounter(functions);
    const walked = await walkEvents(trace, counter, { from: 0, to: records }, known.value, task);
    if (!walked.ok) return walked;
    counted = counter.finish(walked.value);
    COUNTED.set(trace, records, counted);
  }
  const { lost, left } = counted;
  const found = findLoops(counted);
  const name = functionNames(trace.images, functions);
  const order = found
    .map((_, place) => place)
    .sort((a, b) => found[b]!.least - found[a]!.least || found[b]!.iterations - found[a]!.iterations || a - b)
    .slice(0, MOST_LOOPS);
  return ok({
    unit,
    cost: tally.self.values.reduce((sum, self) => sum + self, 0),
    loops: order.map((place) => answered(found[place]!)),
    notes: [
      ...(lost > 0
        ? [
            `${lost === 1 ? 'A straight run has' : `${group(lost)} straight runs have`} an unknown beginning or end, as at gaps: entries and instructions of loops may be more.`,
          ]
        : []),
      ...(left > 0
        ? [`${group(left)} branches and straight runs are omitted, because there are too many different ones.`]
        : []),
      ...(found.length > order.length
        ? [`${group(found.length - order.length)} loops with the lowest cost are omitted.`]
        : []),
    ],
    reach,
  });

  function answered(loop: FoundLoop): Loop {
    const owner = functions.owner(loop.header, loop.high);
    const { id, name: text, symbol } = name(owner);
    const outer = found[loop.parent];
    return {
      header: toHex(joinAddress(loop.header, loop.high)),
      end: toHex(joinAddress(loop.end, loop.high)),
      ...(owner !== UNKNOWN && { id, function: text, ...(symbol !== undefined && { symbol }) }),
      backEdges: loop.backEdges,
      iterations: loop.iterations,
      entries: loop.entries,
      first: loop.first,
      ...(unit === 'instructions' && { least: loop.least, most: loop.most }),
      depth: loop.depth,
      ...(outer !== undefined && { outer: toHex(joinAddress(outer.header, outer.high)) }),
      ...(loop.inferred && { inferred: true }),
    };
  }
}
