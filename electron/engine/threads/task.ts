/** A running request as its implementation sees it: cancellation and progress events. */
import { setTimeout as delay } from 'node:timers/promises';
import { CANCELLED } from '../../../shared/requests/failures.ts';
import { fail, type Result } from '../../../shared/base/result.ts';

export interface Task<Event = never> {
  cancelled(): boolean;
  report(event: Event): void;
  /** The answer to a cancelled request. */
  cancel(): Result<never>;
}

export function createTask<Event>(cancelled: () => boolean, report: (event: Event) => void): Task<Event> {
  return { cancelled, report, cancel: () => fail(CANCELLED, 'the request was cancelled') };
}

/** Interval between checks for cancellation. */
const POLL_MS = 20;

/** Returns the answer when it is there, or a cancellation as soon as the task is cancelled. */
export async function unlessCancelled<T, E>(answer: Promise<Result<T>>, task: Task<E>): Promise<Result<T>> {
  const ended = { yet: false };
  const watched = answer.finally(() => {
    ended.yet = true;
  });
  for (;;) {
    await Promise.race([watched, delay(POLL_MS, undefined, { ref: false })]);
    if (task.cancelled()) return task.cancel();
    if (ended.yet) return watched;
  }
}
