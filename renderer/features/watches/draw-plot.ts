/** Paints the values of a watch over time: a step line, and bars where a column has several values. Unknown stretches are hatched gaps. */
import type { ScaleLinear } from 'd3';
import type { Theme } from '../../../present/heat/palette.ts';
import type { WatchForm, WatchPlot } from '../../../shared/requests/watches.ts';
import { PAGE_COLOURS } from '../../widgets/chart-colours.ts';
import { hatch } from '../../widgets/hatch.ts';
import { drawTicks, scaleOfValues } from '../../widgets/value-scale.ts';

/** Returns the scale of values; undefined if no value is known. */
export function valueScale({ low, high, columns }: WatchPlot, height: number): ScaleLinear<number, number> | undefined {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let column = 0; column < columns; column += 1) {
    const [lowest, highest] = [low[column] ?? Number.NaN, high[column] ?? Number.NaN];
    if (Number.isFinite(lowest) && lowest < least) least = lowest;
    if (Number.isFinite(highest) && highest > most) most = highest;
  }
  if (least > most) return undefined;
  return scaleOfValues(least, most, height);
}

/** @param x returns the place of a record in CSS pixels */
export function drawPlot(
  context: CanvasRenderingContext2D,
  plot: WatchPlot | undefined,
  x: (n: number) => number,
  width: number,
  height: number,
  theme: Theme,
  form: WatchForm,
): void {
  const colours = PAGE_COLOURS[theme];
  context.clearRect(0, 0, width, height);
  context.fillStyle = colours.chart;
  context.fillRect(0, 0, width, height);
  const scale = plot && valueScale(plot, height);
  if (!plot) return;
  drawGaps(context, plot, x, height, colours.lineStrong);
  if (!scale) return;
  drawTicks(context, scale, valueTicks(scale, height, form), width, colours.line);
  const { columns, edges, low, high, last } = plot;
  const colour = colours.hues.write;
  context.fillStyle = colour;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  let previous = Number.NaN;
  context.beginPath();
  for (let column = 0; column < columns; column += 1) {
    const [left, right] = [x(edges[column] ?? 0), x(edges[column + 1] ?? 0)];
    const [lowest, highest, end] = [low[column] ?? Number.NaN, high[column] ?? Number.NaN, last[column] ?? Number.NaN];
    if (Number.isFinite(lowest) && highest > lowest) {
      const top = scale(highest);
      context.fillRect(left, top, Math.max(1.5, right - left), Math.max(1.5, scale(lowest) - top));
    } else if (Number.isFinite(lowest)) {
      const y = scale(lowest);
      if (Number.isFinite(previous) && previous !== lowest) {
        context.moveTo(left, scale(previous));
        context.lineTo(left, y);
      }
      context.moveTo(left, y);
      context.lineTo(Math.max(left + 1, right), y);
    }
    previous = end;
  }
  context.stroke();
}

/** Hatches the stretches with unknown values. */
function drawGaps(
  context: CanvasRenderingContext2D,
  { columns, edges, gaps }: WatchPlot,
  x: (n: number) => number,
  height: number,
  colour: string,
): void {
  for (let column = 0; column < columns; column += 1) {
    if (gaps[column] !== 1) continue;
    const first = column;
    while (column + 1 < columns && gaps[column + 1] === 1) column += 1;
    const left = x(edges[first] ?? 0);
    hatch(context, left, Math.max(2, x(edges[column + 1] ?? 0) - left), height, colour);
  }
}

/** Pixels between two ticks at least. */
const TICK = 34;

/** Returns round values on an axis of this height in CSS pixels: round in base 16 if they are shown so. */
export function valueTicks(scale: ScaleLinear<number, number>, height: number, form: WatchForm): readonly number[] {
  const count = Math.max(2, Math.floor(height / TICK));
  if (form !== 'hex') return scale.ticks(count).filter((tick) => form === 'float' || Number.isInteger(tick));
  const [low = 0, high = 1] = scale.domain();
  const step = 2 ** Math.max(0, Math.ceil(Math.log2((high - low) / count)));
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, index) => (first + index) * step);
}
