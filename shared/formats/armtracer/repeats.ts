/**
 * Programs repeat themselves: apart from time stamps, addresses and values, most lines of a trace are lines that were there before, and what
 * they describe is known.
 *
 *     T 0000001A  MNR4O___ 00008000 E28F8090     time stamp, address and value are left out
 *     R r14=20000060, cpsr=200000d3              what follows the first name is left out
 */
import { COMMA, EQUALS, isDecimal, isLetter, SPACE, UPPER_R, UPPER_T } from '../../base/characters.ts';
import { hexEnd, tokenEnd } from '../../base/scan.ts';
import { trimLineEnd } from '../../format/lines.ts';
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
} from '../../format/repeated.ts';
import { FLAG, type Batch } from '../../records/batch.ts';
import { CODE } from './codes.ts';
import { ADDRESS_DIGITS, WORD_DIGITS } from './line.ts';

/** First byte of what stands for a line: what is left out. */
const NONE = 0;
const ACCESS = 1;
const REGISTERS = 2;
/** `T 0000001A  ` */
const STAMP = 12;
/** The words of longer register lists may not fit: each has the list, and one as JSON, which is twice as long. */
const MOST_LIST = 150;

/** Implements `Decoder.repeats`. */
export function repeats(
  bytes: Uint8Array,
  from: number,
  to: number,
  batch: Batch,
  index: number,
  little: boolean,
  out: Repeated,
): boolean {
  if (to - from + 1 > KEY_BYTES || batch.native[index] === CODE.OTHER) return false;
  const at = afterStamp(bytes, from, to);
  const isList = batch.native[index] === CODE.R && (batch.flags[index]! & FLAG.malformed) === 0;
  if (isList && takeRegisters(bytes, at, to, out)) return true;
  if ((batch.flags[index]! & FLAG.value) !== 0 && takeAccess(bytes, at, to, batch, index, little, out)) return true;
  startKey(out, NONE);
  appendBytes(out, bytes, at, to);
  return true;
}

/** Returns the start of the word after a time stamp, or after the blanks in its place. */
function afterStamp(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  if (bytes[at] === UPPER_T && bytes[at + 1] === SPACE && hexEnd(bytes, at + 2, to) === at + STAMP - 2) at += STAMP - 2;
  while (at < to && bytes[at] === SPACE) at++;
  return at;
}

/** Leaves out address and value of an access in exactly the form that its writers print. */
function takeAccess(
  bytes: Uint8Array,
  from: number,
  to: number,
  batch: Batch,
  index: number,
  little: boolean,
  out: Repeated,
): boolean {
  const word = tokenEnd(bytes, from, to);
  const address = word + 1;
  const data = address + ADDRESS_DIGITS + 1;
  if (hexEnd(bytes, address, to) !== data - 1 || bytes[data - 1] !== SPACE) return false;
  startKey(out, ACCESS);
  if (!takeMoved(out, batch, index, !little)) return false;
  appendBytes(out, bytes, from, word);
  let end = hexEnd(bytes, data, to);
  let second = end;
  if (batch.size[index] === 8) {
    second = end + 1;
    end = hexEnd(bytes, second, to);
    if (second - data !== WORD_DIGITS + 1 || end - second !== WORD_DIGITS) return false;
    // Double words are also in the text.
    startWord(out, '');
    appendToWord(out, bytes, data, end);
  }
  if (end === second && end === data) return false;
  appendDigits(out, bytes, data, end);
  appendBytes(out, bytes, end, to);
  return true;
}

/** Leaves out all of a list but its first name. Returns false for lists in another form. */
function takeRegisters(bytes: Uint8Array, from: number, lineEnd: number, out: Repeated): boolean {
  const to = trimLineEnd(bytes, from, lineEnd);
  if (bytes[from] !== UPPER_R || bytes[from + 1] !== SPACE || to - from > MOST_LIST) return false;
  startKey(out, REGISTERS);
  startWord(out, '');
  let at = from + 2;
  let value = 0;
  for (;;) {
    const name = at;
    while (at < to && (isLetter(bytes[at]!) || isDecimal(bytes[at]!))) at++;
    if (at === name || bytes[at] !== EQUALS) return false;
    const digits = at + 1;
    at = hexEnd(bytes, digits, to);
    if (at - digits !== WORD_DIGITS) return false;
    if (value === 0) value = digits;
    else {
      appendLetters(out, ',["');
      appendToWord(out, bytes, name, digits - 1);
      appendLetters(out, '",');
    }
    // As JSON prints the list.
    appendLetters(out, '"0x');
    appendHexToWord(out, bytes, digits, at);
    appendLetters(out, '"]');
    if (at === to) break;
    if (bytes[at] !== COMMA || bytes[at + 1] !== SPACE) return false;
    at += 2;
  }
  appendBytes(out, bytes, from, value);
  appendBytes(out, bytes, to, lineEnd);
  takeDigits(out, bytes, value, value + WORD_DIGITS);
  startWord(out, '');
  appendToWord(out, bytes, value - 1, to);
  return true;
}
