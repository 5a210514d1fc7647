/**
 * Finds the record at which a call ended. A binary search finds the two stack snapshots around that record, and only the events between
 * those snapshots are read.
 */
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { createCallTally } from '../../flow/tally/call-tally.ts';
import { statesAt, type KnownCalls } from '../../flow/calls.ts';
import type { Frames } from '../../flow/stack/frames.ts';
import { resolveDeferredTargets } from '../../flow/interrupts/whole-trace-facts.ts';
import { createShadowStack, type StackState } from '../../flow/stack/shadow-stack.ts';
import { walkFlow } from '../../flow/events/walk.ts';

/** Identifies a frame among all frames of a CPU. */
export interface FrameRef {
  /** Record at which its stack began. */
  readonly begun: number;
  /** Depth of the frame. See Frames.base. */
  readonly level: number;
  /** Record at which the frame was opened. */
  readonly called: number;
  /** Record at which its function was entered, if the frame counts as closed when a tail call replaces the function. */
  readonly since?: number;
}

/** Returns the first record at or after `from` that closes the frame, or null if it stays open. The frame must be open before `from`. */
export async function frameEnd(
  trace: Trace,
  known: KnownCalls,
  cpu: number,
  frame: FrameRef,
  from: RecordNumber,
  task: Task<FlowProgress>,
): Promise<Result<RecordNumber | null>> {
  const later = known.history.snapshotsAfter(cpu, from);
  // A closed frame never opens again, so the last snapshot that has it can be found by binary search.
  let [open, gone] = [-1, later.count];
  while (gone - open > 1) {
    const middle = (open + gone) >>> 1;
    if (has(later.get(middle).state, frame)) open = middle;
    else gone = middle;
  }
  const start = open < 0 ? undefined : later.get(open);
  const end = gone < later.count ? later.get(gone).record : known.records;
  const begins = start?.record ?? from;
  let state = start?.state;
  if (state === undefined) {
    const states = await statesAt(trace, known, from, task);
    if (!states.ok) return states;
    state = states.value.get(cpu);
  }
  const settings = { functions: known.functions, tally: createCallTally(), messages: known.messages };
  const stack = createShadowStack(settings, state);
  let found = -1;
  const walked = await walkFlow(trace, { from: begins, to: Math.min(end + 1, known.records) }, task, {
    take(raw) {
      const events = resolveDeferredTargets(raw, known);
      for (let i = 0; i < events.count && found < 0; i++) {
        if (events.cpu[i] !== cpu) continue;
        stack.add(events, i);
        if (!has(stack.state(), frame)) found = events.record[i]!;
      }
      return found < 0;
    },
    progress: (at) => task.progress(() => ({ at, to: end })),
  });
  if (!walked.ok) return walked;
  return ok(found < 0 ? null : found);
}

function has({ frames, suspended }: Pick<StackState, 'frames' | 'suspended'>, frame: FrameRef): boolean {
  return hasFrame(frames, frame) || suspended.some((stack) => hasFrame(stack, frame));
}

function hasFrame({ begun, base, count, columns }: Frames, frame: FrameRef): boolean {
  const at = frame.level - base;
  return (
    begun === frame.begun &&
    at >= 0 &&
    at < count &&
    columns.called[at] === frame.called &&
    (frame.since === undefined || columns.since[at] === frame.since)
  );
}
