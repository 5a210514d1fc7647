/** Paints the visible rows of a flame chart. */
import { FLAME_ROW, type FlameBox } from '../../../present/flame/flame.ts';
import { MARK_HEIGHT, MARK_TEXT, roomIn, type FlameMark } from '../../../present/flame/flame-marks.ts';

export interface FlamePaint {
  /** First visible row, fractions included. */
  readonly top: number;
  readonly text: string;
  readonly mono: string;
  readonly fill: (hue: number) => string;
  /** Colour of the part of a mark that is not filled. */
  readonly pale: (hue: number) => string;
  readonly isDim: (box: FlameBox) => boolean;
  readonly isChosen: (box: FlameBox) => boolean;
}

export function drawFlame(
  context: CanvasRenderingContext2D,
  marks: readonly FlameMark[],
  width: number,
  height: number,
  { top, text, mono, fill, pale, isDim, isChosen }: FlamePaint,
): void {
  context.clearRect(0, 0, width, height);
  context.font = `${MARK_TEXT.size}px ${mono}`;
  for (const mark of marks) {
    const { box, words } = mark;
    const y = mark.top - top * FLAME_ROW;
    if (y + FLAME_ROW < 0 || y > height) continue;
    context.globalAlpha = isDim(box) ? 0.35 : 1;
    if (mark.filled < MARK_HEIGHT) {
      context.fillStyle = pale(box.hue);
      context.fillRect(box.x, y + mark.filled, mark.width, MARK_HEIGHT - mark.filled);
    }
    context.fillStyle = fill(box.hue);
    context.fillRect(box.x, y, mark.width, mark.filled);
    if (words !== '') {
      context.fillStyle = text;
      // The page's font may be wider than the one that the name was cut for.
      context.fillText(words, box.x + MARK_TEXT.x, y + MARK_TEXT.y, roomIn(box));
    }
    if (isChosen(box)) {
      context.globalAlpha = 1;
      context.strokeStyle = text;
      context.lineWidth = 2;
      context.strokeRect(box.x + 1, y + 1, Math.max(1, box.width - 3), FLAME_ROW - 3);
    }
  }
  context.globalAlpha = 1;
}
