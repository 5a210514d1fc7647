/** The parts of two paths while they are aligned: their values are compared meanwhile. */
import type { PathPart } from './path-parts.ts';

export interface PartQueue {
  /** In order. Only the first `fixed` of them stay as they are. */
  readonly parts: readonly PathPart[];
  readonly fixed: number;
  /** True if no more parts follow. */
  readonly isEnded: boolean;
  /** Resolves when the queue has changed. */
  changed(): Promise<void>;
}

export interface OpenPartQueue extends PartQueue {
  /** Takes all parts so far. Only the last one may still grow. */
  put(parts: readonly PathPart[]): void;
  /** Takes all parts; none follow. */
  end(parts: readonly PathPart[]): void;
}

export function createPartQueue(): OpenPartQueue {
  let waiting: (() => void)[] = [];
  const set = (parts: readonly PathPart[], fixed: number, isEnded: boolean): void => {
    Object.assign(queue, { parts, fixed, isEnded });
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  const queue: OpenPartQueue = {
    parts: [],
    fixed: 0,
    isEnded: false,
    changed: () => new Promise((resolve) => waiting.push(resolve)),
    put: (parts) => {
      set(parts, Math.max(0, parts.length - 1), false);
    },
    end: (parts) => {
      set(parts, parts.length, true);
    },
  };
  return queue;
}

/** Returns a queue with all parts. */
export function endedQueue(parts: readonly PathPart[]): PartQueue {
  return { parts, fixed: parts.length, isEnded: true, changed: () => Promise.resolve() };
}
