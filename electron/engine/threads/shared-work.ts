/** Work that several questions wait for: it is done once, tells all of them how far it is, and ends when nobody waits any more. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Result } from '../../../shared/base/result.ts';
import { createTask, type Task } from './task.ts';

export interface SharedWork<T, Event> {
  /** True once it is done, or nobody waited: it is of no use to questions that come then. */
  readonly ended: boolean;
  wait(task: Task<Event>): Promise<Result<T>>;
}

/** So often is looked whether somebody still waits. */
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
