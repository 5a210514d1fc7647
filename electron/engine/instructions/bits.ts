/** Fields of opcodes. */

/** Returns `count` bits of a word, starting at bit `low`. */
export function bits(word: number, low: number, count: number): number {
  return (word >>> low) & (2 ** count - 1);
}

export function bit(word: number, position: number): boolean {
  return ((word >>> position) & 1) === 1;
}
