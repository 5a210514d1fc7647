/** Repeatable randomness: the same seed gives the same numbers on every machine. */
export interface Random {
  /** A whole number, 0 <= result < bound. */
  below(bound: number): number;
  /** `length` bytes, each equally likely. */
  bytes(length: number): Uint8Array;
}

/** Marsaglia's xorshift32: short, well known, and random enough for parsers. */
export function createRandom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return { below, bytes: (length) => Uint8Array.from({ length }, () => below(256)) };
}
