/**
 * Colours of a heatmap by count: logarithmic, perceptually even, safe for the colour-blind, and adapted to the ground they
 * stand on, so that a single access is still seen and the hottest cell is the farthest from the ground.
 */
import { interpolateMagma, rgb } from 'd3';

export type Theme = 'dark' | 'light';

/** Levels of a heat image: 0 is "no access", 1 to LEVELS the colours. */
export const LEVELS = 255;

/** The level of a count; 0 only for 0. `most` is the count at the top of the scale. */
export function levelOf(count: number, most: number): number {
  if (count <= 0) return 0;
  return 1 + Math.min(LEVELS - 1, Math.round((LEVELS - 1) * shadeOf(count, most)));
}

/**
 * The fraction 0..1 of the colours that a count has. One access is never the lowest colour: where nothing is hotter it is
 * the highest, and the more decades there are above it the lower it comes.
 */
export function shadeOf(count: number, most: number): number {
  return (1 + Math.log(count)) / (1 + Math.log(Math.max(count, most)));
}

/** The fraction 0..1 of a legend from 1 to `most` at which a count stands. */
export function fractionOf(count: number, most: number): number {
  return most <= 1 ? 1 : Math.log(count) / Math.log(most);
}

/** CSS colour at a fraction of the colours. */
export function heatColour(fraction: number, theme: Theme): string {
  const [from, to] = STRETCH[theme];
  return interpolateMagma(from + (to - from) * fraction);
}

/** The stretch of the scale that stands clear of each ground: from lone accesses to the hottest cell. */
const STRETCH: Readonly<Record<Theme, readonly [number, number]>> = { dark: [0.3, 1], light: [0.86, 0.08] };

/** Level -> pixel as a Uint32 of a canvas (bytes R, G, B, A in memory); level 0 is transparent. */
export function heatPixels(theme: Theme): Uint32Array {
  const bytes = new Uint8ClampedArray(4 * (LEVELS + 1));
  for (let level = 1; level <= LEVELS; level += 1) {
    const colour = rgb(heatColour((level - 1) / (LEVELS - 1), theme));
    bytes.set([colour.r, colour.g, colour.b, 255], 4 * level);
  }
  return new Uint32Array(bytes.buffer);
}
