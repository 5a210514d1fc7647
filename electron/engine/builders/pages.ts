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

/** Slots at most: with all columns some 80 MB. */
const MOST_SLOTS = 2 ** 21;
const LOAD = 0.7;
/** Pages that lie together go to slots that lie together: accesses come sorted, so the next one is near the last. */
const RUN_BITS = 4;
const FREE = -1;

export function createPageTable(): PageTable {
  // Open addressing by page. Records are counted from `base`, which keeps them below 2^32 until the table is flushed.
  let slots = 1024;
  let page = new Float64Array(slots).fill(FREE);
  let first = new Uint32Array(slots);
  let last = new Uint32Array(slots);
  let counts: (Uint32Array | undefined)[] = [];
  let pages = 0;
  let base = 0;
  let reach = 0;

  return {
    get pages() {
      return pages;
    },
    get full() {
      return pages > (MOST_SLOTS * LOAD) / 2 || reach - base > 2 ** 31;
    },
    add(accesses, firstRecord): void {
      if (pages === 0) base = firstRecord;
      const offset = firstRecord - base;
      let its = FREE;
      let at = 0;
      for (let i = 0; i < accesses.length; i++) {
        const count = accesses.counts[i]!;
        if (count === 0) continue;
        const itsFirst = offset + accesses.first[i]!;
        const itsLast = offset + accesses.last[i]!;
        if (accesses.page[i] !== its) {
          its = accesses.page[i]!;
          at = slotFor(its, itsFirst);
        }
        if (itsFirst < first[at]!) first[at] = itsFirst;
        if (itsLast > last[at]!) last[at] = itsLast;
        const ofKind = (counts[accesses.kind[i]!] ??= new Uint32Array(slots));
        ofKind[at] = ofKind[at]! + count;
      }
      reach = firstRecord;
    },
    *entries() {
      const ofPage = new Float64Array(KINDS.length);
      for (const its of page.filter((wanted) => wanted !== FREE).sort()) {
        const at = find(its);
        for (let kind = 0; kind < ofPage.length; kind++) ofPage[kind] = counts[kind]?.[at] ?? 0;
        yield { page: its, counts: ofPage, first: base + first[at]!, last: base + last[at]! };
      }
      return undefined;
    },
    clear(): void {
      page.fill(FREE);
      counts = [];
      pages = 0;
    },
  };

  /** The slot of a page, a new one with that first record where it has none. */
  function slotFor(wanted: PageNumber, record: number): number {
    const at = find(wanted);
    if (page[at] === wanted) return at;
    page[at] = wanted;
    first[at] = last[at] = record;
    pages++;
    if (pages <= slots * LOAD) return at;
    grow();
    return find(wanted);
  }

  /** The slot that holds the page, or the free one where it belongs. */
  function find(wanted: PageNumber): number {
    const run = Math.floor(wanted / 2 ** RUN_BITS);
    const mixed = Math.imul((run >>> 0) ^ Math.floor(run / 2 ** 32), 0x9e3779b1);
    const mask = slots - 1;
    let at = (((mixed ^ (mixed >>> 15)) << RUN_BITS) | (wanted - run * 2 ** RUN_BITS)) & mask;
    while (page[at] !== wanted && page[at] !== FREE) at = (at + 1) & mask;
    return at;
  }

  function grow(): void {
    const old = { slots, page, first, last, counts };
    slots *= 4;
    page = new Float64Array(slots).fill(FREE);
    first = new Uint32Array(slots);
    last = new Uint32Array(slots);
    counts = old.counts.map((ofKind) => ofKind && new Uint32Array(slots));
    for (let from = 0; from < old.slots; from++) {
      const its = old.page[from]!;
      if (its === FREE) continue;
      const at = find(its);
      page[at] = its;
      first[at] = old.first[from]!;
      last[at] = old.last[from]!;
      for (let kind = 0; kind < counts.length; kind++) {
        const ofKind = counts[kind];
        if (ofKind !== undefined) ofKind[at] = old.counts[kind]![from]!;
      }
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
