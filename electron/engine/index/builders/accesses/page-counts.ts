/** How a loop over accesses that does something else beside counts them by page (accesses.ts). */
import { KIND_SHIFT, PAGE_SHIFT } from './access-list.ts';

/**
 * Accesses counted by page and kind in a table small enough to be always at hand, while their lines are distinguished by `touch`,
 * once for many accesses. All addresses fit 32 bits and none crosses a line.
 */
export interface PageCounts {
  /**
   * PAGE_SLOTS slots of COUNTED numbers as in the lists: the key of the line of the page and kind that was accessed last, count, first, last. A page's slot is
   * ((page ^ page >>> 7 ^ kind << 4) & (PAGE_SLOTS - 1)) * COUNTED.
   */
  readonly slots: Int32Array;
  /** First record of the block: records count from here. */
  readonly base: number;
  /** Room for what so many accesses push out of their slots, to be reported to `evict`: slots as they were, empty ones too. */
  evicted(accesses: number): Int32Array;
  evict(slots: Int32Array, end: number): void;
  /** Every line that is accessed has to be reported, by its key. */
  touch(key: number): void;
  /** Lowest and highest byte of the accesses, and their kinds as bits. */
  widen(least: number, most: number, kinds: number): void;
}

export const PAGE_SLOTS = 1024;

/** The key of an address's line, for one kind of access. */
export function lineKey(address: number, kind: number): number {
  return ((address >>> 12) << PAGE_SHIFT) | (kind << KIND_SHIFT) | ((address >>> 6) & 63);
}
