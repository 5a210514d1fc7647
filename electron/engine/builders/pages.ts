/**
 * The page table: accesses per page and kind with the first and last record, for the blocks since the last flush.
 *
 * Flushed runs go to the index; whoever asks for pages merges the runs. So memory is bounded by the pages of one run.
 */
import { KINDS } from '../../../shared/record.ts';
import type { PageNumber, RecordNumber } from '../../../shared/units.ts';
import { ByteReader, ByteWriter } from '../store/varint.ts';
import type { AccessColumns } from './accesses.ts';

/** Accesses to a page, by position in KINDS; `first` and `last` are the records that start them. */
export interface PageEntry {
  readonly page: PageNumber;
  readonly counts: Float64Array;
  readonly first: RecordNumber;
  readonly last: RecordNumber;
}

export interface PageTable {
  /** Distinct pages since the last flush. */
  readonly pages: number;
  /** Whether it has to be flushed before more than a group of blocks is added. */
  readonly full: boolean;
  /** `firstRecord`: the trace-wide number of the record that the accesses count from. */
  add(accesses: AccessColumns, firstRecord: RecordNumber): void;
  /**
   * All pages, sorted. The entry is the same object each time, valid until the next step; the table must not change
   * meanwhile.
   */
  entries(): Generator<PageEntry, undefined>;
  clear(): void;
}

/** Pages at most before the table says that it is full; a group of blocks may add as many again. */
const MANY_PAGES = 700_000;
const LOAD = 0.7;
/** Pages that lie together go to slots that lie together: accesses come sorted, so the next one is near the last. */
const RUN_BITS = 4;
// A slot is the page's two halves, its first and last record and its counts by column, side by side in 32-bit numbers.
const LOW = 0;
const HIGH = 1;
const FIRST = 2;
const LAST = 3;
const COUNTS = 4;
/** In HIGH of a free slot: pages have 52 bits. */
const FREE = 0xffffffff;
const NO_COLUMN = -1;

