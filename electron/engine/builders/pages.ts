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
  /** Memory that the table holds, in bytes, about. */
  readonly bytes: number;
  add(accesses: AccessColumns, firstRecord: RecordNumber): void;
  /**
   * All pages, sorted. The entry is the same object each time, valid until the next step; the table must not change
   * meanwhile.
   */
  entries(): Generator<PageEntry, undefined>;
  clear(): void;
}

/** Neighbouring pages share a chunk: the accesses of a block come sorted, so most go where the last one went. */
const CHUNK_PAGES = 64;

interface Chunk {
  /** 0 where the page was not touched: records are counted from 1 here. */
  readonly firstPlusOne: Float64Array;
  readonly last: Float64Array;
  /** By kind, where any page of the chunk has it. */
  readonly counts: (Float64Array | undefined)[];
}

export function createPageTable(): PageTable {
  const chunks = new Map<number, Chunk>();
  let bytes = 0;

  return {
    get bytes() {
      return bytes;
    },
    add(accesses, firstRecord): void {
      let number = -1;
      let chunk: Chunk | undefined;
      for (let i = 0; i < accesses.length; i++) {
        const count = accesses.counts[i]!;
        if (count === 0) continue;
        const page = accesses.page[i]!;
        const its = Math.floor(page / CHUNK_PAGES);
        if (its !== number || chunk === undefined) {
          number = its;
          chunk = chunks.get(its) ?? newChunk(its);
        }
        const at = page - its * CHUNK_PAGES;
        const first = firstRecord + accesses.first[i]! + 1;
        const last = firstRecord + accesses.last[i]!;
        if (chunk.firstPlusOne[at] === 0 || first < chunk.firstPlusOne[at]!) chunk.firstPlusOne[at] = first;
        if (last > chunk.last[at]!) chunk.last[at] = last;
        const counts = chunk.counts[accesses.kind[i]!] ?? newCounts(chunk, accesses.kind[i]!);
        counts[at] = counts[at]! + count;
      }
    },
    *entries() {
      const counts = new Float64Array(KINDS.length);
      for (const number of Float64Array.from(chunks.keys()).sort()) {
        const chunk = chunks.get(number)!;
        for (let at = 0; at < CHUNK_PAGES; at++) {
          const first = chunk.firstPlusOne[at]!;
          if (first === 0) continue;
          for (let kind = 0; kind < counts.length; kind++) counts[kind] = chunk.counts[kind]?.[at] ?? 0;
          yield { page: number * CHUNK_PAGES + at, counts, first: first - 1, last: chunk.last[at]! };
        }
      }
      return undefined;
    },
    clear(): void {
      chunks.clear();
      bytes = 0;
    },
  };

  function newChunk(number: number): Chunk {
    const chunk = { firstPlusOne: new Float64Array(CHUNK_PAGES), last: new Float64Array(CHUNK_PAGES), counts: [] };
    chunks.set(number, chunk);
    bytes += 2 * CHUNK_PAGES * 8 + 512;
    return chunk;
  }

  function newCounts(chunk: Chunk, kind: number): Float64Array {
    const counts = new Float64Array(CHUNK_PAGES);
    chunk.counts[kind] = counts;
    bytes += CHUNK_PAGES * 8 + 128;
    return counts;
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
