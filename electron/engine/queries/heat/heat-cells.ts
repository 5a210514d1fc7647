/**
 * Counts accesses into a grid of time x address, exactly, by decoding. The heatmap uses it for blocks whose index tiles are too coarse or
 * cross an edge of the grid.
 */
import type { Batch } from '../../../../shared/records/batch.ts';
import { createBatch, FLAG, resetBatch } from '../../../../shared/records/batch.ts';
import { rowAt } from '../../../../shared/format/address-cells.ts';
import type { Decoder, State, Window } from '../../../../shared/format/format.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { BlockStart } from '../../index/blocks.ts';
import type { TraceReader, TraceRef } from '../../index/trace-reader.ts';
import { poolTask } from '../../threads/pool-task.ts';

/** The grid of one query. */
export interface CellGrid {
  /** Column c contains the records edges[c] <= n < edges[c + 1]. */
  readonly edges: Float64Array;
  /** Spans of addresses, ascending and without overlap. */
  readonly bands: readonly CellBand[];
  /** Total number of rows of all bands. */
  readonly rows: number;
  /** Bit k set: records of KINDS[k] count. */
  readonly kinds: number;
}

/**
 * A band of rows. Row r contains the addresses bounds[r] <= a - low < bounds[r + 1]. If bytes would not be exact in a double, bound r is
 * byte offsets[r] of page bounds[r], counted from the page of low.
 */
export interface CellBand {
  readonly lowLow: number;
  readonly lowHigh: number;
  /** Unit of `bounds`, in bytes. */
  readonly unit: 1 | 4096;
  readonly bounds: Float64Array;
  /** Byte offset of each bound within its page. Empty if `bounds` count bytes. */
  readonly offsets: Uint16Array;
  /** First row of the band in the grid. */
  readonly firstRow: number;
}

/** Counts the cells of a grid over some blocks. Urgent, because a person waits for them. */
export const COUNT_CELLS = poolTask<
  { readonly trace: TraceRef; readonly blocks: readonly BlockStart[]; readonly grid: CellGrid },
  Uint32Array
>('count cells', 'urgent');

/** Batch size between runs of plain records, which are counted without decoding. Plain records usually follow soon. */
const FEW = 32;
/** Largest number of cells whose buffers are kept for the next answer. */
const MOST_KEPT = 2 ** 20;

/**
 * Counts cells over the given blocks, which contain fewer than 2^32 records. Returns pairs of cell number (column * rows + row) and
 * non-zero count.
 */
export type CellCounter = (
  reader: TraceReader,
  blocks: readonly BlockStart[],
  grid: CellGrid,
  batch: Batch,
) => Result<Uint32Array<ArrayBuffer>>;

/** Keeps its buffers between queries, because allocating memory costs more than counting. */
export function createCellCounter(): CellCounter {
  let counts = new Uint32Array(0);
  let pairs = new Uint32Array(0);

  return (reader, blocks, grid, batch) => {
    const cells = (grid.edges.length - 1) * grid.rows;
    if (counts.length < cells) {
      counts = new Uint32Array(cells);
      pairs = new Uint32Array(2 * cells);
    } else counts.fill(0, 0, cells);
    const failed = addBlocks(reader, blocks, grid, batch, counts);
    const answer = failed ?? ok(pairs.slice(0, compact(counts, cells, pairs)));
    if (cells > MOST_KEPT) counts = pairs = new Uint32Array(0);
    return answer;
  };
}

/** Collects the non-zero counts without a branch, which would often be mispredicted. Returns the end of the pairs. */
function compact(counts: Uint32Array, cells: number, pairs: Uint32Array): number {
  let end = 0;
  for (let cell = 0; cell < cells; cell++) {
    const count = counts[cell]! | 0;
    pairs[end] = cell;
    pairs[end + 1] = count;
    end += ((count | -count) >>> 31) << 1;
  }
  return end;
}

function addBlocks(
  { decoder, loader }: TraceReader,
  blocks: readonly BlockStart[],
  grid: CellGrid,
  batch: Batch,
  counts: Uint32Array,
): Result<never> | undefined {
  const usual = usualBand(grid);
  const decoded = usual !== undefined && decoder.countPlain !== undefined ? createBatch(FEW) : batch;
  decoded.placed = false;
  const to = grid.edges[grid.edges.length - 1]!;
  for (const { block, entry, firstRecord } of blocks) {
    const window = loader.load(block, entry, entry.state);
    if (!window.ok) return window;
    let place: Place = { state: entry.state, record: firstRecord };
    while (window.value.position < window.value.end && place.record < to) {
      if (usual !== undefined) {
        place = addPlain(decoder, window.value, place, grid, usual, counts);
        if (window.value.position >= window.value.end || place.record >= to) break;
      }
      resetBatch(decoded, place.record - firstRecord);
      const state = decoder.decode(window.value, place.state, decoded);
      addBatch(decoded, place.record, grid, usual, counts);
      place = { state, record: place.record + decoded.count };
    }
  }
  return undefined;
}

/** Decoding position in a block: the next record and the decoder state before it. */
interface Place {
  readonly state: State;
  readonly record: RecordNumber;
}

/** Counts records as long as the decoder can count them without decoding. */
function addPlain(
  { framing, countPlain }: Decoder,
  window: Window,
  place: Place,
  { edges, rows, kinds }: CellGrid,
  { lowLow, bounds }: CellBand,
  counts: Uint32Array,
): Place {
  if (countPlain === undefined || framing.kind !== 'units') return place;
  let { state, record } = place;
  const to = edges[edges.length - 1]!;
  const before = record < edges[0]!;
  for (let column = before ? -1 : columnOf(edges, record); record < to; column++) {
    const until = edges[column + 1]!;
    const position = window.position;
    // A single band begins with row 0. Records before the grid are skipped.
    const cells = { low: lowLow, bounds, kinds: column < 0 ? 0 : kinds, counts, firstCell: Math.max(0, column) * rows };
    state = countPlain(window, state, until - record, cells);
    record += (window.position - position) / framing.bytes;
    if (record < until) break;
  }
  return { state, record };
}

