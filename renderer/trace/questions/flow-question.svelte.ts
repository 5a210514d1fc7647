/**
 * A question about the flow of a trace, which may walk all of it: the newest key wins and cancels the one under way, how far it
 * is can be shown, and a person can stop it.
 */
import { NO_FLOW } from '../../../shared/requests/failures.ts';
import type { FlowProgress } from '../../../shared/requests/flow.ts';
import type { Failure, Result } from '../../../shared/base/result.ts';
import { createQuestion } from './question.svelte.ts';

export interface FlowQuestion<K, T> {
  /** The last good answer and its key. */
  readonly value: T | undefined;
  readonly key: K | undefined;
  readonly error: Failure | undefined;
  readonly busy: boolean;
  /** Share that is done, 0 to 1, once that takes longer than a glance; null before. */
  readonly done: number | null;
  /** A person stopped it: it is asked again only with `retry`. */
  readonly stopped: boolean;
  /** It went wrong, and may go well another time: it is asked again only with `retry`. */
  readonly failed: boolean;
  /** Nothing where the key is that of the answer, or of what is under way. */
  readonly ask: (key: K) => void;
  readonly retry: () => void;
  readonly cancel: () => void;
  /** Nobody looks any more. */
  readonly stop: () => void;
}

export type RunFlow<K, T> = (
  key: K,
  options: { readonly signal: AbortSignal; readonly onEvent: (event: FlowProgress) => void },
) => Promise<Result<T>>;

/** Milliseconds until progress is shown. */
const GLANCE = 500;

export function createFlowQuestion<K, T>(run: RunFlow<K, T>, from: (key: K) => number = () => 0): FlowQuestion<K, T> {
  let done = $state<number | null>(null);
  let stopped = $state(false);
  let asked: K | undefined;

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
      if (JSON.stringify(key) === JSON.stringify(asked)) return;
      asked = key;
      stopped = false;
      question.ask(key);
    },
    retry() {
      stopped = false;
      if (asked !== undefined) question.ask(asked);
    },
    cancel() {
      if (!question.busy) return;
      question.stop();
      stopped = true;
    },
    stop() {
      asked = undefined;
      question.stop();
    },
  };
}
