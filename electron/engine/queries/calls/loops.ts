/** Returns the loops that ran in a range. Bodies and nesting are those of the whole trace. */
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { MOST_LOOPS, type Loop, type Loops } from '../../../../shared/requests/profile.ts';
import type { Arguments } from '../../../../shared/requests/requests.ts';
import { group } from '../../../../shared/base/numbers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { joinAddress, toHex } from '../../../../shared/base/units.ts';
import { knownCalls } from '../../flow/calls.ts';
import { UNKNOWN } from '../../flow/functions/functions.ts';
import { findLoops, type FoundLoop } from '../../flow/loops/find-loops.ts';
import { loopRuns, rangeRuns } from '../../flow/loops/loop-runs.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { rangeOf } from '../find/find.ts';
import { functionNames } from './function-names.ts';

export async function loops(
  trace: Trace,
  args: Omit<Arguments<'loops'>, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<Loops>> {
  const reach = reachOf(trace);
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  const { functions, records, unit } = known.value;
  const counted = await loopRuns(trace, known.value, task);
  if (!counted.ok) return counted;
  const { from, to } = rangeOf(trace, args);
  const range = { from: Math.min(from, records), to: Math.min(to, records) };
  const ran = await rangeRuns(trace, known.value, counted.value, range, task);
  if (!ran.ok) return ran;
  const { lost, left, cost } = ran.value;
  const found = findLoops(counted.value.whole, ran.value);
  const name = functionNames(trace.images, functions);
  const order = found
    .map((_, place) => place)
    .filter((place) => found[place]!.first < Number.POSITIVE_INFINITY || found[place]!.most > 0)
    .sort((a, b) => found[b]!.least - found[a]!.least || found[b]!.iterations - found[a]!.iterations || a - b);
  return ok({
    unit,
    cost,
    loops: order.slice(0, MOST_LOOPS).map((place) => answered(found[place]!)),
    notes: [
      ...(lost > 0
        ? [
            `${lost === 1 ? 'A straight run has' : `${group(lost)} straight runs have`} an unknown beginning or end, as at gaps: entries and instructions of loops may be more.`,
          ]
        : []),
      ...(left > 0
        ? [`${group(left)} branches and straight runs are omitted, because there are too many different ones.`]
        : []),
      ...(order.length > MOST_LOOPS
        ? [`${group(order.length - MOST_LOOPS)} loops with the lowest cost are omitted.`]
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
      ...(loop.first < Number.POSITIVE_INFINITY && { first: loop.first }),
      ...(loop.begunBefore && { begunBefore: true }),
      ...(unit === 'instructions' && { least: loop.least, most: loop.most }),
      depth: loop.depth,
      ...(outer !== undefined && { outer: toHex(joinAddress(outer.header, outer.high)) }),
      ...(loop.inferred && { inferred: true }),
    };
  }
}
