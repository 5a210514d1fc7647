/**
 * Finds a record that begins inside the line of another one: writers print some effects behind others, and a lost line end joins lines.
 *
 *     R R1 00000007       ST 20000010 ........ ........ ........ 00000007    S:20000010    NM NSH
 *     109 ps IT (00000100:00000000) 00000100 2107 T16 MOVS r1,#7 109 ps R r1 00000007
 */
import {
  COLON,
  CR,
  DOT,
  HEX,
  isBlank,
  isDecimal,
  isLetter,
  LOWER_X,
  LOWER_Z,
  MINUS,
  NO_DIGIT,
  OPEN,
  SPACE,
  TAB,
  UNDERSCORE,
  UPPER_A,
  UPPER_B,
  UPPER_D,
  UPPER_E,
  UPPER_F,
  UPPER_I,
  UPPER_L,
  UPPER_M,
  UPPER_O,
  UPPER_P,
  UPPER_R,
  UPPER_S,
  UPPER_W,
  UPPER_X,
  ZERO,
} from '../../../base/characters.ts';
import { decimalEnd, hexEnd, skipBlanks, startsWith, textOf, tokenEnd } from '../../../base/scan.ts';
import { KIND, MOVES } from '../../../records/record.ts';
import { isRtlCode, OTHER, WORD } from '../codes.ts';
import { isRegisterName } from '../../../records/registers.ts';
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
  line.restAt = Math.max(0, nextRecord(bytes, from, to));
  return line.restAt === 0 ? to : endBefore(bytes, from, line.restAt);
}

/** Returns the end of bytes[from, to) without trailing blanks. */
export function endBefore(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  while (end > from && isBlank(bytes[end - 1]!)) end--;
  return end;
}

/**
 * Takes the words behind a value as the rest of a line. Returns false if the first of them could be a part of the value or of the start of
 * the next line, which shows that bytes are lost before it, or if the end of the value is that of a time: `12345678 clk 0 IT` or
 * `000678 clk 0 IT` behind an address whose data and line end are lost.
 */
export function takeWords(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  const at = skipBlanks(bytes, from, to);
  const end = splitRest(bytes, at, to, line);
  if (at >= end) return true;
  line.faults |= FAULT.extraWords;
  const wordEnd = tokenEnd(bytes, at, end);
  if (isDigits(bytes, at, wordEnd) || isUnit(bytes, at, wordEnd)) return false;
  if (isSource(bytes, at, wordEnd) || namesRecord(bytes, at, end)) return false;
  // E and FD are words too.
  let value = endBefore(bytes, line.wordEnd, from);
  const last = bytes[value - 1];
  if (last === UPPER_E || (last === UPPER_D && bytes[value - 2] === UPPER_F)) return false;
  while (value > line.wordEnd && !isBlank(bytes[value - 1]!)) value--;
  return !beginsWithTime(bytes, value, to);
}

/** True if the word of a record, perhaps behind a source, is at `at`. */
function namesRecord(bytes: Uint8Array, at: number, to: number): boolean {
  clearLine(timed);
  return readPrefix(bytes, at, to, true, timed) !== OTHER;
}

/** True if the word of a record, without a source or a time before it, is at `at`. */
export function isWordAt(bytes: Uint8Array, at: number, to: number): boolean {
  return namesRecord(bytes, at, to) && timed.wordAt === at;
}

/** True for the name of a processor, such as `cpu0` and `css.core1`. */
function isSource(bytes: Uint8Array, from: number, to: number): boolean {
  return startsWith(bytes, from, to, 'cpu') || (isLetter(bytes[from]!) && textOf(bytes, from, to).includes('.'));
}

/** Returns the start of the first record that announces itself at or within a word of bytes[from, to); -1 if there is none. */
export function nextRecord(bytes: Uint8Array, from: number, to: number): number {
  for (let at = skipBlanks(bytes, from, to); at < to;) {
    const end = tokenEnd(bytes, at, to);
    if (isWordOrTime(bytes, at, end, to) && announces(bytes, at, to)) return at;
    const joined = joinedWord(bytes, at, end, to);
    if (joined >= 0) return joined;
    at = skipBlanks(bytes, end, to);
  }
  return -1;
}

