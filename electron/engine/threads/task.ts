/** A running request as its implementation sees it: cancellation and progress events. */
import { setTimeout as delay } from 'node:timers/promises';
import { CANCELLED } from '../../../shared/requests/failures.ts';
import { fail, type Result } from '../../../shared/base/result.ts';

export interface Task<Event = never> {
  cancelled(): boolean;
  report(event: Event): void;
  /** Reports how far the request is, at most every REPORT_MS and not before. `make` is called only then. */
  progress(make: () => Event): void;
  /** The answer to a cancelled request. */
  cancel(): Result<never>;
}

/** Interval between two reports of progress. */
const REPORT_MS = 100;

export function createTask<Event>(cancelled: () => boolean, report: (event: Event) => void): Task<Event> {
  let nextReport = performance.now() + REPORT_MS;
  return {
    cancelled,
    report,
    progress(make) {
      if (performance.now() < nextReport) return;
      report(make());
      nextReport = performance.now() + REPORT_MS;
    },
    cancel: () => fail(CANCELLED, 'the request was cancelled'),
  };
}

/** Returns a task without progress that is cancelled with `task`. */
export function withoutProgress(task: Task<unknown>): Task {
  return createTask<never>(
    () => task.cancelled(),
    () => undefined,
  );
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
