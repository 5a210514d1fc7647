/**
 * Cache of the ends of instruction lines: the bytes after the address, with the LF. A program repeats its instructions, so most lines
 * end as the last line with the same address did. Comparing is several times as fast as reading, and the text of a known end was searched
 * for effects before.
 *
 *     IT (53) 00008068 e59f0060 A svc_s : LDR r0,[pc,#0x60]
 *                     ^ from here on
 */
import { areEqual } from '../../../base/bytes.ts';
import { hashBytes, FIRST_SEED, SECOND_SEED } from './part-marks.ts';

export interface KnownTails {
  /** Returns the entry of the tail that begins at `from` if the cache has it for this address; 0 if not. */
  entryAt(view: DataView, from: number, low: number, high: number): number;
  /** Length of the tail of an entry. */
  readonly lengths: Uint8Array;
  /** Size in bytes of the instruction of an entry. */
  readonly sizes: Uint8Array;
  /** Hashes of the address and the tail of an entry. */
  readonly firstHashes: Int32Array;
  readonly secondHashes: Int32Array;
  /** Stores bytes[from, to), the tail of an instruction of `size` bytes, and returns its entry, which can replace another one; 0 if it is too long. */
  keep(bytes: Uint8Array, from: number, to: number, low: number, high: number, size: number): number;
}

const PLACES = 1 << 15;
/** Entries are numbered below this. */
export const ENTRIES = PLACES + 1;
/** Longest tail that is stored. */
const LONGEST = 96;

export function createKnownTails(): KnownTails {
  /** By place: entry, 0 if the place is empty. Entries are used in order, so few instructions take little memory. */
  const entries = new Uint16Array(PLACES);
  let used = 0;
  const lows = new Uint32Array(ENTRIES);
  const highs = new Uint32Array(ENTRIES);
  const lengths = new Uint8Array(ENTRIES);
  const sizes = new Uint8Array(ENTRIES);
  const tails = new Uint8Array(ENTRIES * LONGEST);
  const words = new DataView(tails.buffer);
  const firstHashes = new Int32Array(ENTRIES);
  const secondHashes = new Int32Array(ENTRIES);
  return {
    lengths,
    sizes,
    firstHashes,
    secondHashes,
    entryAt(view, from, low, high) {
      const entry = entries[placeOf(low)]!;
      if (lows[entry] !== low || highs[entry] !== high) return 0;
      const length = lengths[entry]!;
      if (from + length > view.byteLength || !areEqual(view, from, words, entry * LONGEST, length)) return 0;
      return entry;
    },
    keep(bytes, from, to, low, high, size) {
      if (to - from > LONGEST) return 0;
      const place = placeOf(low);
      if (entries[place] === 0) entries[place] = ++used;
      const entry = entries[place]!;
      lows[entry] = low;
      highs[entry] = high;
      lengths[entry] = to - from;
      sizes[entry] = size;
      tails.set(bytes.subarray(from, to), entry * LONGEST);
      firstHashes[entry] = hashBytes(bytes, from, to, FIRST_SEED ^ low, high);
      secondHashes[entry] = hashBytes(bytes, from, to, SECOND_SEED ^ low, high);
      return entry;
    },
  };
}

function placeOf(low: number): number {
  return (Math.imul(low, 0x9e3779b1) >>> 17) & (PLACES - 1);
}
