/** Paints the strip of the whole trace: its description, the part that is not indexed yet, and matches of a search. */
import { CHART_COLOURS } from '../../../present/base/theme.ts';
import type { Theme } from '../../../present/heat/palette.ts';
import { overviewShapes } from '../../../present/overview/overview-shapes.ts';
import type { Overview } from '../../../shared/requests/requests.ts';
import { PAGE_COLOURS } from '../../widgets/chart-colours.ts';
import { drawDiamond } from '../../widgets/diamond.ts';
import { hatch } from '../../widgets/hatch.ts';
import { paintPaths } from '../../widgets/paint-shapes.ts';

/** Matches of a search: counts[c] lie in the records edges[c] <= n < edges[c + 1]. */
export interface MatchesData {
  readonly edges: Float64Array;
  readonly counts: Float64Array;
}

/** Height of the lane above the strip, in CSS pixels. */
export const LANE = 9;
/** Height of the lane of steps at its foot, which is there when there are any, and half the width of a step. */
const STEP_LANE = 9;
const STEP_HALF = 4;
/** Height of the lane of matches at its foot, which is there when there are any. */
const MATCH_LANE = 9;

export function drawOverview(
  context: CanvasRenderingContext2D,
  data: Overview | undefined,
  extent: number,
  width: number,
  height: number,
  theme: Theme,
  matches: readonly MatchesData[] = [],
  steps: Float64Array = new Float64Array(0),
): void {
  const colours = PAGE_COLOURS[theme];
  context.clearRect(0, 0, width, height);
  context.fillStyle = colours.chart;
  context.fillRect(0, LANE, width, height - LANE);
  const known = data ? ((data.edges[data.columns] ?? 0) / extent) * width : 0;
  hatch(context, known, width - known, height, colours.line);
  if (!data || extent <= 0) return;
  const place = { from: 0, to: extent, left: 0, top: LANE, width, height: height - LANE };
  const plot = { ...place, lane: { top: 0, height: LANE - 1 }, snaps: true };
  const { areas, interrupts, bad } = overviewShapes(data, plot, colours);
  paintPaths(context, [...areas, ...interrupts, ...bad]);
  const hasMatches = matches.some(({ counts }) => counts.some((count) => count > 0));
  if (hasMatches) drawMatches(context, matches, extent, width, height, theme);
  drawSteps(context, steps, extent, width, height - (hasMatches ? MATCH_LANE + 1 : 0), theme);
}

/** Draws a diamond for each step of a value, of those less than a diamond apart only the first. */
function drawSteps(
  context: CanvasRenderingContext2D,
  steps: Float64Array,
  extent: number,
  width: number,
  bottom: number,
  theme: Theme,
): void {
  const { ground, text } = CHART_COLOURS[theme];
  const middle = bottom - STEP_LANE / 2;
  if (steps.length > 0) {
    context.fillStyle = ground;
    context.fillRect(0, bottom - STEP_LANE - 1, width, STEP_LANE + 1);
  }
  context.fillStyle = text;
  let last = Number.NEGATIVE_INFINITY;
  for (const n of steps) {
    const x = Math.round(((n + 0.5) / extent) * width);
    if (x - last < STEP_HALF) continue;
    last = x;
    drawDiamond(context, x, middle, STEP_HALF);
    context.fill();
  }
}

/** Where matches are; the more there are beside the fullest column, the higher. */
function drawMatches(
  context: CanvasRenderingContext2D,
  matches: readonly MatchesData[],
  extent: number,
  width: number,
  height: number,
  theme: Theme,
): void {
  const { ground, text } = CHART_COLOURS[theme];
  const top = height - MATCH_LANE;
  context.fillStyle = ground;
  context.fillRect(0, top - 1, width, MATCH_LANE + 1);
  let most = 1;
  for (const { counts } of matches) for (const count of counts) most = Math.max(most, count);
  context.fillStyle = text;
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