/** Returns the start of a record that announces itself at the word at `at` or within it; -1 if there is none. */
export function recordIn(bytes: Uint8Array, at: number, to: number): number {
  return announces(bytes, at, to) ? at : joinedWord(bytes, at, tokenEnd(bytes, at, to), to);
}

/**
 * Returns the start of the word of an effect or an instruction to which lost bytes joined the text before it, as in `0000MW4 00040008`,
 * `LDRR r3 00000005` and `r1IT (53)`; -1 if bytes[from, end) do not end with one.
 */
function joinedWord(bytes: Uint8Array, from: number, end: number, to: number): number {
  // Most words end with a small letter or a sign.
  if (WORD_ENDS[bytes[end - 1]!] === 0) return -1;
  for (let word = Math.max(from + 1, end - LONGEST_WORD); word < end - 1; word++)
    if (JOINABLE[bytes[word]!] === 1 && announces(bytes, word, to) && MOVES[probe.kind] === 1) return word;
  const last = end - 1;
  if (last - 1 > from && bytes[last - 1] === UPPER_I && executes(bytes, end, to) && announces(bytes, last - 1, to))
    return last - 1;
  return last > from && bytes[last] === UPPER_R && setsRegister(bytes, end, to) && announces(bytes, last, to)
    ? last
    : -1;
}

/** True if an address or opcode of an instruction is at `from`, or behind a number in parentheses. */
function executes(bytes: Uint8Array, from: number, to: number): boolean {
  let at = skipBlanks(bytes, from, to);
  if (bytes[at] === OPEN) at = skipBlanks(bytes, tokenEnd(bytes, at, to), to);
  return hexEnd(bytes, at, to) - at >= SURE_DIGITS;
}

/** True if the name of a register and digits of a value, but no time, are at `from`. */
function setsRegister(bytes: Uint8Array, from: number, to: number): boolean {
  const at = skipBlanks(bytes, from, to);
  const nameEnd = tokenEnd(bytes, at, to);
  let value = skipBlanks(bytes, nameEnd, to);
  if (bytes[value] === OPEN) value = skipBlanks(bytes, tokenEnd(bytes, value, to), to);
  const end = tokenEnd(bytes, value, to);
  const least = bytes[at] === UPPER_P && isDecimal(bytes[at + 1] ?? 0) ? PREDICATE_DIGITS : SURE_DIGITS;
  const isValue =
    isDigits(bytes, value, end) ||
    (hexEnd(bytes, value, end) >= value + SURE_DIGITS && bytes[hexEnd(bytes, value, end)] === COLON);
  if (end - value < least || !isValue || VALUE_STARTS[bytes[value]!] === 0 || beginsWithTime(bytes, value, to))
    return false;
  return isRegisterName(textOf(bytes, at, nameEnd));
}

/** Minimum number of digits of a predicate's value. */
const PREDICATE_DIGITS = 2;
/** 1 for the first characters of values, some of whose digits may be unknown. */
const VALUE_STARTS = Uint8Array.from(HEX, (digit) => Number(digit !== NO_DIGIT));
for (const letter of [LOWER_X, LOWER_Z]) VALUE_STARTS[letter] = VALUE_STARTS[letter & ~0x20] = 1;
VALUE_STARTS[MINUS] = 1;
/** Maximum length of the word of an access. */
const LONGEST_WORD = 8;
/** 1 for the first letters of the words of accesses. */
const JOINABLE = new Uint8Array(256);
for (const letter of [UPPER_B, UPPER_L, UPPER_M, UPPER_S, UPPER_W]) JOINABLE[letter] = 1;
/** 1 for the last characters of the words of effects and instructions. */
const WORD_ENDS = new Uint8Array(256);
WORD_ENDS.fill(1, ZERO, ZERO + 10).fill(1, UPPER_A, UPPER_A + 26)[UNDERSCORE] = 1;

