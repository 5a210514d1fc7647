/** Paints a chart of a result: vertical bars in the order of the rows, or points that a line joins. */
import { scaleLinear, type ScaleLinear } from 'd3';
import type { Theme } from '../../../../present/heat/palette.ts';
import { PAGE_COLOURS } from '../../../widgets/chart-colours.ts';
import type { ResultChart } from './result-chart.ts';

/** Room above and below the values, in CSS pixels. */
const MARGIN = 8;
/** Points that are marked each; more of them are a line. */
const MOST_MARKS = 400;

export interface ChartScales {
  readonly y: ScaleLinear<number, number>;
  /** Returns the left edge and the width of an item in CSS pixels. */
  readonly place: (index: number) => { readonly left: number; readonly width: number };
  /** Returns the item at a place in CSS pixels. */
  readonly itemAt: (x: number) => number;
}

export function chartScales(chart: ResultChart, width: number, height: number): ChartScales {
  const { kind, items } = chart;
  const values = items.map(({ value }) => value);
  // Lengths of bars are compared, so they begin at zero.
  const least = values.reduce((low, value) => Math.min(low, value), kind === 'bars' ? 0 : (values[0] ?? 0));
  const most = values.reduce((high, value) => Math.max(high, value), kind === 'bars' ? 0 : (values[0] ?? 0));
  const room = least === most ? Math.max(1, Math.abs(least)) / 2 : 0;
  const low = kind === 'bars' ? least : least - room;
  const y = scaleLinear([low, most + room], [height - MARGIN, MARGIN]);
  if (kind === 'bars') {
    const step = width / Math.max(1, items.length);
    const place = (index: number) => ({ left: index * step, width: step });
    return { y, place, itemAt: (x) => clamp(Math.floor(x / step), items.length) };
  }
  const x = scaleLinear([items[0]?.x ?? 0, items.at(-1)?.x ?? 1], [MARGIN, width - MARGIN]);
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

function clamp(index: number, count: number): number {
  return Math.min(count - 1, Math.max(0, index));
}

/** Pixels between two ticks at least. */
const TICK = 34;

export function chartTicks({ y }: ChartScales, height: number): readonly number[] {
  return y.ticks(Math.max(2, Math.floor(height / TICK)));
}

export function drawResult(
  context: CanvasRenderingContext2D,
  chart: ResultChart,
  width: number,
  height: number,
  theme: Theme,
): void {
  const colours = PAGE_COLOURS[theme];
  context.clearRect(0, 0, width, height);
  context.fillStyle = colours.chart;
  context.fillRect(0, 0, width, height);
  const scales = chartScales(chart, width, height);
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  for (const tick of chartTicks(scales, height)) {
    const y = Math.round(scales.y(tick)) + 0.5;
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(width, y);
    context.stroke();
  }
  const colour = colours.hues.write;
  context.fillStyle = colour;
  context.strokeStyle = colour;
  if (chart.kind === 'bars') {
    const zero = scales.y(0);
    for (const [index, { value }] of chart.items.entries()) {
      const { left, width: step } = scales.place(index);
      const gap = step > 4 ? 1 : 0;
      const top = scales.y(value);
      context.fillRect(left + gap, Math.min(top, zero), Math.max(1, step - 2 * gap), Math.max(1, Math.abs(zero - top)));
    }
    return;
  }
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
