/**
 * Small integers as runs (RLE and bit packing): equal ones as one run, others bit by bit. Shorter runs are left to the compression of the page.
 * hyparquet-writer appends byte after byte through checks, which takes three times as long.
 */

/** `bits`: width of the integers, 1 to 24. */
export function packCodes(codes: Int32Array, bits: number): Uint8Array {
  const { length } = codes;
  if (length === 0) return new Uint8Array(0);
  let same = 1;
  while (same < length && codes[same] === codes[0]) same++;
  if (same === length) return oneRun(codes[0]!, length, bits);
  const groups = Math.ceil(length / 8);
  const out = new Uint8Array(MOST_HEADER + groups * bits);
  let filled = putVarint(out, groups * 2 + 1);
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

/**
 * Packs a bit for each of the first `rows` rows: 1 if it has a value.
 * @param marks of a row with a value a code, or 1 in bytes; of another one NULL_CODE, or 0 in bytes
 * @param present number of rows with a value
 */
export function packPresence(marks: Int32Array | Uint8Array, rows: number, present: number): Uint8Array {
  if (rows === 0) return new Uint8Array(0);
  if (present === 0 || present === rows) return oneRun(present === 0 ? 0 : 1, rows, 1);
  const groups = Math.ceil(rows / 8);
  const out = new Uint8Array(MOST_HEADER + groups);
  const start = putVarint(out, groups * 2 + 1);
  const least = marks instanceof Uint8Array ? 1 : 0;
  const marked = Math.min(rows, marks.length);
  for (let row = 0; row < marked; row++) if (marks[row]! >= least) out[start + (row >> 3)]! |= 1 << (row & 7);
  return out.subarray(0, start + groups);
}

function oneRun(code: number, length: number, bits: number): Uint8Array {
  const out = new Uint8Array(MOST_HEADER + 4);
  let filled = putVarint(out, length * 2);
  for (let rest = code, width = 0; width < bits; width += 8, rest >>>= 8) out[filled++] = rest;
  return out.subarray(0, filled);
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
