/** Labels of the address axis of a heatmap, for its figure and for the page. */
import { nearestPosition, visiblePieces, type AddressAxis } from '../base/axis.ts';
import { addressTicks } from '../base/ticks.ts';

export interface AddressLabel {
  /** Pixels from the top. */
  readonly y: number;
  readonly value: bigint;
  /** True at the start of a band. */
  readonly isBorder: boolean;
}

/** Smallest distances between two labels, and between two round addresses of a band, in pixels. */
const LABELS_APART = 13;
const TICKS_APART = 28;

/**
 * Labels the start of every visible band first, then round addresses if there is room between them. `y` maps positions to pixels, and
 * `drawnAt` returns where the label of a pixel is drawn.
 */
export function addressLabels(
  axis: AddressAxis,
  { bottom, top }: { readonly bottom: number; readonly top: number },
  y: (position: number) => number,
  drawnAt: (y: number) => number = (own) => own,
): readonly AddressLabel[] {
  const labels: AddressLabel[] = [];
  const pieces = visiblePieces(axis, bottom, top);
  function add(label: AddressLabel): void {
    const place = drawnAt(label.y);
    if (labels.every((other) => Math.abs(drawnAt(other.y) - place) >= LABELS_APART)) labels.push(label);
  }
  for (const { low, start } of pieces) {
    if (axis.some((band) => band.low === low)) add({ y: y(start), value: low, isBorder: true });
  }
  for (const piece of pieces) {
    for (const value of addressTicks(piece, y(piece.start) - y(piece.end), TICKS_APART)) {
      add({ y: y(nearestPosition(axis, value)), value, isBorder: false });
    }
  }
  return labels;
}
