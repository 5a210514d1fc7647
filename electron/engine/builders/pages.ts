/**
 * The page table: accesses per page and kind with the first and last record, for the blocks since the last flush.
 *
 * Flushed runs go to the index; whoever asks for pages merges the runs. So memory is bounded by the pages of one run.
 */
import type { PageNumber, RecordNumber } from '../../../shared/units.ts';
import { ByteReader, ByteWriter } from '../store/varint.ts';
import type { AccessColumns } from './accesses.ts';

/** Accesses to a page by one kind. */
export interface PageEntry {
  readonly page: PageNumber;
  readonly kind: number;
  readonly count: number;
  readonly first: RecordNumber;
  readonly last: RecordNumber;
}

export interface PageTable {
  /** Distinct (page, kind) pairs since the last flush. */
  readonly size: number;
  add(accesses: AccessColumns, firstRecord: RecordNumber): void;
  /** All entries, sorted by page, then kind. The table must not change meanwhile. */
  entries(): Generator<PageEntry, undefined>;
  clear(): void;
}

/** Runs are flushed when they hold this many pairs, whatever the schedule: it bounds memory at some 20 MB. */
export const MOST_PAGE_PAIRS = 400_000;

export function createPageTable(): PageTable {
  // Open addressing over pages; each page chains its kinds through `next`.
  let slots = 4096;
  let headOf = new Int32Array(slots).fill(-1);
  let capacity = 4096;
  let page = new Float64Array(capacity);
  let kind = new Uint8Array(capacity);
  let counts = new Float64Array(capacity);
  let first = new Float64Array(capacity);
  let last = new Float64Array(capacity);
  let next = new Int32Array(capacity);
  let size = 0;
  let pages = 0;

  return {
    get size() {
      return size;
    },
    add(accesses, firstRecord): void {
      for (let i = 0; i < accesses.length; i++) {
        if (accesses.counts[i] === 0) continue;
        const at = pair(accesses.page[i]!, accesses.kind[i]!);
        if (counts[at] === 0) first[at] = firstRecord + accesses.first[i]!;
        counts[at] = counts[at]! + accesses.counts[i]!;
        last[at] = firstRecord + accesses.last[i]!;
      }
    },
    entries,
    clear(): void {
      headOf.fill(-1);
      size = 0;
      pages = 0;
    },
  };

  function pair(wanted: PageNumber, itsKind: number): number {
    const slot = slotOf(wanted);
    const head = headOf[slot]!;
    for (let at = head; at >= 0; at = next[at]!) if (kind[at] === itsKind) return at;
    if (size === capacity) growPairs();
    const at = size++;
    page[at] = wanted;
    kind[at] = itsKind;
    counts[at] = 0;
    next[at] = head;
    headOf[slot] = at;
    if (head < 0 && ++pages * 2 > slots) growSlots();
    return at;
  }

  /** The slot that holds the page, or the free one where it belongs. */
  function slotOf(wanted: PageNumber): number {
    let slot = hash(wanted) & (slots - 1);
    for (;;) {
      const head = headOf[slot]!;
      if (head < 0 || page[head] === wanted) return slot;
      slot = (slot + 1) & (slots - 1);
    }
  }

  function growPairs(): void {
    capacity *= 2;
    page = larger(new Float64Array(capacity), page);
    kind = larger(new Uint8Array(capacity), kind);
    counts = larger(new Float64Array(capacity), counts);
    first = larger(new Float64Array(capacity), first);
    last = larger(new Float64Array(capacity), last);
    next = larger(new Int32Array(capacity), next);
  }

  function growSlots(): void {
    const heads = headOf.filter((head) => head >= 0);
    slots *= 4;
    headOf = new Int32Array(slots).fill(-1);
    for (const head of heads) headOf[slotOf(page[head]!)] = head;
  }

  function* entries(): Generator<PageEntry, undefined> {
    const heads = headOf.filter((head) => head >= 0);
    const order = Float64Array.from(heads, (head) => page[head]!).sort();
    const ofPage: PageEntry[] = [];
    for (const wanted of order) {
      ofPage.length = 0;
      for (let at = headOf[slotOf(wanted)]!; at >= 0; at = next[at]!) {
        ofPage.push({ page: wanted, kind: kind[at]!, count: counts[at]!, first: first[at]!, last: last[at]! });
      }
      yield* ofPage.sort((a, b) => a.kind - b.kind);
    }
    return undefined;
  }
}

/** Entries per encoded row: what is decoded at once when runs are merged. */
const ROW_ENTRIES = 16384;

/** Encodes sorted entries into rows that can be read one after the other. */
export function encodePageRun(entries: Iterable<PageEntry>): Uint8Array<ArrayBuffer>[] {
  const rows: Uint8Array<ArrayBuffer>[] = [];
  const out = new ByteWriter(65536);
  let inRow = 0;
  let previous = 0;
  for (const { page, kind, count, first, last } of entries) {
    out.varint(page - previous);
    previous = page;
    out.byte(kind);
    out.varint(count);
    out.varint(first);
    out.varint(last - first);
    if (++inRow === ROW_ENTRIES) {
      rows.push(out.take());
      inRow = 0;
      previous = 0;
    }
  }
  if (inRow > 0) rows.push(out.take());
  return rows;
}

export function* decodePageRow(bytes: Uint8Array): Generator<PageEntry, undefined> {
  const reader = new ByteReader(bytes);
  let page = 0;
  while (!reader.done) {
    page += reader.varint();
    const kind = reader.byte();
    const count = reader.varint();
    const first = reader.varint();
    yield { page, kind, count, first, last: first + reader.varint() };
  }
  return undefined;
}

function hash(page: PageNumber): number {
  const mixed = Math.imul((page >>> 0) ^ Math.floor(page / 2 ** 32), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

function larger<T extends Float64Array | Int32Array | Uint8Array>(target: T, from: T): T {
  target.set(from);
  return target;
}
