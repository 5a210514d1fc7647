/**
 * Tests if a record reads, writes or sets a value. Without `width`, the record's data must equal the value. With `width`, the value may be
 * any `width` adjacent bytes of the record's data.
 *
 * `holdsValue` decides, using all fields of the record. `createValueFilter` rules out nearly all other records from the batch columns or
 * the digits of a line, without decoding the fields.
 */
import { FLAG, type Batch } from '../../../../shared/records/batch.ts';
import { HEX, NO_DIGIT } from '../../../../shared/base/characters.ts';
import { KIND, type RecordFields } from '../../../../shared/records/record.ts';
import type { WantedValue } from './question.ts';

export function holdsValue({ value, size, registers }: RecordFields, wanted: WantedValue): boolean {
  if (value !== undefined && holds(BigInt(value), size, wanted)) return true;
  return registers?.some(([, one]) => one !== undefined && holds(BigInt(one), undefined, wanted)) ?? false;
}

/** If the size is unknown, the number has as many bytes as its highest non-zero byte requires, and at least `width`. */
function holds(number: bigint, size: number | undefined, { value, width }: WantedValue): boolean {
  if (width === undefined) return number === value;
  const room = Math.max(size ?? Math.max(width, bytesOf(number)), bytesOf(number));
  for (let at = 0; at + width <= room; at++) {
    if (((number >> BigInt(8 * at)) & ((1n << BigInt(8 * width)) - 1n)) === value) return true;
  }
  return false;
}

function bytesOf(number: bigint): number {
  return Math.ceil((number.toString(16).length - (number === 0n ? 1 : 0)) / 2);
}

/**
 * Returns true or false if the columns show whether the record contains the value, and `undefined` if only `holdsValue` can decide. `bytes`
 * are the bytes of the window, and the record occupies [at, to).
 */
export type ValueFilter = (
  batch: Batch,
  index: number,
  bytes: Uint8Array,
  at: number,
  to: number,
) => boolean | undefined;

export function createValueFilter(wanted: WantedValue, isText: boolean): ValueFilter {
  const width = wanted.width ?? bytesOf(wanted.value);
  const low = lowestFirst(wanted.value, width);
  const high = low.toReversed();
  const isWhole = wanted.width === undefined;
  const hasNumber = createDigitFilter(wanted.value);
  const hasByte = createByteFilter(low[0]!);
  // A number of unknown size may be shorter than the wanted value.
  const leastLow = lowestFirst(wanted.value, Math.max(1, bytesOf(wanted.value)));
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
    if (WITHOUT_VALUE.has(kind)) return false;
    if (!isText) return possibly(includes(bytes, at, to - at, leastLow) || includes(bytes, at, to - at, leastHigh));
    if (!DIGITS_TELL.has(kind) || batch.size[index]! > 0) return undefined;
    // A number with fewer digits than the wanted bytes have contains them only if it equals the value.
    return possibly((isWhole || to - at < 2 * width ? hasNumber : hasByte)(bytes, at, to));
  };
}

/** The payload of these kinds is their opcode. */
const WITHOUT_VALUE = new Set([KIND.instruction, KIND.skipped]);
/**
 * Unless such a record has a size, its line contains the value as printed. The data of an access may be only a part of the printed bus
 * data.
 */
const DIGITS_TELL = new Set([KIND.branch, KIND.exception, KIND.register, KIND.event, KIND.idle, KIND.other]);

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
 * start at the highest byte, or at the lowest byte if printed in memory order. The filter returns false if a line has no such digits.
 */
function createDigitFilter(value: bigint): (bytes: Uint8Array, at: number, to: number) => boolean {
  const digits = value.toString(16);
  const forms = new Map<number, Uint8Array[]>();
  const least = Math.min(LEAST_GROUP, digits.length);
  return (bytes, at, to) => {
    let count = 0;
    // Values are usually at the end, so the scan runs backwards. One step past the start ends the last group.
    for (let p = to - 1; p >= at - 1; p--) {
      const byte = p < at ? 0 : bytes[p]!;
      if (HEX[byte]! !== NO_DIGIT) count++;
      else if (!isSeparator(byte)) {
        if (count >= least && formsOf(count).some((form) => isForm(bytes, p + 1, form))) return true;
        count = 0;
      }
    }
    return false;
  };

  function formsOf(count: number): Uint8Array[] {
    const known = forms.get(count);
    if (known !== undefined) return known;
    const found = [digits.padStart(count, '0').slice(-count)];
    const even = digits.padStart(count + (count % 2), '0');
    if (even.length <= count + 1) found.push((even.match(/../g) ?? []).reverse().join('').slice(0, count));
    const made = found.map((form) => Uint8Array.from(form, (digit) => Number.parseInt(digit, 16)));
    forms.set(count, made);
    return made;
  }
}

/**
 * Returns a filter that is false if no two adjacent digits equal the byte. The first digit of an odd-length group also counts as a byte.
 */
function createByteFilter(byte: number): (bytes: Uint8Array, at: number, to: number) => boolean {
  return (bytes, at, to) => {
    let first = NO_DIGIT;
    let before = NO_DIGIT;
    let count = 0;
    for (let p = at; p <= to; p++) {
      const digit = p < to ? HEX[bytes[p]!]! : NO_DIGIT;
      if (digit !== NO_DIGIT) {
        if (count++ === 0) first = digit;
        else if (before * 16 + digit === byte) return true;
        before = digit;
      } else if (p === to || !isSeparator(bytes[p]!)) {
        if (count % 2 === 1 && first === byte) return true;
        count = 0;
      }
    }
    return false;
  };
}

/** Returns true for a separator within a group of digits. */
function isSeparator(byte: number): boolean {
  return byte === 0x5f || byte === 0x3a || byte === 0x2e;
}

function isForm(bytes: Uint8Array, from: number, form: Uint8Array): boolean {
  let p = from;
  for (const digit of form) {
    while (isSeparator(bytes[p]!)) p++;
    if (HEX[bytes[p++]!] !== digit) return false;
  }
  return true;
}
