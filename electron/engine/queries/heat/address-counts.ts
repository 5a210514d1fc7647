/**
 * Address counts: how often each address was accessed in each slice of a block, by kind. They replace decoding where a heatmap's columns end
 * at the ends of slices, whatever its rows are. Most addresses of a program are accessed in few slices, or again and again, so the counts
 * take 1 to 5 % of the block's bytes.
 *
 * A run is one page and kind, ascending: distance to the page before (varint), kind (byte), length of the rest (3 bytes, lowest first). Its
 * addresses ascend: distance to the offset before within the page (varint), then for each slice with accesses `slice << 4 | last << 3 |
 * count`, where a count of 0 is followed by the real one (varint).
 */
import type { Batch } from '../../../../shared/records/batch.ts';
import { FLAG, SPAN_WORDS } from '../../../../shared/records/batch.ts';
import { pageOf, type PageNumber, type RecordNumber } from '../../../../shared/base/units.ts';
import { bandStartsWithin, columnOf, rowOf, rowOfPageEnd, rowOfPageStart, type CellGrid } from './cell-grid.ts';

/**
 * Slices of a block, as equal in records as possible. With more of them, a heatmap of more columns needs no decoding; 16 make the counts 15 %
 * larger than 8.
 */
export const SLICES = 16;
/** Distinct addresses of a block, with their kinds, from which on it has no locality: its counts would take too much memory. */
const MOST_ADDRESSES = 65_536;
const TABLE_BITS = 17;
const TABLE_MASK = 2 ** TABLE_BITS - 1;
/** Bytes that one address takes at most: two of distance and six for each slice. */
const MOST_ADDRESS_BYTES = 2 + 6 * SLICES;
/** Bytes that the head of a run takes at most. */
const MOST_HEAD_BYTES = 8 + 1 + 3;

/** Returns the first record of a slice, 0 <= slice <= SLICES, of a block with this many records. */
export function sliceStart(first: RecordNumber, records: number, slice: number): RecordNumber {
  return first + Math.ceil((records * slice) / SLICES);
}

export interface AddressCounter {
  start(): void;
  /** Counts the accesses of a batch that lies in one slice. Returns false if the block has no locality. */
  addAll(batch: Batch, slice: number): boolean;
  /** Counts the accesses among rows [from, until) of a batch that is not condensed. Returns false if the block has no locality. */
  add(batch: Batch, from: number, until: number, slice: number): boolean;
  /** Encodes the counts, in shared memory. */
  finish(): Uint8Array;
}

/** One per worker, since its tables are large. */
export function createAddressCounter(): AddressCounter {
  /** Open addressing: place + 1 of the address in the columns below, 0 if free. */
  const table = new Int32Array(TABLE_MASK + 1);
  const lows = new Uint32Array(MOST_ADDRESSES);
  const highs = new Uint32Array(MOST_ADDRESSES);
  const kinds = new Uint8Array(MOST_ADDRESSES);
  const counts = new Uint32Array(MOST_ADDRESSES * SLICES);
  let length = 0;
  let bytes = new Uint8Array(2 ** 16);

  return { start, addAll, add, finish };

  function start(): void {
    table.fill(0);
    counts.fill(0, 0, length * SLICES);
    length = 0;
  }

  function addAll(batch: Batch, slice: number): boolean {
    const spans = batch.condensed?.spans;
    if (spans === undefined) return add(batch, 0, batch.count, slice);
    const { count, kind, flags, addressLow } = batch;
    for (let row = 0; row < count; row++) {
      if ((flags[row]! & FLAG.address) === 0) continue;
      const place = placeOf(addressLow[row]!, 0, kind[row]!);
      if (place < 0) return false;
      const cell = place * SLICES + slice;
      counts[cell] = counts[cell]! + spans[row * SPAN_WORDS]!;
    }
    return true;
  }

  function add({ kind, flags, addressLow, addressHigh }: Batch, from: number, until: number, slice: number): boolean {
    for (let row = from; row < until; row++) {
      if ((flags[row]! & FLAG.address) === 0) continue;
      const place = placeOf(addressLow[row]!, addressHigh[row]!, kind[row]!);
      if (place < 0) return false;
      const cell = place * SLICES + slice;
      counts[cell] = counts[cell]! + 1;
    }
    return true;
  }

  /** Returns the place of an address in the columns, or -1 if they are full. */
  function placeOf(low: number, high: number, kind: number): number {
    // Fibonacci hashing
    let slot = Math.imul(low ^ (kind << 27) ^ (high << 7), -0x61c88647) >>> (32 - TABLE_BITS);
    for (;;) {
      const place = table[slot]! - 1;
      if (place < 0) break;
      if (lows[place] === low && kinds[place] === kind && highs[place] === high) return place;
      slot = (slot + 1) & TABLE_MASK;
    }
    if (length === MOST_ADDRESSES) return -1;
    table[slot] = length + 1;
    lows[length] = low;
    highs[length] = high;
    kinds[length] = kind;
    return length++;
  }

  function finish(): Uint8Array {
    let end = 0;
    let page: PageNumber = 0;
    let run = -1;
    let body = 0;
    let offset = 0;
    for (const key of sortedKeys()) {
      const place = key % MOST_ADDRESSES;
      const itsPage = pageOf(lows[place]!, highs[place]!);
      const itsRun = Math.floor(key / (MOST_ADDRESSES * 4096));
      if (end + MOST_HEAD_BYTES + MOST_ADDRESS_BYTES > bytes.length) grow();
      if (itsRun !== run) {
        if (run >= 0) endRun(body, end);
        end = writeVarint(bytes, end, itsPage - page);
        bytes[end] = kinds[place]!;
        body = end + 4;
        end = body;
        run = itsRun;
        page = itsPage;
        offset = 0;
      }
      const itsOffset = lows[place]! & 4095;
      end = writeVarint(bytes, end, itsOffset - offset);
      offset = itsOffset;
      end = writeSlices(place * SLICES, end);
    }
    if (run >= 0) endRun(body, end);
    const encoded = new Uint8Array(new SharedArrayBuffer(end));
    encoded.set(bytes.subarray(0, end));
    return encoded;
  }

  function endRun(body: number, end: number): void {
    const bodyBytes = end - body;
    bytes[body - 3] = bodyBytes;
    bytes[body - 2] = bodyBytes >>> 8;
    bytes[body - 1] = bodyBytes >>> 16;
  }

  function writeSlices(first: number, at: number): number {
    let end = at;
    let head = at;
    for (let slice = 0; slice < SLICES; slice++) {
      const count = counts[first + slice]!;
      if (count === 0) continue;
      head = end;
      bytes[end++] = (slice << 4) | (count < 8 ? count : 0);
      if (count >= 8) end = writeVarint(bytes, end, count);
    }
    bytes[head] = bytes[head]! | 8;
    return end;
  }

  function grow(): void {
    const larger = new Uint8Array(bytes.length * 2);
    larger.set(bytes);
    bytes = larger;
  }

  /** Returns `(page, kind, offset, place)` of all addresses as one number each, sorted. A page is its rank if page numbers exceed 20 bits. */
  function sortedKeys(): Float64Array {
    const ranks = highs.subarray(0, length).some((high) => high !== 0) ? pageRanks() : undefined;
    const keys = new Float64Array(length);
    for (let place = 0; place < length; place++) {
      const low = lows[place]!;
      const page = ranks === undefined ? low >>> 12 : ranks.get(pageOf(low, highs[place]!))!;
      keys[place] = ((page * 32 + kinds[place]!) * 4096 + (low & 4095)) * MOST_ADDRESSES + place;
    }
    return keys.sort();
  }

  function pageRanks(): Map<PageNumber, number> {
    const pages = new Set<PageNumber>();
    for (let place = 0; place < length; place++) pages.add(pageOf(lows[place]!, highs[place]!));
    return new Map([...pages].sort((a, b) => a - b).map((page, rank) => [page, rank]));
  }
}

