/** The stacks of one cpu beside the one in use: those that were left aside, as those of other threads are, and the memory of those that are over. */
import type { CallTally } from '../tally/call-tally.ts';
import { createFrames, resumes, reuseFrames, type Frames } from './frames.ts';

export interface StacksAside {
  /** Those that were left aside, the latest one last. */
  readonly list: readonly Frames[];
  put(stack: Frames): void;
  /** Takes out the latest one that goes on at an address, with the frame that does; undefined where there is none. */
  take(low: number, high: number): { readonly stack: Frames; readonly frame: number } | undefined;
  /** An empty stack, which begins with the record `begun`. */
  empty(begun: number): Frames;
  /** All of them are over, and so is this one, which was in use. */
  end(used: Frames): void;
}

const MOST_ASIDE = 8;
/** So many of the innermost frames of a stack left aside can be returned to. */
const NEAR_TOP = 16;

/** `from`: those that were left aside before. */
export function createStacksAside(tally: CallTally, from: readonly Frames[] = []): StacksAside {
  const { contexts } = tally;
  const list = [...from];
  /** Stacks that are over: memory for others. */
  const over: Frames[] = [];
  return {
    list,
    put(stack) {
      list.push(stack);
      if (list.length > MOST_ASIDE) forget(list.shift()!);
    },
    take(low, high) {
      for (let i = list.length - 1; i >= 0; i--) {
        const stack = list[i]!;
        const lowest = Math.max(1, stack.count - NEAR_TOP);
        for (let frame = stack.count - 1; frame >= lowest; frame--) {
          if (!resumes(stack, frame, low, high)) continue;
          list.splice(i, 1);
          return { stack, frame };
        }
      }
      return undefined;
    },
    empty(begun) {
      const stack = over.pop();
      if (stack === undefined) return createFrames(begun, contexts.beside());
      reuseFrames(stack, begun);
      return stack;
    },
    end(used) {
      // Mostly there is none: of samples a stack is over every few branches.
      while (list.length > 0) forget(list.shift()!);
      forget(used);
    },
  };

  function forget(stack: Frames): void {
    tally.deepest = Math.max(tally.deepest, stack.highest - stack.lowest);
    tally.deepestCalls = Math.max(tally.deepestCalls, stack.highestCalls - stack.lowest);
    contexts.join(stack.contexts);
    over.push(stack);
  }
}
