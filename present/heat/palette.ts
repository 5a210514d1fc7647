/**
 * Colours of a heatmap by count: logarithmic, perceptually uniform, safe for colour-blind readers, and adapted to the background, so
 * that a single access is visible and the hottest cell has the strongest contrast.
 */
import { interpolateMagma, rgb } from 'd3';

export type Theme = 'dark' | 'light';

/** Levels of a heat image: 0 is "no access", 1 to LEVELS the colours. */
export const LEVELS = 255;

/** Returns the level of a count, 1 to `levels`; 0 only for 0. `most` is the count at the top of the scale. */
export function levelOf(count: number, most: number, levels = LEVELS): number {
  if (count <= 0) return 0;
  return 1 + Math.min(levels - 1, Math.round((levels - 1) * shadeOf(count, most)));
}

/**
 * Returns the position 0..1 of a count on the colour scale. One access is never the lowest colour: if nothing is hotter it is the
 * highest one, and it moves down with each decade above it.
 */
export function shadeOf(count: number, most: number): number {
  return (1 + Math.log(count)) / (1 + Math.log(Math.max(count, most)));
}

/** Returns the position 0..1 of a count on a legend from 1 to `most`. */
export function fractionOf(count: number, most: number): number {
  return most <= 1 ? 1 : Math.log(count) / Math.log(most);
}

/** Returns the CSS colour at a position of the scale. */
export function heatColour(fraction: number, theme: Theme): string {
  const [from, to] = STRETCH[theme];
  return interpolateMagma(from + (to - from) * fraction);
}

/** Part of the scale with enough contrast to each background: from single accesses to the hottest cell. */
const STRETCH: Readonly<Record<Theme, readonly [number, number]>> = { dark: [0.3, 1], light: [0.86, 0.08] };

/** Returns red, green, blue and opacity of each level; level 0 is transparent. */
export function heatPalette(theme: Theme, levels = LEVELS): Uint8Array<ArrayBuffer> {
  const palette = new Uint8Array(4 * (levels + 1));
  for (let level = 1; level <= levels; level += 1) {
    const { r, g, b } = rgb(heatColour((level - 1) / (levels - 1), theme));
    palette.set([r, g, b, 255], 4 * level);
  }
  return palette;
}

/** Maps levels to pixels as Uint32 of a canvas (bytes R, G, B, A in memory). */
export function heatPixels(theme: Theme): Uint32Array {
  return new Uint32Array(heatPalette(theme).buffer);
}