function addBatch(
  batch: Batch,
  firstRecord: RecordNumber,
  grid: CellGrid,
  usual: CellBand | undefined,
  counts: Uint32Array,
): void {
  const { edges, rows, kinds } = grid;
  const from = edges[0]!;
  const to = edges[edges.length - 1]!;
  if (firstRecord + batch.count <= from || firstRecord >= to) return;
  // Indexes in a batch fit 31 bits. As integers they make the loops below twice as fast.
  const start = Math.max(0, from - firstRecord) | 0;
  const end = Math.min(batch.count, to - firstRecord) | 0;
  let column = columnOf(edges, firstRecord + start);
  for (let i = start; i < end; column++) {
    const until = Math.min(end, edges[column + 1]! - firstRecord) | 0;
    if (usual !== undefined) addUsual(batch, i, until, usual, kinds, counts, column * rows);
    else addAny(batch, i, until, grid, counts, column * rows);
    i = until;
  }
}

/** Returns the band of the most common query, a single band below 4 GiB. Returns undefined for other queries. */
function usualBand({ bands: [band, ...others] }: CellGrid): CellBand | undefined {
  const usual = others.length === 0 && band !== undefined && band.unit === 1 && endOf([band]) <= 2 ** 32;
  return usual ? band : undefined;
}

/**
 * Inlines rowOf with a single comparison for addresses outside the band: a distance below the band wraps around to a large number. Records
 * [from, until) of the batch belong to the column that starts at `firstCell`.
 */
function addUsual(
  { kind, flags, addressLow, addressHigh }: Batch,
  from: number,
  until: number,
  { lowLow, bounds }: CellBand,
  kinds: number,
  counts: Uint32Array,
  firstCell: number,
): void {
  const top = bounds[bounds.length - 1]!;
  const last = (top - 1) >>> 0;
  const rowsPerByte = (bounds.length - 1) / top;
  for (let i = from; i < until; i++) {
    const distance = (addressLow[i]! - lowLow) >>> 0;
    if (distance > last || addressHigh[i] !== 0) continue;
    if ((flags[i]! & FLAG.address) === 0 || (kinds & (1 << kind[i]!)) === 0) continue;
    const cell = firstCell + rowAt(distance, rowsPerByte, bounds);
    counts[cell] = counts[cell]! + 1;
  }
}

function addAny(
  { kind, flags, addressLow, addressHigh }: Batch,
  from: number,
  until: number,
  grid: CellGrid,
  counts: Uint32Array,
  start: number,
): void {
  for (let i = from; i < until; i++) {
    if ((flags[i]! & FLAG.address) === 0 || (grid.kinds & (1 << kind[i]!)) === 0) continue;
    const row = rowOf(grid, addressLow[i]!, addressHigh[i]!);
    if (row < 0) continue;
    counts[start + row] = counts[start + row]! + 1;
  }
}

/** Returns the address just past the last band. Exact below 2^33, which is sufficient here. */
function endOf(bands: readonly CellBand[]): number {
  const last = bands[bands.length - 1]!;
  return last.lowHigh * 2 ** 32 + last.lowLow + last.bounds[last.bounds.length - 1]! * last.unit;
}

/** Returns the row of an address, or -1 outside all bands. */
export function rowOf(grid: CellGrid, low: number, high: number): number {
  const { bands } = grid;
  let from = 0;
  let to = bands.length - 1;
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    const { lowHigh, lowLow } = bands[middle]!;
    if (lowHigh < high || (lowHigh === high && lowLow <= low)) from = middle;
    else to = middle - 1;
  }
  const band = bands[from]!;
  const { lowLow, lowHigh, bounds, firstRow } = band;
  if (high < lowHigh || (high === lowHigh && low < lowLow)) return -1;
  if (band.unit !== 1) return rowByPages(band, low, high);
  const distance = (high - lowHigh) * 2 ** 32 + (low - lowLow);
  const rows = bounds.length - 1;
  const top = bounds[rows]!;
  if (distance >= top) return -1;
  let row = Math.min(rows - 1, Math.floor((distance / top) * rows));
  while (distance < bounds[row]!) row--;
  while (distance >= bounds[row + 1]!) row++;
  return firstRow + row;
}

/** Returns the row of an address at or above the start of a band whose bounds are pages and byte offsets. */
function rowByPages({ lowLow, lowHigh, bounds, offsets, firstRow }: CellBand, low: number, high: number): number {
  const pages = (high - lowHigh) * 2 ** 20 + ((low >>> 12) - (lowLow >>> 12));
  const bytes = low & 4095;
  const rows = bounds.length - 1;
  const top = bounds[rows]!;
  if (pages > top || (pages === top && bytes >= offsets[rows]!)) return -1;
  let row = Math.min(rows - 1, Math.floor((pages / top) * rows));
  while (pages < bounds[row]! || (pages === bounds[row]! && bytes < offsets[row]!)) row--;
  while (pages > bounds[row + 1]! || (pages === bounds[row + 1]! && bytes >= offsets[row + 1]!)) row++;
  return firstRow + row;
}

/** Returns the column that contains record n, which must be within the edges. */
export function columnOf(edges: Float64Array, n: RecordNumber): number {
  let low = 0;
  let high = edges.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle]! <= n) low = middle;
    else high = middle - 1;
  }
  return low;
}
