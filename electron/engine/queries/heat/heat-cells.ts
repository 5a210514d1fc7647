/**
 * Counts accesses into a grid of time x address, exactly, by decoding or from known address counts. The heatmap uses it for blocks whose
 * index tiles are too coarse or cross an edge of the grid.
 */
import type { Batch } from '../../../../shared/records/batch.ts';
import { createBatch, FLAG, recordsOf, resetBatch } from '../../../../shared/records/batch.ts';
import { addressRows, NO_ROW, rowAt, SEVERAL_ROWS, type AddressRows } from '../../../../shared/format/address-cells.ts';
import type { Decoder, State, Window } from '../../../../shared/format/format.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { ByteOffset, RecordNumber } from '../../../../shared/base/units.ts';
import type { BlockStart } from '../../index/blocks.ts';
import type { TraceReader, TraceRef } from '../../index/trace-reader.ts';
import { cachePer } from '../../collections/cache-per.ts';
import { poolTask } from '../../threads/pool-task.ts';
import {
  addAddressCounts,
  columnsOfSlices,
  createAddressCounter,
  SLICES,
  sliceStart,
  type AddressCounter,
} from './address-counts.ts';
import { columnOf, rowOf, type CellBand, type CellGrid } from './cell-grid.ts';

/** A block to count, or a part of it. */
export interface CountedBlock extends BlockStart {
  readonly records: number;
  /** Where the records of a part end; `entry` and `firstRecord` are then those of the part. Undefined for a whole block. */
  readonly part?: { readonly end: ByteOffset };
  /** Its address counts if they are known; `wanted` if the worker should return them. */
  readonly counts: Uint8Array | 'wanted' | undefined;
}

export interface CountedCells {
  /** Pairs of cell number (column * rows + row) and non-zero count: of all blocks together, or of each. */
  readonly pairs: readonly Uint32Array<ArrayBuffer>[];
  /** The wanted address counts of each block; undefined if they were not wanted, `scattered` if the block has no locality. */
  readonly made: readonly (Uint8Array | 'scattered' | undefined)[];
}

/** Counts the cells of a grid over some blocks. Urgent, because a person waits for them, unless it is done ahead. */
export const COUNT_CELLS = poolTask<
  {
    readonly trace: TraceRef;
    readonly blocks: readonly CountedBlock[];
    readonly grid: CellGrid;
    /** Counts each block apart. */
    readonly apart?: boolean;
    readonly ahead?: boolean;
  },
  CountedCells
>('count cells', ({ ahead }) => (ahead ? 'survey' : 'urgent'));

/** Batch size between runs of plain records, which are counted without decoding. Plain records usually follow soon. */
const FEW = 32;
/** Attempts after which few records are likely to be plain, such as in a capture whose cells are quoted. */
const MOST_FRUITLESS = 4;
/** Largest number of cells whose buffers are kept for the next answer. */
const MOST_KEPT = 2 ** 20;

/** Counts cells over the given blocks, which contain fewer than 2^32 records: of all together, or of each apart. */
export type CellCounter = (
  reader: TraceReader,
  blocks: readonly CountedBlock[],
  grid: CellGrid,
  batch: Batch,
  apart: boolean,
) => Result<CountedCells>;

