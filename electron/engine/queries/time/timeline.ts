/** Returns what ran over time: the function that ran longest in each column, call depths, and phases. */
import {
  AGAINST_TIME,
  NO_FLOW_RECORDS,
  type FlowProgress,
  type FunctionTimeline,
  type TimelineArguments,
} from '../../../../shared/requests/flow.ts';
import { NO_FLOW } from '../../../../shared/requests/failures.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { callsOf, knownCalls, TIMELINE_COLUMNS, type KnownCalls } from '../../flow/calls.ts';
import { mainPhases, namingFunctions, type Phases } from '../../flow/tally/phases.ts';
import { createTimeline, folded, type Timeline } from '../../flow/tally/timeline.ts';
import { withoutProgress, type Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { rangeOf } from '../find/find.ts';
import { chooseCpu, keptOf } from './cpu-choice.ts';
import { addressPhases } from './address-phases.ts';
import { lacksFlowRecords } from '../calls/lacks-flow-records.ts';
import { functionNames, type NameOf } from '../calls/function-names.ts';
import { prominentFunctions } from '../calls/prominent.ts';

export async function functionTimeline(
  trace: Trace,
  args: Omit<TimelineArguments, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<FunctionTimeline>> {
  const reach = reachOf(trace);
  const { from, to } = rangeOf(trace, args);
  const range = { from: Math.min(from, to), to };
  const known = await knownCalls(trace, task);
  if (!known.ok) return known.error.code === NO_FLOW ? addressPhases(trace, range, withoutProgress(task)) : known;
  if (lacksFlowRecords(trace)) {
    const phases = await addressPhases(trace, range, withoutProgress(task));
    return phases.ok ? ok({ ...phases.value, notes: [...phases.value.notes, NO_FLOW_RECORDS] }) : phases;
  }
  const { functions, backwards } = known.value;
  const name = functionNames(trace.images, functions);
  if (backwards) {
    const empty = createTimeline(range.from, range.from, 1).timeline();
    return ok({
      ...answered(name, { timeline: empty, cpus: [] }, range, 1),
      notes: [AGAINST_TIME],
      prominent: [],
      reach,
    });
  }
  // No column is empty.
  const columns = powerOfTwo(Math.min(TIMELINE_COLUMNS, Math.max(1, range.to - range.from)));
  const isWhole = range.from === 0 && range.to === known.value.records;
  const kept = isWhole ? keptTimeline(known.value, columns, args.cpu) : undefined;
  const found = kept === undefined ? await walked(trace, known.value, range, columns, args.cpu, task) : ok(kept);
  if (!found.ok) return found;
  return ok({
    ...answered(name, found.value, range, powerOfTwo(args.columns ?? TIMELINE_COLUMNS)),
    notes: [],
    prominent: prominentFunctions(known.value, name),
    reach,
  });
}

interface Found {
  readonly timeline: Timeline;
  /** Undefined if they are not known yet. */
  readonly phases?: Phases;
  readonly cpus: readonly number[];
  readonly cpu?: number;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Returns the greatest power of two that is not above the value. */
function powerOfTwo(value: number): number {
  return 2 ** Math.floor(Math.log2(value));
}

/** Returns what the walk over the whole trace kept. */
function keptTimeline({ overTime }: KnownCalls, columns: number, wanted: number | undefined): Found | undefined {
  if (overTime === undefined) return undefined;
  const { cpus, cpu, of } = keptOf(overTime, wanted);
  return (
    of && {
      timeline: folded(of.timeline, columns),
      // In a trace with fewer records than columns, some of the kept phases have no record.
      ...(of.phases.columns <= columns && { phases: of.phases }),
      cpus,
      ...(cpu !== undefined && { cpu }),
    }
  );
}

async function walked(
  trace: Trace,
  { history }: KnownCalls,
  { from, to }: Range,
  columns: number,
  wanted: number | undefined,
  task: Task<FlowProgress>,
): Promise<Result<Found>> {
  const choice = chooseCpu(wanted);
  const timeline = createTimeline(from, to, columns);
  const found = await callsOf(trace, { from, to }, task, {
    tops(cpu) {
      if (!choice.take(cpu)) return undefined;
      return {
        add: timeline.add,
        // Returns after the range show callers, too.
        ended: (begun) => timeline.ended(begun, history.callersOf(cpu, begun, Number.NEGATIVE_INFINITY).length),
      };
    },
  });
  if (!found.ok) return found;
  const cpu = choice.chosen();
  return ok({ timeline: timeline.timeline(), cpus: choice.cpus, ...(cpu !== undefined && { cpu }) });
}

type Answered = Omit<FunctionTimeline, 'notes' | 'prominent' | 'reach'>;

/** `most`: upper limit of the columns. Phases do not depend on it. */
function answered(
  nameOf: NameOf,
  { timeline, phases: known, cpus, cpu }: Found,
  { from, to }: Range,
  most: number,
): Answered {
  const { columns, starts, fn, records, low, high } = folded(timeline, most);
  const edgeOf = (column: number, of: number): number => from + Math.ceil((column * (to - from)) / of);
  const edges = Float64Array.from({ length: columns + 1 }, (_, column) => edgeOf(column, columns));
  const functions: { id: string; name: string }[] = [];
  const places = new Map<number, number>();
  const top = new Float64Array(columns).fill(-1);
  const share = new Float64Array(columns);
  for (let column = 0; column < columns; column++) {
    let longest = -1;
    for (let row = starts[column]!; row < starts[column + 1]!; row++)
      if (longest < 0 || records[row]! > records[longest]!) longest = row;
    if (longest < 0) continue;
    top[column] = placeOf(fn[longest]!);
    share[column] = records[longest]! / (edges[column + 1]! - edges[column]!);
  }
  const found = known ?? mainPhases(timeline);
  const phases = from === to ? [] : found.phases;
  return {
    of: 'functions',
    edges,
    functions,
    top,
    share,
    // An answer gives its arrays away.
    low: low.slice(),
    high: high.slice(),
    phases: phases.map((phase) => {
      const [begin, past] = [edgeOf(phase.first, found.columns), edgeOf(phase.end, found.columns)];
      return {
        from: begin,
        to: past,
        functions: namingFunctions(phase, past - begin).map((its) => ({
          function: placeOf(its.fn),
          share: its.records / (past - begin),
        })),
      };
    }),
    cpus: cpus.toSorted((a, b) => a - b),
    ...(cpu !== undefined && { cpu }),
  };

  function placeOf(own: number): number {
    let place = places.get(own);
    if (place === undefined) {
      place = functions.length;
      places.set(own, place);
      const { id, name } = nameOf(own);
      functions.push({ id, name });
    }
    return place;
  }
}
