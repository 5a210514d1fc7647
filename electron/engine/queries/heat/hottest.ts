/** Counts accesses per page or per symbol in one rectangle of time and address, exactly. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Answer, Arguments, CountProgress } from '../../../../shared/requests/requests.ts';
import { kindBits } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import {
  addressToPage,
  PAGE_BYTES,
  pageToAddress,
  toHex,
  type PageNumber,
  type RecordNumber,
} from '../../../../shared/base/units.ts';
import { decodePageRow } from '../../index/builders/pages.ts';
import { spanOf } from '../../index/pyramid.ts';
import { NODE } from '../../index/store/index-file.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { spanOf as addressSpan } from '../records/span.ts';
import { fill } from './fill-grid.ts';
import { MOST_CELLS, planRows } from './grid.ts';

/** The counted rectangle; `to` and `high` are exclusive. */
interface Area extends Stretch {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  /** Bit k set: records of KINDS[k] count. */
  readonly kinds: number;
}

/** Addresses [low, high). */
interface Stretch {
  readonly low: bigint;
  readonly high: bigint;
  readonly name?: string;
}

interface Counted extends Stretch {
  readonly count: number;
}

/** Level of the nodes of the pyramid that have a run of pages each. */
const RUN_LEVEL = 2;
/** Number of bands of pages in a grid, unless that makes it too large: adjacent pages are in one, because bands must be looked up. */
const PAGE_BANDS = 256;
const PAGE = BigInt(PAGE_BYTES);
const END_OF_ADDRESSES = 1n << 64n;

export async function hottest(
  trace: Trace,
  args: Omit<Arguments<'hottest'>, 'trace'>,
  task: Task<CountProgress>,
): Promise<Result<Answer<'hottest'>>> {
  const { records } = trace.blocks;
  const reach = reachOf(trace);
  const from = Math.min(args.from ?? 0, records);
  const to = Math.max(from, Math.min(args.to ?? records, records));
  const low = BigInt(args.low ?? '0x0');
  const high = args.high === undefined ? END_OF_ADDRESSES : BigInt(args.high);
  const area: Area = { from, to, low, high, kinds: kindBits(args.kinds) };
  const counted = await (args.by === 'page' ? byPage : bySymbol)(trace, area, task);
  if (!counted.ok) return counted;
  const total = counted.value.reduce((sum, { count }) => sum + count, 0);
  const spots = counted.value
    .filter(({ name }) => args.by === 'page' || name !== undefined)
    .sort((a, b) => b.count - a.count || (a.low < b.low ? -1 : 1));
  return ok({
    spots: spots.slice(0, args.most).map((spot) => ({ ...spot, low: toHex(spot.low), high: toHex(spot.high) })),
    left: Math.max(0, spots.length - args.most),
    total,
    reach,
  });
}

/** Counts the functions, objects and labels of the images, and the addresses between them without a name. */
function bySymbol(trace: Trace, area: Area, task: Task<CountProgress>): Promise<Result<Counted[]>> {
  const stretches: Stretch[] = [];
  let end = area.low;
  for (const { low, high, name, kind } of trace.images.namesIn(area.low, area.high)) {
    const [first, last] = [larger(low, end), smaller(high, area.high)];
    // A symbol within another one, or of another image, keeps what lies beyond that.
    if (kind === 'segment' || first >= last) continue;
    if (first > end) stretches.push({ low: end, high: first });
    stretches.push({ low: first, high: last, name });
    end = last;
  }
  if (end < area.high) stretches.push({ low: end, high: area.high });
  return countStretches(trace, area, stretches, task);
}

/** Counts pages. Pages that the area cuts are counted apart, because the index counts whole pages. */
async function byPage(trace: Trace, area: Area, task: Task<CountProgress>): Promise<Result<Counted[]>> {
  const low = smaller(((area.low + PAGE - 1n) / PAGE) * PAGE, area.high);
  const high = larger((area.high / PAGE) * PAGE, low);
  const ends = [
    { low: area.low, high: low },
    { low: high, high: area.high },
  ].filter((stretch) => stretch.low < stretch.high);
  const cut = await countStretches(trace, area, ends, task);
  if (!cut.ok || low === high) return cut;
  const whole = await countPages(trace, { ...area, low, high }, task);
  return whole.ok ? ok([...cut.value, ...whole.value]) : whole;
}

/**
 * Counts whole pages. The index has a run of pages for every 64 blocks, which counts the blocks of runs within the range; tiles and decoded
 * blocks count the others.
 */
async function countPages(trace: Trace, area: Area, task: Task<CountProgress>): Promise<Result<Counted[]>> {
  const { ingest, index } = trace;
  const inner = wholeRuns(trace, area);
  const [firstPage, endPage] = [addressToPage(area.low), addressToPage(area.high - 1n) + 1];
  const counts = new Map<PageNumber, number>();
  /** Pages with accesses in blocks of other runs. */
  const outer = new Set<PageNumber>();
  for (let row = 0; row < ingest.pageRuns; row++) {
    for (const { page, counts: byKind, first, last } of decodePageRow(index.blob(NODE.pages, 0, row))) {
      if (page < firstPage || page >= endPage || first >= area.to || last < area.from) continue;
      if (first >= inner.from && last < inner.to) addTo(counts, page, sumOf(byKind, area.kinds));
      else outer.add(page);
    }
    await breathe();
    if (task.cancelled()) return task.cancel();
  }
  for (const { page } of ingest.livePages()) if (page >= firstPage && page < endPage) outer.add(page);
  const bands = pageBands(Float64Array.from(outer).sort());
  for (const [from, to] of [
    [area.from, inner.from],
    [inner.to, area.to],
  ] as const) {
    const counted = await countRows(trace, { ...area, from, to }, bands, task);
    if (!counted.ok) return counted;
    for (const [page, count] of counted.value) addTo(counts, page, count);
  }
  return ok(
    Array.from(counts, ([page, count]) => ({ low: pageToAddress(page), high: pageToAddress(page + 1), count })).filter(
      ({ count }) => count > 0,
    ),
  );
}