/** Keeps its buffers between queries, because allocating memory costs more than counting. */
export function createCellCounter(): CellCounter {
  let cells = new Uint32Array(0);
  let pairs = new Uint32Array(0);
  let addresses: AddressCounter | undefined;

  return (reader, blocks, grid, batch, apart) => {
    const length = (grid.edges.length - 1) * grid.rows;
    if (cells.length < length) {
      cells = new Uint32Array(length);
      pairs = new Uint32Array(2 * length);
    } else cells.fill(0, 0, length);
    const made: (Uint8Array | 'scattered' | undefined)[] = [];
    const lists: Uint32Array<ArrayBuffer>[] = [];
    for (const block of blocks) {
      const counted = addBlock(reader, block, grid, batch);
      if (!counted.ok) return counted;
      made.push(counted.value);
      if (apart) lists.push(takePairs(...columnsWithin(grid, block), grid.rows));
    }
    if (!apart) lists.push(takePairs(0, grid.edges.length - 1, grid.rows));
    if (length > MOST_KEPT) cells = pairs = new Uint32Array(0);
    return ok({ pairs: lists, made });
  };

  /** Returns the counts of columns [from, end), which are then zero. */
  function takePairs(from: number, end: number, rows: number): Uint32Array<ArrayBuffer> {
    const list = pairs.slice(0, compact(cells, from * rows, end * rows, pairs));
    cells.fill(0, from * rows, end * rows);
    return list;
  }

  /** Adds a block to the cells. Returns its address counts if they are wanted. */
  function addBlock(
    reader: TraceReader,
    block: CountedBlock,
    grid: CellGrid,
    batch: Batch,
  ): Result<CountedCells['made'][number]> {
    const columns = block.counts === undefined ? undefined : columnsOfSlices(grid, block.firstRecord, block.records);
    if (columns === undefined || block.counts === undefined) return addDecoded(reader, block, grid, batch, cells);
    if (block.counts !== 'wanted') {
      addAddressCounts(block.counts, grid, columns, cells);
      return ok(undefined);
    }
    addresses ??= createAddressCounter();
    const made = countAddresses(reader, block, batch, addresses);
    if (!made.ok) return made;
    if (made.value === 'scattered') {
      const added = addDecoded(reader, block, grid, batch, cells);
      return added.ok ? made : added;
    }
    addAddressCounts(made.value, grid, columns, cells);
    return made;
  }
}

/** Counts the accesses to each address of a block, unless it has no locality. */
function countAddresses(
  { decoder, loader }: TraceReader,
  { block, entry, firstRecord, records }: CountedBlock,
  batch: Batch,
  addresses: AddressCounter,
): Result<Uint8Array | 'scattered'> {
  const loaded = loader.load(block, entry, entry.state);
  if (!loaded.ok) return loaded;
  const window = loaded.value;
  let { state } = entry;
  let record = firstRecord;
  let slice = 0;
  addresses.start();
  while (window.position < window.end) {
    let end = sliceStart(firstRecord, records, slice + 1);
    while (record >= end && slice < SLICES - 1) end = sliceStart(firstRecord, records, ++slice + 1);
    resetBatch(batch, record - firstRecord);
    const condensed = decoder.condense?.(window, state, batch, end - record);
    state = condensed ?? decoder.decode(window, state, batch);
    const after = record + recordsOf(batch);
    if (condensed !== undefined || after <= end) {
      if (!addresses.addAll(batch, slice)) return ok('scattered');
    } else {
      for (let row = 0; ; slice++) {
        const until = Math.min(batch.count, sliceStart(firstRecord, records, slice + 1) - record);
        if (!addresses.add(batch, row, until, slice)) return ok('scattered');
        row = until;
        if (row === batch.count) break;
      }
    }
    record = after;
  }
  return ok(addresses.finish());
}

/** Returns the columns [from, end) that records of a block may be in. */
function columnsWithin({ edges }: CellGrid, { firstRecord, records }: CountedBlock): [from: number, end: number] {
  const last = Math.min(firstRecord + records, edges.at(-1)!) - 1;
  const from = columnOf(edges, Math.max(firstRecord, edges[0]!));
  return [from, Math.max(from, columnOf(edges, last) + 1)];
}

/** Collects the non-zero counts of cells [from, until) without a branch, which would often be mispredicted. Returns the end of the pairs. */
function compact(counts: Uint32Array, from: number, until: number, pairs: Uint32Array): number {
  let end = 0;
  for (let cell = from; cell < until; cell++) {
    const count = counts[cell]! | 0;
    pairs[end] = cell;
    pairs[end + 1] = count;
    end += ((count | -count) >>> 31) << 1;
  }
  return end;
}

/** Adds a block by decoding it, or by counting in its bytes where the decoder can. */
function addDecoded(
  { decoder, loader }: TraceReader,
  { block, entry, firstRecord, part }: CountedBlock,
  grid: CellGrid,
  batch: Batch,
  counts: Uint32Array,
): Result<undefined> {
  const rows = rowsBelow4GiB(grid);
  const skims = rows !== undefined && decoder.countPlain !== undefined;
  const few = skims ? fewOf(decoder) : batch;
  few.placed = batch.placed = false;
  /** Attempts to count plain records since the last one that found any. */
  let fruitless = 0;
  const to = grid.edges[grid.edges.length - 1]!;
  const window =
    part === undefined ? loader.load(block, entry, entry.state) : loader.loadBetween(entry.position, part.end);
  if (!window.ok) return window;
  let place: Place = { state: entry.state, record: firstRecord };
  while (window.value.position < window.value.end && place.record < to) {
    if (skims) {
      const { record } = place;
      place = addPlain(decoder, window.value, place, grid, rows, counts);
      if (window.value.position >= window.value.end || place.record >= to) break;
      fruitless = place.record > record ? 0 : fruitless + 1;
    }
    const decoded = fruitless < MOST_FRUITLESS ? few : batch;
    resetBatch(decoded, place.record - firstRecord);
    const state = decoder.decode(window.value, place.state, decoded);
    addBatch(decoded, place.record, grid, rows, counts);
    place = { state, record: place.record + decoded.count };
  }
  return ok(undefined);
}

