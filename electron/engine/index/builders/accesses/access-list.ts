/**
 * From lists of accesses in any order to sorted rows.
 *
 * A key is page (20 bits) | kind (5) | line (6): 31 bits, never negative. An entry of the list of counts is four 32-bit
 * numbers: key, count, first and last record. One of the list of singles is two, key and record, in the order of records,
 * because data without locality is nothing but such.
 *
 * Lists are sorted by a radix, then summed up. A table with a place for every pair takes longer, although it touches each
 * entry only once: the processor waits for nearly each of its places.
 */
import { assert } from '../../../../../shared/base/result.ts';
import { LINES_PER_PAGE, type PageNumber } from '../../../../../shared/base/units.ts';
import { pairHighOf, pairLowOf, ROW, WORD, type AccessRows } from './access-rows.ts';
import { MOST_CELLS, type HeatTile } from '../heat.ts';

export const COUNTED = 4;
export const SINGLE = 2;
export const KIND_SHIFT = 6;
export const PAGE_SHIFT = 11;

/** Kinds that a key has room for. */
const KINDS = 32;
const LINE_BITS = 6;
/** Digits of a sort: more would need more places to write to than the processor keeps at hand. */
const MOST_DIGIT_BITS = 12;
const MOST_PAGES = 2 ** 20;
const MANY_OF_A_KIND = 4096;

export interface AccessLists {
  readonly counted: Int32Array;
  readonly singles: Int32Array;
}

/** Lowest and highest page of the keys of a list, and the kinds among them as bits; what does not occur does no harm. */
export interface KeySpan {
  readonly least: number;
  readonly most: number;
  readonly kinds: number;
}

type Sums = Pick<AccessRows, 'length' | 'words'>;

/**
 * Sums lists up by page and kind. `pages`: what page numbers in keys stand for; they stand for themselves
 * where it is undefined. The lists are used up: what they hold afterwards means nothing. The sums lie in `room` where it is
 * large enough.
 */
export type AccessAdder = (
  lists: AccessLists,
  span: KeySpan,
  pages: readonly PageNumber[] | undefined,
  room: Int32Array | undefined,
) => Sums;

/** An adder keeps its memory from one list to the next. */
export function createAccessAdder(): AccessAdder {
  let spare = new Int32Array(0);
  let spareSingles = new Int32Array(0);
  return (lists, span, pages, room) => {
    const { counted, singles } = lists;
    let ranked: Float64Array | undefined;
    if (pages !== undefined) {
      ranked = Float64Array.from(pages).sort();
      const ranks = ranksOf(pages, ranked);
      rankPages(counted, COUNTED, ranks);
      rankPages(singles, SINGLE, ranks);
    }
    if (spare.length < counted.length) spare = new Int32Array(Math.ceil(counted.length * 1.25));
    if (spareSingles.length < singles.length) spareSingles = new Int32Array(Math.ceil(singles.length * 1.25));
    const keys = compactKeys(pages === undefined ? span : { ...span, least: 0, most: pages.length - 1 });
    const sortedCounts = sortList(counted, spare, COUNTED, keys);
    const sortedSingles = sortList(singles, spareSingles, SINGLE, keys);
    const sumInto = (words: Int32Array): Sums | undefined =>
      sumSorted(sortedCounts, counted.length, sortedSingles, singles.length, keys, ranked, words);
    const inRoom = room === undefined ? undefined : sumInto(room);
    if (inRoom !== undefined) return inRoom;
    const pairs = pairsOf(sortedCounts, counted.length, COUNTED) + pairsOf(sortedSingles, singles.length, SINGLE);
    const sums = sumInto(new Int32Array(new SharedArrayBuffer(pairs * ROW * Int32Array.BYTES_PER_ELEMENT)));
    assert(sums !== undefined, 'lists have no more pairs than were counted');
    return sums;
  };
}

/** Keys with as few bits as the pages and kinds that occur need: (page - least) | place of the kind | line. */
interface CompactKeys {
  readonly least: number;
  readonly kindBits: number;
  /** Kinds that occur, in order, and the place of each. */
  readonly kinds: readonly number[];
  readonly placeOf: Int32Array;
  /** Bits of page and kind together. */
  readonly pairBits: number;
}

function compactKeys({ least, most, kinds: bits }: KeySpan): CompactKeys {
  const kinds = Array.from({ length: KINDS }, (_, kind) => kind).filter((kind) => (bits & (1 << kind)) !== 0);
  const placeOf = new Int32Array(KINDS);
  kinds.forEach((kind, place) => (placeOf[kind] = place));
  const kindBits = 32 - Math.clz32(Math.max(0, kinds.length - 1));
  const pageBits = 32 - Math.clz32(Math.max(0, most - least));
  return { least, kindBits, kinds, placeOf, pairBits: pageBits + kindBits };
}

