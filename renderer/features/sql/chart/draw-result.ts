/** Paints a chart of a result: points that a line joins. */
import { scaleLinear, type ScaleLinear } from 'd3';
import type { Theme } from '../../../../present/heat/palette.ts';
import { PAGE_COLOURS } from '../../../widgets/chart-colours.ts';
import { drawTicks, SCALE_MARGIN, scaleOfValues } from '../../../widgets/value-scale.ts';
import type { PointChart } from './result-chart.ts';

/** Points that are marked each; more of them are a line. */
const MOST_MARKS = 400;

export interface ChartScales {
  readonly y: ScaleLinear<number, number>;
  /** Returns the left edge and the width of an item in CSS pixels. */
  readonly place: (index: number) => { readonly left: number; readonly width: number };
  /** Returns the item at a place in CSS pixels. */
  readonly itemAt: (x: number) => number;
}

export function chartScales(chart: PointChart, width: number, height: number): ChartScales {
  const { items } = chart;
  const values = items.map(({ value }) => value);
  const least = values.reduce((low, value) => Math.min(low, value), values[0] ?? 0);
  const most = values.reduce((high, value) => Math.max(high, value), values[0] ?? 0);
  const y = scaleOfValues(least, most, height);
  const x = scaleLinear([items[0]?.x ?? 0, items.at(-1)?.x ?? 1], [SCALE_MARGIN, width - SCALE_MARGIN]);
  return {
    y,
    place: (index) => ({ left: x(items[index]?.x ?? 0) - MARK, width: 2 * MARK }),
    itemAt(pixel) {
      const wanted = x.invert(pixel);
      const next = items.findIndex((item) => item.x >= wanted);
      if (next <= 0) return next < 0 ? items.length - 1 : 0;
      return items[next]!.x - wanted < wanted - items[next - 1]!.x ? next : next - 1;
    },
  };
}

/** Half the width of a mark in CSS pixels. */
const MARK = 3;

/** Pixels between two ticks at least. */
const TICK = 34;

export function chartTicks({ y }: ChartScales, height: number): readonly number[] {
  return y.ticks(Math.max(2, Math.floor(height / TICK)));
}

export function drawResult(
  context: CanvasRenderingContext2D,
  chart: PointChart,
  width: number,
  height: number,
  theme: Theme,
): void {
  const colours = PAGE_COLOURS[theme];
  context.clearRect(0, 0, width, height);
  context.fillStyle = colours.chart;
  context.fillRect(0, 0, width, height);
  const scales = chartScales(chart, width, height);
  drawTicks(context, scales.y, chartTicks(scales, height), width, colours.line);
  const colour = colours.hues.write;
  context.fillStyle = colour;
  context.strokeStyle = colour;
  const isMarked = chart.items.length <= MOST_MARKS;
  context.lineWidth = isMarked ? 1 : 1.5;
  context.beginPath();
  for (const [index, { value }] of chart.items.entries())
    context.lineTo(scales.place(index).left + MARK, scales.y(value));
  context.stroke();
  if (!isMarked) return;
  for (const [index, { value }] of chart.items.entries()) {
    context.beginPath();
    context.arc(scales.place(index).left + MARK, scales.y(value), MARK, 0, 2 * Math.PI);
    context.fill();
  }
}
