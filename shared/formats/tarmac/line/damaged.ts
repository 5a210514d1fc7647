/**
 * Reads lines that have the shape of an effect but no readable word, or no readable register, so that no older value remains:
 *
 *     3 clk Mx4 20000010 00000011     may have written the four bytes
 *     4 clk ? r0 00000011             set r0
 *     4 clk R 00000011                set some register
 *
 * The bytes or the register are unknown after the line. Lines without a time must begin with a blank, as the writers print them.
 */
import {
  COLON,
  DOT,
  HASH,
  HEX,
  isBlank,
  isDecimal,
  LOWER_X,
  LOWER_Z,
  MINUS,
  NO_DIGIT,
  OPEN,
  UNDERSCORE,
  UPPER_I,
  UPPER_O,
} from '../../../base/characters.ts';
import { KIND } from '../../../records/record.ts';
import { isRegisterName } from '../../../records/registers.ts';
import { isText, skipBlanks, textOf, tokenEnd } from '../../../base/scan.ts';
import { OTHER, REGISTER, WORD } from '../codes.ts';
import { isCoreRegister } from './core-registers.ts';
import { clearLine, FAULT, type Line, MARK } from './line.ts';
import { clearAddress, readAddress } from './fields.ts';
import { readPrefix, readTime } from './prefix.ts';
import { loseRegister } from './registers.ts';
import { beginsWithTime, recordIn, splitRest } from './rest.ts';

/** Minimum number of digits of an address and of a register's value. Text rarely has as many. */
const SURE_DIGITS = 8;
/** Largest number of bytes that a line shows. */
const MOST_BYTES = 64;
/** A source, and a word that a blank splits. */
const MOST_WORDS = 3;
/** Largest number of words and operands before an address. */
const MOST_TOKENS = 8;
/** Maximum length of a damaged `R`. */
const LONGEST_R = 2;
/** Minimum length of a word of RTL, before which a number in parentheses can precede the address. */
const SHORTEST_RTL = 7;

/** Registers whose values have several groups of digits. */
const WIDE = /^R?[xvqz]\d/i;
/** Words of a read: the direction is readable. Reads change nothing. */
const READ = /^(?:.{0,2}R[^W]*|L.?|[^_]?D)$/;

/** The word of a write and its address without a blank between. */
const JOINED = /^(?:[MB]\w{0,2})?W\w*[\da-f]{8}$/i;

/** Reads bytes[from, to) into `line`. Returns false if the line does not have the shape of an effect. */
export function readDamaged(bytes: Uint8Array, from: number, to: number, untimed: boolean, line: Line): boolean {
  clearLine(line);
  const first = skipBlanks(bytes, from, to);
  const isTimed = isDecimal(bytes[first] ?? 0) || bytes[first] === MINUS;
  const isApart = first > from || isText(bytes, first, to, 'R');
  const start = isTimed ? readTime(bytes, first, to, line) : untimed && isApart ? first : -1;
  if (start < 0) return false;
  // A line without a unit may be whole otherwise.
  if (isTimed && recordIn(bytes, line.unitAt, to) >= 0) return false;
  if (readPrefix(bytes, from, to, untimed, line) !== OTHER) return false;
  if (isText(bytes, line.wordAt, line.wordEnd, 'R')) {
    loseRegister(bytes, to, line);
    return true;
  }
  /** Number of words before the current one that can be a source or the damaged word, and the last of them. */
  let words = 0;
  let wordAt = start;
  let wordEnd = start;
  let left = MOST_TOKENS;
  for (let at = start; at < to && left-- > 0; at = skipBlanks(bytes, tokenEnd(bytes, at, to), to)) {
    const end = tokenEnd(bytes, at, to);
    if (recordIn(bytes, at, to) >= 0) return false;
    if (isAddress(bytes, at, to, line)) {
      const size = sizeOfData(bytes, skipBlanks(bytes, end, to), to, wordEnd - wordAt);
      const word = textOf(bytes, wordAt, wordEnd);
      if (size === 0 || READ.test(word) || (words === 0 && !isTimed)) return false;
      takeWord(line, wordAt, wordEnd, words);
      line.native = WORD['?'];
      line.kind = KIND.write;
      line.hasAddress = true;
      line.size = size;
      splitRest(bytes, end, to, line);
      return true;
    }
    if (JOINED.test(textOf(bytes, at, end))) {
      line.kind = KIND.write;
      return false;
    }
    line.wordAt = wordAt;
    line.wordEnd = wordEnd;
    if (readName(bytes, at, to, line, textOf(bytes, wordAt, wordEnd), words)) return true;
    if (isOperand(bytes, at, wordEnd - wordAt)) continue;
    if (++words > MOST_WORDS) return false;
    wordAt = at;
    wordEnd = end;
  }
  return false;
}

