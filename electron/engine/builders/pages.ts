/**
 * Page runs: accesses per page and kind with the first and last record, over a stretch of the trace. The index holds one run
 * for every node of level 2; whoever asks for pages merges them.
 */
import { KINDS } from '../../../shared/record.ts';
import type { PageNumber, RecordNumber } from '../../../shared/units.ts';
import { ByteReader, ByteWriter } from '../store/varint.ts';
import type { AccessColumns } from './accesses.ts';

/** Accesses that start in a page; `counts` by position in KINDS. Valid until the next one is asked for. */
export interface PageEntry {
  readonly page: PageNumber;
  readonly counts: Float64Array;
  readonly first: RecordNumber;
  readonly last: RecordNumber;
}

/** The pages of accesses, sorted; `firstRecord`: the record of the trace that the accesses count from. */
export function* pagesOf(accesses: AccessColumns, firstRecord: RecordNumber): Generator<PageEntry, undefined> {
  const counts = new Float64Array(KINDS.length);
  for (let i = 0; i < accesses.length;) {
    const page = accesses.page[i]!;
    counts.fill(0);
    let first = Number.POSITIVE_INFINITY;
    let last = -1;
    for (; i < accesses.length && accesses.page[i] === page; i++) {
      const count = accesses.counts[i]!;
      if (count === 0) continue; // an access that starts in another page runs into this one
      counts[accesses.kind[i]!] = count;
      first = Math.min(first, accesses.first[i]!);
      last = Math.max(last, accesses.last[i]!);
    }
    if (last >= 0) yield { page, counts, first: firstRecord + first, last: firstRecord + last };
  }
  return undefined;
}

/** Pages per encoded row: what is decoded at once when runs are merged. */
const ROW_PAGES = 16384;

/** Encodes sorted pages into rows that can be read one after the other. */
export function* encodePageRun(entries: Iterable<PageEntry>): Generator<Uint8Array<ArrayBuffer>, undefined> {
  const out = new ByteWriter(65536);
  let inRow = 0;
  let previousPage = 0;
  let previousFirst = 0;
  for (const { page, counts, first, last } of entries) {
    out.varint(page - previousPage);
    out.varint(zigzag(first - previousFirst));
    out.varint(last - first);
    previousPage = page;
    previousFirst = first;
    let kinds = 0;
    for (let kind = 0; kind < counts.length; kind++) if (counts[kind]! > 0) kinds |= 1 << kind;
    out.varint(kinds);
    for (let kind = 0; kind < counts.length; kind++) if (counts[kind]! > 0) out.varint(counts[kind]!);
    if (++inRow < ROW_PAGES) continue;
    yield out.take();
    inRow = previousPage = previousFirst = 0;
  }
  if (inRow > 0) yield out.take();
  return undefined;
}

export function* decodePageRow(bytes: Uint8Array): Generator<PageEntry, undefined> {
  const reader = new ByteReader(bytes);
  const counts = new Float64Array(KINDS.length);
  let page = 0;
  let first = 0;
  while (!reader.done) {
    page += reader.varint();
    first += unzigzag(reader.varint());
    const last = first + reader.varint();
    const kinds = reader.varint();
    for (let kind = 0; kind < counts.length; kind++) counts[kind] = (kinds & (1 << kind)) === 0 ? 0 : reader.varint();
    yield { page, counts, first, last };
  }
  return undefined;
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

function unzigzag(coded: number): number {
  return coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
}
