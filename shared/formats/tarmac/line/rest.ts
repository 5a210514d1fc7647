/**
 * Finds a record that begins inside the line of another one: writers print some effects behind others, and a lost line end joins lines.
 *
 *     R R1 00000007       ST 20000010 ........ ........ ........ 00000007    S:20000010    NM NSH
 *     109 ps IT (00000100:00000000) 00000100 2107 T16 MOVS r1,#7 109 ps R r1 00000007
 */
import {
  COLON,
  CR,
  HEX,
  isBlank,
  isDecimal,
  LOWER_X,
  LOWER_Z,
  MINUS,
  NO_DIGIT,
  OPEN,
  SPACE,
  TAB,
  UNDERSCORE,
  UPPER_B,
  UPPER_E,
  UPPER_I,
  UPPER_L,
  UPPER_M,
  UPPER_O,
  UPPER_R,
  UPPER_S,
  UPPER_W,
  UPPER_X,
  ZERO,
} from '../../../base/characters.ts';
import { hexEnd, skipBlanks, textOf, tokenEnd } from '../../../base/scan.ts';
import { KIND, MOVES } from '../../../records/record.ts';
import { OTHER, WORD } from '../codes.ts';
import { isCoreRegister } from './core-registers.ts';
import { clearLine, createLine, FAULT, type Line } from './line.ts';
import { MOST_ADDRESS_DIGITS } from './fields.ts';
import { isUnit, readPrefix } from './prefix.ts';

/** Minimum number of digits of the value or the address that shows that a word announces a record. Text rarely has as many. */
const SURE_DIGITS = 8;

const probe = createLine();
const timed = createLine();

/**
 * Takes bytes[from, to), which are not read yet, as the rest of a line: a record that begins in it becomes the line's `restAt`. Returns
 * the end of the text before that record, without trailing blanks; `to` if there is none.
 */
export function splitRest(bytes: Uint8Array, from: number, to: number, line: Line): number {
  line.restAt = nextRecord(bytes, from, to);
  return line.restAt === 0 ? to : endBefore(bytes, from, line.restAt);
}

/** Returns the end of bytes[from, to) without trailing blanks. */
export function endBefore(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  while (end > from && isBlank(bytes[end - 1]!)) end--;
  return end;
}

/**
 * Takes the words behind a value as the rest of a line. Returns false if the first of them could be a part of the value, or if the end of
 * the value is that of a time: `12345678 clk 0 IT` or `000678 clk 0 IT` behind an address whose data and line end are lost.
 */
export function takeWords(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  const at = skipBlanks(bytes, from, to);
  const end = splitRest(bytes, at, to, line);
  if (at >= end) return true;
  line.faults |= FAULT.extraWords;
  const wordEnd = tokenEnd(bytes, at, end);
  if (isDigits(bytes, at, wordEnd) || isUnit(bytes, at, wordEnd)) return false;
  let value = endBefore(bytes, line.wordEnd, from);
  while (value > line.wordEnd && !isBlank(bytes[value - 1]!)) value--;
  return !beginsWithTime(bytes, value, to);
}

/** Returns the start of the first record that announces itself at a word of bytes[from, to); 0 if there is none. */
export function nextRecord(bytes: Uint8Array, from: number, to: number): number {
  for (let at = skipBlanks(bytes, from, to); at < to;) {
    if (announces(bytes, at, to)) return at;
    const end = tokenEnd(bytes, at, to);
    // A physical address may follow the address behind a colon.
    const joined = hexEnd(bytes, at, end) - at >= SURE_DIGITS ? joinedWord(bytes, from, at, to) : 0;
    if (joined > 0) return joined;
    at = skipBlanks(bytes, end, to);
  }
  return 0;
}

/**
 * Returns the start of the word to which the address or value at `at` belongs if no blank precedes the word, as in `0000MW4 00040008`
 * and `LDRR r3 00000005`: lost bytes can join it to the text before it. Returns 0 if there is none in bytes[from, at).
 */
function joinedWord(bytes: Uint8Array, from: number, at: number, to: number): number {
  const end = endBefore(bytes, from, at);
  let word = end;
  while (word > from && end - word < LONGEST_WORD && !isBlank(bytes[word - 1]!)) {
    word--;
    if (JOINABLE[bytes[word]!] === 1 && announces(bytes, word, to) && MOVES[probe.kind] === 1) return word;
  }
  while (word > from && !isBlank(bytes[word - 1]!)) word--;
  const last = endBefore(bytes, from, word) - 1;
  return last > from && bytes[last] === UPPER_R && announces(bytes, last, to) ? last : 0;
}

/** Maximum length of the word of an access. */
const LONGEST_WORD = 8;
/** 1 for the first letters of the words of accesses. */
const JOINABLE = new Uint8Array(256);
for (const letter of [UPPER_B, UPPER_L, UPPER_M, UPPER_S, UPPER_W]) JOINABLE[letter] = 1;

