/** Colour key of a heatmap: the logarithmic scale from one access to the maximum. */
import { short } from '../../shared/base/numbers.ts';
import { fractionOf, heatColour, shadeOf } from './palette.ts';
import { countTicks } from '../base/ticks.ts';
import { hexColour } from '../svg/colour.ts';
import { KEY_WIDTH, text } from '../svg/sheet.ts';
import { element } from '../svg/svg.ts';
import type { ChartColours } from '../base/theme.ts';

const STEPS = 48;
const TOP = 10;
const BAR = 9;

export function heatKey(most: number, colours: ChartColours): string {
  const lowest = shadeOf(1, most);
  const step = KEY_WIDTH / STEPS;
  const ticks = countTicks(most);
  const x = (count: number): number => fractionOf(count, most) * KEY_WIDTH;
  const shades = Array.from({ length: STEPS }, (_, at) =>
    element('rect', {
      x: at * step,
      y: TOP,
      // The swatches overlap, because the ground would show between adjacent ones.
      width: at === STEPS - 1 ? step : step + 0.5,
      height: BAR,
      fill: hexColour(heatColour(lowest + (1 - lowest) * ((at + 0.5) / STEPS), colours.theme)),
    }),
  );
  return [
    text('accesses per cell', { x: KEY_WIDTH, y: 3, 'text-anchor': 'end', fill: colours.text2 }),
    element('g', { 'shape-rendering': 'crispEdges' }, ...shades),
    ...ticks.map((count, at) =>
      text(short(count), {
        x: ticks.length === 1 ? KEY_WIDTH : x(count),
        y: TOP + BAR + 14,
        'text-anchor': ticks.length > 1 && at === 0 ? 'start' : at === ticks.length - 1 ? 'end' : 'middle',
        fill: colours.text2,
      }),
    ),
  ].join('');
}
