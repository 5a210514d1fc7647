/**
 * Which lines of memory a stretch of the trace touches, how often, and first and last by which record: the raw material of
 * the find pyramid, the heat pyramid and the page table.
 *
 * A small direct-mapped combining cache absorbs what is touched again soon; what it evicts goes to a list that is
 * radix-sorted at the end. Without locality this costs a sort instead of a cache miss per record. The list of a block is
 * summed up for the block and kept for the group of blocks that it belongs to.
 */
import type { Batch, Condensed } from '../../../../../shared/records/batch.ts';
import { BATCH_RECORDS, FLAG, SPAN_WORDS } from '../../../../../shared/records/batch.ts';
import { LINE_BYTES } from '../../../../../shared/base/units.ts';
import {
  COUNTED,
  createAccessAdder,
  heatOfLists,
  KIND_SHIFT,
  kindsWithoutLocality,
  PAGE_SHIFT,
  SINGLE,
  type AccessLists,
} from './access-list.ts';
import type { AccessRows } from './access-rows.ts';
import type { HeatTile } from '../heat.ts';
import { createPageIds, type PageIds } from './dense-pages.ts';
import { createTouchedSpan } from './touched-span.ts';

export interface AccessCounter {
  /** Counts the accesses among the batch's first `count` records; `batch.first` counts from the start of the block. */
  add(batch: Batch, count: number): void;
  /** Counts all accesses of a batch whose rows stand for several records each. */
  addCondensed(batch: Batch, condensed: Condensed): void;
  /** For a loop that counts accesses beside something else; undefined while there is no quicker way than `add`. */
  pages(): PageCounts | undefined;
  /** Returns the accesses of the block that ends here, valid until the next block ends; `records` is the number of its records. */
  endBlock(records: number): BlockAccesses;
  /** The accesses of all blocks since the last group ended, counted from its start, in `room` where that is large enough; the counter is then empty again. */
  endGroup(room?: Int32Array): AccessRows;
}

/**
 * For a loop that counts accesses while it does something else: a table of pages and kinds, small enough to stay in the processor's
 * cache. The loop counts accesses in the table itself and reports touched lines in batches. All addresses fit 32 bits, and no
 * access crosses a line.
 */
export interface PageCounts {
  /**
   * PAGE_SLOTS slots of COUNTED numbers as in the list of counts: the key of the page's line that was accessed last, count, first and
   * last record. The slot of a page starts at ((page ^ page >>> 7 ^ kind << 4) & (PAGE_SLOTS - 1)) * COUNTED.
   */
  readonly slots: Int32Array;
  /** Number of the block's first record within the group. */
  readonly base: number;
  /** Returns room for the slots that this many accesses displace; `evict` takes them, free slots included. */
  evicted(accesses: number): Int32Array;
  evict(slots: Int32Array, end: number): void;
  /** Reports an accessed line by its key. */
  touch(key: number): void;
  /** Reports the lowest and highest byte of the accesses, and their kinds as bits. */
  widen(least: number, most: number, kinds: number): void;
}

export const PAGE_SLOTS = 1024;

/** Returns the key of an address's line, for one kind of access. */
export function lineKey(address: number, kind: number): number {
  return ((address >>> 12) << PAGE_SHIFT) | (kind << KIND_SHIFT) | ((address >>> 6) & 63);
}

/**
 * A block's accesses: sorted, with records counted from the group's start, or only how often large cells were accessed where
 * the block has no locality: its find rows would cost too much room, so that sorting it for itself is not worth the time.
 */
export type BlockAccesses =
  { readonly sorted: true; readonly rows: AccessRows } | { readonly sorted: false; readonly heat: HeatTile };

/** Entries of a block's list from which on it has no locality. */
const MANY_ENTRIES = 49_152;
const CACHE_SLOTS = 8192;
const PLACE_BITS = 12;
/** Entries that the lists have room for at first. */
const FIRST_ENTRIES = 65_536;
const EMPTY = -1;
const HAS_ADDRESS: number = FLAG.address;
/** Pages that keys have room for: more than accesses of at most a page each can touch in a group of blocks. */
const MOST_PAGES = 2 ** (32 - PAGE_SHIFT);

