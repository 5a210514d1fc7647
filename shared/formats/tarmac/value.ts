/** The digits of a line's opcode, data or value, as one number. */
import type { Hex } from '../../units.ts';
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
export function digitsOf(bytes: Uint8Array, line: Line): string {
  return plain(bytes, line.codeAt, line.codeEnd)
    .toLowerCase()
    .replace(/^0x/, '')
    .replaceAll(/[_:.\s]/g, '');
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
