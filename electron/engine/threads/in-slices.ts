/** Long work in steps, between which this thread looks every few milliseconds whether somebody else waits. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { Task } from './task.ts';

const SLICE_MS = 6;

/** Runs long work that yields now and then, and gives way to questions every few milliseconds. */
export async function inSlices(work: Generator<undefined, void>): Promise<void> {
  let sliceEnd = performance.now() + SLICE_MS;
  while (work.next().done !== true) {
    if (performance.now() < sliceEnd) continue;
    await breathe();
    sliceEnd = performance.now() + SLICE_MS;
  }
}

/** A question that may have to look through much of a trace: yields a record that it has come to, its answer at the end. */
export type Steps<T> = Generator<RecordNumber, Result<T>, undefined>;

/** The answer of such a question, which gives way to others every few milliseconds; `report` then hears how far it is. */
export async function answered<T, E>(
  question: Steps<T>,
  task: Task<E>,
  report?: (at: RecordNumber) => void,
): Promise<Result<T>> {
  let sliceEnd = performance.now() + SLICE_MS;
  let step = question.next();
  for (; step.done !== true; step = question.next()) {
    if (performance.now() < sliceEnd) continue;
    await breathe();
    if (task.cancelled()) return task.cancel();
    report?.(step.value);
    sliceEnd = performance.now() + SLICE_MS;
  }
  return step.value;
}

/** The same where the whole answer is part of what is done at once. */
export function answeredAtOnce<T>(question: Steps<T>): Result<T> {
  let step = question.next();
  while (step.done !== true) step = question.next();
  return step.value;
}
