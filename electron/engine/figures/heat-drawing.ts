/** What a heatmap's figure asks the trace: which addresses are touched, how often which cells are, what is named there. */
import { foldedAxis, trueAxis, visiblePieces, type Span } from '../../../present/base/axis.ts';
import { heatFigure } from '../../../present/heat/heat-figure.ts';
import { foldLines, LINE } from '../../../present/heat/fold-lines.ts';
import { gridBands } from '../../../present/heat/grid.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { FIGURE_CELLS_MOST, type FigureRequest } from '../../../shared/report/plan.ts';
import type { Kind } from '../../../shared/records/record.ts';
import { PAGE_BYTES, toHex } from '../../../shared/base/units.ts';
import { bands } from '../queries/heat/bands.ts';
import { heat } from '../queries/heat/heat.ts';
import { names } from '../queries/info/names.ts';
import type { Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import type { Drawing } from './drawing.ts';
import { quietly, recordsOf } from './range.ts';

type HeatWish = Extract<FigureRequest, { readonly figure: 'heat' }>;

const COLUMNS = 400;
const ROWS = 200;
/** Spans of addresses at most: more would leave little room for each. */
const MOST_BANDS = 12;
/** Up to this many bytes of trace are counted exactly between any records; of more, in whole blocks of the index. */
const EXACT = 160e6;
const MOST_NAMES = 400;
/** Up to this many lines of touched pages, in up to so many bytes of trace, space is folded by lines. */
const FEW_LINES = 16_384;
const SHORT = 64e6;

export async function heatDrawing(
  trace: Trace,
  wish: HeatWish,
  name: string,
  task: Task<unknown>,
): Promise<Result<Drawing>> {
  const { from, to } = recordsOf(trace, wish);
  const part = { from, to, ...(wish.kinds && { kinds: wish.kinds }) };
  const touched = bands(trace, { ...part, most: MOST_BANDS });
  if (!touched.ok) return touched;
  const pages = spansOf(touched.value.bands, wish);
  if (!pages.ok) return pages;
  const spans = await finer(trace, pages.value, { ...part, isFolded: wish.folded ?? true }, task);
  if (!spans.ok) return spans;
  const isFolded = wish.folded ?? true;
  const pieces = visiblePieces(isFolded ? foldedAxis(spans.value) : trueAxis(spans.value), 0, 1);
  const rows = rowsOf(pieces, wish);
  if (!rows.ok) return rows;
  const isExact = wish.columns !== undefined || bytesOf(trace, part) <= EXACT;
  const columns = Math.max(1, Math.min(wish.columns ?? COLUMNS, Math.max(1, to - from)));
  const grid = await heat(
    trace,
    { ...part, columns, bands: rows.value, precision: isExact ? 'even' : 'quick' },
    quietly(task),
  );
  if (!grid.ok) return grid;
  const [lowest, highest] = [grid.value.bands[0]?.low ?? '0x0', grid.value.bands.at(-1)?.high ?? '0x1'];
  const named = names(trace, { low: lowest, high: highest, most: MOST_NAMES });
  if (!named.ok) return named;
  const data = {
    name,
    grid: grid.value,
    names: named.value.names,
    ...(wish.kinds && { kinds: wish.kinds }),
  };
  return ok({ from: grid.value.from, to: grid.value.to, draw: (look) => heatFigure(data, look) });
}

/** The touched spans within what was asked for, which is all of it true to scale; one page where nothing is touched. */
function spansOf(
  touched: readonly { readonly low: string; readonly high: string }[],
  { low, high, folded = true }: HeatWish,
): Result<readonly Span[]> {
  if (low !== undefined && high !== undefined && BigInt(low) >= BigInt(high)) return upsideDown(low, high);
  const all = touched.map((band) => ({ low: BigInt(band.low), high: BigInt(band.high) }));
  const lowest = low === undefined ? (all[0]?.low ?? 0n) : BigInt(low);
  const highest = high === undefined ? (all.at(-1)?.high ?? lowest + PAGE) : BigInt(high);
  if (lowest >= highest) return upsideDown(toHex(lowest), toHex(highest));
  const inside = all
    .map((band) => ({
      low: band.low > lowest ? band.low : lowest,
      high: band.high < highest ? band.high : highest,
    }))
    .filter((band) => band.low < band.high);
  return ok(folded && inside.length > 0 ? inside : [{ low: lowest, high: highest }]);
}

/** The touched lines of spans, in a short stretch of the file: a page of which one line is touched is mostly empty. */
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
    quietly(task),
  );
  if (!counted.ok) return counted;
  const folded = foldLines(spans, counted.value.counts, MOST_BANDS);
  return ok(folded.length > 0 ? folded : spans);
}

/** What the records [from, to) take in the file, about. */
function bytesOf({ blocks, file }: Trace, { from, to }: { readonly from: number; readonly to: number }): number {
  return ((to - from) / Math.max(1, blocks.records)) * file.bytes;
}

function upsideDown(low: string, high: string): Result<never> {
  return fail('usage', `the lowest address must be less than the highest one, and ${low} is not less than ${high}`);
}

const PAGE = BigInt(PAGE_BYTES);

type Rows = readonly { readonly low: `0x${string}`; readonly high: `0x${string}`; readonly rows: number }[];

/** As many rows as were asked for where that can be said of one span; else round ones, about as many. */
function rowsOf(pieces: ReturnType<typeof visiblePieces>, wish: HeatWish): Result<Rows> {
  const [only] = pieces;
  const bandsOf =
    wish.rows !== undefined && pieces.length === 1 && only
      ? [{ low: only.low, high: only.high, rows: wish.rows }]
      : gridBands(pieces, wish.rows ?? ROWS);
  const all = bandsOf.reduce((sum, { rows }) => sum + rows, 0);
  if (all * (wish.columns ?? COLUMNS) > FIGURE_CELLS_MOST) {
    return fail('usage', `columns times rows of a figure must be at most ${FIGURE_CELLS_MOST}; ask for fewer`);
  }
  return ok(bandsOf.map(({ low, high, rows }) => ({ low: toHex(low), high: toHex(high), rows })));
}
