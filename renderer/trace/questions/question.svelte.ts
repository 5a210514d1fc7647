/**
 * An asynchronous query that a component shows. The newest key wins and older answers are dropped.
 *
 * While a query is running, the newest key waits, so that a gesture that asks sixty times a second still receives answers;
 * `interrupt` cancels the running query instead. The last good value stays until the next one arrives, which avoids flicker.
 */
import type { Failure, Result } from '../../../shared/base/result.ts';

export interface Question<K, T> {
  /** Last good answer; `key` is its key. */
  readonly value: T | undefined;
  readonly key: K | undefined;
  readonly error: Failure | undefined;
  readonly busy: boolean;
  readonly ask: (key: K) => void;
  /** Cancels the running query, and drops the waiting key and the error. */
  readonly stop: () => void;
}

export interface QuestionOptions<K> {
  /** Returns true if a newer key cancels the running query instead of waiting for it. */
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
