/**
 * Touched (page, kind) pairs of a stretch of the trace, with the lines touched in each, how often, and first and last by
 * which record: one row a pair, its words side by side, so that anyone who goes through rows reads memory in order.
 */
import type { PageNumber } from '../../../../../shared/base/units.ts';

/** Rows sorted by page, then kind, each pair once. */
export interface AccessRows {
  readonly length: number;
  /** ROW words a row; may hold more than `length` rows. In shared memory where they are for another thread. */
  readonly words: Int32Array;
  /** Lowest and highest byte touched; meaningless where length is 0. */
  readonly lowest: AddressHalves;
  readonly highest: AddressHalves;
}

export interface AddressHalves {
  readonly low: number;
  readonly high: number;
}

export const ROW = 7;

/**
 * Words of a row, all unsigned. `pairHigh` and `pairLow`: page * 32 + kind. `linesLow` and `linesHigh`: bit i of the 64 = line
 * i of the page was touched. `count`: accesses that start there (an access that runs over into another line touches that
 * one, but starts only in its own). `first` and `last`: records, counted from the start of the stretch, that start an
 * access there; meaningless where the count is 0.
 */
export const WORD = { pairHigh: 0, pairLow: 1, linesLow: 2, linesHigh: 3, count: 4, first: 5, last: 6 } as const;

export const KIND_BITS = 5;
const PAGES_OF_LOW = 2 ** (32 - KIND_BITS);

export function pairHighOf(page: PageNumber): number {
  return Math.floor(page / PAGES_OF_LOW);
}

export function pairLowOf(page: PageNumber, kind: number): number {
  return ((page % PAGES_OF_LOW) << KIND_BITS) | kind;
}

/** The page of the high word of a pair and the low one without its kind. */
export function pageOfHalves(pairHigh: number, lowPage: number): PageNumber {
  return pairHigh * PAGES_OF_LOW + lowPage;
}

/** `at`: where the row's words begin. */
export function pageAt(words: Int32Array, at: number): PageNumber {
  return pageOfHalves(words[at]!, words[at + WORD.pairLow]! >>> KIND_BITS);
}

export function kindAt(words: Int32Array, at: number): number {
  return words[at + WORD.pairLow]! & 31;
}
