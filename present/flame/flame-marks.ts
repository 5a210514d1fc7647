/** A flame chart as it is drawn, in its figure and on the page: boxes with a gap between neighbours, texts that fit, one colour per function. */
import { FLAME_ROW, type FlameBox } from './flame.ts';
import type { ChartColours } from '../base/theme.ts';
import { mixed } from '../svg/colour.ts';
import { fitted, widthOf } from '../svg/measure.ts';

export interface FlameMark {
  readonly box: FlameBox;
  readonly top: number;
  readonly width: number;
  /** Height of the filled part, which hangs from the top. The rest of a mark is pale. */
  readonly filled: number;
  /** Name of the function, cut to the box; empty if not even three letters fit. */
  readonly words: string;
}

export const MARK_HEIGHT = FLAME_ROW - 1;
/** Font size of names in a box, the distance of their start and baseline from its corner, and the padding at both sides. */
export const MARK_TEXT = { size: 10.5, x: 4, y: FLAME_ROW / 2 + 3.5 } as const;
/** Least height of the filled part. */
const LEAST_FILLED = 2;
const LETTER = widthOf('m', MARK_TEXT.size, 'mono');

export function flameMarks(boxes: readonly FlameBox[]): readonly FlameMark[] {
  return boxes.map((box) => ({
    box,
    top: box.depth * FLAME_ROW,
    width: Math.max(0.6, box.width - (box.width > 3 ? 1 : 0)),
    filled: box.share === undefined ? MARK_HEIGHT : Math.max(LEAST_FILLED, Math.round(box.share * MARK_HEIGHT)),
    words: wordsIn(box),
  }));
}

/** Returns the width for the name of a box. */
export function roomIn({ width }: FlameBox): number {
  return width - 2 * MARK_TEXT.x;
}

function wordsIn(box: FlameBox): string {
  const room = roomIn(box);
  return room < LETTER ? '' : fitted(box.name, room, MARK_TEXT.size, 'mono');
}

/**
 * Returns the colour of each hue of boxes, strong enough to distinguish neighbours and weak enough to read texts on it. `strength`: 1, or
 * less for the pale part.
 */
export function flameFills(
  { ground, flames, flameStrength, text3 }: ChartColours,
  strength = 1,
): (hue: number) => string {
  const fills = flames.map((flame) => mixed(ground, flame, strength * flameStrength));
  const merged = mixed(ground, text3, strength * MERGED);
  return (hue) => fills[hue] ?? merged;
}

/** Strength of the pale part of marks. */
export const PALE = 0.35;

/** Strength of the colour of merged small frames. */
const MERGED = 0.35;
