/** The strip of the whole trace: the share of each kind over time, a lane of marks above it, and what is not indexed yet. */
import type { Kind } from '../../../shared/records/record.ts';
import type { ChartColours } from '../../widgets/colours.ts';
import { hatch } from '../../widgets/hatch.ts';
import { interrupts, KIND_LOOKS, stacked } from '../../../present/base/kinds.ts';

export interface OverviewData {
  readonly columns: number;
  /** columns + 1 record numbers. */
  readonly edges: Float64Array;
  readonly kinds: readonly Kind[];
  /** counts[column * kinds.length + kind]. */
  readonly counts: Float64Array;
  readonly bad: Float64Array;
}

/** Matches of a search: counts[c] lie in the records edges[c] <= n < edges[c + 1]. */
export interface MatchesData {
  readonly edges: Float64Array;
  readonly counts: Float64Array;
}

/** Height of the lane above the strip, in CSS pixels. */
export const LANE = 9;
/** Height of the lane of matches at its foot, which is there when there are any. */
const MATCH_LANE = 9;

export function drawOverview(
  context: CanvasRenderingContext2D,
  data: OverviewData | undefined,
  extent: number,
  width: number,
  height: number,
  colours: ChartColours,
  matches: readonly MatchesData[] = [],
): void {
  context.clearRect(0, 0, width, height);
  context.fillStyle = colours.chart;
  context.fillRect(0, LANE, width, height - LANE);
  const known = data ? ((data.edges[data.columns] ?? 0) / extent) * width : 0;
  hatch(context, known, width - known, height, colours.line);
  if (!data || extent <= 0) return;
  drawShares(context, data, extent, width, height, colours);
  drawMarks(context, data, extent, width, colours);
  if (matches.some(({ counts }) => counts.some((count) => count > 0)))
    drawMatches(context, matches, extent, width, height, colours);
}

/** Where matches are; the more there are beside the fullest column, the higher. */
function drawMatches(
  context: CanvasRenderingContext2D,
  matches: readonly MatchesData[],
  extent: number,
  width: number,
  height: number,
  colours: ChartColours,
): void {
  const top = height - MATCH_LANE;
  context.fillStyle = colours.pane;
  context.fillRect(0, top - 1, width, MATCH_LANE + 1);
  let most = 1;
  for (const { counts } of matches) for (const count of counts) most = Math.max(most, count);
  context.fillStyle = colours.text;
  for (const { edges, counts } of matches) {
    for (let column = 0; column < counts.length; column += 1) {
      const count = counts[column]!;
      if (count === 0) continue;
      const left = Math.round((edges[column]! / extent) * width);
      const right = Math.round((edges[column + 1]! / extent) * width);
      const high = 4 + Math.round((MATCH_LANE - 5) * (Math.log1p(count) / Math.log1p(most)));
      context.fillRect(left, height - high, Math.max(2, right - left), high);
    }
  }
}

function drawShares(
  context: CanvasRenderingContext2D,
  data: OverviewData,
  extent: number,
  width: number,
  height: number,
  colours: ChartColours,
): void {
  const order = stacked(data.kinds);
  const indexes = order.map((kind) => data.kinds.indexOf(kind));
  const room = height - LANE;
  for (let place = 0; place < order.length; place += 1) {
    context.fillStyle = colours.hue(KIND_LOOKS[order[place]!].hue);
    for (let column = 0; column < data.columns; column += 1) {
      const base = column * data.kinds.length;
      let total = 0;
      let below = 0;
      for (let index = 0; index < indexes.length; index += 1) {
        const count = data.counts[base + indexes[index]!]!;
        total += count;
        if (index < place) below += count;
      }
      const own = data.counts[base + indexes[place]!]!;
      if (own === 0 || total === 0) continue;
      const left = Math.round((data.edges[column]! / extent) * width);
      const right = Math.max(left + 1, Math.round((data.edges[column + 1]! / extent) * width));
      const bottom = height - (below / total) * room;
      const top = height - ((below + own) / total) * room;
      context.fillRect(left, top, right - left, bottom - top);
    }
  }
}

function drawMarks(
  context: CanvasRenderingContext2D,
  data: OverviewData,
  extent: number,
  width: number,
  colours: ChartColours,
): void {
  const marked = data.kinds.flatMap((kind, index) => (interrupts(kind) ? [index] : []));
  for (let column = 0; column < data.columns; column += 1) {
    const x = (((data.edges[column]! + data.edges[column + 1]!) / 2) * width) / extent;
    const base = column * data.kinds.length;
    if (marked.some((index) => data.counts[base + index]! > 0)) {
      context.fillStyle = colours.hue('control');
      context.fillRect(Math.round(x) - 1, 1, 2, LANE - 3);
    }
    if (data.bad[column]! > 0) {
      context.fillStyle = colours.bad;
      context.beginPath();
      context.moveTo(x - 4, 0);
      context.lineTo(x + 4, 0);
      context.lineTo(x, LANE - 1);
      context.fill();
    }
  }
}
