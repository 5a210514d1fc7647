/**
 * Decoder of `compress` (.Z): LZW with codes of 9 to 16 bits, as read by ncompress and gzip -d.
 *
 * The head has three bytes: 1f 9d, then the maximum width of a code in bits 0 to 4, and bit 7 if code 256 clears the table. Codes
 * follow with their lowest bit first, in groups of eight. When the width changes or the table is cleared, the rest of the group is
 * padding. There is no end mark, no length and no checksum.
 *
 * If the head says nine bits (compress -b 9), codes still grow to ten bits once the table of 512 is full: compress of 4.3BSD and its
 * descendants widen codes before they check the maximum, and gzip -d follows them. Ncompress 5 stays at nine bits. Its codes read
 * as ten bits soon become invalid and are reported as damage, while ten-bit codes read as nine bits would all be valid and
 * give wrong content.
 */

export interface LzwDecoder {
  /**
   * Decodes bytes of the file, starting at input[at], until all are consumed or the output is full. `next` is the index of the first
   * byte that was not consumed. The output is valid until the next call. `broken` is true after an invalid code.
   */
  push(input: Uint8Array, at: number): LzwPiece;
  /** Number of compressed bytes of complete codes so far. */
  readonly consumed: number;
  /** True if the file may end here: after the head, with only padding bits left. */
  mayEnd(): boolean;
}

export interface LzwPiece {
  readonly output: Uint8Array;
  readonly next: number;
  readonly broken: boolean;
}

/** Length at which the output counts as full. One more code adds at most 64 KiB. */
const PIECE = 1 << 20;
const HEAD = 3;
const CLEAR = 256;
const FIRST_BITS = 9;
const MOST_BITS = 16;
/** Width to which codes grow even if the head says less. */
const LEAST_MOST_BITS = 10;
/** Codes in a group. */
const GROUP = 8;

export function createLzwDecoder(): LzwDecoder {
  const prefix = new Uint16Array(1 << MOST_BITS);
  const suffix = new Uint8Array(1 << MOST_BITS);
  /** Number of bytes that each code expands to. */
  const lengths = new Uint32Array(1 << MOST_BITS);
  for (let code = 0; code < CLEAR; code++) {
    suffix[code] = code;
    lengths[code] = 1;
  }
  const output = new Uint8Array(PIECE + (2 << MOST_BITS));
  let headBytes = 0;
  let mostBits = 0;
  let clears = false;
  let width = FIRST_BITS;
  let free = 0;
  let previous = -1;
  let first = 0;
  let codesInGroup = 0;
  /** Padding bits before the next code. */
  let skip = 0;
  let bits = 0;
  let held = 0;
  let taken = 0;
  let broken = false;

  return {
    push,
    get consumed() {
      return taken - Math.floor(held / 8);
    },
    mayEnd: () => headBytes === HEAD && held < 8 && bits === 0,
  };

  function push(input: Uint8Array, at: number): LzwPiece {
    let filled = 0;
    let next = at;
    while (next < input.length && filled < PIECE && !broken) {
      const byte = input[next++]!;
      taken++;
      if (headBytes < HEAD) {
        takeHead(byte);
        continue;
      }
      bits |= byte << held;
      held += 8;
      if (skip > 0) skipPadding();
      // A byte completes one code at most: codes are longer.
      if (skip === 0 && held >= width) {
        const code = bits & ((1 << width) - 1);
        bits >>>= width;
        held -= width;
        codesInGroup = (codesInGroup + 1) % GROUP;
        filled = takeCode(code, filled);
      }
    }
    return { output: output.subarray(0, filled), next, broken };
  }

  function takeHead(byte: number): void {
    if (++headBytes < HEAD) return;
    mostBits = byte & 31;
    clears = (byte & 128) !== 0;
    free = clears ? CLEAR + 1 : CLEAR;
    broken = mostBits < FIRST_BITS || mostBits > MOST_BITS;
  }

  /** Writes the bytes of a code at output[filled] and returns the end of them. */
  function takeCode(code: number, filled: number): number {
    if (code === CLEAR && clears) {
      endGroup();
      width = FIRST_BITS;
      free = CLEAR + 1;
      previous = -1;
      return filled;
    }
    if (previous < 0 ? code >= CLEAR : code > free || (code === free && free >= 1 << mostBits)) {
      broken = true;
      return filled;
    }
    // The code that this step defines expands to the previous code's bytes and their first byte (the KwKwK case of LZW).
    const unfinished = previous >= 0 && code === free;
    const known = unfinished ? previous : code;
    const length = lengths[known]! + (unfinished ? 1 : 0);
    const end = filled + length;
    let at = end;
    if (unfinished) output[--at] = first;
    let walk = known;
    while (walk >= CLEAR) {
      output[--at] = suffix[walk]!;
      walk = prefix[walk]!;
    }
    output[at - 1] = walk;
    first = walk;
    if (previous >= 0 && free < 1 << mostBits) {
      prefix[free] = previous;
      suffix[free] = first;
      lengths[free] = lengths[previous]! + 1;
      free++;
      if (free === 1 << width && width < Math.max(mostBits, LEAST_MOST_BITS)) {
        endGroup();
        width++;
      }
    }
    previous = code;
    return end;
  }

  function endGroup(): void {
    if (codesInGroup > 0) skip = (GROUP - codesInGroup) * width;
    codesInGroup = 0;
    skipPadding();
  }

  function skipPadding(): void {
    const left = Math.min(skip, held);
    bits >>>= left;
    held -= left;
    skip -= left;
  }
}
