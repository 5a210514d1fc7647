/**
 * Tests if a record reads, writes or sets a value. Without `width`, the record's data must equal the value. With `width`, the value may be
 * any `width` adjacent bytes of the record's data.
 *
 * `createValueTest` decides, using all fields of the record. Before it, `valuePattern` rules out text of many lines, and
 * `createValueFilter` nearly all other records, from the batch columns or the digits of a line.
 */
import { FLAG, type Batch } from '../../../../shared/records/batch.ts';
import { HEX, NO_DIGIT } from '../../../../shared/base/characters.ts';
import { kindBits, type RecordFields } from '../../../../shared/records/record.ts';
import type { Hex } from '../../../../shared/base/units.ts';
import type { WantedValue } from './question.ts';

/** Returns the test of a record's fields. */
export function createValueTest({ value, width }: WantedValue): (fields: RecordFields) => boolean {
  const wanted = value.toString(16).padStart(2 * (width ?? 0), '0');

  return ({ value: own, size, registers }) =>
    (own !== undefined && holds(own, size)) || (registers?.some(([, one]) => one !== undefined && holds(one)) ?? false);

  /** If the size is unknown, the number has as many bytes as its highest non-zero byte requires, and at least `width`. */
  function holds(hex: Hex, size = width ?? 0): boolean {
    const digits = hex.slice(2).replace(/^0+(?=.)/, '');
    if (width === undefined) return digits === wanted;
    const bytes = Math.max(size, Math.ceil(digits.length / 2));
    const all = digits.padStart(2 * bytes, '0');
    let at = all.indexOf(wanted);
    while (at % 2 === 1) at = all.indexOf(wanted, at + 1);
    return at >= 0;
  }
}

/** Minimum number of digits that few lines contain by chance. */
const LEAST_SCANNED = 4;

/**
 * Returns an expression that matches the text of every record with the value if the decoder has `valuesAsDigits`; undefined if most
 * text would match.
 */
export function valuePattern({ value }: WantedValue): RegExp | undefined {
  const digits = value.toString(16);
  // The highest byte may be printed as one digit, so it is left out where it comes last.
  const reversed = (digits.slice(digits.length % 2).match(/../g) ?? []).reverse().join('');
  // A group may lack its first zeros.
  const either = [digits.slice(-LEAST_GROUP), reversed.slice(0, LEAST_GROUP)].map((group) => group.replace(/^0+/, ''));
  if (either.some((group) => group.length < LEAST_SCANNED)) return undefined;
  return new RegExp(either.map((all) => all.replaceAll(/.(?=.)/g, '$&[_:.]?')).join('|'), 'i');
}

/**
 * Returns true or false if the columns show whether the record contains the value, and `undefined` if only the test of its fields can
 * decide. `bytes` are the bytes of the window, and the record occupies [at, to).
 */
export type ValueFilter = (
  batch: Batch,
  index: number,
  bytes: Uint8Array,
  at: number,
  to: number,
) => boolean | undefined;

export function createValueFilter(wanted: WantedValue, isText: boolean): ValueFilter {
  const leastWidth = wanted.value === 0n ? 0 : Math.ceil(wanted.value.toString(16).length / 2);
  const width = wanted.width ?? leastWidth;
  const low = lowestFirst(wanted.value, width);
  const high = low.toReversed();
  const isWhole = wanted.width === undefined;
  const hasNumber = createNumberFilter(wanted.value);
  const hasRun = createRunFilter(wanted.value, width);
  // A number of unknown size may be shorter than the wanted value.
  const leastLow = lowestFirst(wanted.value, Math.max(1, leastWidth));
  const leastHigh = leastLow.toReversed();
  const isSameInBothOrders = low.every((byte, k) => byte === high[k]);
  const inColumns = (is: boolean): boolean | undefined => (is && !isSameInBothOrders ? undefined : is);
  const possibly = (is: boolean): false | undefined => (is ? undefined : false);

  return (batch, index, bytes, at, to) => {
    if ((batch.flags[index]! & FLAG.value) !== 0) {
      const size = batch.size[index]!;
      const from = batch.valueAt[index]!;
      const heap = batch.values.bytes;
      // The columns do not show the byte order.
      return inColumns(
        isWhole
          ? size >= width && (isPadded(heap, from, size, low, false) || isPadded(heap, from, size, high, true))
          : includes(heap, from, size, low) || includes(heap, from, size, high),
      );
    }
    const kind = batch.kind[index]!;
    if (((WITHOUT_VALUE >>> kind) & 1) === 1) return false;
    if (!isText) return possibly(includes(bytes, at, to - at, leastLow) || includes(bytes, at, to - at, leastHigh));
    if (((DIGITS_TELL >>> kind) & 1) === 0 || batch.size[index]! > 0) return undefined;
    // A number with fewer digits than the wanted bytes have contains them only if it equals the value.
    return possibly(hasNumber(bytes, at, to) || (!isWhole && to - at >= 2 * width && hasRun(bytes, at, to)));
  };
}

