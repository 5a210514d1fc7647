/** Positions and labels of axis ticks. */
import { scaleLinear } from 'd3';
import { group } from '../../shared/base/numbers.ts';
import type { Piece } from './axis.ts';

export interface Tick<T> {
  readonly value: T;
  readonly text: string;
}

/** Returns ticks for record numbers in [from, to): whole numbers, about `most` at most, in short form if the step allows it. */
export function recordTicks(from: number, to: number, most: number): readonly Tick<number>[] {
  if (!(to > from) || most < 1) return [];
  const values = scaleLinear([from, to], [0, 1])
    .ticks(Math.max(1, most))
    .filter((value) => Number.isInteger(value) && value >= from && value < to);
  const step = (values[1] ?? to) - (values[0] ?? from);
  const highest = values.at(-1) ?? 0;
  const unit = UNITS.find(([size, least]) => step >= least && highest >= size);
  const texts = values.map((value) => (unit && value !== 0 ? `${short(value / unit[0])} ${unit[2]}` : group(value)));
  const isShort = texts.every((text) => text.length <= SHORT);
  return values.map((value, index) => ({ value, text: isShort ? (texts[index] ?? '') : group(value) }));
}

/** Returns the ticks of an axis of records that is `width` pixels wide, with their distance from its left edge. */
export function axisTicks(
  { from, to }: { readonly from: number; readonly to: number },
  width: number,
): readonly { readonly x: number; readonly text: string }[] {
  const xOf = (value: number): number => ((value - from) / Math.max(1, to - from)) * width;
  return recordTicks(from, to, Math.floor(width / APART)).map(({ value, text }) => ({ x: xOf(value), text }));
}

/** Least distance between the ticks of an axis of records, in pixels. */
const APART = 92;

/** A step that is a whole unit, or a tenth of a large one, is written in that unit if this is shorter. */
const UNITS: readonly (readonly [size: number, leastStep: number, name: string])[] = [
  [1e9, 1e8, 'G'],
  [1e6, 1e5, 'M'],
  [1e3, 1e3, 'k'],
];
const SHORT = 8;

function short(value: number): string {
  const rounded = Math.round(value * 100) / 100;
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** Returns round hexadecimal ticks for a part of an axis that is `pixels` high, at least `apart` pixels from each other. */
export function addressTicks(piece: Piece, pixels: number, apart: number): readonly bigint[] {
  const size = piece.high - piece.low;
  if (size <= 0n || pixels <= 0) return [];
  let step = 1n;
  while ((Number(step) / Number(size)) * pixels < apart) step *= 2n;
  const first = ((piece.low + step - 1n) / step) * step;
  const ticks: bigint[] = [];
  for (let value = first; value < piece.high; value += step) ticks.push(value);
  return ticks;
}

/** Returns the decades up to `most` for a logarithmic legend: 1, 10, 100 ..., and `most` itself if it does not crowd the last decade. */
export function countTicks(most: number): readonly number[] {
  if (most < 1) return [];
  const ticks = [1];
  while ((ticks.at(-1) ?? 1) * 10 <= most) ticks.push((ticks.at(-1) ?? 1) * 10);
  const clear = ticks.filter((tick) => tick === 1 || Math.log(tick) / Math.log(most) <= CLEAR);
  const thinned = clear.length > MOST_DECADES ? clear.filter((_, index) => index % 2 === 0) : clear;
  return most === 1 ? thinned : [...thinned, most];
}

/** Decades are labelled below this fraction of the scale, and only every second one if there are many. */
const CLEAR = 0.72;
const MOST_DECADES = 4;
