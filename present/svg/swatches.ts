/** The colours and shapes of a figure with their meaning, as a line of swatches that wraps if necessary. */
import { widthOf } from './measure.ts';
import { text } from './sheet.ts';
import { element, fixed } from './svg.ts';
import type { ChartColours } from '../base/theme.ts';

export interface Swatch {
  readonly label: string;
  /** Secondary text after the label. */
  readonly detail: string;
  readonly fill: string;
  readonly shape: 'square' | 'bar' | 'triangle' | 'line' | 'dashes';
}

const SIZE = 11;
const MARK = 16;
const APART = 18;
const LINE = 18;

/** Draws the swatches starting at (0, 0). */
export function swatches(
  all: readonly Swatch[],
  room: number,
  colours: ChartColours,
): { readonly svg: string; readonly height: number } {
  const parts: string[] = [];
  let x = 0;
  let line = 0;
  for (const { label, detail, fill, shape } of all) {
    const long = widthOf(label, SIZE, 'sans');
    const behind = detail === '' ? 0 : 6 + widthOf(detail, SIZE, 'sans');
    if (x > 0 && x + MARK + long + behind > room) {
      x = 0;
      line += 1;
    }
    const y = line * LINE;
    parts.push(
      shapeOf(shape, x, y, fill),
      text(label, { x: x + MARK, y: y + 10, fill: colours.text2 }),
      text(detail, { x: x + MARK + long + 6, y: y + 10, fill: colours.text3 }),
    );
    x += MARK + long + behind + APART;
  }
  return { svg: parts.join(''), height: all.length === 0 ? 0 : (line + 1) * LINE };
}

function shapeOf(shape: Swatch['shape'], x: number, y: number, fill: string): string {
  switch (shape) {
    case 'square':
      return element('rect', { x, y: y + 1, width: 10, height: 10, rx: 2, fill });
    case 'bar':
      return element('rect', { x: x + 4, y, width: 2, height: 11, fill });
    case 'triangle':
      return element('path', { d: `M${fixed(x + 1)} ${fixed(y + 1)}h8l-4 10z`, fill });
    case 'line':
      return element('path', { d: `M${fixed(x - 2)} ${fixed(y + 6)}h14`, stroke: fill, 'stroke-width': 2 });
    case 'dashes':
      return element('path', {
        d: `M${fixed(x - 2)} ${fixed(y + 6)}h14`,
        stroke: fill,
        'stroke-width': 2,
        'stroke-dasharray': '4 2',
      });
  }
}