/** A LEB128 number, 0 <= value < 2^53. Returns where it ends. */
function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let end = at;
  let rest = value;
  while (rest >= 128) {
    bytes[end++] = (rest % 128) + 128;
    rest = Math.floor(rest / 128);
  }
  bytes[end++] = rest;
  return end;
}

/**
 * Returns the column of each slice of a block, -1 for slices outside the grid and for empty ones. Returns undefined if an edge of the grid
 * is inside a slice.
 */
export function columnsOfSlices(grid: CellGrid, first: RecordNumber, records: number): Int32Array | undefined {
  const { edges } = grid;
  const from = edges[0]!;
  const to = edges.at(-1)!;
  const columns = new Int32Array(SLICES).fill(-1);
  for (let slice = 0; slice < SLICES; slice++) {
    const start = sliceStart(first, records, slice);
    const end = sliceStart(first, records, slice + 1);
    if (start === end || end <= from || start >= to) continue;
    if (start < from) return undefined;
    const column = columnOf(edges, start);
    if (end > edges[column + 1]!) return undefined;
    columns[slice] = column;
  }
  return columns;
}

/** Adds the address counts of a block to the cells (column * rows + row) of a grid. `columns`: column of each slice. */
export function addAddressCounts(bytes: Uint8Array, grid: CellGrid, columns: Int32Array, cells: Uint32Array): void {
  const firstCells = columns.map((column) => (column < 0 ? -1 : column * grid.rows));
  let page: PageNumber = 0;
  let at = 0;
  while (at < bytes.length) {
    let unit = 1;
    let byte = bytes[at++]!;
    for (; byte >= 128; byte = bytes[at++]!, unit *= 128) page += (byte - 128) * unit;
    page += byte * unit;
    const kind = bytes[at]!;
    const body = at + 4;
    at = body + (bytes[at + 1]! | (bytes[at + 2]! << 8) | (bytes[at + 3]! << 16));
    if ((grid.kinds & (1 << kind)) === 0) continue;
    const row = rowOfPageStart(grid, page);
    const isInside = row === rowOfPageEnd(grid, page) && (row >= 0 || !bandStartsWithin(grid, page, page));
    if (isInside && row < 0) continue;
    addRun(bytes, body, at, page, isInside ? row : undefined, grid, firstCells, cells);
  }
}

/** Adds one run. `row`: row of the whole page, if it is in one. */
function addRun(
  bytes: Uint8Array,
  body: number,
  end: number,
  page: PageNumber,
  row: number | undefined,
  grid: CellGrid,
  firstCells: Int32Array,
  cells: Uint32Array,
): void {
  const pageLow = (page % 2 ** 20) * 4096;
  const high = Math.floor(page / 2 ** 20);
  let offset = 0;
  let at = body | 0;
  while (at < end) {
    let byte = bytes[at++]!;
    if (byte >= 128) byte += (bytes[at++]! - 1) << 7;
    offset += byte;
    const itsRow = row ?? rowOf(grid, pageLow + offset, high);
    let head: number;
    do {
      head = bytes[at++]!;
      let count = head & 7;
      if (count === 0) {
        let shift = 0;
        for (byte = bytes[at++]!; byte >= 128; byte = bytes[at++]!, shift += 7) count |= (byte & 127) << shift;
        count |= byte << shift;
      }
      const first = firstCells[head >> 4]!;
      if (first >= 0 && itsRow >= 0) cells[first + itsRow] = cells[first + itsRow]! + count;
    } while ((head & 8) === 0);
  }
}
