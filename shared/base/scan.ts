/**
 * Readers of ASCII text in bytes that the text formats share: blanks, words, and decimal and hexadecimal numbers.
 *
 * All positions are indexes of `bytes`, and no reader looks at or past `to`. Decoders' inner loops repeat some of this code inline,
 * because V8 looks every typed array up again after a call.
 */
import { latin1 } from './bytes.ts';
import { HEX, isBlank, isDecimal, LOWER_X, NO_DIGIT, ZERO } from './characters.ts';

/** Returns the index of the first byte that is not a blank. */
export function skipBlanks(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(bytes[at]!)) at++;
  return at;
}

/** Returns the index of the first blank, which is the end of the word at `from`. */
export function tokenEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && !isBlank(bytes[at]!)) at++;
  return at;
}

/** Returns the end of the decimal digits at `from`; `from` if there are none. */
export function decimalEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isDecimal(bytes[at]!)) at++;
  return at;
}

/** Returns the value of bytes[from, to), all of which are decimal digits. */
export function decimalOf(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = value * 10 + bytes[at]! - ZERO;
  return value;
}

/** Returns the end of the hexadecimal digits at `from`; `from` if there are none. */
export function hexEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && HEX[bytes[at]!] !== NO_DIGIT) at++;
  return at;
}

/** Returns the value of bytes[from, to), all of which are hexadecimal digits; at most 13 digits are exact. */
export function hexOf(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = value * 16 + HEX[bytes[at]!]!;
  return value;
}

/** The number that `readHex` found, as signed 32-bit halves. One object, because `readHex` is called per field and must not allocate. */
export const hex = { low: 0, high: 0, wide: false };

/** Reads hexadecimal digits into `hex` and returns their end; `from` if there are none. `wide` is set if they exceed 64 bits. */
export function readHex(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  let low = 0;
  let high = 0;
  hex.wide = false;
  for (; at < to; at++) {
    const digit = HEX[bytes[at]!]!;
    if (digit === NO_DIGIT) break;
    if (high >>> 28 !== 0) hex.wide = true;
    high = (high << 4) | (low >>> 28);
    low = (low << 4) | digit;
  }
  hex.low = low;
  hex.high = high;
  return at;
}

/** Returns the index after `0x` or `0X` at `from` if anything follows; otherwise `from`. */
export function skipHexPrefix(bytes: Uint8Array, from: number, to: number): number {
  return from + 2 < to && bytes[from] === ZERO && (bytes[from + 1]! | 0x20) === LOWER_X ? from + 2 : from;
}

/** True if bytes[from, to) equals an ASCII text. */
export function isText(bytes: Uint8Array, from: number, to: number, text: string): boolean {
  return to - from === text.length && startsWith(bytes, from, to, text);
}

/** True if bytes[from, to) starts with an ASCII text. */
export function startsWith(bytes: Uint8Array, from: number, to: number, text: string): boolean {
  if (to - from < text.length) return false;
  for (let k = 0; k < text.length; k++) if (bytes[from + k] !== text.charCodeAt(k)) return false;
  return true;
}

/** Returns bytes[from, to) as text, one character per byte. */
export function textOf(bytes: Uint8Array, from: number, to: number): string {
  // Most fields of most lines are empty.
  return to > from ? latin1(bytes.subarray(from, to)) : '';
}
