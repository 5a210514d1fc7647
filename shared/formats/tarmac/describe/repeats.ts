/**
 * Programs repeat themselves: apart from times, numbers, addresses and values, most lines of a trace are lines that were there before, and
 * what they describe is known.
 *
 *     53 clk cpu0 IT (53) 00008068 e59f0060 A svc_s : LDR r0,[pc,#0x60]        time and number are left out
 *     53 clk MR4 07ffefd0:000007ffefd0 10000800                                time, addresses and value are left out
 *        R R13 (USR) 07fff000                                                  the value is left out
 */
import {
  CLOSE,
  COLON,
  HEX,
  isBlank,
  isDecimal,
  NO_DIGIT,
  OPEN,
  SPACE,
  UNDERSCORE,
  UPPER_D,
  UPPER_F,
  UPPER_I,
  UPPER_L,
  UPPER_M,
  UPPER_N,
  UPPER_R,
  UPPER_S,
  UPPER_T,
  ZERO,
} from '../../../base/characters.ts';
import { hexEnd, hexOf } from '../../../base/scan.ts';
import { trimLineEnd } from '../../../format/lines.ts';
import {
  appendBytes,
  appendDigits,
  appendHexToWord,
  appendLetters,
  appendToWord,
  KEY_BYTES,
  type Repeated,
  startKey,
  startWord,
  takeDigits,
  takeMoved,
} from '../../../format/repeated.ts';
import { FLAG, type Batch } from '../../../records/batch.ts';
import { OTHER, REGISTER, WORD } from '../codes.ts';
import type { Reading } from './describe.ts';

/** Times of more digits may not be whole numbers. */
const MOST_DIGITS = 15;
/** Opcodes have at least as many digits, names of instruction sets fewer. */
const LEAST_OPCODE = 4;
/** Digits of 64 bits. */
const MOST_HEX = 16;
/** Physical addresses of more digits may not fit a double. */
const MOST_PHYSICAL = 13;
/** Bytes of a key beyond those of the line: its form and the widths of three numbers. */
const EXTRA = 4;

/** First byte of what stands for a line: which of its numbers are left out. */
const NONE = 0;
/** The number of the instruction, which is its time. */
const NUMBER = 1;
const OTHER_NUMBER = 2;
const VALUE = 3;
const ACCESS = 4;

/** Implements `Decoder.repeats`. All text of a line counts but the numbers that are left out, of which the lengths count. */
export function repeats(
  bytes: Uint8Array,
  from: number,
  to: number,
  batch: Batch,
  index: number,
  reading: Reading,
  out: Repeated,
): boolean {
  if (to - from + EXTRA > KEY_BYTES) return false;
  let time = from;
  while (time < to && bytes[time] === SPACE) time++;
  let at = time;
  let shown = 0;
  while (at < to && isDecimal(bytes[at]!)) shown = 10 * shown + bytes[at++]! - ZERO;
  const digits = at - time;
  const native = batch.native[index]!;
  if (digits === 0) {
    // A line without word and time continues another one.
    const isCertain = (batch.flags[index]! & FLAG.timeAssumed) !== 0 && native !== OTHER;
    if (!isCertain || (isShown(native) && !isLoadOrStore(bytes, time))) return false;
    at = Math.max(from, time - 1);
  } else if (digits > MOST_DIGITS || at >= to || bytes[at] !== SPACE || shown !== batch.time[index]) return false;
  if (native === REGISTER && takeRegister(bytes, at, to, out)) return true;
  if ((batch.flags[index]! & FLAG.value) !== 0 && takeAccess(bytes, at, to, batch, index, reading, out)) return true;
  startKey(out, NONE);
  let open = at;
  while (open < to && bytes[open] !== OPEN) open++;
  if (digits > 0 && open < to && hasNumber(native)) {
    const numberEnd = takeNumber(bytes, at, open, to, time, digits, out);
    // Whether a number is a mark depends on the time.
    at = numberEnd < 0 ? time : numberEnd;
  }
  appendBytes(out, bytes, at, to);
  return true;
}

