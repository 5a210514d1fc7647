/** Addresses of a program as another one has them that is loaded elsewhere. */

const LOW = 0xffffffffn;

/** Halves of a shift. */
export interface Shift {
  readonly low: number;
  readonly high: number;
}

export function halvesOf(shift: bigint): Shift {
  return { low: Number(shift & LOW), high: Number((shift >> 32n) & LOW) };
}

/** Returns the low half of an address minus a shift. */
export function lowWithout(low: number, shift: Shift): number {
  return (low - shift.low) >>> 0;
}

/** Returns the high half of an address minus a shift. */
export function highWithout(low: number, high: number, shift: Shift): number {
  return (high - shift.high - (low < shift.low ? 1 : 0)) >>> 0;
}
