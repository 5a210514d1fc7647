/**
 * Which lines of memory a block touches, how often, and first and last by which record: the raw material of the find
 * pyramid, the heat pyramid and the page table.
 *
 * A small direct-mapped combining cache absorbs what is touched again soon; what it evicts goes to a list that is
 * radix-sorted once per block. Without locality this costs a sort instead of a cache miss per record.
 */
import type { Batch } from '../../../shared/batch.ts';
import { FLAG } from '../../../shared/batch.ts';
import { LINE_BYTES, LINES_PER_PAGE, type PageNumber } from '../../../shared/units.ts';

/**
 * Touched (page, kind) pairs of a block as columns, sorted by page, then kind.
 * `lineLow`/`lineHigh`: bit i of the 64 = line i of the page was touched. `counts`: accesses that start there (an access
 * that runs over into another line touches that one, but starts only in its own). `first`/`last`: records, relative to
 * the block, that start an access there; meaningless where the count is 0.
 */
export interface AccessColumns {
  readonly length: number;
  readonly page: Float64Array;
  readonly kind: Uint8Array;
  readonly lineLow: Uint32Array;
  readonly lineHigh: Uint32Array;
  readonly counts: Uint32Array;
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  /** Lowest and highest byte touched, as halves; meaningless where length is 0. */
  readonly lowest: AddressHalves;
  readonly highest: AddressHalves;
}

export interface AddressHalves {
  readonly low: number;
  readonly high: number;
}

export interface AccessCounter {
  /** Counts the accesses of a batch; `batch.first` counts from the start of the block. */
  add(batch: Batch): void;
  /** The block's accesses; the counter is then empty again. */
  finish(): AccessColumns;
}

// A key is page (20 bits) | kind (5) | line (6): 31 bits, never negative. Pages of 64-bit addresses get dense numbers.
const KIND_SHIFT = 6;
const PAGE_SHIFT = 11;
const CACHE_SLOTS = 8192;
const SLOT = 4;
const EMPTY = -1;
const RADIX_BITS = 11;
const RADIX = 1 << RADIX_BITS;

