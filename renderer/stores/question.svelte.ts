/**
 * An asynchronous read that a component shows: the newest key wins, older answers are dropped.
 *
 * While an answer is under way the newest key waits (one at a time, so a gesture that asks sixty times a second still sees
 * answers); `interrupt` cancels the one under way instead. The last good value stays until the next is there: no flicker.
 */
import type { Failure, Result } from '../../shared/result.ts';

export interface Question<K, T> {
  /** The last good answer and its key. */
  readonly value: T | undefined;
  readonly key: K | undefined;
  readonly error: Failure | undefined;
  readonly busy: boolean;
  ask(key: K): void;
  /** Cancels what is under way and forgets what waits. */
  stop(): void;
}

export interface QuestionOptions {
  readonly interrupt?: boolean;
}

export function createQuestion<K, T>(
  run: (key: K, signal: AbortSignal) => Promise<Result<T>>,
  options: QuestionOptions = {},
): Question<K, T> {
  let answer = $state.raw<{ readonly key: K; readonly value: T } | undefined>();
  let error = $state.raw<Failure | undefined>();
  let busy = $state(false);
  let waiting: { readonly key: K } | undefined;
  let controller: AbortController | undefined;

  function start(key: K): void {
    const own = new AbortController();
    controller = own;
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

  function stop(): void {
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
      if (controller && options.interrupt !== true) {
        waiting = { key };
        return;
      }
      stop();
      start(key);
    },
    stop,
  };
}
