/** The colour scale of a heatmap, for the key of its figure and for the legend of the page: logarithmic, from one access to the maximum. */
import { short } from '../../shared/base/numbers.ts';
import { countTicks } from '../base/ticks.ts';
import { fractionOf, heatColour, shadeOf, type Theme } from './palette.ts';

export interface ScaleTick {
  readonly text: string;
  /** Position on the scale, 0 to 1. */
  readonly at: number;
  /** Labels at the ends of the scale do not extend past it. */
  readonly anchor: 'start' | 'middle' | 'end';
}

export function scaleTicks(most: number): readonly ScaleTick[] {
  const counts = countTicks(most);
  return counts.map((count, index) => ({
    text: short(count),
    at: fractionOf(count, most),
    anchor: index === counts.length - 1 ? 'end' : index === 0 ? 'start' : 'middle',
  }));
}

/** Returns the CSS colour at a position of the scale, 0 to 1. */
export function scaleColour(position: number, most: number, theme: Theme): string {
  const lowest = shadeOf(1, most);
  return heatColour(lowest + (1 - lowest) * position, theme);
}
