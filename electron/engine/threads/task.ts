/** A running request as its query sees it: whether somebody still waits for it, and where its progress goes. */
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

/** So often is looked whether somebody still waits. */
const POLL_MS = 20;

/** The answer once it is there, or that nobody waits for it any more. */
export async function unlessCancelled<T, E>(answer: Promise<Result<T>>, task: Task<E>): Promise<Result<T>> {
  const settled = { yet: false };
  const watched = answer.finally(() => {
    settled.yet = true;
  });
  for (;;) {
    await Promise.race([watched, delay(POLL_MS, undefined, { ref: false })]);
    if (task.cancelled()) return task.cancel();
    if (settled.yet) return watched;
  }
}
