/**
 * Fills a grid of time and addresses with counts: from heat tiles if a tile is within one column and its cells are within rows. Nodes that
 * cross an edge of the grid are split further down the pyramid and finally decoded, so every count is exact.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { CountProgress } from '../../../../shared/requests/requests.ts';
import { createLru } from '../../../../shared/base/lru.ts';
import { createBatch, PART_RECORDS } from '../../../../shared/records/batch.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { pageOf, type BlockNumber, type RecordNumber } from '../../../../shared/base/units.ts';
import { decodeHeat, type HeatTile } from '../../index/builders/heat.ts';
import { endOfBlock } from '../../index/blocks.ts';
import { childrenOf, nodesReady, spanOf } from '../../index/pyramid.ts';
import { NODE } from '../../index/store/index-file.ts';
import { cachePer } from '../../collections/cache-per.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { offsetAfter, placeBefore } from '../records/block-places.ts';
import { mayTouch, type Span } from '../records/span.ts';
import { bandStartsWithin, columnOf, rowOfPageEnd, rowOfPageStart, type CellGrid } from './cell-grid.ts';
import { COUNT_CELLS, createCellCounter, type CountedBlock, type CountedCells } from './heat-cells.ts';
import { keptCountsOf } from './kept-counts.ts';

const SLICE_MS = 8;
/** Cut blocks from which on their address counts are kept. Fewer take some 50 ms to decode. */
export const MANY_BLOCKS = 16;
/**
 * Largest number of cut blocks that this thread counts alone for a last question: it has counted most of them when a worker of the pool has
 * started.
 */
const MOST_ALONE = 256;
/** Largest number of blocks of a task. This thread also counts, and gives a worker its next task only between two blocks. */
const MOST_APART = 16;
/** Tiles of a gigabyte of trace, so that successive questions about all of it read none. */
const MOST_TILE_BYTES = 48 * 1024 * 1024;
/** Recently decoded tiles, keyed by level and node. */
const tilesOf = cachePer(() =>
  createLru<number, HeatTile>(MOST_TILE_BYTES, ({ length }) => 200 + length * (2 * Float64Array.BYTES_PER_ELEMENT + 1)),
);

/** Counts per cell, and the largest count. Scanning a large grid for the maximum would take milliseconds. */
export interface Cells {
  readonly counts: Float64Array;
  most: number;
}

function addTo(cells: Cells, cell: number, count: number): void {
  const sum = cells.counts[cell]! + count;
  cells.counts[cell] = sum;
  if (sum > cells.most) cells.most = sum;
}

export function readyNodes(trace: Trace, level: number): number {
  return nodesReady(level, trace.blocks.length, trace.ingest.complete);
}

/** Returns the tile of a ready node, from a cache because successive queries often use the same tiles. */
export function tileAt(trace: Trace, level: number, node: number): HeatTile {
  const tiles = tilesOf(trace);
  const key = level * 2 ** 40 + node;
  const known = tiles.get(key);
  if (known !== undefined) return known;
  const tile = decodeHeat(trace.index.blob(NODE.heat, level, node));
  tiles.set(key, tile);
  return tile;
}

/**
 * Counts the grid, first from tiles. The pool decodes the blocks for which tiles are insufficient, except those that the find pyramid rules
 * out. `span`: all addresses of the grid, if it is one band. `isLast`: no further question is expected, so blocks are decoded only as far as
 * this grid needs.
 */
