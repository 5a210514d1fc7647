/** Colour key of a heatmap: the logarithmic scale from one access to the maximum. */
import { scaleColour, scaleTicks } from './heat-scale.ts';
import { hexColour } from '../svg/colour.ts';
import { KEY_WIDTH, text } from '../svg/sheet.ts';
import { element } from '../svg/svg.ts';
import type { ChartColours } from '../base/theme.ts';

const STEPS = 48;
const TOP = 10;
const BAR = 9;

export function heatKey(most: number, colours: ChartColours): string {
  const step = KEY_WIDTH / STEPS;
  const shades = Array.from({ length: STEPS }, (_, at) =>
    element('rect', {
      x: at * step,
      y: TOP,
      // The swatches overlap, because the ground would show between adjacent ones.
      width: at === STEPS - 1 ? step : step + 0.5,
      height: BAR,
      fill: hexColour(scaleColour((at + 0.5) / STEPS, most, colours.theme)),
    }),
  );
  return [
    text('accesses per cell', { x: KEY_WIDTH, y: 3, 'text-anchor': 'end', fill: colours.text2 }),
    element('g', { 'shape-rendering': 'crispEdges' }, ...shades),
    ...scaleTicks(most).map(({ text: words, at, anchor }) =>
      text(words, { x: at * KEY_WIDTH, y: TOP + BAR + 14, 'text-anchor': anchor, fill: colours.text2 }),
    ),
  ].join('');
}