/** The payload of these kinds is their opcode. */
const WITHOUT_VALUE = kindBits(['instruction', 'skipped']);
/**
 * Unless such a record has a size, its line contains the value as printed. The data of an access may be only a part of the printed bus
 * data.
 */
const DIGITS_TELL = kindBits(['branch', 'exception', 'register', 'event', 'idle', 'other']);

function lowestFirst(value: bigint, width: number): Uint8Array {
  return Uint8Array.from({ length: width }, (_, k) => Number((value >> BigInt(8 * k)) & 0xffn));
}

/** Returns true if the bytes are `wanted` followed or preceded by zeros. */
function isPadded(heap: Uint8Array, from: number, size: number, wanted: Uint8Array, inFront: boolean): boolean {
  const zeros = size - wanted.length;
  const start = inFront ? from + zeros : from;
  for (let k = 0; k < wanted.length; k++) if (heap[start + k] !== wanted[k]) return false;
  const zerosFrom = inFront ? from : from + wanted.length;
  for (let k = 0; k < zeros; k++) if (heap[zerosFrom + k] !== 0) return false;
  return true;
}

function includes(heap: Uint8Array, from: number, size: number, wanted: Uint8Array): boolean {
  const last = from + size - wanted.length;
  for (let at = from; at <= last; at++) {
    let k = 0;
    while (k < wanted.length && heap[at + k] === wanted[k]) k++;
    if (k === wanted.length) return true;
  }
  return false;
}

/** Minimum length of the digit groups of a separated number. */
const LEAST_GROUP = 8;

/**
 * Returns a filter for text, which contains a value as hexadecimal digits. At least the lowest group of digits is unbroken. The digits
 * start at the highest byte, or at the lowest byte if printed in memory order. The filter returns false if a line has no such digits. It
 * compares at most the lowest four bytes.
 */
export function createNumberFilter(value: bigint): (bytes: Uint8Array, at: number, to: number) => boolean {
  const digits = value.toString(16).length;
  const least = Math.min(LEAST_GROUP, digits);
  const lowest = Number(value & 0xffffffffn);
  /** By the number of digits in the group: what its first digits, at most eight, are in memory order. */
  const reversed = Array.from({ length: LEAST_GROUP + 1 }, (_, count) =>
    count < LEAST_GROUP && digits > count + (count % 2) ? -1 : reversedDigits(value, count),
  );
  return (bytes, at, to) => {
    let count = 0;
    let first = 0;
    let last = 0;
    // A word such as `clk` or `r1` contains no number.
    let isWord = false;
    for (let p = at; p <= to; p++) {
      const byte = p < to ? bytes[p]! : 0;
      const digit = HEX[byte]!;
      if (digit !== NO_DIGIT) {
        last = ((last << 4) | digit) >>> 0;
        if (++count <= LEAST_GROUP) first = last;
      } else if (!isSeparator(byte)) {
        const isLetter = IS_WORD_LETTER[byte] === 1;
        if (count >= least && !isWord && !isLetter)
          if (last === lowest || first === reversed[Math.min(count, LEAST_GROUP)]) return true;
        isWord = isLetter;
        count = 0;
        last = 0;
      }
    }
    return false;
  };
}

/**
 * Returns a filter that is false if no digits in a row are the lowest bytes of the value, at most four, in either order. A group whose
 * first byte is printed as one digit counts as if a zero preceded it.
 */
function createRunFilter(value: bigint, width: number): (bytes: Uint8Array, at: number, to: number) => boolean {
  const run = 2 * Math.min(width, 4);
  const mask = run === 8 ? 0xffffffff : 16 ** run - 1;
  const lowest = Number(value & BigInt(mask));
  const reversed = reversedDigits(value, run);
  return (bytes, at, to) => {
    let count = 0;
    let last = 0;
    for (let p = at; p < to; p++) {
      const digit = HEX[bytes[p]!]!;
      if (digit !== NO_DIGIT) {
        last = (last << 4) | digit;
        if (++count < run - 1) continue;
        const found = (last & mask) >>> 0;
        if (found === lowest || found === reversed) return true;
      } else if (count > 0 && !isSeparator(bytes[p]!)) {
        count = 0;
        last = 0;
      }
    }
    return false;
  };
}

/** Returns the first `digits` digits, at most eight, of a value that is printed with its lowest byte first. */
function reversedDigits(value: bigint, digits: number): number {
  const shown = Math.min(digits, 8);
  const bytes = lowestFirst(value, Math.ceil(shown / 2));
  const all = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  return shown % 2 === 0 ? all : Math.floor(all / 16);
}

/** 1 for letters that are neither hexadecimal digits nor the `x` in front of them. */
const IS_WORD_LETTER = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(/[g-wyz]/i.test(String.fromCharCode(byte))),
);

/** Returns true for a separator within a group of digits. */
function isSeparator(byte: number): boolean {
  return byte === 0x5f || byte === 0x3a || byte === 0x2e;
}
