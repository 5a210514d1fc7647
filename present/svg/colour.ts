/** Colours of figures as `#rrggbb`, the only notation that every SVG reader knows. */
import { interpolateRgb, rgb } from 'd3';

export function hexColour(colour: string): string {
  return rgb(colour).formatHex();
}

/** Mixes a colour into a ground with the given strength. */
export function mixed(ground: string, colour: string, strength: number): string {
  return hexColour(interpolateRgb(ground, colour)(strength));
}
