/** Single records as marks on the heatmap's ground, once a stretch of time is so short that each has a width of its own. */
import type { Kind } from '../../../shared/records/record.ts';
import { nearestEnd, positionOf, type AddressAxis } from '../../../present/base/axis.ts';
import type { HeatWindow } from '../../../present/heat/heat.ts';

export interface Mark {
  readonly n: number;
  readonly kind: Kind;
  readonly low: bigint;
  readonly bytes: number;
}

export interface MarkBox {
  readonly mark: Mark;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const LEAST_HEIGHT = 4;
const WIDEST = 14;

/** Where the marks stand in a chart of width x height pixels; those off the axis or the window are left out. */
export function placeMarks(
  marks: readonly Mark[],
  axis: AddressAxis,
  window: HeatWindow,
  width: number,
  height: number,
): readonly MarkBox[] {
  const perRecord = width / (window.to - window.from);
  const boxWidth = Math.max(1.5, Math.min(WIDEST, perRecord * 0.82));
  const y = (position: number): number => ((window.top - position) / (window.top - window.bottom)) * height;
  return marks.flatMap((mark) => {
    const start = positionOf(axis, mark.low);
    if (start === undefined || mark.n + 1 < window.from || mark.n > window.to) return [];
    const lower = y(start);
    const upper = y(nearestEnd(axis, mark.low + BigInt(mark.bytes)));
    const boxHeight = Math.max(LEAST_HEIGHT, lower - upper);
    const middle = (lower + upper) / 2;
    // A mark that is higher than its addresses stays within the chart, which would cut it at the first and last address.
    const isWithin = upper >= 0 && lower <= height;
    const top = isWithin ? Math.max(0, Math.min(height - boxHeight, middle - boxHeight / 2)) : middle - boxHeight / 2;
    if (top > height || top + boxHeight < 0) return [];
    return [
      { mark, x: (mark.n + 0.5 - window.from) * perRecord - boxWidth / 2, y: top, width: boxWidth, height: boxHeight },
    ];
  });
}

/** The mark at a point, or the nearest within reach of a hand. */
export function markAt(boxes: readonly MarkBox[], x: number, y: number): MarkBox | undefined {
  let best: MarkBox | undefined;
  let bestDistance = 8;
  for (const box of boxes) {
    const dx = Math.max(box.x - x, 0, x - box.x - box.width);
    const dy = Math.max(box.y - y, 0, y - box.y - box.height);
    const distance = Math.hypot(dx, dy);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = box;
    }
  }
  return best;
}
