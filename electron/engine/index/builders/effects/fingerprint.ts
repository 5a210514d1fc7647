/**
 * Fingerprints of sequences of tokens: two polynomials modulo 2^32, each with tokens of its own. Fingerprints of two stretches give that of
 * both together, so a block can be summed without the blocks before it, and a stretch is known from the fingerprints up to its ends.
 */

/** Odd, so that a single changed token always changes the polynomial. */
export const FIRST_BASE = 0x2545f491;
export const SECOND_BASE = 0x5851f42d;

export interface Fingerprint {
  /** Unsigned numbers of 32 bits. */
  readonly first: number;
  readonly second: number;
  readonly tokens: number;
}

export const NO_TOKENS: Fingerprint = { first: 0, second: 0, tokens: 0 };

/** Returns the fingerprint of both stretches, the second one following the first. */
export function joined(one: Fingerprint, other: Fingerprint): Fingerprint {
  return {
    first: (Math.imul(one.first, power(FIRST_BASE, other.tokens)) + other.first) >>> 0,
    second: (Math.imul(one.second, power(SECOND_BASE, other.tokens)) + other.second) >>> 0,
    tokens: one.tokens + other.tokens,
  };
}

/** Returns the fingerprint of what follows `start` in `end`, which begins with it. */
export function between(start: Fingerprint, end: Fingerprint): Fingerprint {
  const tokens = end.tokens - start.tokens;
  return {
    first: (end.first - Math.imul(start.first, power(FIRST_BASE, tokens))) >>> 0,
    second: (end.second - Math.imul(start.second, power(SECOND_BASE, tokens))) >>> 0,
    tokens,
  };
}

export function areEqual(one: Fingerprint, other: Fingerprint): boolean {
  return one.tokens === other.tokens && one.first === other.first && one.second === other.second;
}

/** Returns a power modulo 2^32. */
function power(base: number, exponent: number): number {
  let result = 1;
  let square = base;
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = Math.imul(result, square);
    square = Math.imul(square, square);
  }
  return result;
}
