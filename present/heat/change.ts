/** The change between two heatmaps of one grid: colours for fewer and for more accesses, and their key. */
import { rgb } from 'd3';
import type { HeatGrid } from '../../shared/requests/requests.ts';
import { short } from '../../shared/base/numbers.ts';
import type { ChartColours } from '../base/theme.ts';
import { mixed } from '../svg/colour.ts';
import { KEY_WIDTH, text } from '../svg/sheet.ts';
import { element } from '../svg/svg.ts';
import type { Shades } from './heat-image.ts';
import { shadeOf } from './palette.ts';

/** Levels of each sign. */
const LEVELS = 31;

export interface HeatChange {
  /** Accesses of the other run minus those of the first, by column * rows + row. */
  readonly counts: Float64Array;
  /** The greatest change of a cell, whatever its sign. */
  readonly most: number;
}

/** @param other has the same columns and rows */
export function heatChangeOf(grid: HeatGrid, other: HeatGrid): HeatChange {
  const counts = grid.counts.map((count, cell) => other.counts[cell]! - count);
  return { counts, most: counts.reduce((most, count) => Math.max(most, Math.abs(count)), 0) };
}

/** Levels 1 to LEVELS are fewer accesses, the next ones more. */
export function changeShades({ counts, most }: HeatChange, colours: ChartColours): Shades {
  const palette = new Uint8Array(4 * (2 * LEVELS + 1));
  for (let level = 1; level <= LEVELS; level++) {
    for (const [sign, first] of [
      [-1, 0],
      [1, LEVELS],
    ] as const) {
      const { r, g, b } = rgb(changeColour((sign * level) / LEVELS, colours));
      palette.set([r, g, b, 255], 4 * (first + level));
    }
  }
  return {
    palette,
    levelOf(cell) {
      const count = counts[cell]!;
      if (count === 0) return 0;
      const level = Math.max(1, Math.round(LEVELS * shadeOf(Math.abs(count), most)));
      return count < 0 ? level : LEVELS + level;
    },
  };
}

/** Returns the colour of a change, -1 (fewest) to 1 (most). */
function changeColour(share: number, { ground, hues }: ChartColours): string {
  return mixed(ground, share < 0 ? hues.fetch : hues.control, 0.12 + 0.88 * Math.abs(share));
}

const STEPS = 24;

export function changeKey(most: number, colours: ChartColours): string {
  const step = KEY_WIDTH / (2 * STEPS);
  const shades = Array.from({ length: 2 * STEPS }, (_, at) =>
    element('rect', {
      x: at * step,
      y: 10,
      width: step + (at === 2 * STEPS - 1 ? 0 : 0.5),
      height: 9,
      fill: changeColour((at + 0.5 - STEPS) / STEPS, colours),
    }),
  );
  return [
    text('accesses per cell', { x: KEY_WIDTH, y: 3, 'text-anchor': 'end', fill: colours.text2 }),
    element('g', { 'shape-rendering': 'crispEdges' }, ...shades),
    text(`${short(most)} fewer in B`, { x: 0, y: 33, fill: colours.text2 }),
    text(`${short(most)} more in B`, { x: KEY_WIDTH, y: 33, 'text-anchor': 'end', fill: colours.text2 }),
  ].join('');
}
