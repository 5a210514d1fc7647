/** Where the ticks of a figure's axes stand: round in the base in which each axis is read. */
import { ticks } from 'd3';

/** Whole numbers in [from, to], round in decimal. */
export function wholeTicks(from: number, to: number, most: number): readonly number[] {
  return ticks(from, to, most).filter((value) => Number.isInteger(value));
}

/** Addresses in [low, high), multiples of the smallest power of two that gives at most `most` of them. */
export function addressTicks(low: bigint, high: bigint, most: number): readonly bigint[] {
  if (high <= low) return [];
  let step = 1n;
  while ((high - low) / step >= BigInt(most)) step *= 2n;
  const found: bigint[] = [];
  for (let at = ((low + step - 1n) / step) * step; at < high; at += step) found.push(at);
  return found;
}

/** 1, the most, and powers of ten between them where they leave room. */
export function countTicks(most: number, room: number): readonly number[] {
  const decades = Math.floor(Math.log10(most));
  const step = Math.max(1, Math.ceil(decades / Math.max(1, room - 2)));
  const inside: number[] = [];
  for (let decade = step; decade <= decades; decade += step) {
    const value = 10 ** decade;
    // Half a decade below the most, a label would touch that of the most.
    if (most / value > 3) inside.push(value);
  }
  return most === 1 ? [1] : [1, ...inside, most];
}

/** `950`, `12.3k`, `4.57M`: three digits, for legends. */
export function shortNumber(value: number): string {
  const step = SHORT.find(([from]) => value >= from);
  if (!step) return String(value);
  return `${String(Number((value / step[1]).toPrecision(3)))}${step[2]}`;
}

const SHORT: readonly (readonly [from: number, size: number, unit: string])[] = [
  [999.5e9, 1e12, 'T'],
  [999.5e6, 1e9, 'G'],
  [999.5e3, 1e6, 'M'],
  [1e4, 1e3, 'k'],
];