/** False for codes of lines whose parentheses never hold the number of an instruction. */
function hasNumber(native: number): boolean {
  return native !== WORD.ES && native !== WORD.BR && native !== REGISTER;
}

/** True for codes of lines that show the accessed bytes among others. */
function isShown(native: number): boolean {
  return native === WORD.LD || native === WORD.ST;
}

function isLoadOrStore(bytes: Uint8Array, at: number): boolean {
  const [first, second] = [bytes[at], bytes[at + 1]];
  return (first === UPPER_L && second === UPPER_D) || (first === UPPER_S && second === UPPER_T);
}

/** Of `R r3 0030b816` and `R R3 (USR) 0030b816`, the value is left out. Returns false for lines in any other form. */
function takeRegister(bytes: Uint8Array, from: number, lineEnd: number, out: Repeated): boolean {
  const to = trimLineEnd(bytes, from, lineEnd);
  const value = hexStart(bytes, from, to);
  if (value < 0) return false;
  let name = tokenStart(bytes, from, value - 1);
  if (name >= 0 && bytes[name] === OPEN) name = tokenStart(bytes, from, name - 1);
  if (name < 0) return false;
  const word = tokenStart(bytes, from, name - 1);
  if (name - word !== 2 || bytes[word] !== UPPER_R) return false;
  startKey(out, VALUE);
  out.bytes[out.length++] = to - value;
  appendBytes(out, bytes, from, value);
  appendBytes(out, bytes, to, lineEnd);
  takeDigits(out, bytes, value, to);
  return true;
}

/**
 * Of `MR4 07ffefd0:000007ffefd0 10000800`, addresses and value are left out, and of LD and ST lines too. Returns false for lines in any other
 * form.
 */
function takeAccess(
  bytes: Uint8Array,
  from: number,
  to: number,
  batch: Batch,
  index: number,
  { endian }: Reading,
  out: Repeated,
): boolean {
  const isLane = isShown(batch.native[index]!);
  const address = addressStart(bytes, from, to, isLane);
  if (address < 0) return false;
  const addressEnd = hexEnd(bytes, address, to);
  const width = addressEnd - address;
  const low = hexOf(bytes, addressEnd - 8, addressEnd);
  const high = width === 8 ? 0 : hexOf(bytes, address, addressEnd - 8);
  const offset = batch.addressLow[index]! - low;
  const isItsOwn = offset >= 0 && offset < (isLane ? MOST_HEX : 1) && high === batch.addressHigh[index];
  startKey(out, ACCESS);
  if (!isItsOwn || !takeMoved(out, batch, index, endian === 'big')) return false;
  out.bytes[out.length++] = width;
  appendBytes(out, bytes, from, address);
  let at = addressEnd;
  if (bytes[at] === COLON) {
    at = takePhysical(bytes, at + 1, to, offset, out);
    if (at < 0) return false;
  }
  // The data are the tokens with the digits of the size.
  for (let left = 2 * batch.size[index]!; left > 0;) {
    const data = at;
    while (at < to && !isDataByte(bytes[at]!)) at++;
    while (at < to && isDataByte(bytes[at]!)) at++;
    if (at === data) return false;
    left -= appendDigits(out, bytes, data, at);
    if (left < 0) return false;
  }
  if (isLane) {
    let colon = at;
    while (colon < to && bytes[colon] !== COLON) colon++;
    if (colon < to) {
      if (bytes[colon - 1] !== UPPER_S || !(isBlank(bytes[colon - 2]!) || bytes[colon - 2] === UPPER_N)) return false;
      appendBytes(out, bytes, at, colon);
      at = takePhysical(bytes, colon + 1, to, offset, out);
      if (at < 0) return false;
    }
  }
  appendBytes(out, bytes, at, to);
  return true;
}

