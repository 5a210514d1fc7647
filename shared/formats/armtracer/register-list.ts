/** Reads the register lists of Tracer text: `R r3=0000c316, r7=00040a74`. */
import { COMMA, EQUALS, LOWER_X, ZERO } from '../../base/characters.ts';
import { hexEnd, textOf } from '../../base/scan.ts';
import { CODE } from './codes.ts';
import { FAULT, type Line, splitRest, WORD_DIGITS } from './line.ts';
import { blankLength, skipBlanks, valueEnd, wordEnd } from './tokens.ts';
import { beginsRecord } from './words.ts';

/**
 * Calls `visit` for each `name=value` of a register list, which ends at `end`. The value's span includes its 0x, and is empty if the
 * value cannot be read. If the list is joined to another record, its last value can lack its end.
 * Returns the number of registers.
 */
export function readList(
  bytes: Uint8Array,
  at: number,
  to: number,
  joined: boolean,
  visit?: (nameAt: number, valueAt: number, valueEnd: number, end: number) => void,
): number {
  let registers = 0;
  let from = at;
  while (from < to) {
    let end = from;
    let equals = -1;
    while (end < to && bytes[end] !== COMMA && blankLength(bytes, end, to) === 0) {
      if (bytes[end] === EQUALS && equals < 0) equals = end;
      end++;
    }
    if (equals > from) {
      registers++;
      const value = equals + 1;
      const whole = valueEnd(bytes, value, end) === end && isWhole(bytes, from, equals, end);
      visit?.(from, value, whole && !isUnsure(bytes, end, to, joined) ? end : value, end);
    }
    from = bytes[end] === COMMA ? skipBlanks(bytes, end + 1, to) : Math.max(end, skipBlanks(bytes, end, to));
    if (end === from && end < to) from++;
  }
  return registers;
}

/** True if the value that ends at `end` may be split, or the end of the time stamp of a record that follows without a comma. */
function isUnsure(bytes: Uint8Array, end: number, to: number, joined: boolean): boolean {
  if (bytes[end] === COMMA) return false;
  const next = skipBlanks(bytes, end, to);
  return next >= to ? joined : wordEnd(bytes, next, to, to) >= 0 || beginsRecord(bytes, next, to);
}

/** True if the value bytes[equals + 1, end) has all digits of its register: one word of the core, one or more of a coprocessor. */
function isWhole(bytes: Uint8Array, nameAt: number, equals: number, end: number): boolean {
  if (equals - nameAt > LONGEST_NAME) return true;
  const name = textOf(bytes, nameAt, equals);
  if (COPROCESSOR_REGISTER.test(name)) return WORDS.test(textOf(bytes, equals + 1, end));
  if (!REGISTER.test(name)) return true;
  const value = equals + 1;
  return isWord(bytes, hasPrefix(bytes, value) ? value + 2 : value, end);
}

/** Reads the list of a line. Returns false if it has no register. */
export function readRegisters(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  const end = splitRest(bytes, at, to, line);
  if (readList(bytes, at, end, line.joined) === 0) return false;
  checkList(bytes, at, end, line);
  line.textAt = at;
  line.textEnd = end;
  return true;
}

/** Separates two registers of a list. No-break spaces have one byte, or two in UTF-8. */
const SEPARATOR = /^[ \t\u00a0\u00c2]*,[ \t\u00a0\u00c2]*$/;

/**
 * Counts unknown registers, words that are no register, missing commas, registers out of order, and values that cannot be read. The rest
 * of such a list may be lost, or may belong to another one.
 */
function checkList(bytes: Uint8Array, at: number, to: number, line: Line): void {
  const known = line.native === CODE.RCP ? COPROCESSOR_REGISTER : REGISTER;
  const prefixed = hasPrefix(bytes, bytes.indexOf(EQUALS, at) + 1);
  let previousEnd = at;
  let previousRank = -1;
  readList(bytes, at, to, line.joined, (nameAt, valueAt, valueEnd, end) => {
    const between = textOf(bytes, previousEnd, nameAt);
    const name = textOf(bytes, nameAt, valueAt - 1);
    const rank = ORDER.indexOf(name);
    const separated = nameAt === at ? between === '' : SEPARATOR.test(between);
    const fits = known.test(name) && (rank < 0 || rank > previousRank) && hasPrefix(bytes, valueAt) === prefixed;
    if (!separated || !fits) line.faults |= FAULT.registerList;
    if (valueEnd === valueAt) {
      line.faults |= FAULT.lostValue;
      if (!ALL_DIGITS.test(textOf(bytes, valueAt, end))) line.faults |= FAULT.lostRegister;
    }
    previousEnd = end;
    previousRank = rank;
  });
  if (previousEnd < to) line.faults |= FAULT.registerList;
  if (line.joined || (line.faults & FAULT.registerList) !== 0) line.faults |= FAULT.lostRegister;
}

function hasPrefix(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === ZERO && bytes[at + 1] === LOWER_X;
}

function isWord(bytes: Uint8Array, at: number, end: number): boolean {
  return end - at === WORD_DIGITS && hexEnd(bytes, at, end) === end;
}

/** Length of the longest known name. */
const LONGEST_NAME = 6;
const REGISTER = /^(?:r(?:[0-9]|1[0-5])|[cs]psr)$/;
const COPROCESSOR_REGISTER = /^p[0-9]{1,2}c[0-9]{1,2}$/;
const WORDS = /^(?:0x)?[\da-f]{8}(?:_[\da-f]{8})*$/i;
/** A value that has all of its digits, of which some are unknown. */
const ALL_DIGITS = /^(?:0x[\da-fxz-]{8}|(?!0x)[\da-fxz-]{8})(?:_[\da-fxz-]{8})*$/i;
/** The writer lists the registers of the core in this order. */
const ORDER: readonly string[] = [...Array.from({ length: 16 }, (_, n) => `r${String(n)}`), 'cpsr', 'spsr'];
