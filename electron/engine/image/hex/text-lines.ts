/** Lines and hexadecimal digits of image files that are text. */
import { Buffer } from 'node:buffer';

export interface TextLine {
  /** Counts from 1, blank lines included. */
  readonly number: number;
  /** Without white space at either end; never empty. */
  readonly text: string;
}

const LF = 10;
const CR = 13;

/** Yields the lines that are not blank. A line ends with LF, CR LF, CR alone, or the file. */
export function* textLines(bytes: Uint8Array): Generator<TextLine, undefined> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let number = 1;
  for (let start = hasByteOrderMark(bytes) ? 3 : 0; start < bytes.length; number++) {
    let end = start;
    while (end < bytes.length && bytes[end] !== LF && bytes[end] !== CR) end++;
    const text = file.toString('latin1', start, end).trim();
    if (text !== '') yield { number, text };
    start = bytes[end] === CR && bytes[end + 1] === LF ? end + 2 : end + 1;
  }
  return undefined;
}

function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** Bytes examined to recognise a file: several lines, even after a long comment. */
const EXAMINED_BYTES = 64 * 1024;

/** True if the first line that is not a comment begins with `mark`, and one of the first lines is a record. */
export function beginsWithRecords(bytes: Uint8Array, mark: RegExp, record: RegExp, comment: RegExp): boolean {
  let isMarked = false;
  for (const { text } of textLines(bytes.subarray(0, EXAMINED_BYTES))) {
    if (!isMarked && comment.test(text)) continue;
    isMarked ||= mark.test(text);
    if (!isMarked) return false;
    if (record.test(text)) return true;
  }
  return false;
}

/** Returns the bytes that pairs of digits stand for; undefined for other characters or an odd number of digits. */
export function bytesOfDigits(digits: string): Uint8Array | undefined {
  return digits.length % 2 === 0 && /^[0-9a-f]*$/i.test(digits) ? Buffer.from(digits, 'hex') : undefined;
}

/** Returns the sum of the bytes, modulo 256. */
export function sumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return sum & 0xff;
}

export function hexByte(byte: number): string {
  return `0x${byte.toString(16).padStart(2, '0')}`;
}

/** Reads a big-endian number of up to four bytes. */
export function bigEndian(bytes: Uint8Array): number {
  return bytes.reduce((number, byte) => number * 256 + byte, 0);
}
