/** Work that several requests wait for. It runs once, reports its progress to all of them, and is cancelled when none waits any more. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Result } from '../../../shared/base/result.ts';
import { createTask, type Task } from './task.ts';

export interface SharedWork<T, Event> {
  /** True when the work is done or cancelled: later requests must start new work. */
  readonly ended: boolean;
  wait(task: Task<Event>): Promise<Result<T>>;
}

/** Interval between checks for cancellation. */
const POLL_MS = 20;

export function createSharedWork<T, Event>(work: (task: Task<Event>) => Promise<Result<T>>): SharedWork<T, Event> {
  const waiting = new Set<Task<Event>>();
  let running: Promise<Result<T>> | undefined;
  const own = {
    ended: false,
    async wait(task: Task<Event>): Promise<Result<T>> {
      waiting.add(task);
      running ??= work(
        createTask(
          () => own.ended || waiting.size === 0,
          (event) => {
            for (const each of waiting) each.report(event);
          },
        ),
      ).finally(() => {
        own.ended = true;
      });
      try {
        for (;;) {
          await Promise.race([running, delay(POLL_MS, undefined, { ref: false })]);
          if (task.cancelled()) return task.cancel();
          if (own.ended) return await running;
        }
      } finally {
        waiting.delete(task);
        if (waiting.size === 0) own.ended = true;
      }
    },
  };
  return own;
}
