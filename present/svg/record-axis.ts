/** The axis of records below a chart, as SVG. */
import { axisTicks } from '../base/ticks.ts';
import { text } from './sheet.ts';
import { element, fixed } from './svg.ts';
import type { ChartColours } from '../base/theme.ts';

export const RECORD_AXIS_HEIGHT = 38;

/** Draws the axis below a chart that starts at `left`, is `width` wide and ends at `bottom`. */
export function recordAxis(
  span: { readonly from: number; readonly to: number },
  { left, width, bottom }: { readonly left: number; readonly width: number; readonly bottom: number },
  colours: ChartColours,
): string {
  const ticks = axisTicks(span, width);
  const marks = ticks.map(({ x }) => `M${fixed(left + x)} ${fixed(bottom)}v5`).join('');
  return [
    marks === '' ? '' : element('path', { d: marks, stroke: colours.lineStrong, fill: 'none' }),
    ...ticks.map(({ x, text: label }) => {
      // A centred label at the edge would extend past the chart.
      const anchor = x < 8 ? 'start' : width - x < 8 ? 'end' : 'middle';
      return text(label, { x: left + x, y: bottom + 17, 'text-anchor': anchor, fill: colours.text2 });
    }),
    text('record', { x: left + width / 2, y: bottom + 33, 'text-anchor': 'middle', fill: colours.text3 }),
  ].join('');
}