export function createAccessCounter(): AccessCounter {
  // A slot is key, count, first, last side by side, so that a hit touches one line of the processor's cache.
  const cache = new Int32Array(CACHE_SLOTS * COUNTED);
  const pageCache = new Int32Array(PAGE_SLOTS * COUNTED);
  /** Keys of lines that were reported last. */
  const lines = new Int32Array(CACHE_SLOTS);
  /** Of rows that stand for several records: keys of lines that were met last, and where in the list of counts each is. */
  const placed = new Int32Array(2 << PLACE_BITS);
  let evictions = new Int32Array(0);
  emptyCache();
  const adder = createAccessAdder();
  /** Entries evicted from the cache since the group began, in the layout of its slots, and accesses that bypassed it, in record order. */
  let counted = new Int32Array(FIRST_ENTRIES * COUNTED);
  let countedEnd = 0;
  let singles = new Int32Array(FIRST_ENTRIES * SINGLE);
  let singlesEnd = 0;
  /** Room for a block's part of the lists while it is sorted, and for what it comes to. */
  let blockCounted = new Int32Array(0);
  let blockSingles = new Int32Array(0);
  let blockRoom: Int32Array = new Int32Array(0);
  /** Where the block's parts of the lists begin, and its records within the group. */
  let countedStart = 0;
  let singlesStart = 0;
  let base = 0;
  /** Bit k set: accesses of kind k had no locality in an earlier block of the group and go past the cache. */
  let direct = 0;
  /** Kinds that were met since the group began, as bits. */
  let kinds = 0;
  /** Of rows that stand for several records, where pages are numbered: their pages. */
  const pageOfRow = new Int32Array(BATCH_RECORDS);
  /** Indexes of the accesses in a batch with few accesses. */
  const accesses = new Uint16Array(BATCH_RECORDS + 1);
  // undefined: all addresses so far fit 32 bits and the page number itself is in the key.
  let pageIds: PageIds | undefined;
  const touched = createTouchedSpan();

  return { add, addCondensed, pages: byPage, endBlock, endGroup };

  function add(batch: Batch, count: number): void {
    const list = count < batch.count || areDense(batch) ? undefined : accesses;
    const length = list === undefined ? count : findAccesses(batch, list);
    for (let done = 0; done < length; done++) {
      if (pageIds === undefined) done = addPlain(batch, list, done, length);
      if (done < length) addAny(batch, list === undefined ? done : list[done]!);
    }
  }

  /** Rows that are alike have been joined, so that most lines are met a few times only: their counts change where they lie in the list. */
  function addCondensed(batch: Batch, { spans }: Condensed): void {
    const { count, kind, flags, addressLow, size } = batch;
    const first = base + batch.first;
    while (counted.length < countedEnd + count * COUNTED) counted = doubled(counted);
    if (pageIds !== undefined) numberPages(batch);
    const numbered = pageIds !== undefined;
    const list = counted;
    // Of variables of the counter a compiler does not know that they are whole numbers.
    let end = countedEnd | 0;
    // Addresses less 2^31, which fit a machine word with a sign: others would be compared as doubles.
    let least = 0x7fffffff;
    let most = -0x80000000;
    let met = 0;
    for (let row = 0; row < count; row++) {
      if ((flags[row]! & HAS_ADDRESS) === 0) continue;
      const low = addressLow[row]! | 0;
      const bytes = size[row]! | 0;
      const k = kind[row]!;
      met |= 1 << k;
      const signed = low ^ -0x80000000;
      if (signed < least) least = signed;
      const last = (signed + (bytes === 0 ? 0 : bytes - 1)) | 0;
      if (last > most) most = last;
      const page = numbered ? pageOfRow[row]! : low >>> 12;
      const key = (page << PAGE_SHIFT) | (k << KIND_SHIFT) | ((low >>> 6) & 63);
      // Fibonacci hashing
      const slot = (Math.imul(key, -0x61c88647) >>> (32 - PLACE_BITS)) << 1;
      const span = row * SPAN_WORDS;
      const from = (first + spans[span + 1]!) | 0;
      const to = (first + spans[span + 2]!) | 0;
      if (placed[slot] === key) {
        const at = placed[slot + 1]!;
        list[at + 1] = (list[at + 1]! + spans[span]!) | 0;
        if (from < list[at + 2]!) list[at + 2] = from;
        if (to > list[at + 3]!) list[at + 3] = to;
        continue;
      }
      placed[slot] = key;
      placed[slot + 1] = end;
      list[end] = key;
      list[end + 1] = spans[span]!;
      list[end + 2] = from;
      list[end + 3] = to;
      end += COUNTED;
    }
    countedEnd = end;
    kinds |= met;
    if (met === 0) return;
    touched.widenLow(least + 2 ** 31, 0);
    touched.widenHigh(most + 2 ** 31, 0);
  }

  /** Apart from the loop over the rows: what is called there could change any array, so that all would be looked up again. */
  function numberPages({ count, flags, addressLow }: Batch): void {
    for (let row = 0; row < count; row++)
      if ((flags[row]! & HAS_ADDRESS) !== 0) pageOfRow[row] = densePage(addressLow[row]!, 0);
  }

  function byPage(): PageCounts | undefined {
    if (pageIds !== undefined || direct !== 0) return undefined;
    return {
      slots: pageCache,
      base,
      evicted(accesses): Int32Array {
        if (evictions.length < accesses * COUNTED) evictions = new Int32Array(accesses * COUNTED);
        return evictions;
      },
      evict(slots, end): void {
        for (let at = 0; at < end; at += COUNTED) if (slots[at] !== EMPTY) evict(slots, at);
      },
      touch(key): void {
        const at = slotOf(key) / COUNTED;
        if (lines[at] === key) return;
        lines[at] = key;
        pushCounted(key, 0, 0, 0);
      },
      widen(least, most, met): void {
        kinds |= met;
        touched.widenLow(least, 0);
        touched.widenHigh(most, 0);
      },
    };
  }

  /**
   * The records from place `from` to `length` of the batch, or of a list of its records, while their addresses fit 32 bits and none
   * crosses a line; returns the place of the first that does not. Nothing is called in its loop, see `numberPages`.
   */
  function addPlain(batch: Batch, list: Uint16Array | undefined, from: number, length: number): number {
    const { kind, addressLow, addressHigh, size, flags } = batch;
    const first = (base + batch.first) | 0;
    const slots = cache;
    const bypassing = direct | 0;
    while (counted.length < countedEnd + (length - from) * COUNTED) counted = doubled(counted);
    while (bypassing !== 0 && singles.length < singlesEnd + (length - from) * SINGLE) singles = doubled(singles);
    const evicted = counted;
    const past = singles;
    let evictedEnd = countedEnd | 0;
    let pastEnd = singlesEnd | 0;
    // As in `addCondensed`.
    let least = 0x7fffffff;
    let most = -0x80000000;
    let met = 0;
    let done = from;
    for (; done < length; done++) {
      const i = list === undefined ? done : list[done]!;
      if ((flags[i]! & HAS_ADDRESS) === 0) continue;
      const low = addressLow[i]! | 0;
      const bytes = size[i]! | 0;
      if (addressHigh[i] !== 0 || bytes < 0 || (low & (LINE_BYTES - 1)) + bytes > LINE_BYTES) break;
      const k = kind[i]!;
      met |= 1 << k;
      const signed = low ^ -0x80000000;
      if (signed < least) least = signed;
      const last = (signed + (bytes === 0 ? 0 : bytes - 1)) | 0;
      if (last > most) most = last;
      const key = ((low >>> 12) << PAGE_SHIFT) | (k << KIND_SHIFT) | ((low >>> 6) & 63);
      const record = (first + i) | 0;
      if ((bypassing & (1 << k)) !== 0) {
        past[pastEnd] = key;
        past[pastEnd + 1] = record;
        pastEnd += SINGLE;
        continue;
      }
      const at = slotOf(key);
      if (slots[at] === key) {
        slots[at + 1] = slots[at + 1]! + 1;
        slots[at + 3] = record;
        continue;
      }
      if (slots[at] !== EMPTY) {
        evicted[evictedEnd] = slots[at]!;
        evicted[evictedEnd + 1] = slots[at + 1]!;
        evicted[evictedEnd + 2] = slots[at + 2]!;
        evicted[evictedEnd + 3] = slots[at + 3]!;
        evictedEnd += COUNTED;
      }
      slots[at] = key;
      slots[at + 1] = 1;
      slots[at + 2] = record;
      slots[at + 3] = record;
    }
    countedEnd = evictedEnd;
    singlesEnd = pastEnd;
    kinds |= met;
    if (met !== 0) {
      touched.widenLow(least + 2 ** 31, 0);
      touched.widenHigh(most + 2 ** 31, 0);
    }
    return done;
  }

  function addAny(batch: Batch, i: number): void {
    if ((batch.flags[i]! & FLAG.address) === 0) return;
    const low = batch.addressLow[i]!;
    const high = batch.addressHigh[i]!;
    const bytes = batch.size[i]!;
    const kind = batch.kind[i]!;
    kinds |= 1 << kind;
    touched.widenLow(low, high);
    if ((low & (LINE_BYTES - 1)) + bytes > LINE_BYTES) touchFurtherLines(low, high, bytes, kind);
    else touched.widenHigh(bytes === 0 ? low : low + bytes - 1, high);
    const page = high === 0 && pageIds === undefined ? low >>> 12 : densePage(low, high);
    count1((page << PAGE_SHIFT) | (kind << KIND_SHIFT) | ((low >>> 6) & 63), base + batch.first + i);
  }

  function count1(key: number, record: number): void {
    const at = slotOf(key);
    if (cache[at] === key) {
      cache[at + 1] = cache[at + 1]! + 1;
      cache[at + 3] = record;
      return;
    }
    if (cache[at] !== EMPTY) evict(cache, at);
    cache[at] = key;
    cache[at + 1] = 1;
    cache[at + 2] = record;
    cache[at + 3] = record;
  }

  function emptyCache(): void {
    for (let at = 0; at < cache.length; at += COUNTED) cache[at] = EMPTY;
    for (let at = 0; at < pageCache.length; at += COUNTED) pageCache[at] = EMPTY;
    lines.fill(EMPTY);
    placed.fill(EMPTY);
  }

  function densePage(low: number, high: number): number {
    pageIds ??= renumberPages();
    return pageIds.idOf(high * 2 ** 20 + (low >>> 12));
  }

  /** The group has its first address above 4 GiB: what was counted so far moves from page numbers to dense ones. */
  function renumberPages(): PageIds {
    const ids = createPageIds(MOST_PAGES);
    flushCache();
    const renumber = (list: Int32Array, end: number, slot: number): void => {
      for (let at = 0; at < end; at += slot) {
        const key = list[at]!;
        list[at] = (ids.idOf(key >>> PAGE_SHIFT) << PAGE_SHIFT) | (key & (2 ** PAGE_SHIFT - 1));
      }
    };
    renumber(counted, countedEnd, COUNTED);
    renumber(singles, singlesEnd, SINGLE);
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
      pushCounted((page << PAGE_SHIFT) | (kind << KIND_SHIFT) | ((lineStart >>> 6) & 63), 0, 0, 0);
      lastLow = lineStart + Math.min(left, LINE_BYTES) - 1;
      lastHigh = lineHigh;
      left -= LINE_BYTES;
    }
    touched.widenHigh(lastLow, lastHigh);
  }

  function evict(from: Int32Array, at: number): void {
    pushCounted(from[at]!, from[at + 1]!, from[at + 2]!, from[at + 3]!);
  }

  function pushCounted(key: number, count: number, first: number, last: number): void {
    if (countedEnd === counted.length) counted = doubled(counted);
    counted[countedEnd] = key;
    counted[countedEnd + 1] = count;
    counted[countedEnd + 2] = first;
    counted[countedEnd + 3] = last;
    countedEnd += COUNTED;
  }

  function flushCache(): void {
    for (let at = 0; at < cache.length; at += COUNTED) if (cache[at] !== EMPTY) evict(cache, at);
    for (let at = 0; at < pageCache.length; at += COUNTED) if (pageCache[at] !== EMPTY) evict(pageCache, at);
    emptyCache();
  }

  function endBlock(records: number): BlockAccesses {
    flushCache();
    const ofBlock = {
      counted: counted.subarray(countedStart, countedEnd),
      singles: singles.subarray(singlesStart, singlesEnd),
    };
    const entries = ofBlock.counted.length / COUNTED + ofBlock.singles.length / SINGLE;
    const many = entries > MANY_ENTRIES && pageIds === undefined;
    const accesses: BlockAccesses = many
      ? { sorted: false, heat: heatOfLists(ofBlock) }
      : { sorted: true, rows: sortBlock(ofBlock) };
    if (many) direct |= kindsWithoutLocality(ofBlock.counted);
    countedStart = countedEnd;
    singlesStart = singlesEnd;
    base += records;
    return accesses;
  }

  /** The lists stay as they are: the group needs them. */
  function sortBlock({ counted: its, singles: theirs }: AccessLists): AccessRows {
    if (blockCounted.length < its.length) blockCounted = new Int32Array(2 * its.length);
    if (blockSingles.length < theirs.length) blockSingles = new Int32Array(2 * theirs.length);
    blockCounted.set(its);
    blockSingles.set(theirs);
    const lists = {
      counted: blockCounted.subarray(0, its.length),
      singles: blockSingles.subarray(0, theirs.length),
    };
    const rows = rowsOf(lists, blockRoom);
    blockRoom = rows.words;
    return rows;
  }

  function endGroup(room?: Int32Array): AccessRows {
    const rows = rowsOf({ counted: counted.subarray(0, countedEnd), singles: singles.subarray(0, singlesEnd) }, room);
    countedEnd = countedStart = singlesEnd = singlesStart = base = direct = kinds = 0;
    pageIds = undefined;
    touched.clear();
    return rows;
  }

  /** Uses up the entries. */
  function rowsOf(lists: AccessLists, room?: Int32Array): AccessRows {
    const [lowest, highest] = [touched.lowest(), touched.highest()];
    const span = { least: lowest.low >>> 12, most: highest.low >>> 12, kinds };
    return { ...adder(lists, span, pageIds?.pages, room), lowest, highest };
  }
}

/** Whether nearly all records of a batch seem to be accesses. */
function areDense({ count, flags }: Batch): boolean {
  const step = Math.max(1, count >>> 6);
  let without = 0;
  for (let i = 0; i < count; i += step) without += ~flags[i]! & FLAG.address;
  return without <= 4;
}

/**
 * Writes the indexes of a batch's accesses to a list and returns how many there are. Without a branch: where some records have
 * an address and some not, it would be guessed wrong again and again.
 */
function findAccesses({ count, flags }: Batch, list: Uint16Array): number {
  const address = FLAG.address;
  let found = 0;
  for (let i = 0; i < count; i++) {
    list[found] = i;
    found += flags[i]! & address;
  }
  return found;
}

function doubled(list: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(list.length * 2);
  larger.set(list);
  return larger;
}

/** Where a key's slot starts in the cache. */
function slotOf(key: number): number {
  return ((key ^ (key >>> 9)) & (CACHE_SLOTS - 1)) * COUNTED;
}
