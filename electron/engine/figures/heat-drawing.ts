/** Queries for the figure of a heatmap: touched addresses, counts per cell, and names on the address axis. */
import { basename } from 'node:path';
import { foldedAxis, trueAxis, visiblePieces, type Span } from '../../../present/base/axis.ts';
import { heatFigure } from '../../../present/heat/heat-figure.ts';
import { foldLines, LINE } from '../../../present/heat/fold-lines.ts';
import { gridBands } from '../../../present/heat/grid.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { FIGURE_CELLS_MOST, type FigureRequest } from '../../../shared/report/plan.ts';
import type { Kind } from '../../../shared/records/record.ts';
import type { HeatGrid } from '../../../shared/requests/requests.ts';
import { PAGE_BYTES, toHex, type Hex } from '../../../shared/base/units.ts';
import { bands } from '../queries/heat/bands.ts';
import { heat } from '../queries/heat/heat.ts';
import { names } from '../queries/info/names.ts';
import { withoutProgress, type Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import type { Drawing } from './drawing.ts';
import { recordsOf } from './range.ts';

type HeatRequest = Extract<FigureRequest, { readonly figure: 'heat' }>;

const COLUMNS = 400;
const ROWS = 200;
/** Upper bound on spans of addresses. More spans would leave too little room for each. */
const MOST_BANDS = 12;
/** Bytes of trace up to which counts are exact at record boundaries. Larger ranges are counted in whole blocks of the index. */
const EXACT = 160e6;
const MOST_NAMES = 400;
/** Columns of the change to another trace, which are counted record by record. */
const CHANGE_COLUMNS = 200;
/** Address space is folded by cache lines, not by pages, up to this many lines of touched pages and bytes of trace. */
const FEW_LINES = 16_384;
const SHORT = 64e6;

export async function heatDrawing(
  trace: Trace,
  request: HeatRequest,
  name: string,
  task: Task<unknown>,
): Promise<Result<Drawing>> {
  const { from, to } = recordsOf(trace, request);
  const part = { from, to, ...(request.kinds && { kinds: request.kinds }) };
  const touched = bands(trace, { ...part, most: MOST_BANDS });
  if (!touched.ok) return touched;
  const pages = spansOf(touched.value.bands, request);
  if (!pages.ok) return pages;
  const spans = await finer(trace, pages.value, { ...part, isFolded: request.folded ?? true }, task);
  if (!spans.ok) return spans;
  const isFolded = request.folded ?? true;
  const pieces = visiblePieces(isFolded ? foldedAxis(spans.value) : trueAxis(spans.value), 0, 1);
  const rows = rowsOf(pieces, request);
  if (!rows.ok) return rows;
  const isExact = request.columns !== undefined || bytesOf(trace, part) <= EXACT;
  const columns = Math.max(1, Math.min(request.columns ?? COLUMNS, Math.max(1, to - from)));
  const grid = await heat(
    trace,
    { ...part, columns, bands: rows.value, precision: isExact ? 'even' : 'quick' },
    withoutProgress(task),
  );
  if (!grid.ok) return grid;
  const [lowest, highest] = [grid.value.bands[0]?.low ?? '0x0', grid.value.bands.at(-1)?.high ?? '0x1'];
  const named = names(trace, { low: lowest, high: highest, most: MOST_NAMES });
  if (!named.ok) return named;
  const data = {
    name,
    grid: grid.value,
    names: named.value.names,
    ...(request.kinds && { kinds: request.kinds }),
  };
  return ok({ from: grid.value.from, to: grid.value.to, draw: (look) => heatFigure(data, look) });
}

/** The change to another trace: both are counted in the same grid of equal shares of their records. */
export async function heatChange(
  trace: Trace,
  other: Trace,
  shift: bigint,
  request: HeatRequest,
  task: Task<unknown>,
): Promise<Result<Drawing>> {
  const kinds = request.kinds && { kinds: request.kinds };
  const [its, others] = [bands(trace, { ...kinds, most: MOST_BANDS }), bands(other, { ...kinds, most: MOST_BANDS })];
  if (!its.ok) return its;
  if (!others.ok) return others;
  const inA = others.value.bands.map(({ low, high }) => ({
    low: toHex(BigInt(low) - shift),
    high: toHex(BigInt(high) - shift),
  }));
  const spans = spansOf(united([...its.value.bands, ...inA]), request);
  if (!spans.ok) return spans;
  const pieces = visiblePieces((request.folded ?? true) ? foldedAxis(spans.value) : trueAxis(spans.value), 0, 1);
  const rows = rowsOf(pieces, request);
  if (!rows.ok) return rows;
  const columns = request.columns ?? CHANGE_COLUMNS;
  const grids = [];
  for (const [one, by] of [
    [trace, 0n],
    [other, shift],
  ] as const) {
    const moved = rows.value.map(({ low, high, rows: count }) => ({
      low: toHex(BigInt(low) + by),
      high: toHex(BigInt(high) + by),
      rows: count,
    }));
    const wanted = { ...kinds, columns, bands: moved, precision: 'even' } as const;
    const grid = await heat(one, wanted, withoutProgress(task));
    if (!grid.ok) return grid;
    grids.push(grid.value);
  }
  const [grid, gridB] = grids as [HeatGrid, HeatGrid];
  const [lowest, highest] = [grid.bands[0]?.low ?? '0x0', grid.bands.at(-1)?.high ?? '0x1'];
  const named = names(trace, { low: lowest, high: highest, most: MOST_NAMES });
  if (!named.ok) return named;
  const data = {
    name: basename(trace.file.path),
    grid,
    names: named.value.names,
    ...kinds,
    other: { name: basename(other.file.path), grid: gridB },
  };
  return ok({ from: grid.from, to: grid.to, draw: (look) => heatFigure(data, look) });
}

/** Joins spans of both traces that overlap or touch. */
function united(
  spans: readonly { readonly low: Hex; readonly high: Hex }[],
): readonly { readonly low: Hex; readonly high: Hex }[] {
  const joined: { low: Hex; high: Hex }[] = [];
  for (const { low, high } of spans.toSorted((a, b) => (BigInt(a.low) < BigInt(b.low) ? -1 : 1))) {
    const last = joined.at(-1);
    if (last === undefined || BigInt(low) > BigInt(last.high)) joined.push({ low, high });
    else if (BigInt(high) > BigInt(last.high)) last.high = high;
  }
  return joined;
}

/** Returns the touched spans in the requested range; the whole range if not folded, and one page if nothing is touched. */
function spansOf(
  touched: readonly { readonly low: string; readonly high: string }[],
  { low, high, folded = true }: HeatRequest,
): Result<readonly Span[]> {
  if (low !== undefined && high !== undefined && BigInt(low) >= BigInt(high)) return reversed(low, high);
  const all = touched.map((band) => ({ low: BigInt(band.low), high: BigInt(band.high) }));
  const lowest = low === undefined ? (all[0]?.low ?? 0n) : BigInt(low);
  const highest = high === undefined ? (all.at(-1)?.high ?? lowest + PAGE) : BigInt(high);
  if (lowest >= highest) return reversed(toHex(lowest), toHex(highest));
  const inside = all
    .map((band) => ({
      low: band.low > lowest ? band.low : lowest,
      high: band.high < highest ? band.high : highest,
    }))
    .filter((band) => band.low < band.high);
  return ok(folded && inside.length > 0 ? inside : [{ low: lowest, high: highest }]);
}

/** Narrows spans to touched cache lines if the range is short, because a page with one touched line is mostly empty. */
async function finer(
  trace: Trace,
  spans: readonly Span[],
  {
    isFolded,
    ...part
  }: { readonly from: number; readonly to: number; readonly kinds?: readonly Kind[]; readonly isFolded: boolean },
  task: Task<unknown>,
): Promise<Result<readonly Span[]>> {
  const line = BigInt(LINE);
  const isLined = spans.every(({ low, high }) => low % line === 0n && high % line === 0n);
  const lines = spans.map(({ low, high }) => Number(high - low) / LINE);
  const isFew = lines.reduce((sum, count) => sum + count, 0) <= FEW_LINES;
  if (!isFolded || !isLined || !isFew || bytesOf(trace, part) > SHORT) return ok(spans);
  const counted = await heat(
    trace,
    {
      ...part,
      columns: 1,
      bands: spans.map(({ low, high }, at) => ({ low: toHex(low), high: toHex(high), rows: lines[at]! })),
      precision: 'even',
    },
    withoutProgress(task),
  );
  if (!counted.ok) return counted;
  const folded = foldLines(spans, counted.value.counts, MOST_BANDS);
  return ok(folded.length > 0 ? folded : spans);
}

/** Estimates the size of records [from, to) in the file, in bytes. */
function bytesOf({ blocks, file }: Trace, { from, to }: { readonly from: number; readonly to: number }): number {
  return ((to - from) / Math.max(1, blocks.records)) * file.bytes;
}

function reversed(low: string, high: string): Result<never> {
  return fail('usage', `the lowest address must be less than the highest one, and ${low} is not less than ${high}`);
}

const PAGE = BigInt(PAGE_BYTES);

type Rows = readonly { readonly low: `0x${string}`; readonly high: `0x${string}`; readonly rows: number }[];

/** Returns exactly the requested rows if there is a single span; otherwise about as many rows of round size. */
function rowsOf(pieces: ReturnType<typeof visiblePieces>, request: HeatRequest): Result<Rows> {
  const [only] = pieces;
  const bandsOf =
    request.rows !== undefined && pieces.length === 1 && only
      ? [{ low: only.low, high: only.high, rows: request.rows }]
      : gridBands(pieces, request.rows ?? ROWS);
  const all = bandsOf.reduce((sum, { rows }) => sum + rows, 0);
  if (all * (request.columns ?? COLUMNS) > FIGURE_CELLS_MOST) {
    return fail('usage', `columns times rows of a figure must be at most ${FIGURE_CELLS_MOST}; request fewer`);
  }
  return ok(bandsOf.map(({ low, high, rows }) => ({ low: toHex(low), high: toHex(high), rows })));
}
