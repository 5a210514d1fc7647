/**
 * From a list of accesses in any order to sorted columns. An entry of the list is four 32-bit numbers: key, count, first and
 * last record. A key is page (20 bits) | kind (5) | line (6): 31 bits, never negative.
 */
import { LINES_PER_PAGE, type PageNumber } from '../../../shared/units.ts';
import type { AccessColumns } from './accesses.ts';
import { MOST_CELLS, type HeatTile } from './heat.ts';

export const SLOT = 4;
export const KIND_SHIFT = 6;
export const PAGE_SHIFT = 11;

/** Only page and kind have an order: two passes of 13 bits are enough for their 25. */
const RADIX_BITS = 13;
const RADIX = 1 << RADIX_BITS;
const KEY_BITS = 31;
/** Kinds that a key has room for. */
const KINDS = 32;

export type AccessSums = Omit<AccessColumns, 'lowest' | 'highest'>;

/**
 * Sorts a list and sums it up by page and kind. `pages`: what page numbers in keys stand for; they stand for themselves
 * where it is undefined. The list is used up: what it holds afterwards means nothing.
 */
export type AccessSorter = (list: Int32Array, pages: readonly PageNumber[] | undefined) => AccessSums;

/** A sorter keeps its memory from one list to the next. */
export function createAccessSorter(): AccessSorter {
  let spare = new Int32Array(0);
  return (list, pages) => {
    if (spare.length < list.length) spare = new Int32Array(Math.ceil(list.length * 1.25));
    const ranked = pages === undefined ? undefined : rankPages(list, pages);
    let from: Int32Array = list;
    let to: Int32Array = spare;
    for (let shift = KIND_SHIFT; shift < KEY_BITS; shift += RADIX_BITS) {
      sortByDigit(from, to, list.length, shift);
      [from, to] = [to, from];
    }
    return sumUp(from, list.length, ranked);
  };
}

/** One stable counting pass: moves whole entries, so that what follows reads memory in order. */
function sortByDigit(from: Int32Array, to: Int32Array, length: number, shift: number): void {
  const starts = new Int32Array(RADIX);
  for (let at = 0; at < length; at += SLOT) {
    const digit = (from[at]! >>> shift) & (RADIX - 1);
    starts[digit] = starts[digit]! + SLOT;
  }
  let sum = 0;
  for (let digit = 0; digit < RADIX; digit++) {
    const size = starts[digit]!;
    starts[digit] = sum;
    sum += size;
  }
  for (let at = 0; at < length; at += SLOT) {
    const key = from[at]!;
    const digit = (key >>> shift) & (RADIX - 1);
    const place = starts[digit]!;
    starts[digit] = place + SLOT;
    to[place] = key;
    to[place + 1] = from[at + 1]!;
    to[place + 2] = from[at + 2]!;
    to[place + 3] = from[at + 3]!;
  }
}

/** Replaces numbered pages by their rank, so that sorting keys sorts pages. Returns the pages by rank. */
function rankPages(list: Int32Array, pages: readonly PageNumber[]): Float64Array {
  const sorted = Float64Array.from(pages).sort();
  const rankOf = new Map<PageNumber, number>();
  sorted.forEach((page, rank) => rankOf.set(page, rank));
  const ranks = Int32Array.from(pages, (page) => rankOf.get(page)!);
  for (let at = 0; at < list.length; at += SLOT) {
    const key = list[at]!;
    list[at] = (ranks[key >>> PAGE_SHIFT]! << PAGE_SHIFT) | (key & (2 ** PAGE_SHIFT - 1));
  }
  return sorted;
}

/** Kinds, as bits, of which most accesses became entries of their own. */
export function kindsWithoutLocality(list: Int32Array): number {
  const entries = new Uint32Array(KINDS);
  const accesses = new Float64Array(KINDS);
  for (let at = 0; at < list.length; at += SLOT) {
    const kind = (list[at]! >>> KIND_SHIFT) & (KINDS - 1);
    entries[kind] = entries[kind]! + 1;
    accesses[kind] = accesses[kind]! + list[at + 1]!;
  }
  return entries.reduce((bits, count, kind) => (count * 2 > accesses[kind]! ? bits | (1 << kind) : bits), 0);
}

/** The heat tile of a list whose keys hold pages themselves, in cells that only its span decides: one pass, no sorting. */
export function heatOfList(list: Int32Array): HeatTile {
  let least = 2 ** 20;
  let most = 0;
  for (let at = 0; at < list.length; at += SLOT) {
    const page = list[at]! >>> PAGE_SHIFT;
    if (page < least) least = page;
    if (page > most) most = page;
  }
  let doublings = 0;
  while ((most >>> doublings) - (least >>> doublings) >= MOST_CELLS) doublings++;
  const origin = least >>> doublings;
  const sums = new Float64Array(MOST_CELLS * KINDS);
  for (let at = 0; at < list.length; at += SLOT) {
    const key = list[at]!;
    const sum = ((key >>> (PAGE_SHIFT + doublings)) - origin) * KINDS + ((key >>> KIND_SHIFT) & (KINDS - 1));
    sums[sum] = sums[sum]! + list[at + 1]!;
  }
  const filled = sums.reduce((entries, count) => (count > 0 ? entries + 1 : entries), 0);
  const tile = {
    shift: 12 + doublings,
    length: filled,
    cell: new Float64Array(filled),
    kind: new Uint8Array(filled),
    counts: new Float64Array(filled),
  };
  for (let sum = 0, at = 0; sum < sums.length; sum++) {
    if (sums[sum] === 0) continue;
    tile.cell[at] = origin + Math.floor(sum / KINDS);
    tile.kind[at] = sum & (KINDS - 1);
    tile.counts[at] = sums[sum]!;
    at++;
  }
  return tile;
}

function sumUp(list: Int32Array, size: number, ranked: Float64Array | undefined): AccessSums {
  let length = 0;
  let previous = -1;
  for (let from = 0; from < size; from += SLOT) {
    const pair = list[from]! >>> KIND_SHIFT;
    if (pair !== previous) length++;
    previous = pair;
  }
  const page = new Float64Array(length);
  const kind = new Uint8Array(length);
  const lineLow = new Uint32Array(length);
  const lineHigh = new Uint32Array(length);
  const counts = new Uint32Array(length);
  const first = new Uint32Array(length);
  const last = new Uint32Array(length);
  for (let from = 0, at = 0; from < size; at++) {
    const pair = list[from]! >>> KIND_SHIFT;
    const number = pair >>> (PAGE_SHIFT - KIND_SHIFT);
    page[at] = ranked === undefined ? number : ranked[number]!;
    kind[at] = pair & 31;
    let low = 0;
    let high = 0;
    let sum = 0;
    let least = 0xffffffff;
    let most = 0;
    for (; from < size && list[from]! >>> KIND_SHIFT === pair; from += SLOT) {
      const line = list[from]! & (LINES_PER_PAGE - 1);
      if (line < 32) low |= 1 << line;
      else high |= 1 << (line - 32);
      const count = list[from + 1]!;
      if (count === 0) continue; // a line that an access from another one runs into
      sum += count;
      if (list[from + 2]! < least) least = list[from + 2]!;
      if (list[from + 3]! > most) most = list[from + 3]!;
    }
    lineLow[at] = low;
    lineHigh[at] = high;
    counts[at] = sum;
    first[at] = least;
    last[at] = most;
  }
  return { length, page, kind, lineLow, lineHigh, counts, first, last };
}