/** Batches of FEW records. Each decoder has its own: columns that it never writes must not hold values of another one. */
const fewOf = cachePer(() => createBatch(FEW));

/** Decoding position in a block: the next record and the decoder state before it. */
interface Place {
  readonly state: State;
  readonly record: RecordNumber;
}

/** Counts records as long as the decoder can count them without decoding. */
function addPlain(
  { countPlain }: Decoder,
  window: Window,
  place: Place,
  grid: CellGrid,
  rows: AddressRows,
  counts: Uint32Array,
): Place {
  if (countPlain === undefined) return place;
  const { edges } = grid;
  let { state, record } = place;
  const to = edges[edges.length - 1]!;
  const before = record < edges[0]!;
  for (let column = before ? -1 : columnOf(edges, record); record < to; column++) {
    const until = edges[column + 1]!;
    // Records before the grid are skipped.
    const kinds = column < 0 ? 0 : grid.kinds;
    const firstCell = Math.max(0, column) * grid.rows;
    const counted = countPlain(window, state, until - record, { rows, kinds, counts, firstCell });
    state = counted.state;
    record += counted.records;
    if (record < until) break;
  }
  return { state, record };
}

function addBatch(
  batch: Batch,
  firstRecord: RecordNumber,
  grid: CellGrid,
  addresses: AddressRows | undefined,
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
    if (addresses !== undefined) addBelow4GiB(batch, i, until, addresses, kinds, counts, column * rows);
    else addAny(batch, i, until, grid, counts, column * rows);
    i = until;
  }
}

let lastRows: { readonly bands: readonly CellBand[]; readonly rows: AddressRows } | undefined;

/** Returns the rows of a grid that ends at 4 GiB or before, as most do; undefined for others. */
function rowsBelow4GiB({ bands }: CellGrid): AddressRows | undefined {
  if (bands.length === 0 || bands.some(({ unit }) => unit !== 1) || endOf(bands) > 2 ** 32) return undefined;
  // Most questions count in many blocks.
  if (lastRows === undefined || !areSame(lastRows.bands, bands)) {
    const spans = bands.map(({ lowLow, bounds, firstRow }) => ({ low: lowLow, bounds, firstRow }));
    lastRows = { bands, rows: addressRows(spans) };
  }
  return lastRows.rows;
}

/** Compares bands below 4 GiB. A worker gets a copy of them with each task. */
function areSame(some: readonly CellBand[], others: readonly CellBand[]): boolean {
  if (some === others) return true;
  return (
    some.length === others.length &&
    some.every(({ lowLow, bounds }, at) => {
      const { lowLow: low, bounds: its } = others[at]!;
      return lowLow === low && bounds.length === its.length && bounds.every((bound, row) => bound === its[row]);
    })
  );
}

/**
 * Counts records [from, until) of the batch in the column that starts at `firstCell`. A single comparison finds addresses outside the rows: a
 * distance below them wraps around to a large number.
 */
function addBelow4GiB(
  { kind, flags, addressLow, addressHigh }: Batch,
  from: number,
  until: number,
  rows: AddressRows,
  kinds: number,
  counts: Uint32Array,
  firstCell: number,
): void {
  const { stretches } = rows;
  const low = rows.low | 0;
  const last = rows.last >>> 0;
  const shift = rows.shift | 0;
  for (let i = from; i < until; i++) {
    const distance = (addressLow[i]! - low) >>> 0;
    if (distance > last || addressHigh[i] !== 0) continue;
    if ((flags[i]! & FLAG.address) === 0 || (kinds & (1 << kind[i]!)) === 0) continue;
    let row = stretches[distance >>> shift]!;
    if (row < 0) {
      if (row === SEVERAL_ROWS) row = rowAt(rows, distance);
      if (row === NO_ROW) continue;
    }
    const cell = firstCell + row;
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