/** Returns the start of a token of 8 or 16 digits, and perhaps a colon, behind the word of an access; -1 if there is none. */
function addressStart(bytes: Uint8Array, from: number, to: number, isLane: boolean): number {
  for (let at = from; at < to; at++) {
    if (bytes[at] !== SPACE || isBlank(bytes[at + 1]!)) continue;
    const word = at + 1;
    if (isLane ? !isLoadOrStore(bytes, word) : bytes[word] !== UPPER_M) continue;
    while (++at < to && !isBlank(bytes[at]!));
    const address = at + 1;
    const end = hexEnd(bytes, address, to);
    const isWhole = end - address === 8 || end - address === MOST_HEX;
    return isWhole && end < to && (isBlank(bytes[end]!) || bytes[end] === COLON) ? address : -1;
  }
  return -1;
}

/** Leaves out a physical address, and returns its end; -1 if it may be none. */
function takePhysical(bytes: Uint8Array, from: number, to: number, offset: number, out: Repeated): number {
  const end = hexEnd(bytes, from, to);
  if (end === from || end - from > MOST_PHYSICAL || end >= to) return -1;
  if (!isBlank(bytes[end]!) && bytes[end] !== UNDERSCORE) return -1;
  startWord(out, 'pa-0x');
  if (offset === 0) appendHexToWord(out, bytes, from, end);
  else appendLetters(out, (hexOf(bytes, from, end) + offset).toString(16));
  out.bytes[out.length++] = COLON;
  return end;
}

function isDataByte(byte: number): boolean {
  return HEX[byte] !== NO_DIGIT || byte === UNDERSCORE;
}

/** Returns the start of the hexadecimal digits, at most 16, that end at `to` and follow a blank; -1 if there are none. */
function hexStart(bytes: Uint8Array, from: number, to: number): number {
  let at = to;
  while (at > from && HEX[bytes[at - 1]!] !== NO_DIGIT) at--;
  return at < to && to - at <= MOST_HEX && at > from && bytes[at - 1] === SPACE ? at : -1;
}

/** Returns the start of the token that ends at `to` and follows a blank, or the start of the line; -1 if there is none. */
function tokenStart(bytes: Uint8Array, from: number, to: number): number {
  let at = to;
  while (at > from && !isBlank(bytes[at - 1]!)) at--;
  return at < to && at > from && bytes[at - 1] === SPACE ? at : -1;
}

/**
 * Leaves the number of an instruction out if the parenthesis at `open` follows IT, IS or IF, and an address and an opcode follow it: `(486)`,
 * `(00009c48:000001e6)`. Returns the start of the bytes that are not in the key yet; -1 if the line has another form.
 */
function takeNumber(
  bytes: Uint8Array,
  from: number,
  open: number,
  to: number,
  time: number,
  timeDigits: number,
  out: Repeated,
): number {
  const word = bytes[open - 2];
  if (bytes[open - 1] !== SPACE || (word !== UPPER_T && word !== UPPER_S && word !== UPPER_F)) return -1;
  if (bytes[open - 3] !== UPPER_I || bytes[open - 4] !== SPACE) return -1;
  let number = open + 1;
  let close = hexEnd(bytes, number, to);
  if (bytes[close] === COLON && close > number) {
    number = close + 1;
    close = hexEnd(bytes, number, to);
  }
  const digits = close - number;
  if (digits === 0 || digits > MOST_HEX || bytes[close] !== CLOSE) return -1;
  // Without an opcode, the number in parentheses may be the address.
  const address = tokenAfter(bytes, close + 1, to);
  const opcode = tokenAfter(bytes, address, to);
  if (address < 0 || opcode < 0 || opcode - address <= LEAST_OPCODE) return -1;
  let same = 0;
  if (digits === timeDigits) while (same < digits && bytes[number + same] === bytes[time + same]) same++;
  const isTime = same === digits;
  out.bytes[0] = isTime ? NUMBER : OTHER_NUMBER;
  if (!isTime) {
    startWord(out, 'number-');
    appendToWord(out, bytes, number, close);
  }
  appendBytes(out, bytes, from, number);
  return close;
}

/** Returns the end of the token after one blank; -1 if there is none. */
function tokenAfter(bytes: Uint8Array, at: number, to: number): number {
  if (at < 0 || at + 1 >= to || bytes[at] !== SPACE || isBlank(bytes[at + 1]!)) return -1;
  let end = at + 1;
  while (end < to && !isBlank(bytes[end]!)) end++;
  return end;
}
