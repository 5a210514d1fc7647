/** A line's accesses starting at the oldest: what they leave in its bytes, what was read first, and which reads contradict what was known. */
import { assert } from '../../../../../shared/base/result.ts';
import { lowest, SPAN_HIGH, SPAN_LOW } from '../../../collections/byte-sets.ts';
import type { PageMasks } from './page-masks.ts';
import { TOUCH } from './page-touches.ts';

/** Bits of an access: bits 0 to 5 its size less one, then the flags `write` and `value` of TOUCH, shifted by TOUCH_SHIFT. */
export const TOUCH_SHIFT = 6;
export const ACCESS_LESS = 63;
export const ACCESS_WRITE: number = TOUCH.write << TOUCH_SHIFT;
export const ACCESS_VALUE: number = TOUCH.value << TOUCH_SHIFT;

/** Accesses of a block, by number. None crosses a line. */
export interface Accesses {
  /** Where each begins; only its place in the line matters here. */
  readonly addresses: Uint32Array;
  /** As ACCESS_LESS and the others have them. */
  readonly bits: Uint8Array;
  readonly records: Int32Array;
  /** Where the value lies in `values`, of those that have one. */
  readonly valueAt: Int32Array;
  readonly values: Uint8Array;
  /** The same memory. */
  readonly valueWords: Int32Array;
  /** Filled here: 1 if it read a byte first. */
  readonly firsts: Uint8Array;
}

/** Bytes that were read with another value than what was last known of them. */
export interface Contradictions {
  readonly bytes: number;
  /** The first record that read such a byte, within the block. */
  readonly record: number;
  /** The one that it contradicts. */
  readonly earlier: number;
}

export type Found = { -readonly [K in keyof Contradictions]: Contradictions[K] };

/** Bits of a read of 4 bytes with a value. */
const VALUED_WORD = 3 | ACCESS_VALUE;

/**
 * Goes through the accesses sorted[from..to), newest first, and fills what `masks` says of `line`, which nothing was known of.
 * `leftWords` is the memory of `masks.values`. Returns how many of them read a byte first.
 */
export function replayLine(
  accesses: Accesses,
  sorted: Int32Array,
  from: number,
  to: number,
  line: number,
  masks: PageMasks,
  leftWords: Int32Array,
  found: Found,
): number {
  const { addresses, bits, valueAt, values, valueWords, firsts } = accesses;
  const left = masks.values;
  const base = line * 64;
  masks.valued = true;
  // Halves of sets of bytes: touched; written; known now; read first. Nothing had an effect yet on those neither known nor written.
  let tLow = 0;
  let tHigh = 0;
  let wLow = 0;
  let wHigh = 0;
  let kLow = 0;
  let kHigh = 0;
  let fLow = 0;
  let fHigh = 0;
  let readFirst = 0;
  for (let i = to - 1; i >= from; i--) {
    const access = sorted[i]!;
    const its = bits[access]!;
    const start = addresses[access]! & 63;
    // All bits where it writes, else none.
    const writes = -((its >>> TOUCH_SHIFT) & 1);
    let low: number;
    let high: number;
    let at: number;
    let differ = 0;
    firsts[access] = 0;
    if ((its & ~ACCESS_WRITE) === VALUED_WORD && ((start | valueAt[access]!) & 3) === 0) {
      // Nearly all accesses of most programs.
      const inHigh = -(start >>> 5);
      low = (15 << start) & ~inHigh;
      high = (15 << start) & inHigh;
      at = valueAt[access]!;
      const word = (base + start) >>> 2;
      const value = valueWords[at >>> 2]!;
      differ = leftWords[word]! ^ value;
      if (writes !== 0) leftWords[word] = value;
    } else {
      const bytes = (its & ACCESS_LESS) + 1;
      low = SPAN_LOW[start * 65 + bytes]!;
      high = SPAN_HIGH[start * 65 + bytes]!;
      if ((its & ACCESS_VALUE) === 0) {
        tLow |= low;
        tHigh |= high;
        wLow |= low & writes;
        wHigh |= high & writes;
        kLow &= ~(low & writes);
        kHigh &= ~(high & writes);
        continue;
      }
      at = valueAt[access]!;
      if (((start | bytes | at) & 3) === 0) {
        let leftWord = (base + start) >>> 2;
        const behind = leftWord + (bytes >>> 2);
        for (let word = at >>> 2; leftWord < behind; word++, leftWord++) {
          const value = valueWords[word]!;
          differ |= leftWords[leftWord]! ^ value;
          if (writes !== 0) leftWords[leftWord] = value;
        }
      } else {
        for (let byte = 0; byte < bytes; byte++) {
          const value = values[at + byte]!;
          differ |= left[base + start + byte]! ^ value;
          if (writes !== 0) left[base + start + byte] = value;
        }
      }
    }
    tLow |= low;
    tHigh |= high;
    wLow |= low & writes;
    wHigh |= high & writes;
    if (writes === 0 && (differ !== 0 || ((low & ~kLow) | (high & ~kHigh)) !== 0)) {
      if (((low & kLow) | (high & kHigh)) !== 0) contradict(accesses, sorted, i, to, kLow, kHigh, left, base, found);
      const firstLow = low & ~(kLow | wLow);
      const firstHigh = high & ~(kHigh | wHigh);
      if ((firstLow | firstHigh) !== 0) {
        fLow |= firstLow;
        fHigh |= firstHigh;
        firsts[access] = 1;
        readFirst++;
        copy(masks.firstValues, base, firstLow, firstHigh, values, at - start);
      }
      copy(left, base, low, high, values, at - start);
    }
    kLow |= low;
    kHigh |= high;
  }
  const half = line * 2;
  masks.touched[half] = tLow;
  masks.touched[half + 1] = tHigh;
  masks.written[half] = wLow;
  masks.written[half + 1] = wHigh;
  masks.known[half] = kLow;
  masks.known[half + 1] = kHigh;
  masks.first[half] = fLow;
  masks.first[half + 1] = fHigh;
  return readFirst;
}