/** Makes keys compact and sorts by all of them but the line; returns which of the two arrays holds the result. */
function sortList(list: Int32Array, spare: Int32Array, slot: number, keys: CompactKeys): Int32Array {
  const { least, kindBits, placeOf, pairBits } = keys;
  const passes = Math.ceil(pairBits / MOST_DIGIT_BITS);
  const digitBits = passes === 0 ? 0 : Math.ceil(pairBits / passes);
  const mask = 2 ** digitBits - 1;
  const counts = new Int32Array(passes << digitBits);
  for (let at = 0; at < list.length; at += slot) {
    const key = list[at]!;
    const pair = (((key >>> PAGE_SHIFT) - least) << kindBits) | placeOf[(key >>> KIND_SHIFT) & (KINDS - 1)]!;
    list[at] = (pair << LINE_BITS) | (key & (LINES_PER_PAGE - 1));
    for (let pass = 0; pass < passes; pass++) {
      const digit = (pass << digitBits) | ((pair >>> (pass * digitBits)) & mask);
      counts[digit] = counts[digit]! + slot;
    }
  }
  let from = list;
  let to = spare;
  for (let pass = 0; pass < passes; pass++) {
    const starts = counts.subarray(pass << digitBits, (pass + 1) << digitBits);
    countsToStarts(starts);
    const shift = LINE_BITS + pass * digitBits;
    if (slot === SINGLE) scatterSingles(from, to, list.length, starts, shift, mask);
    else scatterCounted(from, to, list.length, starts, shift, mask);
    [from, to] = [to, from];
  }
  return from;
}

function countsToStarts(counts: Int32Array): void {
  let sum = 0;
  for (let digit = 0; digit < counts.length; digit++) {
    const size = counts[digit]!;
    counts[digit] = sum;
    sum += size;
  }
}

/** One stable pass: moves whole entries, so that what follows reads memory in order. */
function scatterSingles(
  from: Int32Array,
  to: Int32Array,
  length: number,
  starts: Int32Array,
  shift: number,
  mask: number,
): void {
  for (let at = 0; at < length; at += SINGLE) {
    const key = from[at]!;
    const digit = (key >>> shift) & mask;
    const place = starts[digit]!;
    starts[digit] = place + SINGLE;
    to[place] = key;
    to[place + 1] = from[at + 1]!;
  }
}

function scatterCounted(
  from: Int32Array,
  to: Int32Array,
  length: number,
  starts: Int32Array,
  shift: number,
  mask: number,
): void {
  for (let at = 0; at < length; at += COUNTED) {
    const key = from[at]!;
    const digit = (key >>> shift) & mask;
    const place = starts[digit]!;
    starts[digit] = place + COUNTED;
    to[place] = key;
    to[place + 1] = from[at + 1]!;
    to[place + 2] = from[at + 2]!;
    to[place + 3] = from[at + 3]!;
  }
}

/** The place of each page in the sorted list of all, none of them twice. */
function ranksOf(pages: readonly PageNumber[], sorted: Float64Array): Int32Array {
  const ranks = new Int32Array(pages.length);
  for (let id = 0; id < pages.length; id++) {
    const page = pages[id]!;
    let low = 0;
    let high = sorted.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]! < page) low = middle + 1;
      else high = middle;
    }
    ranks[id] = low;
  }
  return ranks;
}

/** Replaces numbered pages by their rank, so that sorting keys sorts pages. */
function rankPages(list: Int32Array, slot: number, ranks: Int32Array): void {
  for (let at = 0; at < list.length; at += slot) {
    const key = list[at]!;
    list[at] = (ranks[key >>> PAGE_SHIFT]! << PAGE_SHIFT) | (key & (2 ** PAGE_SHIFT - 1));
  }
}

/** Undefined if `words` is too small. */
function sumSorted(
  counted: Int32Array,
  countedEnd: number,
  singles: Int32Array,
  singlesEnd: number,
  keys: CompactKeys,
  ranked: Float64Array | undefined,
  words: Int32Array,
): Sums | undefined {
  const end = -1 >>> LINE_BITS; // above every pair
  let c = 0;
  let s = 0;
  let to = 0;
  let pairOfC = countedEnd > 0 ? counted[0]! >>> LINE_BITS : end;
  let pairOfS = singlesEnd > 0 ? singles[0]! >>> LINE_BITS : end;
  while (pairOfC !== end || pairOfS !== end) {
    if (to + ROW > words.length) return undefined;
    const pair = pairOfC < pairOfS ? pairOfC : pairOfS;
    let low = 0;
    let high = 0;
    let sum = 0;
    let first = 0x7fffffff;
    let last = 0;
    while (pairOfC === pair) {
      const key = counted[c]!;
      const bit = 1 << (key & 31);
      const inHigh = -((key >>> 5) & 1);
      low |= bit & ~inHigh;
      high |= bit & inHigh;
      const count = counted[c + 1]!;
      if (count > 0) {
        // else a line that an access from another one runs into
        sum += count;
        if (counted[c + 2]! < first) first = counted[c + 2]!;
        if (counted[c + 3]! > last) last = counted[c + 3]!;
      }
      c += COUNTED;
      pairOfC = c < countedEnd ? counted[c]! >>> LINE_BITS : end;
    }
    if (pairOfS === pair) {
      // Sorting left singles of a pair in the order of their records.
      const from = s;
      let key = singles[s]!;
      do {
        const bit = 1 << (key & 31);
        const inHigh = -((key >>> 5) & 1);
        low |= bit & ~inHigh;
        high |= bit & inHigh;
        s += SINGLE;
        key = s < singlesEnd ? singles[s]! : -1;
        pairOfS = key >>> LINE_BITS;
      } while (pairOfS === pair);
      sum += ((s - from) / SINGLE) | 0;
      first = Math.min(first, singles[from + 1]!);
      last = Math.max(last, singles[s - 1]!);
    }
    writePair(words, to, pair, keys, ranked);
    words[to + WORD.linesLow] = low;
    words[to + WORD.linesHigh] = high;
    words[to + WORD.count] = sum;
    words[to + WORD.first] = first;
    words[to + WORD.last] = last;
    to += ROW;
  }
  return { length: to / ROW, words };
}