/** Reads a register's name at `at`, which a note and a value must follow. */
function readName(bytes: Uint8Array, at: number, to: number, line: Line, word: string, words: number): boolean {
  const end = tokenEnd(bytes, at, to);
  const note = skipBlanks(bytes, end, to);
  const noteEnd = bytes[note] === OPEN ? tokenEnd(bytes, note, to) : end;
  const value = skipBlanks(bytes, noteEnd, to);
  const name = textOf(bytes, at, end);
  const mayBeR = words > 0 && (word.length <= LONGEST_R || word.startsWith('R'));
  const isJoined = /^R[A-Za-z]/.test(name) && (isCoreRegister(name.slice(1)) || (noteEnd > end && !mayBeR));
  // The value may be lost with the line end, and the next record follows.
  const isLost = line.timeEnd > line.timeAt && (value >= to || beginsWithTime(bytes, value, to));
  if (isLost) {
    if (!isJoined && !(mayBeR && isCoreRegister(name))) return false;
  } else if (!isValue(bytes, value, to, /^R?p\d/i.test(name) ? 2 : SURE_DIGITS)) return false;
  const next = skipBlanks(bytes, tokenEnd(bytes, value, to), to);
  // The word of an access that lacks a character, such as `M4`, precedes an address and data.
  if (!isLost && !WIDE.test(name) && dataEnd(bytes, next, to) - next > 1) return false;
  // Without a value, the lost bytes may begin within the name.
  if (!isLost && !isJoined && isRegisterName(name) && (isCoreRegister(name) || mayBeR || noteEnd > end)) {
    takeWord(line, line.wordAt, line.wordEnd, words);
    line.native = REGISTER;
    line.kind = KIND.register;
    line.nameAt = at;
    line.nameEnd = end;
    if (noteEnd > end) {
      line.noteAt = note + 1;
      line.noteEnd = noteEnd - 1;
    }
    splitRest(bytes, noteEnd, to, line);
    return true;
  }
  // The name follows the word without a blank, or neither can be read.
  if (!isJoined && !mayBeR) return false;
  takeWord(line, at, end, words + 1);
  loseRegister(bytes, to, line);
  return true;
}

/** Takes the damaged word; a source precedes it if it is the second one. */
function takeWord(line: Line, wordAt: number, wordEnd: number, words: number): void {
  if (words < 2) {
    line.cpu = -1;
    line.cpuAt = line.cpuEnd = 0;
  }
  line.size = line.attributeAt = 0;
  line.wordAt = wordAt;
  line.wordEnd = wordEnd;
  line.marks = MARK.unknown;
  line.faults = (words < 2 ? 0 : line.faults & FAULT.cpuRange) | FAULT.lostWord;
}

function isAddress(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  const isRead = readAddress(bytes, at, to, line) >= 0 && line.addressEnd - line.addressAt >= SURE_DIGITS;
  if (!isRead) clearAddress(line);
  return isRead;
}

/** Returns the number of bytes that groups of digits of the same length show; 0 if they are none. */
function sizeOfData(bytes: Uint8Array, from: number, to: number, word: number): number {
  const group = dataEnd(bytes, from, to) - from;
  if (group < 2) return 0;
  let digits = 0;
  let at = from;
  while (at < to && dataEnd(bytes, at, to) - at === group) {
    digits += group;
    at = skipBlanks(bytes, at + group, to);
  }
  // An event has numbers and a name.
  if (at < to && word < 2) return 0;
  return Math.min(MOST_BYTES, (digits + 1) >>> 1);
}

/** Returns the end of a group of digits, in which signs stand for unknown bytes and for those that were not accessed; -1 if it is none. */
function dataEnd(bytes: Uint8Array, from: number, to: number): number {
  const end = tokenEnd(bytes, from, to);
  for (let at = from; at < end; at++) if (!isDigit(bytes[at]!) && bytes[at] !== DOT && bytes[at] !== HASH) return -1;
  return end;
}

function isValue(bytes: Uint8Array, from: number, to: number, least: number): boolean {
  const end = tokenEnd(bytes, from, to);
  for (let at = from; at < end; at++) if (!isDigit(bytes[at]!) && bytes[at] !== COLON) return false;
  return end - from >= least;
}

function isDigit(byte: number): boolean {
  const letter = byte | 0x20;
  return HEX[byte] !== NO_DIGIT || letter === LOWER_X || letter === LOWER_Z || byte === MINUS || byte === UNDERSCORE;
}

/** True for what can precede an address: `(00000050:000000a8)` of RTL, `I_____ O_____ 0` of a bus, X of an exclusive access. */
function isOperand(bytes: Uint8Array, at: number, word: number): boolean {
  const first = bytes[at]!;
  if (first === OPEN) return word >= SHORTEST_RTL;
  const isBus = first === UPPER_I || first === UPPER_O;
  const isSingle = isBlank(bytes[at + 1] ?? 0) && (isDecimal(first) || (first | 0x20) === LOWER_X);
  return word > 0 && (isBus || isSingle);
}
