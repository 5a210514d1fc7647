/**
 * The generator's source of chance: xorshift with 32 bits of state, integer arithmetic only, so that a seed gives the
 * same numbers on every machine. Not for anything that needs good randomness.
 */
export interface Random {
  /** The next number, 0 .. 2^32 - 1. */
  next(): number;
  /** A number in 0 .. limit - 1, for a limit up to 2^31. */
  below(limit: number): number;
  /** A number in low .. high, both included. */
  between(low: number, high: number): number;
  /** True `parts` times in `whole`. */
  chance(parts: number, whole: number): boolean;
  pick<T>(choices: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = mix(seed);
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    // Multiplying hides that successive states are linear; the high half is the better one.
    return Math.imul(state, 0x9e3779bb) >>> 0;
  };
  const below = (limit: number): number => Math.floor((next() * limit) / 0x100000000);
  return {
    next,
    below,
    between: (low, high) => low + below(high - low + 1),
    chance: (parts, whole) => below(whole) < parts,
    pick: (choices) => choices[below(choices.length)]!,
  };
}

/** Spreads neighbouring seeds apart; never 0, which xorshift cannot leave. */
function mix(seed: number): number {
  let hash = ((seed % 0x100000000) ^ 0x5bd1e995) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  return hash === 0 ? 1 : hash;
}