/** True if a record begins in the text that ends at index `lf`. Tokens that announce nothing, which most are, cost no call. */
export function holdsRecord(bytes: Uint8Array, from: number, lf: number): boolean {
  const to = bytes[lf - 1] === CR ? lf - 1 : lf;
  for (let p = from; ;) {
    while (bytes[p] === SPACE || bytes[p] === TAB) p++;
    if (p >= to) return false;
    const at = p;
    while (p < to && bytes[p] !== SPACE && bytes[p] !== TAB) p++;
    const length = p - at;
    const first = bytes[at]!;
    // The word before a value or an address may be joined to text. The values of predicates, such as P0, are short.
    if (length >= SURE_DIGITS ? VALUE_STARTS[first] === 1 : first === UPPER_P && isDecimal(bytes[at + 1]!))
      return nextRecord(bytes, from, to) >= 0;
    if (((LENGTHS[first]! >> (length < LONG ? length : LONG)) & 1) === 1 && announces(bytes, at, to)) return true;
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
  while (at >= 0 && probe.kind !== KIND.register && MOVES[probe.kind] === 0)
    at = nextRecord(bytes, tokenEnd(bytes, at, to), to);
  return at;
}

/** True if the word at `at` announces a record. */
export function announces(bytes: Uint8Array, at: number, to: number): boolean {
  if (!isWordOrTime(bytes, at, tokenEnd(bytes, at, to), to)) return false;
  clearLine(probe);
  probe.native = readPrefix(bytes, at, to, true, probe);
  if (probe.native === OTHER) return false;
  let next = skipBlanks(bytes, probe.wordEnd, to);
  // A time makes an effect sure, even if its name or its address is damaged.
  if (probe.timeEnd > probe.timeAt && (probe.kind === KIND.register || MOVES[probe.kind] === 1)) return true;
  switch (probe.kind) {
    case KIND.register:
      return announcesRegister(bytes, next, to);
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
      const isWhole = end < to && (bytes[end] === COLON || isBlank(bytes[end]!));
      if (isWhole) return end - next >= SURE_DIGITS && end - next <= MOST_ADDRESS_DIGITS;
      // The bytes that ST shows make it sure, even if its address is damaged.
      return (
        probe.native === WORD.ST &&
        isDamagedValue(bytes, skipBlanks(bytes, tokenEnd(bytes, next, to), to), to, SURE_DIGITS)
      );
    }
    case KIND.instruction:
    case KIND.skipped:
      return bytes[next] === OPEN || hexEnd(bytes, next, to) - next >= SURE_DIGITS;
    case KIND.event:
      return isRtlCode(probe.native) && bytes[next] === OPEN;
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
  if (at >= to || (!isDecimal(bytes[at]!) && bytes[at] !== MINUS)) return false;
  clearLine(timed);
  return readPrefix(bytes, at, to, false, timed) !== OTHER;
}

/** True if the token can be a time, or has the first letter and the length of a word: most tokens of a text have not. */
function isWordOrTime(bytes: Uint8Array, at: number, end: number, to: number): boolean {
  if (((LENGTHS[bytes[at]!]! >> Math.min(end - at, LONG)) & 1) === 0) return false;
  if (!isDecimal(bytes[at]!)) return true;
  // A unit follows a time: letters between blanks, or the end of the token.
  const digits = decimalEnd(bytes, at, end);
  if (digits < end) return bytes[digits] === DOT || isLetter(bytes[end - 1]!);
  const unit = skipBlanks(bytes, end, to);
  return unit < to && isLetter(bytes[unit]!) && isLetter(bytes[tokenEnd(bytes, unit, to) - 1]!);
}

/**
 * True if the word at `from` can be a damaged value: a cpu number is shorter, and names and units have other letters. Such a word shows
 * that the name or the address before it is whole.
 */
export function isDamagedValue(bytes: Uint8Array, from: number, to: number, least: number): boolean {
  const end = tokenEnd(bytes, from, to);
  for (let at = from; at < end; at++) if (isLetter(bytes[at]!) && !isDigits(bytes, at, at + 1)) return false;
  return end - from >= least && !isTimeBefore(bytes, end, to);
}

/** True if the word that ends at `at` is a time, because a unit follows it. */
export function isTimeBefore(bytes: Uint8Array, at: number, to: number): boolean {
  const unit = skipBlanks(bytes, at, to);
  return isUnit(bytes, unit, tokenEnd(bytes, unit, to));
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
