/** Counts how often each part of memory was touched over time, and how often one rectangle of both was. */
import type { Answer, Arguments, Band, CountProgress, HeatGrid } from '../../../../shared/requests/requests.ts';
import { kindBits, kindName, type Kind } from '../../../../shared/records/record.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { toHex, type BlockNumber, type RecordNumber } from '../../../../shared/base/units.ts';
import { spanOf } from '../../index/pyramid.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { spanOf as addressSpan, type Span } from '../records/span.ts';
import { SLICES, sliceStart } from './address-counts.ts';
import { fill, readyNodes, tileAt, type Cells } from './fill-grid.ts';
import { evenEdges, MOST_CELLS, planRows, type RowPlan } from './grid.ts';
import type { CellGrid } from './cell-grid.ts';
import { createLastAnswer } from './last-answer.ts';

/** Counting an even grid decodes a block at the edge of each column. Larger grids are for figures. */
const lastGrid = createLastAnswer<Answer<'heat'>>('heat', 8192);

/**
 * Target number of columns of a quick answer, which has a quarter to twice as many. Reading that many tiles takes some ten milliseconds.
 */
const QUICK_COLUMNS = 240;
/** A quick answer decodes if the range has at most this many blocks: a few milliseconds on two cores. */
const QUICK_DECODED_BLOCKS = 3;
export async function heat(
  trace: Trace,
  args: Omit<Arguments<'heat'>, 'trace'>,
  task: Task<CountProgress>,
): Promise<Result<Answer<'heat'>>> {
  const { blocks } = trace;
  const reach = reachOf(trace);
  const from = Math.min(args.from ?? 0, blocks.records);
  const to = Math.max(from, Math.min(args.to ?? blocks.records, blocks.records));
  const bands = args.bands ?? [{ ...wholeBand(trace, from, to), rows: args.rows ?? 1 }];
  const firstBlock = blocks.length === 0 ? 0 : blocks.blockOfRecord(from);
  const endBlock = to > from ? blocks.blockOfRecord(to - 1) + 1 : firstBlock;
  const quick = args.precision === 'quick' && endBlock - firstBlock > QUICK_DECODED_BLOCKS;
  const level = quick ? levelFor(endBlock - firstBlock, Math.min(args.columns, QUICK_COLUMNS)) : 0;
  const cell = quick ? largestCell(trace, level, firstBlock, endBlock) : 1;
  const isExact = args.precision !== 'quick';
  const rows = planRows(bands, isExact && args.bands !== undefined, isExact && args.bands === undefined ? 4096 : cell);
  if (!rows.ok) return rows;
  const edges = quick
    ? nodeEdges(trace, level, firstBlock, endBlock)
    : args.precision === 'fine' && 2 * args.columns * rows.value.grid.rows <= MOST_CELLS
      ? fineEdges(trace, from, to, args.columns)
      : evenEdges(from, to, args.columns);
  if ((edges.length - 1) * rows.value.grid.rows > MOST_CELLS) {
    return fail(
      'usage',
      `a heatmap of ${String(edges.length - 1)} x ${String(rows.value.grid.rows)} cells is too large; request fewer columns or rows`,
    );
  }
  const grid: CellGrid = { edges, ...rows.value.grid, kinds: kindBits(args.kinds) };
  const isLast = args.precision === 'even';
  const count = async (): Promise<Result<Answer<'heat'>>> => {
    const cells = await fill(trace, grid, task, { isLast });
    return cells.ok ? ok({ ...answer(grid, rows.value, cells.value, quick), reach }) : cells;
  };
  const isWhole = from === 0 && to === blocks.records;
  const { columns, kinds } = args;
  return isLast && isWhole ? lastGrid(trace, { columns, kinds, bands }, count) : count();
}

function answer(grid: CellGrid, rows: RowPlan, { counts, most }: Cells, coarse: boolean): Omit<HeatGrid, 'reach'> {
  const { edges } = grid;
  return {
    from: edges[0]!,
    to: edges.at(-1)!,
    columns: edges.length - 1,
    edges,
    bands: rows.bands,
    rows: grid.rows,
    counts,
    most,
    coarse,
  };
}

