/** Paints the tracks below the overview, each over its whole canvas. */
import type { Phase } from '../../../shared/requests/flow.ts';
import type { ChartColours } from '../../../present/base/theme.ts';
import { fitted } from '../../../present/svg/measure.ts';

/** Columns of a track: column c is from x[c] to x[c + 1], in CSS pixels. */
export interface TrackColumns {
  readonly count: number;
  readonly x: (edge: number) => number;
}

export interface TrackPaint {
  readonly context: CanvasRenderingContext2D;
  readonly height: number;
  readonly colours: ChartColours;
}

const TEXT = 10.5;
/** Least height of a mark. */
const LEAST = 2;

/** Boxes of each column that hang from the top: as high as their share of 1. A share of 0 has no box. */
export function drawShares(
  { context, height }: TrackPaint,
  { count, x }: TrackColumns,
  share: (column: number) => number,
  fill: (column: number) => string,
  pale: (column: number) => string,
): void {
  for (let column = 0; column < count; column += 1) {
    const its = share(column);
    if (its <= 0) continue;
    const [left, width] = spanOf(x, column);
    context.fillStyle = pale(column);
    context.fillRect(left, 0, width, height);
    context.fillStyle = fill(column);
    context.fillRect(left, 0, width, Math.max(LEAST, Math.round(its * height)));
  }
}

/** A band from the least to the greatest value of each column, on a scale from 0 to `most`. NaN has no band. */
export function drawBand(
  { context, height, colours }: TrackPaint,
  { count, x }: TrackColumns,
  low: ArrayLike<number>,
  high: ArrayLike<number>,
  most: number,
): void {
  context.fillStyle = colours.hues.fetch;
  const y = (value: number): number => (1 - value / Math.max(1, most)) * (height - LEAST);
  for (let column = 0; column < count; column += 1) {
    const [least, greatest] = [low[column]!, high[column]!];
    if (Number.isNaN(least) || Number.isNaN(greatest)) continue;
    const [left, width] = spanOf(x, column);
    context.fillRect(left, y(greatest), width, y(least) - y(greatest) + LEAST);
  }
}

/** Bars from the middle, up for one value and down for the other, both on a scale to `most`. */
export function drawOpposite(
  { context, height, colours }: TrackPaint,
  { count, x }: TrackColumns,
  up: (column: number) => number,
  down: (column: number) => number,
  most: number,
): void {
  const middle = Math.round(height / 2);
  const high = (value: number): number => (value <= 0 ? 0 : Math.max(1, Math.round((value / most) * (middle - 1))));
  for (let column = 0; column < count; column += 1) {
    const [left, width] = spanOf(x, column);
    context.fillStyle = colours.hues.read;
    context.fillRect(left, middle - high(up(column)), width, high(up(column)));
    context.fillStyle = colours.hues.write;
    context.fillRect(left, middle, width, high(down(column)));
  }
  context.fillStyle = colours.lineStrong;
  context.fillRect(0, middle, x(count), 1);
}

/** Bars from the bottom, on a logarithmic scale. */
export function drawCounts(
  { context, height, colours }: TrackPaint,
  { count, x }: TrackColumns,
  counts: (column: number) => number,
): void {
  let most = 1;
  for (let column = 0; column < count; column += 1) most = Math.max(most, counts(column));
  context.fillStyle = colours.hues.control;
  for (let column = 0; column < count; column += 1) {
    const its = counts(column);
    if (its === 0) continue;
    const [left, width] = spanOf(x, column);
    const high = Math.max(LEAST, Math.round(height * (Math.log1p(its) / Math.log1p(most))));
    context.fillRect(left, height - high, Math.max(2, width), high);
  }
}

/** A curve through known values, 0 to 1, which hold until the next column. NaN is a gap. */
export function drawCurve(
  { context, height, colours }: TrackPaint,
  { count, x }: TrackColumns,
  values: readonly number[],
): void {
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.5;
  context.beginPath();
  let isDown = false;
  for (let column = 0; column < count; column += 1) {
    const value = values[column] ?? Number.NaN;
    if (Number.isNaN(value)) {
      isDown = false;
      continue;
    }
    const y = 1.5 + (1 - value) * (height - 3);
    if (isDown) context.lineTo(x(column), y);
    else context.moveTo(x(column), y);
    context.lineTo(x(column + 1), y);
    isDown = true;
  }
  context.stroke();
}

export interface PhaseLook {
  readonly fill: (phase: Phase) => string;
  readonly name: (phase: Phase) => string;
  readonly x: (n: number) => number;
  readonly isChosen: (phase: Phase) => boolean;
  readonly mono: string;
}

export function drawPhases(
  { context, height, colours }: TrackPaint,
  phases: readonly Phase[],
  { fill, name, x, isChosen, mono }: PhaseLook,
): void {
  context.font = `${TEXT}px ${mono}`;
  for (const phase of phases) {
    const left = Math.round(x(phase.from));
    const width = Math.max(1, Math.round(x(phase.to)) - left - 1);
    context.fillStyle = fill(phase);
    context.fillRect(left, 0, width, height);
    const words = width < 24 ? '' : fitted(name(phase), width - 8, TEXT, 'mono');
    context.fillStyle = colours.text;
    if (words !== '') context.fillText(words, left + 4, height / 2 + 3.5, width - 8);
    if (!isChosen(phase)) continue;
    context.strokeStyle = colours.text;
    context.lineWidth = 2;
    context.strokeRect(left + 1, 1, Math.max(1, width - 2), height - 2);
  }
}

/** Returns left edge and width of a column in whole pixels, so that neighbours neither overlap nor leave a gap. */
function spanOf(x: (edge: number) => number, column: number): readonly [number, number] {
  const left = Math.round(x(column));
  return [left, Math.max(1, Math.round(x(column + 1)) - left)];
}
