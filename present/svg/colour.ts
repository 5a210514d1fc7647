/** Colours as figures have them: `#rrggbb`, since not everything that reads SVG knows more. */
import { interpolateRgb, rgb } from 'd3';

export function hexColour(colour: string): string {
  return rgb(colour).formatHex();
}

/** `strength` of a colour on a ground. */
export function mixed(ground: string, colour: string, strength: number): string {
  return hexColour(interpolateRgb(ground, colour)(strength));
}
