/** The digits of a line's opcode, data or value: as one number, and as the bytes that an access moved. */
import { FLAG, reserve, type Batch } from '../../../records/batch.ts';
import { HEX, isBlank, LOWER_X, NO_DIGIT, ZERO } from '../../../base/characters.ts';
import type { Hex } from '../../../base/units.ts';
import type { Line } from './line.ts';
import { MARK } from './line.ts';

export type Endian = 'little' | 'big';

/** Undefined where the line has no digits, where some are unknown, or where they do not lie side by side in memory. */
export function valueOf(bytes: Uint8Array, line: Line, endian: Endian): Hex | undefined {
  if (line.codeEnd === line.codeAt) return undefined;
  if ((line.marks & (MARK.unknown | MARK.holes | MARK.aborted | MARK.fetchFailed)) !== 0) return undefined;
  const digits = digitsOf(bytes, line);
  if (digits === '') return undefined;
  const mirrored =
    ((line.marks & MARK.memoryOrder) !== 0 && endian === 'little') ||
    ((line.marks & MARK.addressOrder) !== 0 && endian === 'big');
  return toValue(mirrored ? mirror(digits) : digits);
}

/** The digits as they are, without prefix, separators and untouched bytes. */
function digitsOf(bytes: Uint8Array, line: Line): string {
  return plain(bytes, line.codeAt, line.codeEnd)
    .toLowerCase()
    .replaceAll(/(^|[:\s])0x/g, '$1')
    .replaceAll(/[_:.\s]/g, '');
}

/**
 * Puts the bytes that the access of a line moved behind row `row`, whose other columns are written; not where some of them
 * are unknown or where the line does not tell how they lie in memory.
 */
export function putValue(batch: Batch, row: number, bytes: Uint8Array, line: Line, endian: Endian): void {
  const { size, codeAt, codeEnd, marks } = line;
  if (!line.hasAddress || size === 0 || codeEnd === codeAt) return;
  if ((marks & (MARK.unknown | MARK.holes | MARK.aborted | MARK.busOrder)) !== 0) return;
  const heap = batch.values;
  reserve(heap, size);
  const first = heap.length;
  // Drawings have the highest address first whatever the byte order.
  const forward = (marks & MARK.memoryOrder) !== 0 || ((marks & MARK.addressOrder) === 0 && endian === 'big');
  // Where the digits are odd in number the first byte has one.
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

/** Hexadecimal digits in bytes[from, to), without those of prefixes. */
function countDigits(bytes: Uint8Array, from: number, to: number): number {
  let digits = 0;
  for (let at = from; at < to; at++) {
    if (isPrefix(bytes, from, at, to)) at += 2;
    if (HEX[bytes[at]!] !== NO_DIGIT) digits++;
  }
  return digits;
}

/** Whether a group of digits that begins at `at` begins with 0x. */
function isPrefix(bytes: Uint8Array, from: number, at: number, to: number): boolean {
  if (bytes[at] !== ZERO || at + 2 >= to || (bytes[at + 1]! | 0x20) !== LOWER_X) return false;
  return at === from || isBlank(bytes[at - 1]!);
}

/** Bytes that the reader has found to be ASCII. */
export function plain(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

function toValue(digits: string): Hex {
  return `0x${digits.replace(/^0+(?=.)/, '')}`;
}

/** The same bytes from the other end. */
function mirror(digits: string): string {
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  return (even.match(/../g) ?? []).reverse().join('');
}