export function createAccessCounter(): AccessCounter {
  // A slot is key, count, first, last side by side, so that a hit touches one line of the processor's cache.
  const cache = new Int32Array(CACHE_SLOTS * SLOT);
  emptyCache();
  let capacity = 65536;
  /** What the cache evicted, in slots like its own. */
  let list = new Int32Array(capacity * SLOT);
  let listed = 0;
  // undefined: all addresses so far fit 32 bits and the page number itself is in the key.
  let pageIds: Map<PageNumber, number> | undefined;
  let pages: PageNumber[] = [];
  let lowestHigh = 0xffffffff;
  let lowestLow = 0xffffffff;
  let highestHigh = 0;
  let highestLow = 0;

  return { add, finish };

  function add(batch: Batch): void {
    let from = pageIds === undefined ? addNarrow(batch) : 0;
    for (; from < batch.count; from++) addAny(batch, from);
  }

  /** While all addresses fit 32 bits; returns the index of the first record that does not. */
  function addNarrow(batch: Batch): number {
    const { count, first, kind, addressLow, addressHigh, size, flags } = batch;
    const slots = cache;
    let least = lowestHigh === 0 ? lowestLow : 0xffffffff;
    let most = 0; // one past the last byte
    let i = 0;
    for (; i < count; i++) {
      if ((flags[i]! & FLAG.address) === 0) continue;
      const low = addressLow[i]!;
      const bytes = size[i]!;
      const past = low + (bytes === 0 ? 1 : bytes);
      // Above 4 GiB pages get numbers of their own.
      if (addressHigh[i] !== 0 || past > 0xffffffff) break;
      if (low < least) least = low;
      if ((low & (LINE_BYTES - 1)) + bytes > LINE_BYTES) touchFurtherLines(low, 0, bytes, kind[i]!);
      else if (past > most) most = past;
      const key = ((low >>> 12) << PAGE_SHIFT) | (kind[i]! << KIND_SHIFT) | ((low >>> 6) & 63);
      // count1, with the hit in line: it is nearly all there is
      const at = slotOf(key);
      if (slots[at] === key) {
        slots[at + 1] = slots[at + 1]! + 1;
        slots[at + 3] = first + i;
      } else miss(at, key, first + i);
    }
    if (least < 0xffffffff) widenLow(least, 0);
    if (most > 0) widenHigh(most - 1, 0);
    return i;
  }

  function addAny(batch: Batch, i: number): void {
    if ((batch.flags[i]! & FLAG.address) === 0) return;
    const low = batch.addressLow[i]!;
    const high = batch.addressHigh[i]!;
    const bytes = batch.size[i]!;
    const kind = batch.kind[i]!;
    widenLow(low, high);
    if ((low & (LINE_BYTES - 1)) + bytes > LINE_BYTES) touchFurtherLines(low, high, bytes, kind);
    else widenHigh(bytes === 0 ? low : low + bytes - 1, high);
    count1((densePage(low, high) << PAGE_SHIFT) | (kind << KIND_SHIFT) | ((low >>> 6) & 63), batch.first + i);
  }

  function count1(key: number, record: number): void {
    const at = slotOf(key);
    if (cache[at] === key) {
      cache[at + 1] = cache[at + 1]! + 1;
      cache[at + 3] = record;
    } else miss(at, key, record);
  }

  function miss(at: number, key: number, record: number): void {
    if (cache[at] !== EMPTY) evict(at);
    cache[at] = key;
    cache[at + 1] = 1;
    cache[at + 2] = record;
    cache[at + 3] = record;
  }

  function widenLow(low: number, high: number): void {
    if (high > lowestHigh || (high === lowestHigh && low >= lowestLow)) return;
    lowestHigh = high;
    lowestLow = low;
  }

  function widenHigh(low: number, high: number): void {
    if (high < highestHigh || (high === highestHigh && low <= highestLow)) return;
    highestHigh = high;
    highestLow = low;
  }

  function emptyCache(): void {
    for (let at = 0; at < cache.length; at += SLOT) cache[at] = EMPTY;
  }

  function densePage(low: number, high: number): number {
    pageIds ??= renumberPages();
    const page = high * 2 ** 20 + (low >>> 12);
    let id = pageIds.get(page);
    if (id === undefined) {
      id = pages.length;
      pages.push(page);
      pageIds.set(page, id);
    }
    return id;
  }

  /** The block has its first address above 4 GiB: what was counted so far moves from page numbers to dense ones. */
  function renumberPages(): Map<PageNumber, number> {
    const ids = new Map<PageNumber, number>();
    pages = [];
    flushCache();
    for (let i = 0; i < listed; i++) {
      const key = list[i * SLOT]!;
      const page = key >>> PAGE_SHIFT;
      let id = ids.get(page);
      if (id === undefined) {
        id = pages.length;
        pages.push(page);
        ids.set(page, id);
      }
      list[i * SLOT] = (id << PAGE_SHIFT) | (key & (2 ** PAGE_SHIFT - 1));
    }
    return ids;
  }

  /** An access that does not end in its first line; it stops at the top of the address space. */
  function touchFurtherLines(low: number, high: number, bytes: number, kind: number): void {
    let lineStart = low - (low & (LINE_BYTES - 1));
    let lineHigh = high;
    let left = bytes - (LINE_BYTES - (low & (LINE_BYTES - 1)));
    let lastLow = lineStart + LINE_BYTES - 1;
    let lastHigh = high;
    while (left > 0) {
      lineStart += LINE_BYTES;
      if (lineStart > 0xffffffff) {
        if (lineHigh === 0xffffffff) break;
        lineStart = 0;
        lineHigh++;
      }
      const page = lineHigh === 0 && pageIds === undefined ? lineStart >>> 12 : densePage(lineStart, lineHigh);
      pushToList((page << PAGE_SHIFT) | (kind << KIND_SHIFT) | ((lineStart >>> 6) & 63), 0, 0, 0);
      lastLow = lineStart + Math.min(left, LINE_BYTES) - 1;
      lastHigh = lineHigh;
      left -= LINE_BYTES;
    }
    widenHigh(lastLow, lastHigh);
  }

  function evict(at: number): void {
    pushToList(cache[at]!, cache[at + 1]!, cache[at + 2]!, cache[at + 3]!);
  }

  function pushToList(key: number, count: number, first: number, last: number): void {
    if (listed === capacity) {
      capacity *= 2;
      const larger = new Int32Array(capacity * SLOT);
      larger.set(list);
      list = larger;
    }
    const at = listed * SLOT;
    list[at] = key;
    list[at + 1] = count;
    list[at + 2] = first;
    list[at + 3] = last;
    listed++;
  }

  function flushCache(): void {
    for (let at = 0; at < cache.length; at += SLOT) if (cache[at] !== EMPTY) evict(at);
    emptyCache();
  }

  function finish(): AccessColumns {
    flushCache();
    const ranks = pageIds === undefined ? undefined : rankPages();
    const order = radixOrder(list, listed);
    const columns = group(order, ranks);
    listed = 0;
    pageIds = undefined;
    pages = [];
    lowestHigh = lowestLow = 0xffffffff;
    highestHigh = highestLow = 0;
    return columns;
  }

  /** Replaces dense page numbers by their rank, so that sorting keys sorts pages. Returns the pages by rank. */
  function rankPages(): Float64Array {
    const sorted = Float64Array.from(pages).sort();
    const rankOf = new Map<PageNumber, number>();
    sorted.forEach((page, rank) => rankOf.set(page, rank));
    const ranks = Int32Array.from(pages, (page) => rankOf.get(page)!);
    for (let i = 0; i < listed; i++) {
      const key = list[i * SLOT]!;
      list[i * SLOT] = (ranks[key >>> PAGE_SHIFT]! << PAGE_SHIFT) | (key & (2 ** PAGE_SHIFT - 1));
    }
    return sorted;
  }

  function group(order: Uint32Array, ranked: Float64Array | undefined): AccessColumns {
    let groups = 0;
    let previous = -1;
    for (let i = 0; i < listed; i++) {
      const group = list[order[i]!]! >>> KIND_SHIFT;
      if (group !== previous) groups++;
      previous = group;
    }
    const page = new Float64Array(groups);
    const kind = new Uint8Array(groups);
    const lineLow = new Uint32Array(groups);
    const lineHigh = new Uint32Array(groups);
    const counts = new Uint32Array(groups);
    const first = new Uint32Array(groups);
    const last = new Uint32Array(groups);
    let at = -1;
    previous = -1;
    for (let i = 0; i < listed; i++) {
      const from = order[i]!;
      const key = list[from]!;
      const group = key >>> KIND_SHIFT;
      if (group !== previous) {
        at++;
        previous = group;
        const number = key >>> PAGE_SHIFT;
        page[at] = ranked === undefined ? number : ranked[number]!;
        kind[at] = group & 31;
        first[at] = 0xffffffff;
      }
      const line = key & (LINES_PER_PAGE - 1);
      if (line < 32) lineLow[at] = lineLow[at]! | (1 << line);
      else lineHigh[at] = lineHigh[at]! | (1 << (line - 32));
      const count = list[from + 1]!;
      if (count === 0) continue;
      counts[at] = counts[at]! + count;
      if (list[from + 2]! < first[at]!) first[at] = list[from + 2]!;
      if (list[from + 3]! > last[at]!) last[at] = list[from + 3]!;
    }
    return {
      length: groups,
      page,
      kind,
      lineLow,
      lineHigh,
      counts,
      first,
      last,
      lowest: { low: lowestLow, high: lowestHigh },
      highest: { low: highestLow, high: highestHigh },
    };
  }
}

