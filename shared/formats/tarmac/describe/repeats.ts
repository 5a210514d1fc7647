/**
 * Programs repeat themselves: apart from times, numbers, addresses and values, most lines of a trace are lines that were there before, and
 * what they describe is known.
 */
import {
  CLOSE,
  HEX,
  isBlank,
  isDecimal,
  NO_DIGIT,
  OPEN,
  SPACE,
  UPPER_F,
  UPPER_I,
  UPPER_M,
  UPPER_R,
  UPPER_S,
  UPPER_T,
  UPPER_W,
  ZERO,
} from '../../../base/characters.ts';
import type { Repeated } from '../../../format/format.ts';
import type { Batch } from '../../../records/batch.ts';
import { REGISTER } from '../codes.ts';
import type { Dialect } from '../line/line.ts';
import { trimLineEnd } from '../../../format/lines.ts';

/** Times of more digits may not be whole numbers. */
const MOST_DIGITS = 15;
/** Opcodes have at least as many digits, names of instruction sets fewer. */
const LEAST_OPCODE = 4;
/** Digits of 64 bits. */
const MOST_HEX = 16;

/** First byte of what stands for a line: which of its numbers are left out. */
const NONE = 0;
const NUMBER = 1;
const VALUE = 2;
const ADDRESS_AND_VALUE = 3;

/** Implements `Decoder.repeats`. All text of a line counts but the numbers that are left out, of which the lengths count. */
export function repeats(
  bytes: Uint8Array,
  from: number,
  to: number,
  batch: Batch,
  index: number,
  dialect: Dialect,
  out: Repeated,
): boolean {
  // The widths of two numbers and a byte for the form may be longer than the numbers.
  if (to - from + 3 > out.bytes.length) return false;
  let at = from;
  let shown = 0;
  while (at < to && isDecimal(bytes[at]!)) shown = 10 * shown + bytes[at++]! - ZERO;
  const digits = at - from;
  if (digits === 0 || digits > MOST_DIGITS || at >= to || bytes[at] !== SPACE || shown !== batch.time[index])
    return false;
  out.length = 1;
  out.hasValue = false;
  let open = at;
  while (open < to && bytes[open] !== OPEN) open++;
  if (open === to && dialect === 'qemu4v' && leaveOutValue(bytes, at, to, batch.native[index] === REGISTER, out))
    return true;
  out.bytes[0] = NONE;
  if (isNumbered(bytes, open, to, from, digits)) {
    out.bytes[0] = NUMBER;
    append(bytes, at, open + 1, out);
    at = open + 1 + digits;
  }
  append(bytes, at, to, out);
  return true;
}

function append(bytes: Uint8Array, from: number, to: number, out: Repeated): void {
  let { length } = out;
  for (let at = from; at < to; at++) out.bytes[length++] = bytes[at]!;
  out.length = length;
}

/**
 * Of `R r3 0030b816`, the value is left out; of `MR4 100f3658 0030b816`, the address too. Returns false for lines in any other form, such as
 * with a bank or other attributes.
 */
function leaveOutValue(bytes: Uint8Array, from: number, lineEnd: number, isRegister: boolean, out: Repeated): boolean {
  const to = trimLineEnd(bytes, from, lineEnd);
  const value = hexStart(bytes, from, to);
  if (value < 0) return false;
  const before = value - 1;
  let word = isRegister ? tokenStart(bytes, from, before) : hexStart(bytes, from, before);
  if (word < 0) return false;
  const kept = word;
  word = tokenStart(bytes, from, word - 1);
  if (word < 0) return false;
  const width = to - value;
  const address = before - kept;
  if (isRegister) {
    if (kept - word !== 2 || bytes[word] !== UPPER_R) return false;
  } else {
    const size = bytes[word + 2]! - ZERO;
    const isMove = bytes[word] === UPPER_M && (bytes[word + 1] === UPPER_R || bytes[word + 1] === UPPER_W);
    if (kept - word !== 4 || !isMove || width !== 2 * size || (address !== 8 && address !== MOST_HEX)) return false;
  }
  out.bytes[0] = isRegister ? VALUE : ADDRESS_AND_VALUE;
  append(bytes, from, isRegister ? value : kept, out);
  out.bytes[out.length++] = width;
  if (!isRegister) out.bytes[out.length++] = address;
  append(bytes, to, lineEnd, out);
  out.hasValue = true;
  out.low = halfOf(bytes, Math.max(value, to - 8), to);
  out.high = halfOf(bytes, value, Math.max(value, to - 8));
  return true;
}

/** Returns the start of the hexadecimal digits, at most 16, that end at `to` and follow a blank; -1 if there are none. */
function hexStart(bytes: Uint8Array, from: number, to: number): number {
  let at = to;
  while (at > from && HEX[bytes[at - 1]!] !== NO_DIGIT) at--;
  return at < to && to - at <= MOST_HEX && at > from && bytes[at - 1] === SPACE ? at : -1;
}

/** Returns the start of the token that ends at `to` and follows a blank; -1 if there is none. */
function tokenStart(bytes: Uint8Array, from: number, to: number): number {
  let at = to;
  while (at > from && !isBlank(bytes[at - 1]!)) at--;
  return at < to && at > from && bytes[at - 1] === SPACE ? at : -1;
}

function halfOf(bytes: Uint8Array, from: number, to: number): number {
  let half = 0;
  for (let at = from; at < to; at++) half = (half << 4) | HEX[bytes[at]!]!;
  return half >>> 0;
}

/** True if the parenthesis follows IT, IS or IF, holds the digits at `time` alone, and an address and an opcode follow it. */
function isNumbered(bytes: Uint8Array, open: number, to: number, time: number, digits: number): boolean {
  const close = open + 1 + digits;
  if (close >= to || bytes[close] !== CLOSE) return false;
  const word = bytes[open - 2];
  if (bytes[open - 1] !== SPACE || (word !== UPPER_T && word !== UPPER_S && word !== UPPER_F)) return false;
  if (bytes[open - 3] !== UPPER_I || bytes[open - 4] !== SPACE) return false;
  for (let i = 0; i < digits; i++) if (bytes[open + 1 + i] !== bytes[time + i]) return false;
  // Without an opcode, the number in parentheses may be the address.
  const address = tokenAfter(bytes, close + 1, to);
  const opcode = tokenAfter(bytes, address, to);
  return address > 0 && opcode > 0 && opcode - address > LEAST_OPCODE;
}

/** Returns the end of the token after one blank; -1 if there is none. */
function tokenAfter(bytes: Uint8Array, at: number, to: number): number {
  if (at < 0 || at + 1 >= to || bytes[at] !== SPACE || isBlank(bytes[at + 1]!)) return -1;
  let end = at + 1;
  while (end < to && !isBlank(bytes[end]!)) end++;
  return end;
}
