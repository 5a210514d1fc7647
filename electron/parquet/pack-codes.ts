/**
 * Small integers as runs (RLE and bit packing): equal ones as one run, others bit by bit. Shorter runs are left to the compression of the page.
 * hyparquet-writer appends byte after byte through checks, which takes three times as long.
 */

/** `bits`: width of the integers, 1 to 24. */
export function packCodes(codes: Int32Array | Uint8Array, bits: number): Uint8Array {
  const { length } = codes;
  if (length === 0) return new Uint8Array(0);
  const [first] = codes;
  const isOneRun = codes.every((code) => code === first);
  const groups = Math.ceil(length / 8);
  const out = new Uint8Array(MOST_HEADER + (isOneRun ? 4 : groups * bits));
  let filled = putVarint(out, isOneRun ? length * 2 : groups * 2 + 1);
  if (isOneRun) {
    for (let rest = first!, width = 0; width < bits; width += 8, rest >>>= 8) out[filled++] = rest;
    return out.subarray(0, filled);
  }
  const end = filled + groups * bits;
  let waiting = 0;
  let width = 0;
  for (let i = 0; i < length; i++) {
    waiting |= codes[i]! << width;
    width += bits;
    while (width >= 8) {
      out[filled++] = waiting;
      waiting >>>= 8;
      width -= 8;
    }
  }
  if (width > 0) out[filled] = waiting;
  return out.subarray(0, end);
}

const MOST_HEADER = 5;

/** Writes a number below 2^32 seven bits at a time, and returns the end. */
function putVarint(out: Uint8Array, value: number): number {
  let at = 0;
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) out[at++] = (rest % 0x80) + 0x80;
  out[at++] = rest;
  return at;
}