/** Where a key's slot starts in the cache. */
function slotOf(key: number): number {
  return ((key ^ (key >>> 9)) & (CACHE_SLOTS - 1)) * SLOT;
}

/**
 * Where the slots of the list start, in ascending order of their keys (non-negative 31-bit numbers): three stable
 * counting passes.
 */
function radixOrder(list: Int32Array, length: number): Uint32Array {
  let from = new Uint32Array(length);
  let to = new Uint32Array(length);
  for (let i = 0; i < length; i++) from[i] = i * SLOT;
  const starts = new Uint32Array(RADIX);
  for (let shift = 0; shift < 33; shift += RADIX_BITS) {
    starts.fill(0);
    for (let i = 0; i < length; i++) {
      const digit = (list[i * SLOT]! >>> shift) & (RADIX - 1);
      starts[digit] = starts[digit]! + 1;
    }
    let sum = 0;
    for (let digit = 0; digit < RADIX; digit++) {
      const count = starts[digit]!;
      starts[digit] = sum;
      sum += count;
    }
    for (let i = 0; i < length; i++) {
      const slot = from[i]!;
      const digit = (list[slot]! >>> shift) & (RADIX - 1);
      to[starts[digit]!] = slot;
      starts[digit] = starts[digit]! + 1;
    }
    [from, to] = [to, from];
  }
  return from;
}
