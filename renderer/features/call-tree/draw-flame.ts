/** How a flame chart's boxes are painted. */
import { interpolateRgb } from 'd3';
import { fitting, FLAME_PADDING, FLAME_ROW, type FlameBox } from '../../../present/flame/flame.ts';

export interface FlameColours {
  readonly ground: string;
  readonly text: string;
  readonly quiet: string;
  /** Eight, for reporting neighbours apart. */
  readonly hues: readonly string[];
  /** How much of a hue a box has, for words to be read on it. */
  readonly strength: number;
  readonly font: string;
}

export interface FlamePaint {
  /** The first row in sight, fractions included. */
  readonly top: number;
  readonly isDim: (box: FlameBox) => boolean;
  readonly isChosen: (box: FlameBox) => boolean;
}

export function drawFlame(
  context: CanvasRenderingContext2D,
  boxes: readonly FlameBox[],
  width: number,
  height: number,
  colours: FlameColours,
  { top, isDim, isChosen }: FlamePaint,
): void {
  context.clearRect(0, 0, width, height);
  context.font = colours.font;
  context.textBaseline = 'middle';
  const letter = context.measureText('m').width;
  const fills = fillsOf(colours);
  for (const box of boxes) {
    const y = (box.depth - top) * FLAME_ROW;
    if (y + FLAME_ROW < 0 || y > height) continue;
    const dim = isDim(box);
    context.globalAlpha = dim ? 0.35 : 1;
    context.fillStyle = fills(box.hue);
    context.fillRect(box.x, y, Math.max(0.6, box.width - (box.width > 3 ? 1 : 0)), FLAME_ROW - 1);
    const text = fitting(box.name, box.width - 2 * FLAME_PADDING, letter);
    if (text !== '') {
      context.fillStyle = colours.text;
      context.fillText(text, box.x + FLAME_PADDING, y + FLAME_ROW / 2);
    }
    if (isChosen(box)) {
      context.globalAlpha = 1;
      context.strokeStyle = colours.text;
      context.lineWidth = 2;
      context.strokeRect(box.x + 1, y + 1, Math.max(1, box.width - 3), FLAME_ROW - 3);
    }
  }
  context.globalAlpha = 1;
}

function fillsOf({ ground, quiet, hues, strength }: FlameColours): (hue: number) => string {
  const fills = hues.map((hue) => interpolateRgb(ground, hue)(strength));
  const small = interpolateRgb(ground, quiet)(0.35);
  return (hue) => fills[hue] ?? small;
}
