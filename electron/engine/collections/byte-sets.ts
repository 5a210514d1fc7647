/** Sets of the 64 bytes of a line, as two 32-bit halves. */

/** Halves of the set of `length` bytes from `start` on, by start * 65 + length. */
export const SPAN_LOW = new Int32Array(64 * 65);
export const SPAN_HIGH = new Int32Array(64 * 65);
for (let start = 0; start < 64; start++) {
  for (let length = 1; start + length <= 64; length++) {
    SPAN_LOW[start * 65 + length] = below(start + length) & ~below(start);
    SPAN_HIGH[start * 65 + length] = below(start + length - 32) & ~below(start - 32);
  }
}

/** The bits of a word below the given one. */
function below(bit: number): number {
  if (bit <= 0) return 0;
  return bit < 32 ? 2 ** bit - 1 : -1;
}

export function bitCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The word must not be 0. */
export function trailingZeros(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** The lowest member of a set that is not empty. */
export function lowest(low: number, high: number): number {
  return low === 0 ? 32 + trailingZeros(high) : trailingZeros(low);
}

/** One more than the highest member of a set that is not empty. */
export function end(low: number, high: number): number {
  return high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high);
}
