/** Limits concurrent long requests: each holds one of a browser's six connections to a host, and queries need some of them. */
import type { CancelSignal } from '../../../shared/requests/requests.ts';

/** Runs work now, or when its turn comes. Work that is cancelled while it waits runs at once, so that it can report that. */
export type InTurn = <T>(signal: CancelSignal, work: () => Promise<T>) => Promise<T>;

export function createTurns(most: number): InTurn {
  let running = 0;
  let waiting: (() => void)[] = [];
  return async (signal, work) => {
    while (running >= most && !signal.aborted) {
      await new Promise<void>((go) => {
        waiting.push(go);
        signal.addEventListener('abort', () => go());
      });
    }
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      const all = waiting;
      waiting = [];
      for (const go of all) go();
    }
  };
}
