/**
 * Counts the straight runs and back edges of a trace in one walk, kept in the index, and those of a range. A range is counted from the
 * nearest state that the walk left before it.
 */
import type { FlowRun } from '../../../../shared/flow/events.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { endsOf, walkEvents, walkTo, type KnownCalls } from '../calls.ts';
import type { WalkedRange } from '../events/walk.ts';
import { createWholeTraceResult } from '../whole-trace.ts';
import { createRunCounter, type ExecutedRuns, type RunState } from './executed-runs.ts';

export interface LoopRuns {
  readonly whole: ExecutedRuns;
  readonly states: readonly RunState[];
}

/** Number of states that are kept: at most this part of the trace is walked over to reach a range. */
const STATES = 64;

const COUNTED = createWholeTraceResult<LoopRuns, LoopRuns>({
  name: 'loops',
  toTable: (runs) => runs,
  fromTable: (runs) => runs,
});

/** Returns the counts of all records that `known` covers. */
export async function loopRuns(trace: Trace, known: KnownCalls, task: Task<FlowProgress>): Promise<Result<LoopRuns>> {
  const { functions, records, unit, backwards } = known;
  const counted = COUNTED.get(trace, records);
  if (counted !== undefined) return ok(counted);
  const counter = createRunCounter({ functions, counts: unit === 'instructions' });
  let next = Math.ceil(records / STATES);
  const reached = (at: RecordNumber, ends: () => readonly FlowRun[]): void => {
    if (at < next || at >= records || backwards) return;
    counter.leaveState(at, endsOf(known, ends()));
    next = at + Math.ceil(records / STATES);
  };
  const walked = await walkEvents(trace, { ...counter, reached }, { from: 0, to: records }, known, task);
  if (!walked.ok) return walked;
  const runs = { whole: counter.finish(endsOf(known, walked.value)), states: counter.states };
  COUNTED.set(trace, records, runs);
  return ok(runs);
}

/** Returns the counts of a range within the records that `known` covers. */
export async function rangeRuns(
  trace: Trace,
  known: KnownCalls,
  { whole, states }: LoopRuns,
  { from, to }: WalkedRange,
  task: Task<FlowProgress>,
): Promise<Result<ExecutedRuns>> {
  const { functions, records, unit, backwards } = known;
  if (from === 0 && to === records) return ok(whole);
  const counts = unit === 'instructions';
  // If records run against time, those of a range are not one stretch of time.
  const state = backwards ? undefined : states.findLast(({ record }) => record <= from);
  const counter = createRunCounter({ functions, counts, from, to, ...(state && { state }) });
  if (backwards) {
    const walked = await walkEvents(trace, counter, { from: 0, to: records }, known, task);
    return walked.ok ? ok(counter.finish([])) : walked;
  }
  const before = await walkTo(trace, counter, { from: state?.record ?? 0, to: from }, known, state?.ends ?? [], task);
  if (!before.ok) return before;
  counter.beginRange(from, before.value);
  const ends = await walkTo(trace, counter, { from, to }, known, before.value, task);
  return ends.ok ? ok(counter.finish(ends.value)) : ends;
}
