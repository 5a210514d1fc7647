/**
 * Page runs: accesses per page and kind with the first and last record, over a stretch of the trace. The index holds one run
 * for every node of level 2; the caller for pages merges them.
 */
import { KINDS } from '../../../../shared/records/record.ts';
import type { PageNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { ByteReader, ByteWriter } from '../../collections/varint.ts';
import { kindAt, pageAt, ROW, WORD, type AccessRows } from './accesses/access-rows.ts';
import { bitCount } from '../../collections/byte-sets.ts';

/** Accesses that start in a page; `counts` by position in KINDS. Valid until the next one is asked for. */
export interface PageEntry {
  readonly page: PageNumber;
  readonly counts: Float64Array;
  /** Bit k set: counts[k] is not 0. */
  readonly kinds: number;
  readonly first: RecordNumber;
  readonly last: RecordNumber;
}

/** The pages of accesses, sorted; `firstRecord`: the record of the trace that the accesses count from. */
export function* pagesOf({ length, words }: AccessRows, firstRecord: RecordNumber): Generator<PageEntry, undefined> {
  const counts = new Float64Array(KINDS.length);
  const end = length * ROW;
  for (let at = 0; at < end;) {
    const page = pageAt(words, at);
    counts.fill(0);
    let kinds = 0;
    let first = Number.POSITIVE_INFINITY;
    let last = -1;
    for (; at < end && pageAt(words, at) === page; at += ROW) {
      const count = words[at + WORD.count]! >>> 0;
      if (count === 0) continue; // an access that starts in another page runs into this one
      const kind = kindAt(words, at);
      counts[kind] = count;
      kinds |= 1 << kind;
      first = Math.min(first, words[at + WORD.first]! >>> 0);
      last = Math.max(last, words[at + WORD.last]! >>> 0);
    }
    if (last >= 0) yield { page, counts, kinds, first: firstRecord + first, last: firstRecord + last };
  }
  return undefined;
}

/** Pages per encoded row: what is decoded at once when runs are merged. */
const ROW_PAGES = 16384;

/**
 * Encodes the pages of accesses into rows that can be read one after the other; `firstRecord`: the record of the trace that
 * the accesses count from. Does what `pagesOf` does without its objects, because there may be a million pages.
 */
export function* encodePageRun(
  { length, words }: AccessRows,
  firstRecord: RecordNumber,
): Generator<Uint8Array<ArrayBuffer>, undefined> {
  const out = new ByteWriter(65536);
  const counts = new Float64Array(KINDS.length);
  const end = length * ROW;
  let inRow = 0;
  let previousPage = 0;
  let previousFirst = 0;
  for (let at = 0; at < end;) {
    const page = pageAt(words, at);
    let kinds = 0;
    let least = Number.POSITIVE_INFINITY;
    let most = -1;
    for (; at < end && pageAt(words, at) === page; at += ROW) {
      const count = words[at + WORD.count]! >>> 0;
      if (count === 0) continue;
      const kind = kindAt(words, at);
      counts[kind] = count;
      kinds |= 1 << kind;
      const first = words[at + WORD.first]! >>> 0;
      const last = words[at + WORD.last]! >>> 0;
      if (first < least) least = first;
      if (last > most) most = last;
    }
    if (kinds === 0) continue;
    const first = firstRecord + least;
    out.varint(page - previousPage);
    out.signed(first - previousFirst);
    out.varint(most - least);
    out.varint(kinds);
    for (let rest = kinds; rest !== 0; rest &= rest - 1) out.varint(counts[lowestBit(rest)]!);
    previousPage = page;
    previousFirst = first;
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
  let kinds = 0;
  while (!reader.done) {
    page += reader.varint();
    first += reader.signed();
    const last = first + reader.varint();
    for (let rest = kinds; rest !== 0; rest &= rest - 1) counts[lowestBit(rest)] = 0;
    kinds = reader.varint();
    for (let rest = kinds; rest !== 0; rest &= rest - 1) counts[lowestBit(rest)] = reader.varint();
    yield { page, counts, kinds, first, last };
  }
  return undefined;
}

/** Returns the number of the lowest bit that is set. */
export function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

/** Yields only the page numbers of a row, in order, and skips the data of each page. */
export function eachPage(bytes: Uint8Array, visit: (page: PageNumber) => void): void {
  const reader = new ByteReader(bytes);
  let page = 0;
  while (!reader.done) {
    page += reader.varint();
    reader.skipVarints(2);
    reader.skipVarints(bitCount(reader.varint()));
    visit(page);
  }
}