function writePair(
  words: Int32Array,
  to: number,
  pair: number,
  { least, kindBits, kinds }: CompactKeys,
  ranked: Float64Array | undefined,
): void {
  const number = least + (pair >>> kindBits);
  const kind = kinds[pair & ((1 << kindBits) - 1)]!;
  if (ranked === undefined) {
    words[to] = 0;
    words[to + WORD.pairLow] = (number << 5) | kind;
  } else {
    words[to] = pairHighOf(ranked[number]!);
    words[to + WORD.pairLow] = pairLowOf(ranked[number]!, kind);
  }
}

/** Different pairs in a sorted list. */
function pairsOf(list: Int32Array, end: number, slot: number): number {
  let pairs = 0;
  let previous = -1;
  for (let at = 0; at < end; at += slot) {
    const pair = list[at]! >>> LINE_BITS;
    if (pair !== previous) pairs++;
    previous = pair;
  }
  return pairs;
}

/** Kinds, as bits, that have many entries and of which most accesses became entries of their own. */
export function kindsWithoutLocality(counted: Int32Array): number {
  const entries = new Uint32Array(KINDS);
  const accesses = new Float64Array(KINDS);
  for (let at = 0; at < counted.length; at += COUNTED) {
    const kind = (counted[at]! >>> KIND_SHIFT) & (KINDS - 1);
    entries[kind] = entries[kind]! + 1;
    accesses[kind] = accesses[kind]! + counted[at + 1]!;
  }
  return entries.reduce(
    (bits, count, kind) => (count >= MANY_OF_A_KIND && count * 2 > accesses[kind]! ? bits | (1 << kind) : bits),
    0,
  );
}

/** The heat tile of lists whose keys hold pages themselves, in cells that only its span decides: one pass, no sorting. */
export function heatOfLists({ counted, singles }: AccessLists): HeatTile {
  let least = MOST_PAGES;
  let most = 0;
  for (let at = 0; at < counted.length; at += COUNTED) {
    const page = counted[at]! >>> PAGE_SHIFT;
    if (page < least) least = page;
    if (page > most) most = page;
  }
  for (let at = 0; at < singles.length; at += SINGLE) {
    const page = singles[at]! >>> PAGE_SHIFT;
    if (page < least) least = page;
    if (page > most) most = page;
  }
  let doublings = 0;
  while ((most >>> doublings) - (least >>> doublings) >= MOST_CELLS) doublings++;
  const origin = least >>> doublings;
  const sums = new Uint32Array(MOST_CELLS * KINDS);
  for (let at = 0; at < counted.length; at += COUNTED) {
    const key = counted[at]!;
    const sum = (((key >>> (PAGE_SHIFT + doublings)) - origin) << 5) | ((key >>> KIND_SHIFT) & (KINDS - 1));
    sums[sum] = sums[sum]! + counted[at + 1]!;
  }
  for (let at = 0; at < singles.length; at += SINGLE) {
    const key = singles[at]!;
    const sum = (((key >>> (PAGE_SHIFT + doublings)) - origin) << 5) | ((key >>> KIND_SHIFT) & (KINDS - 1));
    sums[sum] = sums[sum]! + 1;
  }
  return tileOf(sums, origin, 12 + doublings);
}

function tileOf(sums: Uint32Array, origin: number, shift: number): HeatTile {
  let length = 0;
  for (let sum = 0; sum < sums.length; sum++) if (sums[sum] !== 0) length++;
  const cell = new Float64Array(length);
  const kind = new Uint8Array(length);
  const counts = new Float64Array(length);
  for (let sum = 0, at = 0; sum < sums.length; sum++) {
    if (sums[sum] === 0) continue;
    cell[at] = origin + (sum >>> 5);
    kind[at] = sum & (KINDS - 1);
    counts[at] = sums[sum]!;
    at++;
  }
  return { shift, length, cell, kind, counts };
}
