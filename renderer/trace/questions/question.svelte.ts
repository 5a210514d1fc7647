/**
 * An asynchronous read that a component shows: the newest key wins, older answers are dropped.
 *
 * While an answer is under way the newest key waits (one at a time, so a gesture that asks sixty times a second still sees
 * answers); `interrupt` cancels the one under way instead. The last good value stays until the next is there: no flicker.
 */
import type { Failure, Result } from '../../../shared/base/result.ts';

export interface Question<K, T> {
  /** The last good answer and its key. */
  readonly value: T | undefined;
  readonly key: K | undefined;
  readonly error: Failure | undefined;
  readonly busy: boolean;
  readonly ask: (key: K) => void;
  /** Nothing is asked any more, or the value answers it: cancels what is under way, forgets what waits and what failed. */
  readonly stop: () => void;
}

export interface QuestionOptions<K> {
  /** True where a newer key cancels the running one rather than waiting for it. */
  readonly interrupt?: (running: K) => boolean;
}

export function createQuestion<K, T>(
  run: (key: K, signal: AbortSignal) => Promise<Result<T>>,
  options: QuestionOptions<K> = {},
): Question<K, T> {
  let answer = $state.raw<{ readonly key: K; readonly value: T } | undefined>();
  let error = $state.raw<Failure | undefined>();
  let busy = $state(false);
  let waiting: { readonly key: K } | undefined;
  let controller: AbortController | undefined;
  let running: K | undefined;

  function start(key: K): void {
    const own = new AbortController();
    controller = own;
    running = key;
    busy = true;
    void run(key, own.signal).then((result) => {
      if (controller !== own) return;
      controller = undefined;
      busy = false;
      if (result.ok) {
        answer = { key, value: result.value };
        error = undefined;
      } else if (!own.signal.aborted) {
        error = result.error;
      }
      const next = waiting;
      waiting = undefined;
      if (next) start(next.key);
    });
  }

  function halt(): void {
    waiting = undefined;
    controller?.abort();
    controller = undefined;
    busy = false;
  }

  return {
    get value() {
      return answer?.value;
    },
    get key() {
      return answer?.key;
    },
    get error() {
      return error;
    },
    get busy() {
      return busy;
    },
    ask(key) {
      if (controller && running !== undefined && options.interrupt?.(running) !== true) {
        waiting = { key };
        return;
      }
      halt();
      start(key);
    },
    stop() {
      halt();
      error = undefined;
    },
  };
}