/** Returns the records of the runs of pages within the range; empty if there are none, or if the index is not complete. */
function wholeRuns({ blocks, ingest }: Trace, { from, to }: Area): Pick<Area, 'from' | 'to'> {
  if (!ingest.complete || from >= to) return { from, to: from };
  const blocksPerRun = spanOf(RUN_LEVEL);
  const startOf = (run: number): RecordNumber => blocks.firstRecord(Math.min(run * blocksPerRun, blocks.length));
  let first = Math.floor(blocks.blockOfRecord(from) / blocksPerRun);
  if (startOf(first) < from) first++;
  const end =
    to < blocks.records ? Math.floor(blocks.blockOfRecord(to) / blocksPerRun) : Math.ceil(blocks.length / blocksPerRun);
  return end > first ? { from: startOf(first), to: startOf(end) } : { from, to: from };
}

function sumOf(byKind: Float64Array, kinds: number): number {
  let sum = 0;
  for (let kind = 0; kind < byKind.length; kind++) if ((kinds & (1 << kind)) !== 0) sum += byKind[kind]!;
  return sum;
}

function addTo(counts: Map<PageNumber, number>, page: PageNumber, count: number): void {
  counts.set(page, (counts.get(page) ?? 0) + count);
}

/** Pages [first, end), of which each is a row. */
interface PageBand {
  readonly first: PageNumber;
  readonly end: PageNumber;
}

/** Joins pages, which are in order, at all but the widest gaps. */
function pageBands(pages: Float64Array): readonly PageBand[] {
  const gaps = Array.from(pages.subarray(1), (page, at) => ({ at, width: page - pages[at]! })).sort(
    (a, b) => b.width - a.width,
  );
  for (let most = PAGE_BANDS; ; most *= 4) {
    const ends = gaps.slice(0, most - 1).map(({ at }) => at + 1);
    const starts = [0, ...ends].sort((a, b) => a - b);
    const bands = starts.flatMap((start, band) => {
      const end = starts[band + 1] ?? pages.length;
      return start < end ? [{ first: pages[start]!, end: pages[end - 1]! + 1 }] : [];
    });
    const rows = bands.reduce((sum, { first, end }) => sum + end - first, 0);
    if (rows <= MOST_CELLS || most > pages.length) return bands;
  }
}

/** Counts the pages of bands; pages without accesses are left out. */
async function countRows(
  trace: Trace,
  area: Area,
  bands: readonly PageBand[],
  task: Task<CountProgress>,
): Promise<Result<(readonly [PageNumber, number])[]>> {
  const wanted = bands.map(({ first, end }) => ({
    low: pageToAddress(first),
    high: pageToAddress(end),
    rows: end - first,
  }));
  const counts = await countGrid(trace, area, wanted, task);
  if (!counts.ok) return counts;
  const pages: (readonly [PageNumber, number])[] = [];
  let row = 0;
  for (const { first, end } of bands) {
    for (let page = first; page < end; page++, row++)
      if (counts.value[row]! > 0) pages.push([page, counts.value[row]!]);
  }
  return ok(pages);
}

/** Counts stretches, which are in order; those without accesses are left out. */
async function countStretches(
  trace: Trace,
  area: Area,
  stretches: readonly Stretch[],
  task: Task<CountProgress>,
): Promise<Result<Counted[]>> {
  const counts = await countGrid(
    trace,
    area,
    stretches.map(({ low, high }) => ({ low, high, rows: 1 })),
    task,
  );
  if (!counts.ok) return counts;
  return ok(
    stretches.flatMap((stretch, row) => (counts.value[row]! > 0 ? [{ ...stretch, count: counts.value[row]! }] : [])),
  );
}

/** Counts the rows of bands over all records of an area. */
async function countGrid(
  trace: Trace,
  { from, to, kinds }: Area,
  bands: readonly (Stretch & { readonly rows: number })[],
  task: Task<CountProgress>,
): Promise<Result<Float64Array>> {
  if (from >= to || bands.length === 0) return ok(new Float64Array(bands.reduce((sum, { rows }) => sum + rows, 0)));
  const wanted = bands.map(({ low, high, rows }) => ({ low: toHex(low), high: toHex(high), rows }));
  const planned = planRows(wanted, true, 1);
  if (!planned.ok) return planned;
  const grid = { edges: Float64Array.of(from, to), ...planned.value.grid, kinds };
  const span = addressSpan(bands[0]!.low, bands.at(-1)!.high - 1n);
  const cells = await fill(trace, grid, task, { span });
  return cells.ok ? ok(cells.value.counts) : cells;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
