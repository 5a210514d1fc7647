/**
 * Counts accesses into a grid of time x address, exactly, by decoding or from known address counts. The heatmap uses it for blocks whose
 * index tiles are too coarse or cross an edge of the grid.
 */
import type { Batch } from '../../../../shared/records/batch.ts';
import { createBatch, FLAG, recordsOf, resetBatch } from '../../../../shared/records/batch.ts';
import { rowAt, rowStretches, type RowStretches } from '../../../../shared/format/address-cells.ts';
import type { Decoder, State, Window } from '../../../../shared/format/format.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { ByteOffset, RecordNumber } from '../../../../shared/base/units.ts';
import type { BlockStart } from '../../index/blocks.ts';
import type { TraceReader, TraceRef } from '../../index/trace-reader.ts';
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
  /** Pairs of cell number (column * rows + row) and non-zero count. */
  readonly pairs: Uint32Array<ArrayBuffer>;
  /** The wanted address counts of each block; undefined if they were not wanted, `scattered` if the block has no locality. */
  readonly made: readonly (Uint8Array | 'scattered' | undefined)[];
}

/** Counts the cells of a grid over some blocks. Urgent, because a person waits for them, unless it is done ahead. */
export const COUNT_CELLS = poolTask<
  {
    readonly trace: TraceRef;
    readonly blocks: readonly CountedBlock[];
    readonly grid: CellGrid;
    readonly ahead?: boolean;
  },
  CountedCells
>('count cells', ({ ahead }) => (ahead ? 'survey' : 'urgent'));

/** Batch size between runs of plain records, which are counted without decoding. Plain records usually follow soon. */
const FEW = 32;
/** Largest number of cells whose buffers are kept for the next answer. */
const MOST_KEPT = 2 ** 20;

/** Counts cells over the given blocks, which contain fewer than 2^32 records. */
export type CellCounter = (
  reader: TraceReader,
  blocks: readonly CountedBlock[],
  grid: CellGrid,
  batch: Batch,
) => Result<CountedCells>;

/** Keeps its buffers between queries, because allocating memory costs more than counting. */
export function createCellCounter(): CellCounter {
  let cells = new Uint32Array(0);
  let pairs = new Uint32Array(0);
  let addresses: AddressCounter | undefined;

  return (reader, blocks, grid, batch) => {
    const length = (grid.edges.length - 1) * grid.rows;
    if (cells.length < length) {
      cells = new Uint32Array(length);
      pairs = new Uint32Array(2 * length);
    } else cells.fill(0, 0, length);
    const made: (Uint8Array | 'scattered' | undefined)[] = [];
    for (const block of blocks) {
      const counted = addBlock(reader, block, grid, batch);
      if (!counted.ok) return counted;
      made.push(counted.value);
    }
    const answer = ok({ pairs: pairs.slice(0, compact(cells, length, pairs)), made });
    if (length > MOST_KEPT) cells = pairs = new Uint32Array(0);
    return answer;
  };

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

/** Adds a block by decoding it, or by counting in its bytes where the decoder can. */
function addDecoded(
  { decoder, loader }: TraceReader,
  { block, entry, firstRecord, part }: CountedBlock,
  grid: CellGrid,
  batch: Batch,
  counts: Uint32Array,
): Result<undefined> {
  const usual = usualBand(grid);
  const decoded = usual !== undefined && decoder.countPlain !== undefined ? createBatch(FEW) : batch;
  decoded.placed = false;
  const to = grid.edges[grid.edges.length - 1]!;
  const window =
    part === undefined ? loader.load(block, entry, entry.state) : loader.loadBetween(entry.position, part.end);
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
  return ok(undefined);
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
  band: CellBand,
  counts: Uint32Array,
): Place {
  const { lowLow, bounds } = band;
  if (countPlain === undefined || framing.kind !== 'units') return place;
  let { state, record } = place;
  const to = edges[edges.length - 1]!;
  const before = record < edges[0]!;
  const stretches = stretchesOf(bounds);
  for (let column = before ? -1 : columnOf(edges, record); record < to; column++) {
    const until = edges[column + 1]!;
    const position = window.position;
    // A single band begins with row 0. Records before the grid are skipped.
    const cells = {
      low: lowLow,
      bounds,
      stretches,
      kinds: column < 0 ? 0 : kinds,
      counts,
      firstCell: Math.max(0, column) * rows,
    };
    state = countPlain(window, state, until - record, cells);
    record += (window.position - position) / framing.bytes;
    if (record < until) break;
  }
  return { state, record };
}

let lastStretches: { readonly bounds: Float64Array; readonly stretches: RowStretches } | undefined;

/** Returns the stretches of the addresses of a band, which most questions count in many blocks. */
function stretchesOf(bounds: Float64Array): RowStretches {
  if (lastStretches?.bounds !== bounds) lastStretches = { bounds, stretches: rowStretches(bounds) };
  return lastStretches.stretches;
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
