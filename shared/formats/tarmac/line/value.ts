/** Converts the digits of a line's opcode, data or value to one number, and to the bytes that an access moved. */
import { type Batch, FLAG, reserve } from '../../../records/batch.ts';
import { HEX, isBlank, LOWER_X, NO_DIGIT, ZERO } from '../../../base/characters.ts';
import { digitsToHex, type Hex } from '../../../base/units.ts';
import { FAULT, type Line, MARK } from './line.ts';
import { textOf } from '../../../base/scan.ts';

export type Endian = 'little' | 'big';

/** Returns the value of a line; undefined if it has no digits, if some are unknown, or if the bytes are not adjacent in memory. */
export function valueOf(bytes: Uint8Array, line: Line, endian: Endian): Hex | undefined {
  if (line.codeEnd === line.codeAt) return undefined;
  if ((line.marks & (MARK.unknown | MARK.holes | MARK.aborted | MARK.fetchFailed)) !== 0) return undefined;
  const digits = digitsOf(bytes, line);
  if (digits === '') return undefined;
  const mirrored =
    ((line.marks & MARK.memoryOrder) !== 0 && endian === 'little') ||
    ((line.marks & MARK.addressOrder) !== 0 && endian === 'big');
  return digitsToHex(mirrored ? reverseBytes(digits) : digits);
}

/** Returns the digits without prefixes, separators and bytes that were not accessed. */
function digitsOf(bytes: Uint8Array, line: Line): string {
  return textOf(bytes, line.codeAt, line.codeEnd)
    .toLowerCase()
    .replaceAll(/(^|[:\s])0x/g, '$1')
    .replaceAll(/[_:.\s]/g, '');
}

/**
 * Adds the bytes that a line's access moved to row `row`, whose other columns are already written. Adds nothing if some of the bytes
 * or their order in memory are unknown, or if the line has more or fewer digits than the stated size.
 */
export function putValue(batch: Batch, row: number, bytes: Uint8Array, line: Line, endian: Endian): void {
  const { size, codeAt, codeEnd, marks } = line;
  if (!line.hasAddress || size === 0 || codeEnd === codeAt) return;
  if ((marks & (MARK.unknown | MARK.holes | MARK.aborted | MARK.busOrder)) !== 0) return;
  if ((line.faults & FAULT.dataSize) !== 0) return;
  const heap = batch.values;
  reserve(heap, size);
  const first = heap.length;
  // LD and ST lines start with the highest address for either byte order.
  const forward = (marks & MARK.memoryOrder) !== 0 || ((marks & MARK.addressOrder) === 0 && endian === 'big');
  // If the number of digits is odd, the first byte has one digit.
  let nibble = 2 * size - countDigits(bytes, codeAt, codeEnd);
  heap.bytes[forward ? first : first + size - 1] = 0;
  for (let at = codeAt; at < codeEnd; at++) {
    if (isPrefix(bytes, codeAt, at, codeEnd)) at += 2;
    const digit = HEX[bytes[at]!]!;
    if (digit === NO_DIGIT) continue;
    const place = nibble >>> 1;
    const to = forward ? first + place : first + size - 1 - place;
    heap.bytes[to] = (nibble & 1) === 0 ? digit << 4 : heap.bytes[to]! | digit;
    nibble++;
  }
  heap.length = first + size;
  batch.valueAt[row] = first;
  batch.flags[row]! |= FLAG.value;
}

/** Counts the hexadecimal digits in bytes[from, to), except those of prefixes. */
function countDigits(bytes: Uint8Array, from: number, to: number): number {
  let digits = 0;
  for (let at = from; at < to; at++) {
    if (isPrefix(bytes, from, at, to)) at += 2;
    if (HEX[bytes[at]!] !== NO_DIGIT) digits++;
  }
  return digits;
}

/** True if a digit group that starts with `0x` begins at `at`. */
function isPrefix(bytes: Uint8Array, from: number, at: number, to: number): boolean {
  if (bytes[at] !== ZERO || at + 2 >= to || (bytes[at + 1]! | 0x20) !== LOWER_X) return false;
  return at === from || isBlank(bytes[at - 1]!);
}

/** Reverses the order of bytes given as digits. */
function reverseBytes(digits: string): string {
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  return (even.match(/../g) ?? []).reverse().join('');
}
