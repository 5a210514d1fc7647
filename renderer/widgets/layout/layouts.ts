/** Client of the layout worker. The worker starts with the first request, and answers requests in order. */
import type { Arranged, Wanted } from '../../../present/call-graph/arrange.ts';

export interface Layouts {
  /** Rejects if the worker fails, or if `close` is called before it has answered. */
  readonly arrange: (wanted: Wanted) => Promise<Arranged>;
  readonly close: () => void;
}

interface Waiting {
  readonly resolve: (arranged: Arranged) => void;
  readonly reject: (reason: Error) => void;
}

export function createLayouts(): Layouts {
  let worker: Worker | undefined;
  let waiting: Waiting[] = [];

  function start(): Worker {
    const made = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    made.addEventListener('message', (event: MessageEvent<Arranged>) => waiting.shift()?.resolve(event.data));
    made.addEventListener('error', (event) => end(new Error(event.message || 'the layout worker could not be loaded')));
    return made;
  }

  function end(reason: Error): void {
    const left = waiting;
    waiting = [];
    worker?.terminate();
    worker = undefined;
    for (const { reject } of left) reject(reason);
  }

  return {
    arrange(wanted) {
      worker ??= start();
      const requested = worker;
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        requested.postMessage(wanted);
      });
    },
    close: () => end(new Error('closed')),
  };
}
