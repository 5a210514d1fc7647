/** Where the ticks of an axis stand and what is written at them. */
import { scaleLinear } from 'd3';
import { group } from './numbers.ts';
import type { Piece } from './axis.ts';

export interface Tick<T> {
  readonly value: T;
  readonly text: string;
}

/** Ticks of record numbers in [from, to): whole numbers, at most about `most` of them, short where the step allows it. */
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

/** Steps of a unit, or a tenth of a large one, are written in that unit, where that is short. */
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

/** Ticks of addresses in a piece of an axis that is `pixels` high, `apart` pixels or more from one another: round in hexadecimal. */
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

/** Decades up to `most` for a logarithmic legend: 1, 10, 100 ... and `most` itself where it does not crowd the last decade. */
export function countTicks(most: number): readonly number[] {
  if (most < 1) return [];
  const ticks = [1];
  while ((ticks.at(-1) ?? 1) * 10 <= most) ticks.push((ticks.at(-1) ?? 1) * 10);
  const clear = ticks.filter((tick) => tick === 1 || Math.log(tick) / Math.log(most) <= CLEAR);
  const thinned = clear.length > MOST_DECADES ? clear.filter((_, index) => index % 2 === 0) : clear;
  return most === 1 ? thinned : [...thinned, most];
}

/** Decades are written where they stand below this fraction of the scale, and every other one where they are many. */
const CLEAR = 0.72;
const MOST_DECADES = 4;
