/**
 * Which calls were open at the beginnings of blocks: for each cpu a list of stacks, kept when the first event behind them comes.
 * Plain columns once it is made.
 */
import type { BlockTable } from '../store/block-table.ts';
import { createFrames } from './frames.ts';
import { createFrameStore, NO_FRAME } from './frame-store.ts';
import type { ShadowStack, StackState } from './shadow-stack.ts';

export interface StackHistory {
  /** The record from which on an event of this cpu is behind a stack that is to be kept first. */
  until(cpu: number): number;
  /** Keeps the stack as it is before an event at `record`. */
  keep(cpu: number, stack: ShadowStack, record: number): void;
  readonly cpus: readonly number[];
  /** The stack of a cpu before the first event at or after `record`, which is the first of a block. */
  at(cpu: number, record: number): StackState;
}

interface Kept {
  /** The stack is that of all records from here up to that of the next entry. */
  readonly records: number[];
  readonly innermost: number[];
  readonly base: number[];
  readonly last: StackState['last'][];
  /** Stacks left aside: innermost frame and base. */
  readonly aside: (readonly (readonly [number, number])[])[];
  until: number;
}

const NOTHING_ASIDE: readonly (readonly [number, number])[] = [];

export function createStackHistory(blocks: BlockTable): StackHistory {
  const store = createFrameStore();
  const cpus = new Map<number, Kept>();
  return {
    until: (cpu) => cpus.get(cpu)?.until ?? -1,
    keep(cpu, { frames, aside, last }, record) {
      const kept = cpus.get(cpu) ?? create(cpu);
      if (kept.until >= 0) {
        kept.records.push(kept.until);
        kept.innermost.push(store.save(frames));
        kept.base.push(frames.base);
        kept.last.push(last);
        kept.aside.push(
          aside.length === 0 ? NOTHING_ASIDE : aside.map((stack) => [store.save(stack), stack.base] as const),
        );
      }
      const block = blocks.blockOfRecord(Math.min(record, blocks.records - 1));
      kept.until = block + 1 < blocks.length ? blocks.firstRecord(block + 1) : Number.POSITIVE_INFINITY;
    },
    get cpus() {
      return [...cpus.keys()];
    },
    at(cpu, record) {
      const kept = cpus.get(cpu);
      const i = kept === undefined ? -1 : lastNotAbove(kept.records, record);
      if (kept === undefined || i < 0) return { frames: createFrames(), aside: [], last: { low: 0, high: 0, record: -1 } };
      return {
        frames: store.restore(kept.innermost[i]!, kept.base[i]!),
        aside: kept.aside[i]!.map(([innermost, base]) => store.restore(innermost, base)),
        last: kept.last[i]!,
      };
    },
  };

  function create(cpu: number): Kept {
    const kept: Kept = { records: [], innermost: [], base: [], last: [], aside: [], until: -1 };
    cpus.set(cpu, kept);
    return kept;
  }
}

/** Index of the last of ascending numbers that is not above `wanted`; -1 where all are. */
function lastNotAbove(numbers: readonly number[], wanted: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export const EMPTY = NO_FRAME;