/** Counts accesses per kind in one rectangle. */
export async function tally(
  trace: Trace,
  args: Omit<Arguments<'tally'>, 'trace'>,
  task: Task<CountProgress>,
): Promise<Result<Answer<'tally'>>> {
  const { blocks } = trace;
  const reach = reachOf(trace);
  const from = Math.min(args.from ?? 0, blocks.records);
  const to = Math.max(from, Math.min(args.to ?? blocks.records, blocks.records));
  const whole: Band = { low: args.low ?? '0x0', high: args.high ?? TOP_OF_ADDRESSES };
  const rows = planRows([{ ...whole, rows: 1 }], true, 1);
  if (!rows.ok) return rows;
  const kinds: Partial<Record<Kind, number>> = {};
  const wanted = kindBits(args.kinds);
  const grid = { edges: Float64Array.of(from, to), ...rows.value.grid, kinds: wanted };
  const counts = await tallyKinds(trace, grid, addressSpan(BigInt(whole.low), BigInt(whole.high) - 1n), task);
  if (!counts.ok) return counts;
  counts.value.forEach((count, code) => {
    if (count > 0) kinds[kindName(code)] = count;
  });
  return ok({ kinds, reach });
}

/** The high end of a band that reaches the top of a 64-bit address space. */
const TOP_OF_ADDRESSES = '0x10000000000000000';

/** Fills a grid of one cell for each kind. */
async function tallyKinds(
  trace: Trace,
  grid: CellGrid,
  span: Span,
  task: Task<CountProgress>,
): Promise<Result<Float64Array>> {
  const sums = new Float64Array(32);
  for (let code = 0; code < sums.length; code++) {
    if ((grid.kinds & (1 << code)) === 0 || trace.ingest.totals.kinds[code] === 0) continue;
    const cells = await fill(trace, { ...grid, kinds: 1 << code }, task, { span });
    if (!cells.ok) return cells;
    sums[code] = cells.value.counts[0]!;
  }
  return ok(sums);
}

/** Returns the touched address space as one band of whole pages. */
function wholeBand(trace: Trace, from: RecordNumber, to: RecordNumber): Band {
  const { lowest, highest } = trace.ingest.totals;
  if (lowest === undefined || highest === undefined || from >= to) return { low: '0x0', high: '0x1000' };
  const low = BigInt(lowest) - (BigInt(lowest) % 4096n);
  return { low: toHex(low), high: toHex((BigInt(highest) / 4096n + 1n) * 4096n) };
}

/** Returns the level at which the number of nodes over these blocks is a quarter to twice the wanted number of columns. */
function levelFor(blocks: number, columns: number): number {
  let level = 0;
  while (blocks / spanOf(level) > columns * 2) level++;
  return level;
}

/** Returns column edges at the ends of nodes of a level. Nodes stay whole, so the range grows to them. */
function nodeEdges(trace: Trace, level: number, firstBlock: BlockNumber, endBlock: BlockNumber): Float64Array {
  const { blocks } = trace;
  const span = spanOf(level);
  const edges: RecordNumber[] = [];
  let block = Math.floor(firstBlock / span) * span;
  for (; block < endBlock; block += span) edges.push(blocks.firstRecord(block));
  edges.push(blocks.firstRecord(Math.min(block, blocks.length)));
  return Float64Array.from(edges);
}

/**
 * Returns edges so that no column is wider than one of `columns` even ones. Columns end at block ends where they can, and at the ends of
 * slices in blocks that are too wide, so that tiles and address counts fit. Slices that are too wide are cut evenly. Two adjacent columns
 * are together wider than an even one, so there are at most twice as many.
 */
function fineEdges({ blocks }: Trace, from: RecordNumber, to: RecordNumber, columns: number): Float64Array {
  if (from >= to) return Float64Array.of(from);
  const widest = Math.max(1, (to - from) / columns);
  const edges = [from];
  let start = from;
  /** End of the last stretch that fits the column. */
  let reached = from;
  const add = (end: RecordNumber): void => {
    if (end <= reached) return;
    if (end - start > widest && reached > start) edges.push((start = reached));
    if (end - start > widest) {
      edges.push(...evenEdges(start, end, Math.ceil((end - start) / widest)).subarray(1));
      start = end;
    }
    reached = end;
  };
  for (let block = blocks.blockOfRecord(from); reached < to; block++) {
    const first = blocks.firstRecord(block);
    const end = blocks.firstRecord(block + 1);
    const slices = end - first > widest ? SLICES : 1;
    for (let slice = 1; slice < slices; slice++) add(Math.min(to, sliceStart(first, end - first, slice)));
    add(Math.min(to, end));
  }
  if (reached > start) edges.push(reached);
  return Float64Array.from(edges);
}

function largestCell(trace: Trace, level: number, firstBlock: BlockNumber, endBlock: BlockNumber): number {
  let shift = 12;
  const span = spanOf(level);
  for (let node = Math.floor(firstBlock / span); node * span < endBlock; node++) {
    if (node < readyNodes(trace, level)) shift = Math.max(shift, tileAt(trace, level, node).shift);
  }
  return 2 ** shift;
}
