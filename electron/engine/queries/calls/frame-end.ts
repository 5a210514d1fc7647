/** When did a call end? Stacks kept on the way tell between which two of them it did; only there events are looked through. */
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { createCallTally } from '../../flow/tally/call-tally.ts';
import { statesAt, type KnownCalls } from '../../flow/calls.ts';
import type { Frames } from '../../flow/stack/frames.ts';
import { resolveDeferredTargets } from '../../flow/interrupts/deferred-targets.ts';
import { createShadowStack, type StackState } from '../../flow/stack/shadow-stack.ts';
import { walkFlow } from '../../flow/events/walk.ts';

/** A frame among those of all times: its stack, its depth there and when it came to be. */
export interface FrameRef {
  readonly begun: number;
  readonly level: number;
  readonly called: number;
}

/** The first record at or after `from` with which a frame that is open before it is gone; null where it stays open. */
export async function frameEnd(
  trace: Trace,
  known: KnownCalls,
  cpu: number,
  frame: FrameRef,
  from: RecordNumber,
  task: Task<FlowProgress>,
): Promise<Result<RecordNumber | null>> {
  const later = known.history.snapshotsAfter(cpu, from);
  // A frame that is gone does not come back: the last stack that has it is found by halving.
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
    take(told) {
      const events = resolveDeferredTargets(told, known);
      for (let i = 0; i < events.count && found < 0; i++) {
        if (events.cpu[i] !== cpu) continue;
        stack.add(events, i);
        if (!has(stack.state(), frame)) found = events.record[i]!;
      }
      return found < 0;
    },
    progress: (at) => task.report({ at, to: end }),
  });
  if (!walked.ok) return walked;
  return ok(found < 0 ? null : found);
}

function has({ frames, suspended }: Pick<StackState, 'frames' | 'suspended'>, frame: FrameRef): boolean {
  return hasFrame(frames, frame) || suspended.some((stack) => hasFrame(stack, frame));
}

function hasFrame({ begun, base, count, columns }: Frames, frame: FrameRef): boolean {
  const at = frame.level - base;
  return begun === frame.begun && at >= 0 && at < count && columns.called[at] === frame.called;
}
