/**
 * Where does a step over a call, or out of one, lead? To the first instruction or branch message behind the record (or the
 * last one before it) that is not in a deeper call; of steps out, in none as deep.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { BEYOND_INDEX } from '../../../shared/api.ts';
import type { FlowProgress, Step, StepArguments } from '../../../shared/flow-answers.ts';
import { KIND } from '../../../shared/record.ts';
import { fail, ok, type Result } from '../../../shared/result.ts';
import type { RecordNumber } from '../../../shared/units.ts';
import { frameEnd, type FrameRef } from '../flow/frame-end.ts';
import { knownCalls, statesAt, type KnownCalls } from '../flow/call-walk.ts';
import type { Frames } from '../flow/frames.ts';
import type { Task } from '../task.ts';
import { reachOf, type Trace } from '../trace.ts';
import { visitBatches } from './block-reader.ts';

const SLICE_MS = 8;

export async function step(
  trace: Trace,
  { at, step: how }: Omit<StepArguments, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<Step>> {
  const reach = reachOf(trace);
  if (at >= reach.records) return fail(BEYOND_INDEX, `there is no record ${at}; ${reach.records} are known`);
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  if (known.value.backwards) return ok({ n: null, reach });
  const cpu = cpuOf(trace, at);
  if (!cpu.ok) return cpu;
  const found = await stepFrom({ trace, task, calls: known.value, cpu: cpu.value }, at, how);
  return found.ok ? ok({ n: found.value, reach }) : found;
}

interface Walk {
  readonly trace: Trace;
  readonly task: Task<FlowProgress>;
  readonly calls: KnownCalls;
  readonly cpu: number;
}

type Place = Promise<Result<RecordNumber | null>>;

async function stepFrom(walk: Walk, at: RecordNumber, how: StepArguments['step']): Place {
  const here = await stackAt(walk, at);
  if (!here.ok) return here;
  const frames = here.value;
  const top = frames === undefined ? undefined : frameOf(frames, frames.count - 1);
  switch (how) {
    case 'over':
      return stepOver(walk, at, frames);
    case 'out':
      return top === undefined ? ok(null) : endOf(walk, at, top);
    case 'back over':
      return stepBackOver(walk, at, frames);
    case 'back out':
      return top === undefined || top.called < 0 ? ok(null) : previous(walk, top.called);
  }
}

async function stepOver(walk: Walk, at: RecordNumber, frames: Frames | undefined): Place {
  const next = await following(walk, at);
  if (!next.ok || next.value === null || frames === undefined) return next;
  const there = await stackAt(walk, next.value);
  if (!there.ok) return there;
  const deeper = there.value === undefined ? undefined : frameAbove(frames, there.value);
  return deeper === undefined ? next : endOf(walk, next.value, deeper);
}

async function stepBackOver(walk: Walk, at: RecordNumber, frames: Frames | undefined): Place {
  const before = await previous(walk, at);
  if (!before.ok || before.value === null || frames === undefined) return before;
  const there = await stackAt(walk, before.value);
  if (!there.ok) return there;
  const deeper = there.value === undefined ? undefined : frameAbove(frames, there.value);
  if (deeper === undefined) return before;
  return deeper.called < 0 ? ok(null) : previous(walk, deeper.called);
}

async function endOf({ trace, task, calls, cpu }: Walk, at: RecordNumber, frame: FrameRef): Place {
  return frameEnd(trace, calls, cpu, frame, at + 1, task);
}

/** The open calls of the walk's cpu once `at` has taken effect. */
async function stackAt({ trace, task, calls, cpu }: Walk, at: RecordNumber): Promise<Result<Frames | undefined>> {
  const states = await statesAt(trace, calls, at + 1, task);
  return states.ok ? ok(states.value.get(cpu)?.frames) : states;
}

/** The outermost frame of `there` that is above all frames of `here`. */
function frameAbove(here: Frames, there: Frames): FrameRef | undefined {
  const level = here.base + here.count;
  return there.begun === here.begun && there.base + there.count > level
    ? frameOf(there, level - there.base)
    : undefined;
}

function frameOf({ base, begun, columns }: Frames, frame: number): FrameRef {
  return { begun, level: base + frame, called: columns.called[frame]! };
}

function cpuOf(trace: Trace, at: RecordNumber): Result<number> {
  const block = trace.blocks.blockOfRecord(at);
  let cpu = -1;
  const read = visitBatches(trace, block, at - trace.blocks.firstRecord(block), ({ batch, first }) => {
    cpu = batch.cpu[at - first]!;
    return false;
  });
  return read.ok ? ok(cpu) : read;
}

const STEPPED = new Set([KIND.instruction, KIND.skipped, KIND.branch, KIND.exception]);

/** The first instruction or message of the cpu behind a record. */
async function following({ trace, task, cpu }: Walk, at: RecordNumber): Place {
  const { blocks } = trace;
  let found = -1;
  let sliceEnd = performance.now() + SLICE_MS;
  if (at + 1 >= blocks.records) return ok(null);
  for (let block = blocks.blockOfRecord(at + 1); block < blocks.length && found < 0; block++) {
    const start = Math.max(0, at + 1 - blocks.firstRecord(block));
    const read = visitBatches(trace, block, start, ({ batch, first }) => {
      for (let i = Math.max(0, at + 1 - first); i < batch.count && found < 0; i++) {
        if (STEPPED.has(batch.kind[i]!) && batch.cpu[i] === cpu) found = first + i;
      }
      return found < 0;
    });
    if (!read.ok) return read;
    if (performance.now() < sliceEnd) continue;
    await breathe();
    if (task.cancelled()) return task.cancel();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return ok(found < 0 ? null : found);
}

/** The last instruction or message of the cpu before a record. */
async function previous({ trace, task, cpu }: Walk, at: RecordNumber): Place {
  const { blocks } = trace;
  let found = -1;
  let sliceEnd = performance.now() + SLICE_MS;
  if (at <= 0) return ok(null);
  for (let block = blocks.blockOfRecord(at - 1); block >= 0 && found < 0; block--) {
    const read = visitBatches(trace, block, 0, ({ batch, first }) => {
      for (let i = Math.min(batch.count, at - first) - 1; i >= 0; i--) {
        if (!STEPPED.has(batch.kind[i]!) || batch.cpu[i] !== cpu) continue;
        found = first + i;
        break;
      }
      return first + batch.count < at;
    });
    if (!read.ok) return read;
    if (performance.now() < sliceEnd) continue;
    await breathe();
    if (task.cancelled()) return task.cancel();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return ok(found < 0 ? null : found);
}