export async function fill(
  trace: Trace,
  grid: CellGrid,
  task: Task<CountProgress>,
  { span, isLast = false }: { readonly span?: Span | undefined; readonly isLast?: boolean } = {},
): Promise<Result<Cells>> {
  const { blocks } = trace;
  const { edges, rows } = grid;
  const cells = { counts: new Float64Array((edges.length - 1) * rows), most: 0 };
  const from = edges[0]!;
  const to = edges.at(-1)!;
  if (from >= to) return ok(cells);
  const cut: BlockNumber[] = [];
  const endBlock = blocks.blockOfRecord(to - 1) + 1;
  let block = blocks.blockOfRecord(from);
  let sliceEnd = performance.now() + SLICE_MS;
  while (block < endBlock) {
    let level = 0;
    while (block % spanOf(level + 1) === 0 && block / spanOf(level + 1) < readyNodes(trace, level + 1)) level++;
    block = addNode({ trace, grid, cells, cut, span }, level, block / spanOf(level));
    if (performance.now() < sliceEnd) continue;
    await breathe();
    if (task.cancelled()) return task.cancel();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return addCut(trace, grid, cells, cut, isLast, task);
}

/** A grid that is being filled. */
interface Filling {
  readonly trace: Trace;
  readonly grid: CellGrid;
  readonly cells: Cells;
  /** Blocks to decode. */
  readonly cut: BlockNumber[];
  readonly span: Span | undefined;
}

/** Adds a node, or its children if it does not fit the grid. Returns the block after it. */
function addNode(filling: Filling, level: number, node: number): BlockNumber {
  const { trace, grid, cells, cut, span } = filling;
  const { blocks } = trace;
  const start = node * spanOf(level);
  const end = Math.min(start + spanOf(level), blocks.length);
  const first = blocks.firstRecord(start);
  const last = blocks.firstRecord(end) - 1;
  if (last < first || last < grid.edges[0]! || first >= grid.edges.at(-1)!) return end;
  const inside = first >= grid.edges[0]! && last < grid.edges.at(-1)!;
  if (inside && (kindsOf(trace, start, end) & grid.kinds) === 0) return end;
  const column = inside ? columnOf(grid.edges, first) : -1;
  if (inside && last < grid.edges[column + 1]!) {
    if (addTile(tileAt(trace, level, node), grid, cells, column)) return end;
  }
  if (span !== undefined && !mayTouch(trace.index, level, node, span, grid.kinds)) return end;
  if (level > 0) for (const child of childrenOf(level, node, blocks.length)) addNode(filling, level - 1, child);
  else if (touchesBands(tileAt(trace, 0, node), grid)) cut.push(start);
  return end;
}

function kindsOf(trace: Trace, start: BlockNumber, end: BlockNumber): number {
  let kinds = 0;
  for (let block = start; block < end; block++) kinds |= trace.blocks.kindsPresent(block);
  return kinds;
}

/** Adds a tile to a column. If the edge of a row cuts one of its cells, adds nothing and returns false. */
function addTile(tile: HeatTile, grid: CellGrid, cells: Cells, column: number): boolean {
  if (rowsAreMultiplesOf(grid, 2 ** tile.shift)) {
    addWholeCells(tile, grid, cells, column * grid.rows);
    return true;
  }
  const rowOfEntry = rowsOf(tile, grid);
  if (rowOfEntry === undefined) return false;
  for (let i = 0; i < tile.length; i++) {
    if (rowOfEntry[i]! < 0) continue;
    addTo(cells, column * grid.rows + rowOfEntry[i]!, tile.counts[i]!);
  }
  return true;
}

/** Returns the row of each entry, -1 if it does not count. Returns undefined if the edge of a row cuts a cell. */
function rowsOf(tile: HeatTile, grid: CellGrid): Int32Array | undefined {
  const pages = 2 ** (tile.shift - 12);
  const rowOfEntry = new Int32Array(tile.length);
  for (let i = 0; i < tile.length; i++) {
    if ((grid.kinds & (1 << tile.kind[i]!)) === 0) {
      rowOfEntry[i] = -1;
      continue;
    }
    // Entries of the same cell are adjacent, one per kind.
    if (i > 0 && tile.cell[i] === tile.cell[i - 1] && rowOfEntry[i - 1]! >= 0) {
      rowOfEntry[i] = rowOfEntry[i - 1]!;
      continue;
    }
    const page = tile.cell[i]! * pages;
    const lastPage = page + pages - 1;
    const row = rowOfPageStart(grid, page);
    if (row !== rowOfPageEnd(grid, lastPage)) return undefined;
    if (row < 0 && bandStartsWithin(grid, page, lastPage)) return undefined;
    rowOfEntry[i] = row;
  }
  return rowOfEntry;
}

/** Adds a tile whose cells each fit one row. Both are sorted, so one pass is sufficient. */
function addWholeCells(tile: HeatTile, grid: CellGrid, cells: Cells, firstCount: number): void {
  const cellPages = 2 ** (tile.shift - 12);
  let next = 0;
  let start = 0;
  let end = -1;
  let cellsPerRow = 1;
  let firstRow = 0;
  for (let i = 0; i < tile.length; i++) {
    const cell = tile.cell[i]!;
    while (cell >= end && next < grid.bands.length) {
      const band = grid.bands[next++]!;
      const unitsPerCell = (cellPages * 4096) / band.unit;
      start = pageOf(band.lowLow, band.lowHigh) / cellPages;
      end = start + band.bounds.at(-1)! / unitsPerCell;
      cellsPerRow = band.bounds[1]! / unitsPerCell;
      firstRow = firstCount + band.firstRow;
    }
    if (cell < start || cell >= end || (grid.kinds & (1 << tile.kind[i]!)) === 0) continue;
    addTo(cells, firstRow + Math.floor((cell - start) / cellsPerRow), tile.counts[i]!);
  }
}

/** Returns true if every row of the grid begins and ends at a multiple of `cellBytes`. */
function rowsAreMultiplesOf(grid: CellGrid, cellBytes: number): boolean {
  return grid.bands.every(({ lowLow, lowHigh, unit, bounds, offsets }) => {
    if (offsets.some((bytes) => bytes > 0)) return false;
    const start = (lowHigh % cellBytes) * 2 ** 32 + lowLow;
    const rowUnits = bounds[1]! - bounds[0]!;
    const even = (rowUnits * unit) % cellBytes === 0 && bounds.at(-1)! === rowUnits * (bounds.length - 1);
    return even && start % cellBytes === 0 && cellBytes <= 2 ** 31;
  });
}

/** Returns true if a wanted access of a tile may be in a band. */
function touchesBands(tile: HeatTile, grid: CellGrid): boolean {
  const pages = 2 ** (tile.shift - 12);
  for (let i = 0; i < tile.length; i++) {
    if ((grid.kinds & (1 << tile.kind[i]!)) === 0) continue;
    const page = tile.cell[i]! * pages;
    const last = page + pages - 1;
    if (rowOfPageStart(grid, page) >= 0 || rowOfPageEnd(grid, last) >= 0 || bandStartsWithin(grid, page, last))
      return true;
  }
  return false;
}

/**
 * Counts the cut blocks in the pool. The address counts of many blocks are kept for the next question: the first picture of a wide zoom
 * decodes them, later ones do not. For a last question, the longer end of a block is not decoded: its counts are the rest of the tile.
 */
async function addCut(
  trace: Trace,
  grid: CellGrid,
  cells: Cells,
  cut: readonly BlockNumber[],
  isLast: boolean,
  task: Task<CountProgress>,
): Promise<Result<Cells>> {
  if (cut.length === 0) return ok(cells);
  const { blocks, pool, reader } = trace;
  const kept = keptCountsOf(trace);
  kept.start();
  const counted = (block: BlockNumber): CountedBlock => {
    const isWanted = !isLast && cut.length >= MANY_BLOCKS && kept.hasRoom();
    const known = kept.get(block) ?? (isWanted ? 'wanted' : undefined);
    const firstRecord = blocks.firstRecord(block);
    const records = blocks.firstRecord(block + 1) - firstRecord;
    const counts = known === 'scattered' ? undefined : known;
    return { block, entry: blocks.entry(block), firstRecord, records, counts };
  };
  const isHere = isLast && !pool.isStarted();
  const workers = !isHere ? pool.jobs : cut.length > MOST_ALONE ? pool.jobs - 1 : 0;
  // Tasks are a few blocks long, so that the pool stays shared and a cancelled query stops soon. Tasks shrink at the end so that all
  // workers finish together.
  let taken = 0;
  let done = 0;
  const take = (most: number): Part | undefined => {
    if (taken === cut.length) return undefined;
    const share = Math.max(1, Math.min(most, Math.floor((cut.length - taken) / (2 * (workers + Number(isHere))))));
    const its = cut.slice(taken, taken + share);
    taken += its.length;
    const whole = { from: blocks.firstRecord(its[0]!), end: blocks.firstRecord(its.at(-1)! + 1) };
    if (!isLast) return { ...whole, blocks: its.map(counted), rests: [] };
    const rests = its.map((block) => restOf(trace, grid, block));
    const stretches = its.map((block, at) =>
      stretchOf(trace, counted(block), rests[at]?.decoded ?? insideOf(trace, grid, block)),
    );
    return {
      from: rests[0]?.decoded.from ?? whole.from,
      end: rests.at(-1)?.decoded.end ?? whole.end,
      blocks: stretches,
      rests,
    };
  };
  let failed: Result<never> | undefined;
  /** Counts parts one after the other, of at most `most` blocks each. */
  const lane = async (
    most: number,
    count: (part: Part, its: CellGrid) => Promise<Result<CountedCells>>,
  ): Promise<void> => {
    for (let next = take(most); next !== undefined && failed === undefined; next = take(most)) {
      if (task.cancelled()) {
        failed = task.cancel();
        return;
      }
      const part = columnsOf(grid, next.from, next.end);
      const answer = await count(next, part.grid);
      if (!answer.ok) {
        failed = answer;
        return;
      }
      const { pairs, made } = answer.value;
      const offset = part.firstColumn * grid.rows;
      for (const list of pairs)
        for (let at = 0; at < list.length; at += 2) addTo(cells, offset + list[at]!, list[at + 1]!);
      for (const [place, rest] of next.rests.entries())
        if (rest !== undefined) addRest(rest, pairs[place]!, grid, cells);
      for (const [place, counts] of made.entries())
        if (counts !== undefined) kept.keep(next.blocks[place]!.block, counts);
      done += next.blocks.length;
      task.progress(() => ({ at: done, to: cut.length }));
    }
  };
  const inPool = (part: Part, its: CellGrid): Promise<Result<CountedCells>> =>
    pool.run(COUNT_CELLS, { trace: reader.ref, blocks: part.blocks, grid: its, apart: isLast });
  const here = isHere ? [lane(1, (part, its) => countHere(trace, part.blocks, its))] : [];
  // Two lanes per worker keep it busy while this thread adds its results.
  const elsewhere = isHere
    ? Array.from({ length: workers }, () => lane(MOST_APART, inPool))
    : Array.from({ length: 2 * workers }, () => lane(4, inPool));
  await Promise.all([...here, ...elsewhere]);
  return failed ?? ok(cells);
}

/** Tools of one trace: columns that its decoder never writes must not hold values of another trace. */
const toolsHere = cachePer(() => ({ count: createCellCounter(), batch: createBatch(PART_RECORDS) }));

/** Counts on this thread, a block or a part of it, after other requests had their turn. */
async function countHere(trace: Trace, blocks: readonly CountedBlock[], grid: CellGrid): Promise<Result<CountedCells>> {
  await breathe();
  const { count, batch } = toolsHere(trace);
  batch.placed = false;
  return count(trace.reader, blocks, grid, batch, true);
}

/** Records [from, end) of blocks that are counted together. */
interface Part {
  readonly blocks: readonly CountedBlock[];
  readonly from: RecordNumber;
  readonly end: RecordNumber;
  /** For each block, what follows from its tile; undefined if all of the block is counted. */
  readonly rests: readonly (Rest | undefined)[];
}

/** Records at one end of a block, which are in one column. */
interface Rest {
  /** Records of the block that must be counted: all others. */
  readonly decoded: { readonly from: RecordNumber; readonly end: RecordNumber };
  readonly column: number;
  /** Counts of the whole block. */
  readonly tile: HeatTile;
}

/**
 * Returns the longer end of a block that starts in one column and ends in another, if the counts of the whole block fit the grid. It is the
 * last column unless decoding can begin inside the block.
 */
function restOf(trace: Trace, grid: CellGrid, block: BlockNumber): Rest | undefined {
  const { blocks } = trace;
  const { edges } = grid;
  const first = blocks.firstRecord(block);
  const end = blocks.firstRecord(block + 1);
  if (first < edges[0]! || end > edges.at(-1)!) return undefined;
  const [firstColumn, lastColumn] = [columnOf(edges, first), columnOf(edges, end - 1)];
  if (firstColumn === lastColumn) return undefined;
  const tile = tileAt(trace, 0, block);
  if (!rowsAreMultiplesOf(grid, 2 ** tile.shift) && rowsOf(tile, grid) === undefined) return undefined;
  const [firstEnd, lastStart] = [edges[firstColumn + 1]!, edges[lastColumn]!];
  const place = firstEnd - first > end - lastStart ? placeBefore(trace, block, firstEnd - first) : undefined;
  return place !== undefined && end - first - place.record < lastStart - first
    ? { decoded: { from: firstEnd, end }, column: firstColumn, tile }
    : { decoded: { from: first, end: lastStart }, column: lastColumn, tile };
}

/** Returns the records of a block that are in the grid. */
function insideOf({ blocks }: Trace, { edges }: CellGrid, block: BlockNumber): Rest['decoded'] {
  return {
    from: Math.max(blocks.firstRecord(block), edges[0]!),
    end: Math.min(blocks.firstRecord(block + 1), edges.at(-1)!),
  };
}

/** Returns the stretch of a block that has records [from, end), or more of it where decoding cannot begin or end there. */
function stretchOf(trace: Trace, block: CountedBlock, { from, end }: Rest['decoded']): CountedBlock {
  const { firstRecord, records } = block;
  if (typeof block.counts === 'object') return block;
  const place = placeBefore(trace, block.block, from - firstRecord);
  const stop = offsetAfter(trace, block.block, end - firstRecord);
  const before = place?.record ?? 0;
  return {
    block: block.block,
    counts: undefined,
    entry: place === undefined ? block.entry : { position: place.position, state: place.state },
    firstRecord: firstRecord + before,
    records: records - before,
    part: { end: stop ?? endOfBlock(trace.reader.plan, block.block) },
  };
}

/** Adds the rest of a block: its tile without the pairs that were counted before. */
function addRest({ column, tile }: Rest, pairs: Uint32Array, grid: CellGrid, cells: Cells): void {
  // Subtracted first, so that no sum is ever larger than the final one and `most` is right.
  for (let at = 0; at < pairs.length; at += 2) {
    const cell = column * grid.rows + (pairs[at]! % grid.rows);
    cells.counts[cell] = cells.counts[cell]! - pairs[at + 1]!;
  }
  addTile(tile, grid, cells, column);
}

/** Restricts the grid to the columns of records [from, end), which keeps the answer small. */
function columnsOf(grid: CellGrid, from: RecordNumber, end: RecordNumber): { grid: CellGrid; firstColumn: number } {
  const { edges } = grid;
  const firstColumn = columnOf(edges, Math.max(edges[0]!, from));
  const lastColumn = columnOf(edges, Math.min(edges.at(-1)! - 1, end - 1));
  return { grid: { ...grid, edges: edges.slice(firstColumn, lastColumn + 2) }, firstColumn };
}