export function createPageTable(): PageTable {
  // Open addressing by page. Records are counted from `base`, which keeps them below 2^32 until the table is flushed.
  let slots = 1024;
  let columns = 4;
  let stride = COUNTS + columns;
  let table = freeTable();
  /** Which count of a slot a kind has, in the order in which kinds turn up. */
  const columnOf = new Int32Array(KINDS.length).fill(NO_COLUMN);
  let used = 0;
  let pages = 0;
  let base = 0;
  let reach = 0;

  return {
    get pages() {
      return pages;
    },
    get full() {
      return pages > MANY_PAGES || reach - base > 2 ** 31;
    },
    add(accesses, firstRecord): void {
      if (pages === 0) base = firstRecord;
      const offset = firstRecord - base;
      let its = -1;
      let at = 0;
      for (let i = 0; i < accesses.length; i++) {
        const count = accesses.counts[i]!;
        if (count === 0) continue;
        const kind = accesses.kind[i]!;
        if (columnOf[kind] === NO_COLUMN) {
          newColumn(kind);
          its = -1; // slots may have moved
        }
        const itsFirst = offset + accesses.first[i]!;
        const itsLast = offset + accesses.last[i]!;
        if (accesses.page[i] !== its) {
          its = accesses.page[i]!;
          at = slotFor(its, itsFirst);
        }
        if (itsFirst < table[at + FIRST]!) table[at + FIRST] = itsFirst;
        if (itsLast > table[at + LAST]!) table[at + LAST] = itsLast;
        const sum = at + COUNTS + columnOf[kind]!;
        table[sum] = table[sum]! + count;
      }
      reach = firstRecord;
    },
    *entries() {
      const counts = new Float64Array(KINDS.length);
      const sorted = new Float64Array(pages);
      for (let at = 0, i = 0; at < table.length; at += stride) {
        if (table[at + HIGH] !== FREE) sorted[i++] = table[at + HIGH]! * 2 ** 32 + table[at + LOW]!;
      }
      for (const page of sorted.sort()) {
        const at = find(page);
        for (let kind = 0; kind < counts.length; kind++) {
          counts[kind] = columnOf[kind] === NO_COLUMN ? 0 : table[at + COUNTS + columnOf[kind]!]!;
        }
        yield { page, counts, first: base + table[at + FIRST]!, last: base + table[at + LAST]! };
      }
      return undefined;
    },
    clear(): void {
      for (let at = 0; at < table.length; at += stride) table[at + HIGH] = FREE;
      pages = 0;
    },
  };

  function freeTable(): Uint32Array {
    const made = new Uint32Array(slots * stride);
    for (let at = HIGH; at < made.length; at += stride) made[at] = FREE;
    return made;
  }

  /** Where the slot of a page starts; a new one with that first record where it has none. */
  function slotFor(page: PageNumber, record: number): number {
    if (pages >= slots * LOAD) resize(slots * 2, columns);
    const at = find(page);
    if (table[at + HIGH] !== FREE) return at;
    table.fill(0, at, at + stride);
    table[at + LOW] = page % 2 ** 32;
    table[at + HIGH] = Math.floor(page / 2 ** 32);
    table[at + FIRST] = table[at + LAST] = record;
    pages++;
    return at;
  }

  /** Where the slot of a page starts, or the free one where it belongs. */
  function find(page: PageNumber): number {
    const low = page >>> 0;
    const high = Math.floor(page / 2 ** 32);
    const run = (low >>> RUN_BITS) ^ Math.imul(high, 0x85ebca6b);
    const mixed = Math.imul(run, 0x9e3779b1);
    let slot = (((mixed ^ (mixed >>> 15)) << RUN_BITS) | (low & (2 ** RUN_BITS - 1))) & (slots - 1);
    for (;;) {
      const at = slot * stride;
      if (table[at + HIGH] === FREE || (table[at + LOW] === low && table[at + HIGH] === high)) return at;
      slot = (slot + 1) & (slots - 1);
    }
  }

  function newColumn(kind: number): void {
    if (used === columns) resize(slots, columns * 2);
    columnOf[kind] = used++;
  }

  function resize(newSlots: number, newColumns: number): void {
    const old = { table, stride };
    slots = newSlots;
    columns = newColumns;
    stride = COUNTS + columns;
    table = freeTable();
    for (let from = 0; from < old.table.length; from += old.stride) {
      if (old.table[from + HIGH] === FREE) continue;
      const at = find(old.table[from + HIGH]! * 2 ** 32 + old.table[from + LOW]!);
      table.set(old.table.subarray(from, from + old.stride), at);
    }
  }
}

/** Pages per encoded row: what is decoded at once when runs are merged. */
const ROW_PAGES = 16384;

/** Encodes sorted entries into rows that can be read one after the other. */
export function* encodePageRun(entries: Iterable<PageEntry>): Generator<Uint8Array<ArrayBuffer>, undefined> {
  const out = new ByteWriter(65536);
  let inRow = 0;
  let previous = 0;
  for (const { page, counts, first, last } of entries) {
    out.varint(page - previous);
    previous = page;
    out.varint(first);
    out.varint(last - first);
    let kinds = 0;
    for (let kind = 0; kind < counts.length; kind++) if (counts[kind]! > 0) kinds |= 1 << kind;
    out.varint(kinds);
    for (let kind = 0; kind < counts.length; kind++) if (counts[kind]! > 0) out.varint(counts[kind]!);
    if (++inRow < ROW_PAGES) continue;
    yield out.take();
    inRow = 0;
    previous = 0;
  }
  if (inRow > 0) yield out.take();
  return undefined;
}

/** The entry is the same object's counts each time, valid until the next step. */
export function* decodePageRow(bytes: Uint8Array): Generator<PageEntry, undefined> {
  const reader = new ByteReader(bytes);
  const counts = new Float64Array(KINDS.length);
  let page = 0;
  while (!reader.done) {
    page += reader.varint();
    const first = reader.varint();
    const last = first + reader.varint();
    const kinds = reader.varint();
    for (let kind = 0; kind < counts.length; kind++) counts[kind] = (kinds & (1 << kind)) === 0 ? 0 : reader.varint();
    yield { page, counts, first, last };
  }
  return undefined;
}
