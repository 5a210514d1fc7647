/** Readers of the fields that several line forms share: hexadecimal numbers, addresses, and numbers in parentheses. */
import {
  CLOSE,
  COLON,
  COMMA,
  HEX,
  isBlank,
  LOWER_X,
  LOWER_Z,
  NO_DIGIT,
  OPEN,
  UNDERSCORE,
  UPPER_N,
  UPPER_S,
} from '../../../base/characters.ts';
import { hexEnd, skipHexPrefix } from '../../../base/scan.ts';
import type { Line } from './line.ts';

export const MOST_ADDRESS_DIGITS = 16;

/** Result of `scanHex` besides the end. One object, because `scanHex` is called per field and must not allocate. */
export const scan = { digits: 0, low: 0, high: 0, unknown: false };

/**
 * Reads hexadecimal digits with an optional `0x` and single `_` between digits. If `unknown` is true, x and z stand for digits that
 * the writer did not know (IEEE 1364, section 3.5.1: unknown and high impedance). Returns the end of the digits; -1 if there are none.
 */
export function scanHex(bytes: Uint8Array, from: number, to: number, unknown: boolean): number {
  const start = skipHexPrefix(bytes, from, to);
  let at = HEX[bytes[start]!] === NO_DIGIT ? from : start;
  let digits = 0;
  let low = 0;
  let high = 0;
  scan.unknown = false;
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
  if (digit !== NO_DIGIT || !unknown || ((byte | 0x20) !== LOWER_X && (byte | 0x20) !== LOWER_Z)) return digit;
  scan.unknown = true;
  return 0;
}

/**
 * Reads an address of at most 64 bits. It may be followed by `:` and a physical address with `_S` or `_NS`, and by a comma and the
 * physical address of an instruction's second half. Returns the end of the token; -1 if it is not an address.
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

/** Clears an address that turned out to be something else. */
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

/** Reads a branch target. Returns the end of its digits; -1 if it is not an address. */
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

/** Reads `(number)` or `(number:number)`. The last number becomes the id, the first of two the pair. Returns the end; -1 on failure. */
export function readNumbers(bytes: Uint8Array, from: number, to: number, line: Line): number {
  if (from >= to || bytes[from] !== OPEN) return -1;
  line.idAt = from + 1;
  let at = (line.idEnd = hexEnd(bytes, from + 1, to));
  if (at === line.idAt) return -1;
  if (at < to && bytes[at] === COLON) {
    line.pairAt = line.idAt;
    line.pairEnd = line.idEnd;
    line.idAt = at + 1;
    at = line.idEnd = hexEnd(bytes, at + 1, to);
    if (at === line.idAt) return -1;
  }
  return at < to && bytes[at] === CLOSE ? at + 1 : -1;
}