/** True if a record begins in the text that ends at index `lf`. Tokens that announce nothing, which most are, cost no call. */
export function holdsRecord(bytes: Uint8Array, from: number, lf: number): boolean {
  const to = bytes[lf - 1] === CR ? lf - 1 : lf;
  for (let p = from; ;) {
    while (bytes[p] === SPACE || bytes[p] === TAB) p++;
    if (p >= to) return false;
    const at = p;
    while (p < to && bytes[p] !== SPACE && bytes[p] !== TAB) p++;
    const length = p - at;
    if (length >= SURE_DIGITS && HEX[bytes[at]!] !== NO_DIGIT) return nextRecord(bytes, from, to) > 0;
    if (((LENGTHS[bytes[at]!]! >> (length < LONG ? length : LONG)) & 1) === 1 && announces(bytes, at, to)) return true;
  }
}

/** By the first byte of a word or a time: bit k is set if it can have k characters, and bit LONG if it can have as many or more. */
const LENGTHS = new Uint8Array(256);
const LONG = 7;
for (const letter of [UPPER_E, UPPER_I, UPPER_L, UPPER_S]) LENGTHS[letter] = 1 << 2;
LENGTHS[UPPER_R] = (1 << 1) | (1 << 3);
LENGTHS[UPPER_W] = 1 << 3;
LENGTHS[UPPER_M] = ~7;
LENGTHS[UPPER_B] = (1 << 2) | (1 << LONG);
LENGTHS.fill(~0, ZERO, ZERO + 10);
LENGTHS[MINUS] = ~0;

/** Like `nextRecord`, for a line that is no record: only an effect on registers or memory counts in it. */
export function nextEffect(bytes: Uint8Array, from: number, to: number): number {
  let at = nextRecord(bytes, from, to);
  while (at > 0 && probe.kind !== KIND.register && MOVES[probe.kind] === 0)
    at = nextRecord(bytes, tokenEnd(bytes, at, to), to);
  return at;
}

/** True if the word at `at` announces a record. */
export function announces(bytes: Uint8Array, at: number, to: number): boolean {
  if (!isWordOrTime(bytes, at, tokenEnd(bytes, at, to))) return false;
  clearLine(probe);
  if (readPrefix(bytes, at, to, true, probe) === OTHER) return false;
  let next = skipBlanks(bytes, probe.wordEnd, to);
  // A time makes the record sure.
  const least = probe.timeEnd > probe.timeAt ? 1 : SURE_DIGITS;
  switch (probe.kind) {
    case KIND.register:
      return probe.timeEnd > probe.timeAt || announcesRegister(bytes, next, to);
    case KIND.read:
    case KIND.write:
    case KIND.fetch:
    case KIND['bus-read']:
    case KIND['bus-write']:
    case KIND['bus-fetch']: {
      // `(00000050:000000a8)` of RTL and `I_____ O_____ 0` of Fast Models' bus precede the address.
      for (const letter of [OPEN, UPPER_I, UPPER_O])
        if (bytes[next] === letter) next = skipBlanks(bytes, tokenEnd(bytes, next, to), to);
      if (next > probe.wordEnd + 1 && isDecimal(bytes[next]!) && isBlank(bytes[next + 1] ?? 0))
        next = skipBlanks(bytes, next + 1, to);
      if (bytes[next] === UPPER_X && isBlank(bytes[next + 1]!)) next = skipBlanks(bytes, next + 1, to);
      const end = hexEnd(bytes, next, to);
      if (end - next < least || end - next > MOST_ADDRESS_DIGITS || end >= to) return false;
      return bytes[end] === COLON || isBlank(bytes[end]!);
    }
    case KIND.instruction:
    case KIND.skipped:
      return bytes[next] === OPEN || hexEnd(bytes, next, to) - next >= SURE_DIGITS;
    case KIND.branch:
      return probe.native === WORD.BR && bytes[next] === OPEN;
    default:
      return false;
  }
}

/** True if what follows the word R can be a register's name and value, one or both of which may be damaged or lost. */
function announcesRegister(bytes: Uint8Array, from: number, to: number): boolean {
  if (beginsWithTime(bytes, from, to)) return true;
  const nameEnd = tokenEnd(bytes, from, to);
  if (isDigits(bytes, from, nameEnd) && !isCoreRegister(textOf(bytes, from, nameEnd))) return false;
  let value = skipBlanks(bytes, nameEnd, to);
  if (bytes[value] === OPEN) value = skipBlanks(bytes, tokenEnd(bytes, value, to), to);
  const end = tokenEnd(bytes, value, to);
  if (end - value >= SURE_DIGITS && isDigits(bytes, value, end)) return true;
  return beginsWithTime(bytes, value, to) || isCoreRegister(textOf(bytes, from, nameEnd));
}

/** True if the time, the unit and the word of a record are at `at`. */
export function beginsWithTime(bytes: Uint8Array, at: number, to: number): boolean {
  if (at >= to || !isDecimal(bytes[at]!)) return false;
  clearLine(timed);
  return readPrefix(bytes, at, to, false, timed) !== OTHER;
}

/** True if the token is a time, or has the first letter and the length of a word: most tokens of a text have not. */
function isWordOrTime(bytes: Uint8Array, at: number, end: number): boolean {
  return ((LENGTHS[bytes[at]!]! >> Math.min(end - at, LONG)) & 1) === 1;
}

/** True if bytes[from, to) consist of digits of a value, some of which may be unknown, and of their separators. */
function isDigits(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    const letter = byte | 0x20;
    if (HEX[byte] === NO_DIGIT && letter !== LOWER_X && letter !== LOWER_Z && byte !== UNDERSCORE && byte !== MINUS)
      return false;
  }
  return to > from;
}