/** Copies a set of a line's bytes, which lie from `base` on there and from `from` on here. */
function copy(to: Uint8Array, base: number, low: number, high: number, values: Uint8Array, from: number): void {
  for (let rest = low; rest !== 0; rest &= rest - 1) {
    const byte = lowest(rest, 0);
    to[base + byte] = values[from + byte]!;
  }
  for (let rest = high; rest !== 0; rest &= rest - 1) {
    const byte = lowest(0, rest);
    to[base + byte] = values[from + byte]!;
  }
}

/** Counts the bytes of the read sorted[i] that are known, as halves of a set, and differ from those in `left`, where the line begins at `base`. */
function contradict(
  accesses: Accesses,
  sorted: Int32Array,
  i: number,
  to: number,
  kLow: number,
  kHigh: number,
  left: Uint8Array,
  base: number,
  found: Found,
): void {
  const access = sorted[i]!;
  const start = accesses.addresses[access]! & 63;
  const end = start + (accesses.bits[access]! & ACCESS_LESS) + 1;
  const from = accesses.valueAt[access]! - start;
  for (let byte = start; byte < end; byte++) {
    const isKnown = ((byte < 32 ? kLow : kHigh) & (1 << (byte & 31))) !== 0;
    if (!isKnown || left[base + byte] === accesses.values[from + byte]) continue;
    found.bytes++;
    const record = accesses.records[access]!;
    if (found.record >= 0 && found.record <= record) continue;
    found.record = record;
    found.earlier = accessWith(accesses, sorted, i + 1, to, byte);
  }
}

/** The record of the newest access of sorted[from..to) with a value of the byte of the line: there is one. */
function accessWith(
  { addresses, bits, records }: Accesses,
  sorted: Int32Array,
  from: number,
  to: number,
  byte: number,
): number {
  for (let i = from; i < to; i++) {
    const access = sorted[i]!;
    const its = bits[access]!;
    const start = addresses[access]! & 63;
    if ((its & ACCESS_VALUE) !== 0 && start <= byte && byte <= start + (its & ACCESS_LESS)) return records[access]!;
  }
  assert(false, 'every known byte comes from an access');
}
