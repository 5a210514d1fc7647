/**
 * A query about the program flow of a trace, which may walk all of it. The newest key wins and cancels the running query. Progress is
 * reported, and a person can stop the query.
 */
import { NO_FLOW } from '../../../shared/requests/failures.ts';
import type { FlowProgress } from '../../../shared/requests/flow.ts';
import type { Failure, Result } from '../../../shared/base/result.ts';
import { createQuestion } from './question.svelte.ts';

export interface FlowQuestion<K, T> {
  /** Last good answer; `key` is its key. */
  readonly value: T | undefined;
  readonly key: K | undefined;
  readonly error: Failure | undefined;
  readonly busy: boolean;
  /** Completed fraction, 0 to 1; null until the query has run for half a second. */
  readonly done: number | null;
  /** A person stopped the query. Only `retry` repeats it. */
  readonly stopped: boolean;
  /** The query failed and may succeed another time. Only `retry` repeats it. */
  readonly failed: boolean;
  /** Does nothing if the key is that of the answer or of the running query. */
  readonly ask: (key: K) => void;
  readonly retry: () => void;
  readonly cancel: () => void;
  /** Cancels the query: no component shows it any more. */
  readonly stop: () => void;
}

export type RunFlow<K, T> = (
  key: K,
  options: { readonly signal: AbortSignal; readonly onEvent: (event: FlowProgress) => void },
) => Promise<Result<T>>;

/** Delay in milliseconds until progress is shown. */
const GLANCE = 500;

export function createFlowQuestion<K, T>(run: RunFlow<K, T>, from: (key: K) => number = () => 0): FlowQuestion<K, T> {
  let done = $state<number | null>(null);
  let stopped = $state(false);
  let requested: K | undefined;

  const question = createQuestion<K, T>(
    async (key, signal) => {
      const start = performance.now();
      const first = from(key);
      done = null;
      const shown = setTimeout(() => (done ??= 0), GLANCE);
      const result = await run(key, {
        signal,
        onEvent: ({ at, to }) => {
          if (performance.now() - start > GLANCE && !signal.aborted)
            done = Math.min(1, Math.max(0, at - first) / Math.max(1, to - first));
        },
      });
      clearTimeout(shown);
      return result;
    },
    { interrupt: () => true },
  );

  return {
    get value() {
      return question.value;
    },
    get key() {
      return question.key;
    },
    get error() {
      return question.error;
    },
    get busy() {
      return question.busy;
    },
    get done() {
      return question.busy ? done : null;
    },
    get stopped() {
      return stopped;
    },
    get failed() {
      return !question.busy && question.error !== undefined && question.error.code !== NO_FLOW;
    },
    ask(key) {
      if (JSON.stringify(key) === JSON.stringify(requested)) return;
      requested = key;
      stopped = false;
      question.ask(key);
    },
    retry() {
      stopped = false;
      if (requested !== undefined) question.ask(requested);
    },
    cancel() {
      if (!question.busy) return;
      question.stop();
      stopped = true;
    },
    stop() {
      requested = undefined;
      question.stop();
    },
  };
}
