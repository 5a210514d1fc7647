/** Long work in steps, interrupted every few milliseconds so that this thread can serve other requests. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { Task } from './task.ts';

const SLICE_MS = 6;

/** Runs work that yields often, and serves other requests every few milliseconds. */
export async function inSlices(work: Generator<undefined, void>): Promise<void> {
  let sliceEnd = performance.now() + SLICE_MS;
  while (work.next().done !== true) {
    if (performance.now() < sliceEnd) continue;
    await breathe();
    sliceEnd = performance.now() + SLICE_MS;
  }
}

/** A query that may read much of a trace. Yields the record that it has reached, and returns its answer. */
export type Steps<T> = Generator<RecordNumber, Result<T>, undefined>;

/** Runs a query, serves other requests every few milliseconds, and then reports what the query has yielded: mostly the record it has reached. */
export async function answerInSlices<T, E, At = RecordNumber>(
  query: Generator<At, Result<T>, undefined>,
  task: Task<E>,
  report?: (at: At) => void,
): Promise<Result<T>> {
  let sliceEnd = performance.now() + SLICE_MS;
  let step = query.next();
  for (; step.done !== true; step = query.next()) {
    if (performance.now() < sliceEnd) continue;
    await breathe();
    if (task.cancelled()) return task.cancel();
    report?.(step.value);
    sliceEnd = performance.now() + SLICE_MS;
  }
  return step.value;
}

/** Runs a query without interruption. */
export function answerAtOnce<T>(query: Steps<T>): Result<T> {
  let step = query.next();
  while (step.done !== true) step = query.next();
  return step.value;
}
