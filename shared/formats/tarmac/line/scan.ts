/** Reading blanks, words and hexadecimal numbers out of a line: what all line families are made of. */
import {
  CLOSE,
  COLON,
  COMMA,
  HEX,
  isBlank,
  LOWER_X,
  NO_DIGIT,
  OPEN,
  UNDERSCORE,
  UPPER_N,
  UPPER_S,
  ZERO,
} from '../../../base/characters.ts';
import type { Line } from './line.ts';

const MOST_ADDRESS_DIGITS = 16;

/** What scanHex found beside the end: one object, because it is called per field and must not allocate. */
export const scan = { digits: 0, low: 0, high: 0, unknown: false };

/**
 * Hexadecimal digits with an optional 0x and single `_` between digits; where `unknown` is set also x for a digit that
 * the writer did not know. Answers the end of the digits, -1 when there is none.
 */
export function scanHex(bytes: Uint8Array, from: number, to: number, unknown: boolean): number {
  let at = from;
  let digits = 0;
  let low = 0;
  let high = 0;
  scan.unknown = false;
  if (at + 2 < to && bytes[at] === ZERO && (bytes[at + 1]! | 0x20) === LOWER_X && HEX[bytes[at + 2]!] !== NO_DIGIT) {
    at += 2;
  }
  while (at < to) {
    let digit = digitOf(bytes[at]!, unknown);
    if (digit === NO_DIGIT) {
      if (bytes[at] !== UNDERSCORE || digits === 0 || at + 1 >= to) break;
      digit = digitOf(bytes[at + 1]!, unknown);
      if (digit === NO_DIGIT) break;
      at++;
    }
    high = (high << 4) | (low >>> 28);
    low = (low << 4) | digit;
    digits++;
    at++;
  }
  scan.digits = digits;
  scan.low = low >>> 0;
  scan.high = high >>> 0;
  return digits === 0 ? -1 : at;
}

function digitOf(byte: number, unknown: boolean): number {
  const digit = HEX[byte]!;
  if (digit !== NO_DIGIT || !unknown || (byte | 0x20) !== LOWER_X) return digit;
  scan.unknown = true;
  return 0;
}

/**
 * An address of at most 64 bits, perhaps with `:` and a physical address, that with `_S` or `_NS`, and after a comma that
 * of an instruction's second half. Answers the end of its token, -1 when it is none.
 */
export function readAddress(bytes: Uint8Array, from: number, to: number, line: Line): number {
  let at = scanHex(bytes, from, to, false);
  if (at < 0 || scan.digits > MOST_ADDRESS_DIGITS) return -1;
  line.addressLow = scan.low;
  line.addressHigh = scan.high;
  line.addressAt = from;
  line.addressEnd = at;
  line.hasAddress = true;
  if (at < to && bytes[at] === COLON) {
    line.physicalAt = at + 1;
    at = line.physicalEnd = physicalEnd(bytes, at + 1, to);
    if (at >= 0 && at < to && bytes[at] === COMMA) {
      line.secondAt = at + 1;
      at = line.secondEnd = physicalEnd(bytes, at + 1, to);
    }
  }
  return at >= 0 && (at >= to || isBlank(bytes[at]!)) ? at : -1;
}

/** Forgets an address that turned out to be none. */
export function clearAddress(line: Line): void {
  line.hasAddress = false;
  line.addressLow = line.addressHigh = 0;
  line.addressAt = line.addressEnd = 0;
  line.physicalAt = line.physicalEnd = 0;
  line.secondAt = line.secondEnd = 0;
}

function physicalEnd(bytes: Uint8Array, from: number, to: number): number {
  const at = scanHex(bytes, from, to, false);
  if (at < 0 || scan.digits > MOST_ADDRESS_DIGITS) return -1;
  if (at + 1 >= to || bytes[at] !== UNDERSCORE) return at;
  if (bytes[at + 1] === UPPER_S) return at + 2;
  return at + 2 < to && bytes[at + 1] === UPPER_N && bytes[at + 2] === UPPER_S ? at + 3 : at;
}

/** The address where a branch goes to; answers the end of its digits, -1 when it is none. */
export function readTarget(bytes: Uint8Array, from: number, to: number, line: Line): number {
  const at = scanHex(bytes, from, to, false);
  if (at < 0 || scan.digits > MOST_ADDRESS_DIGITS) return -1;
  line.targetLow = scan.low;
  line.targetHigh = scan.high;
  line.targetAt = from;
  line.targetEnd = at;
  line.hasTarget = true;
  return at;
}

/** `(number)` or `(number:number)`: the last number becomes the id, one before it the pair; answers the end, -1 when it is none. */
export function readBracket(bytes: Uint8Array, from: number, to: number, line: Line): number {
  if (from >= to || bytes[from] !== OPEN) return -1;
  line.idAt = from + 1;
  let at = (line.idEnd = plainHexEnd(bytes, from + 1, to));
  if (at === line.idAt) return -1;
  if (at < to && bytes[at] === COLON) {
    line.pairAt = line.idAt;
    line.pairEnd = line.idEnd;
    line.idAt = at + 1;
    at = line.idEnd = plainHexEnd(bytes, at + 1, to);
    if (at === line.idAt) return -1;
  }
  return at < to && bytes[at] === CLOSE ? at + 1 : -1;
}

function plainHexEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && HEX[bytes[at]!] !== NO_DIGIT) at++;
  return at;
}

export function skipBlanks(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(bytes[at]!)) at++;
  return at;
}

export function tokenEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && !isBlank(bytes[at]!)) at++;
  return at;
}

/** Whether bytes[from, to) are these ASCII characters. */
export function isText(bytes: Uint8Array, from: number, to: number, text: string): boolean {
  if (to - from !== text.length) return false;
  for (let k = 0; k < text.length; k++) if (bytes[from + k] !== text.charCodeAt(k)) return false;
  return true;
}
