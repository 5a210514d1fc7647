/** Long calls that take turns: each keeps one of the six connections that a browser has to a host, and questions need some. */
import type { CancelSignal } from '../../../shared/requests/requests.ts';

/** Runs work at once, or when its turn comes; who is cancelled meanwhile has it at once, to find that out. */
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
