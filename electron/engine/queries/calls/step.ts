/**
 * Finds the record reached by a step over a call or out of one. That is the next (or previous) instruction or branch message that is not in
 * a deeper call, or, for a step out, not at the same depth either.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { FlowProgress, Step, StepArguments } from '../../../../shared/requests/flow.ts';
import { KIND } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { frameEnd, type FrameRef } from './frame-end.ts';
import { knownCalls, statesAt, type KnownCalls } from '../../flow/calls.ts';
import type { Frames } from '../../flow/stack/frames.ts';
import type { Task } from '../../threads/task.ts';
import { beyond, reachOf, type Trace } from '../../trace.ts';
import { visitBatches } from '../records/block-reader.ts';

const SLICE_MS = 8;

export async function step(
  trace: Trace,
  { at, step: how }: Omit<StepArguments, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<Step>> {
  const reach = reachOf(trace);
  if (at >= reach.records) return beyond(at, reach);
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
  if (frames === undefined || frames.count === 0) {
    if (how === 'over') return following(walk, at);
    return how === 'back over' ? previous(walk, at) : ok(null);
  }
  const top = frameOf(frames, frames.count - 1);
  const level = top.level + (how.endsWith('out') ? 0 : 1);
  const toEnd = (frame: FrameRef, n: RecordNumber): Place => endOf(walk, n, frame);
  const toBeginning = (frame: FrameRef): Place => beginningOf(walk, frame);
  switch (how) {
    case 'over':
      return clearOf(walk, frames, level, await following(walk, at), toEnd);
    case 'out':
      return clearOf(walk, frames, level, await toEnd(top, at), toEnd);
    case 'back over':
      return clearOf(walk, frames, level, await previous(walk, at), toBeginning);
    case 'back out':
      return clearOf(walk, frames, level, await toBeginning(top), toBeginning);
  }
}

/**
 * Starts at `first` and moves past every frame open at the level on the stack `here`. The end of one call may be the start of another, such
 * as an interrupt.
 */
async function clearOf(
  walk: Walk,
  here: Frames,
  level: number,
  first: Result<RecordNumber | null>,
  onward: (frame: FrameRef, at: RecordNumber) => Place,
): Place {
  let place = first;
  while (place.ok && place.value !== null) {
    const deeper = await frameAt(walk, here, level, place.value);
    if (!deeper.ok) return deeper;
    if (deeper.value === undefined) break;
    place = await onward(deeper.value, place.value);
  }
  return place;
}

async function endOf({ trace, task, calls, cpu }: Walk, at: RecordNumber, frame: FrameRef): Place {
  return frameEnd(trace, calls, cpu, frame, at + 1, task);
}

/** Returns the last instruction or message before the frame was opened. */
async function beginningOf(walk: Walk, { called }: FrameRef): Place {
  return called < 0 ? ok(null) : previous(walk, called);
}

/** Returns the frame at a level of the stack at a record, or undefined if the level has none or another stack is active. */
async function frameAt(
  walk: Walk,
  { begun }: Frames,
  level: number,
  at: RecordNumber,
): Promise<Result<FrameRef | undefined>> {
  const there = await stackAt(walk, at);
  if (!there.ok) return there;
  const frames = there.value;
  const isOpen = frames?.begun === begun && level >= frames.base && frames.base + frames.count > level;
  return ok(isOpen ? frameOf(frames, level - frames.base) : undefined);
}

/** Returns the open calls of the walk's CPU after `at` took effect. */
async function stackAt({ trace, task, calls, cpu }: Walk, at: RecordNumber): Promise<Result<Frames | undefined>> {
  const states = await statesAt(trace, calls, at + 1, task);
  return states.ok ? ok(states.value.get(cpu)?.frames) : states;
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

/** Returns the first instruction or message of the CPU after a record. */
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

/** Returns the last instruction or message of the CPU before a record. */
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
