/**
 * Reads one line of Tracer text in every form that its writers print, and as damaged by repeated copying.
 *
 *     T 0000001A  MNR8O___ 00008000 E28F8090 E898000F (abort)
 *     | |         |        |        |        |        outcome of the access
 *     | |         |        |        |        second word of eight bytes, from address + 4
 *     | |         |        |        data in value order, two digits a byte
 *     | |         |        address
 *     | |         letters of the access
 *     | time, low 32 bits; blanks in place of both mean the time of the previous line
 *     only in traces with time stamps
 *
 * One or more spaces, tabs and no-break spaces separate the fields. The result contains the positions and values of the fields, and
 * depends on this line only.
 */
import { afterMark, COMMA, EQUALS, LOWER_X, OPEN, UPPER_T, UPPER_X, ZERO } from '../../base/characters.ts';
import { assert } from '../../base/result.ts';
import { CODE, isThumbLine, kindOf, LEAST_LETTERS, NATURE, natureOf, sizeOf } from './codes.ts';
import { KIND, MOVES } from '../../records/record.ts';
import { isRegisterName } from '../../records/registers.ts';
import { blankLength, skipBlanks, startsWithWord, tokenEnd, trimEnd, valueEnd, wordEnd } from './tokens.ts';
import { accessCode, nextRecord, readWord, WORD_FORM } from './words.ts';
import { hexEnd, hexOf, startsWith, textOf } from '../../base/scan.ts';

/** Time stamp of a line: none, its own, or that of the previous line. */
export const STAMP = { none: 0, own: 1, asBefore: 2 } as const;

/** Bits of `Line.suffixes`. */
export const SUFFIX = { abort: 1, wait: 2, peek: 4, poke: 8, pipe: 16 } as const;

/** Bits of `Line.faults`: rules of the format that a readable line breaks. */
export const FAULT = {
  dataSize: 1,
  missingData: 2,
  opcodeSize: 4,
  eventNumber: 8,
  registerList: 16,
  trailingText: 32,
  leadingText: 64,
  lostValue: 128,
  lostRegister: 256,
  lostWord: 512,
} as const;

/** The diagnostic code of each fault, which is also its mark. */
export const FAULTS = [
  [FAULT.dataSize, 'data-size'],
  [FAULT.missingData, 'missing-data'],
  [FAULT.opcodeSize, 'opcode-size'],
  [FAULT.eventNumber, 'event-number'],
  [FAULT.registerList, 'register-list'],
  [FAULT.trailingText, 'trailing-text'],
  [FAULT.leadingText, 'leading-text'],
  [FAULT.lostValue, 'lost-value'],
  [FAULT.lostRegister, 'lost-register'],
  [FAULT.lostWord, 'lost-word'],
] as const;

/** The fields of a line as positions in its bytes. Start and end of an absent field are equal. */
export interface Line {
  stamp: number;
  /** Time of the line's own stamp, below 2^52. */
  time: number;
  timeAt: number;
  timeEnd: number;
  native: number;
  /** Size of the access or the opcode in bytes; 0 if the line does not say. */
  size: number;
  /** True if `address` is an address and not the first word of an event. */
  hasAddress: boolean;
  address: number;
  suffixes: number;
  faults: number;
  wordAt: number;
  wordEnd: number;
  /** The address, or the first word of an event. */
  addressAt: number;
  addressEnd: number;
  /** The opcode, the (first) data word, or the second word of an event. */
  dataAt: number;
  dataEnd: number;
  /** The second data word, or the number of an event. */
  secondAt: number;
  secondEnd: number;
  /** Span of all suffixes. */
  suffixAt: number;
  suffixEnd: number;
  /** Disassembly, name, register list or unknown trailing text. */
  textAt: number;
  textEnd: number;
  /** Start of another record in the same line; the end of the line if there is none. */
  restAt: number;
}

export function createLine(): Line {
  return {
    stamp: STAMP.none,
    time: 0,
    timeAt: 0,
    timeEnd: 0,
    native: 0,
    size: 0,
    hasAddress: false,
    address: 0,
    suffixes: 0,
    faults: 0,
    wordAt: 0,
    wordEnd: 0,
    addressAt: 0,
    addressEnd: 0,
    dataAt: 0,
    dataEnd: 0,
    secondAt: 0,
    secondEnd: 0,
    suffixAt: 0,
    suffixEnd: 0,
    textAt: 0,
    textEnd: 0,
    restAt: 0,
  };
}

/** Reads the trimmed line bytes[at, to) into `line`, up to another record in it. Returns false if it is not a record. */
export function readLine(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  if (readFrom(bytes, at, to, line) || readDamaged(bytes, to, line)) return true;
  const { native } = line;
  // The words before an effect may be damaged.
  const first = tokenEnd(bytes, skipBlanks(bytes, at, to), to);
  const next = nextRecord(bytes, first, to);
  if (next < to && readFrom(bytes, next, to, line) && isEffect(line)) {
    line.faults |= FAULT.leadingText;
    return true;
  }
  line.restAt = to;
  line.native = native;
  return false;
}

function isEffect({ native }: Line): boolean {
  const kind = kindOf(native);
  return kind === KIND.register || MOVES[kind] === 1;
}

function readFrom(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  clear(line, at);
  line.native = CODE.OTHER;
  line.restAt = to;
  const start = afterMark(bytes, at, to);
  let from = skipBlanks(bytes, start, to);
  if (from > start) line.stamp = STAMP.asBefore;
  // The architectural form also stamps events that it does not print. The last of several stamps is that of the record.
  while (bytes[from] === UPPER_T && from + 1 < to && blankLength(bytes, from + 1, to) > 0) {
    from = readStamp(bytes, from, to, line);
    if (from < 0) return false;
  }
  const end = tokenEnd(bytes, from, to);
  line.wordAt = from;
  line.wordEnd = end;
  const rest = skipBlanks(bytes, end, to);
  if (end - from >= LEAST_LETTERS) {
    line.native = accessCode(bytes, from, end);
    return line.native >= 0 && readAccess(bytes, rest, to, line);
  }
  const word = readWord(bytes, from, end);
  if (word === undefined) return false;
  line.native = CODE[word];
  const form = WORD_FORM[word];
  switch (form) {
    case 'instruction':
      return readInstruction(bytes, rest, to, line);
    case 'event':
      return readEvent(bytes, rest, to, line);
    case 'registers':
      // The writer prints no time before these, so leading blanks mean nothing.
      if (line.stamp === STAMP.asBefore) line.stamp = STAMP.none;
      return readRegisters(bytes, rest, to, line);
    case 'cycle':
      return readCycle(bytes, rest, to, line);
    case 'plain access':
      return readPlainAccess(bytes, rest, to, line);
    case 'text':
      line.textAt = rest;
      line.textEnd = to;
      return rest < to;
    case undefined:
      return false;
    default:
      return form satisfies never;
  }
}

/**
 * Reads a line that has the shape of an effect although `readFrom` cannot read its word or the names of its registers:
 *
 *     M?W4____ 00008000 00000011     may have written the four bytes
 *     ? r0=00000011                  set r0
 *     R 00000011                     set some register
 *
 * The bytes or the registers are unknown after the line.
 */
function readDamaged(bytes: Uint8Array, to: number, line: Line): boolean {
  const { native, wordAt, wordEnd } = line;
  const rest = skipBlanks(bytes, wordEnd, to);
  if (native === CODE.R || native === CODE.RCP) {
    const end = splitRest(bytes, rest, to, line);
    if (end - rest > LONGEST_REST && bytes.subarray(rest, end).indexOf(EQUALS) < 0) return false;
    line.faults = FAULT.lostRegister;
    line.textAt = rest;
    line.textEnd = end;
    return true;
  }
  if (native > CODE.OTHER) return false;
  // The word may be missing, or a blank behind it.
  for (const first of [wordAt, wordAt + 1, rest]) {
    if (!REGISTERS.test(textOf(bytes, first, tokenEnd(bytes, first, to)))) continue;
    line.native = CODE.R;
    line.faults = FAULT.lostWord;
    line.wordEnd = Math.min(wordEnd, first);
    line.textAt = first;
    line.textEnd = splitRest(bytes, first, to, line);
    return true;
  }
  if (wordEnd - wordAt > LONGEST_DAMAGED) return false;
  // The word may be missing, or a blank behind it. A split word is two words.
  const isJoined = ACCESS_AND_ADDRESS.exec(textOf(bytes, wordAt, wordEnd));
  if (isJoined !== null) line.wordEnd = wordEnd - ADDRESS_DIGITS;
  return (
    readDamagedAccess(bytes, isJoined === null ? wordAt : line.wordEnd, to, line) ||
    readDamagedAccess(bytes, rest, to, line) ||
    readDamagedAccess(bytes, skipBlanks(bytes, tokenEnd(bytes, rest, to), to), to, line)
  );
}

function readDamagedAccess(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  const { wordAt } = line;
  const wordEnd = Math.min(line.wordEnd, at);
  // Reads change nothing.
  if (/^.{0,2}R[^W]*$/i.test(textOf(bytes, wordAt, wordEnd))) return false;
  if (!readAddress(bytes, at, to, line) || line.addressEnd - at !== ADDRESS_DIGITS) return false;
  const from = skipBlanks(bytes, line.addressEnd, to);
  const end = wordFormEnd(bytes, from, to);
  if (end < 0) return false;
  const next = skipBlanks(bytes, end, to);
  const second = wordFormEnd(bytes, next, to);
  const behind = skipBlanks(bytes, Math.max(next, second), to);
  const left = splitRest(bytes, behind, to, line) - behind;
  // Instructions have a disassembly, and events have a number. A register number may follow an access.
  if (wordEnd - wordAt < LEAST_LETTERS && left > 2) return false;
  line.native = CODE['?'];
  line.wordEnd = wordEnd;
  line.hasAddress = true;
  line.size = Math.ceil((end - from + (second > 0 ? second - next : 0)) / 2);
  line.faults = FAULT.lostWord;
  return true;
}

/** Returns the end of a data word, in which x and z can stand for unknown digits; -1 if it is none. */
function wordFormEnd(bytes: Uint8Array, at: number, to: number): number {
  const end = tokenEnd(bytes, at, to);
  return /^[\dA-Fa-fXxZz]{2,8}$/.test(textOf(bytes, at, end)) ? end : -1;
}

/** Largest number of bytes behind `R` that can be the rest of a list without a sign between name and value. */
const LONGEST_REST = 16;
const LONGEST_DAMAGED = 32;
const ACCESS_AND_ADDRESS = /^(?:[MB].W.{3,6}|[MX]W[1248])[\dA-Fa-f]{8}$/i;
/** Beginning of a register list. */
const REGISTERS = /^(?:r(?:[0-9]|1[0-5])|[cs]psr|p[0-9]{1,2}c[0-9]{1,2})=/;

/** True if bytes[at, to) is one of the header lines that a writer prints before the records. */
export function isHeaderLine(bytes: Uint8Array, at: number, to: number): boolean {
  const from = skipBlanks(bytes, afterMark(bytes, at, to), to);
  return HEADERS.some((header) => startsWithWord(bytes, from, to, header));
}

/** True if a header line begins a trace, after which times restart. */
export function isFirstHeaderLine(bytes: Uint8Array, at: number, to: number): boolean {
  const from = skipBlanks(bytes, afterMark(bytes, at, to), to);
  return startsWithWord(bytes, from, to, HEADERS[0]!);
}

/**
 * Calls `visit` for each `name=value` of a register list, which ends at `end`. The value's span includes its 0x, and is empty if the
 * value cannot be read.
 * Returns the number of registers.
 */
export function readList(
  bytes: Uint8Array,
  at: number,
  to: number,
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
      // Digits that follow without a comma may belong to the value.
      const next = skipBlanks(bytes, end, to);
      const split = bytes[end] !== COMMA && wordEnd(bytes, next, to, to) >= 0;
      visit?.(from, value, whole && !split ? end : value, end);
    }
    from = bytes[end] === COMMA ? skipBlanks(bytes, end + 1, to) : Math.max(end, skipBlanks(bytes, end, to));
    if (end === from && end < to) from++;
  }
  return registers;
}

/** True if the value bytes[equals + 1, end) has the digits of its register: the core's registers have 32 bits. */
function isWhole(bytes: Uint8Array, nameAt: number, equals: number, end: number): boolean {
  if (equals - nameAt > LONGEST_NAME || !REGISTER.test(textOf(bytes, nameAt, equals))) return true;
  const value = equals + 1;
  return isWord(bytes, bytes[value + 1] === LOWER_X ? value + 2 : value, end);
}

const HEADERS = ['Date:', 'Source:', 'Options:', 'Range:', 'Sample:'];
/** Times have at least the digits of a 32-bit number, and at most as many as a double holds exactly. */
const STAMP_DIGITS = 8;
const MOST_STAMP_DIGITS = 13;
const ADDRESS_DIGITS = 8;
const WORD_DIGITS = 8;
const MOST_OPCODE_DIGITS = 16;

/** Reads `T 0000001A  `. Returns the start of the rest; -1 if it is not a time stamp followed by something. */
function readStamp(bytes: Uint8Array, at: number, to: number, line: Line): number {
  const from = skipBlanks(bytes, at + 1, to);
  const end = hexEnd(bytes, from, to);
  if (end - from < STAMP_DIGITS || end - from > MOST_STAMP_DIGITS) return -1;
  const rest = skipBlanks(bytes, end, to);
  if (rest === end || rest === to) return -1;
  line.stamp = STAMP.own;
  line.time = hexOf(bytes, from, end);
  line.timeAt = from;
  line.timeEnd = end;
  return rest;
}

function readInstruction(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  if (!readAddress(bytes, at, to, line)) return false;
  const from = skipBlanks(bytes, line.addressEnd, to);
  const end = wordEnd(bytes, from, to, MOST_OPCODE_DIGITS);
  if (end < 0) return false;
  line.hasAddress = true;
  line.dataAt = from;
  line.dataEnd = end;
  line.size = isHalf(bytes, from, end, line.native) ? 2 : Math.ceil((end - from) / 2);
  if (line.size !== 2 && line.size !== 4) line.faults |= FAULT.opcodeSize;
  line.textAt = skipBlanks(bytes, end, to);
  line.textEnd = splitRest(bytes, line.textAt, to, line);
  return true;
}

/**
 * True if the opcode bytes[from, to) is a 16-bit Thumb opcode in eight digits. Architectural lines may have eight digits for every opcode,
 * and 32-bit opcodes begin with 11101, 11110 or 11111 (ARM DDI 0406C, A6.1), never with zeros.
 */
function isHalf(bytes: Uint8Array, from: number, to: number, native: number): boolean {
  if (!isThumbLine(native) || to - from !== WORD_DIGITS) return false;
  for (let at = from; at < from + 4; at++) if (bytes[at] !== ZERO) return false;
  return true;
}

function readEvent(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  if (!readAddress(bytes, at, to, line)) return false;
  line.dataAt = skipBlanks(bytes, line.addressEnd, to);
  line.dataEnd = wordEnd(bytes, line.dataAt, to, WORD_DIGITS);
  if (line.dataEnd < 0) return false;
  // The manual prints event numbers with 0x, the module without.
  const word = skipBlanks(bytes, line.dataEnd, to);
  const from = word + 2 < to && bytes[word] === ZERO && bytes[word + 1] === LOWER_X ? word + 2 : word;
  const end = wordEnd(bytes, from, to, WORD_DIGITS);
  if (end < 0) line.faults |= FAULT.eventNumber;
  line.secondAt = from;
  line.secondEnd = Math.max(from, end);
  line.textAt = skipBlanks(bytes, line.secondEnd, to);
  line.textEnd = splitRest(bytes, line.textAt, to, line);
  return true;
}

function readRegisters(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  const end = splitRest(bytes, at, to, line);
  if (readList(bytes, at, end) === 0) return false;
  checkList(bytes, at, end, line);
  line.textAt = at;
  line.textEnd = end;
  return true;
}

/** Separates two registers of a list. No-break spaces have one byte, or two in UTF-8. */
const SEPARATOR = /^[ \t\u00a0\u00c2]*,[ \t\u00a0\u00c2]*$/;

/** Text between two registers of a list that has lost a comma. */
const GAP = /^[ \t\u00a0\u00c2,]*$/;

function isGap(bytes: Uint8Array, at: number, to: number): boolean {
  return GAP.test(textOf(bytes, at, to));
}

/** Counts unknown registers, words that are no register, missing commas, and values that cannot be read. */
function checkList(bytes: Uint8Array, at: number, to: number, line: Line): void {
  const known = line.native === CODE.RCP ? COPROCESSOR_REGISTER : REGISTER;
  let previousEnd = at;
  readList(bytes, at, to, (nameAt, valueAt, valueEnd, end) => {
    const between = textOf(bytes, previousEnd, nameAt);
    const name = textOf(bytes, nameAt, Math.min(valueAt - 1, nameAt + LONGEST_NAME + 1));
    const separated = nameAt === at ? between === '' : SEPARATOR.test(between);
    if (!separated || !known.test(name)) line.faults |= FAULT.registerList;
    if (!isRegisterName(name) || (nameAt > at && !GAP.test(between))) line.faults |= FAULT.lostRegister;
    if (valueEnd === valueAt) line.faults |= FAULT.lostValue;
    previousEnd = end;
  });
  if (previousEnd < to) line.faults |= FAULT.registerList | (isGap(bytes, previousEnd, to) ? 0 : FAULT.lostRegister);
}

function isWord(bytes: Uint8Array, at: number, end: number): boolean {
  return end - at === WORD_DIGITS && hexEnd(bytes, at, end) === end;
}

/** Length of the longest known name. */
const LONGEST_NAME = 6;
const REGISTER = /^(?:r(?:[0-9]|1[0-5])|[cs]psr)$/;
const COPROCESSOR_REGISTER = /^p[0-9]{1,2}c[0-9]{1,2}$/;

/** Reads `MI`, `MIO`, `MC` and `MCO`, which have no address. Coprocessor cycles may have data. */
function readCycle(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  let from = at;
  if (kindOf(line.native) === KIND.special) {
    const end = wordEnd(bytes, from, to, WORD_DIGITS);
    if (end >= 0) {
      line.dataAt = from;
      line.dataEnd = end;
      from = skipBlanks(bytes, end, to);
    }
  }
  return readSuffixes(bytes, from, to, line) && (line.faults & FAULT.trailingText) === 0;
}

/** Reads an access of the architectural form: `MR4 00008000 e28f8090`. The data has eight digits or two digits per byte. */
function readPlainAccess(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  if (!readAddress(bytes, at, to, line) || isShort(line)) return false;
  line.hasAddress = true;
  line.size = sizeOf(line.native);
  const from = skipBlanks(bytes, line.addressEnd, to);
  const end = wordEnd(bytes, from, to, WORD_DIGITS);
  if (end < 0) {
    line.faults |= FAULT.lostValue;
    line.textAt = from;
    line.textEnd = splitRest(bytes, from, to, line);
    return true;
  }
  line.dataAt = from;
  line.dataEnd = end;
  if (end - from !== WORD_DIGITS && end - from !== 2 * line.size) line.faults |= FAULT.dataSize;
  if (bytes[line.wordAt] === UPPER_X || bytes[line.wordAt] === LOWER_X) line.suffixes |= SUFFIX.abort;
  line.textAt = skipBlanks(bytes, end, to);
  line.textEnd = splitRest(bytes, line.textAt, to, line);
  // A register number may follow.
  const left = line.textEnd - line.textAt;
  if (left > 2 && wordEnd(bytes, line.textAt, line.textEnd, WORD_DIGITS) > 0) {
    // The data may be split.
    line.faults |= FAULT.lostValue;
    line.dataEnd = line.dataAt;
  } else if (left > 0 && (left > 2 || wordEnd(bytes, line.textAt, line.textEnd, 2) < 0))
    line.faults |= FAULT.trailingText;
  return true;
}

/** Reads the fields after an access word. */
function readAccess(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  const nature = natureOf(line.native);
  const killed = (nature & NATURE.killed) !== 0;
  let from = at;
  line.size = sizeOf(line.native);
  const bare = killed && countWords(bytes, at, to) <= (line.size === 8 ? 2 : 1);
  if (!bare) {
    if (!readAddress(bytes, from, to, line) || isShort(line)) return false;
    line.hasAddress = true;
    from = skipBlanks(bytes, line.addressEnd, to);
  } else line.size = 0;
  const end = wordEnd(bytes, from, to, WORD_DIGITS);
  if (end >= 0) {
    line.dataAt = from;
    line.dataEnd = end;
    from = skipBlanks(bytes, end, to);
    const second = wordEnd(bytes, from, to, WORD_DIGITS);
    if (second >= 0) {
      line.secondAt = from;
      line.secondEnd = second;
      from = skipBlanks(bytes, second, to);
    }
  }
  if (!readSuffixes(bytes, from, to, line)) return false;
  checkData(line, killed || line.size === 0, nature === NATURE.transfer);
  return true;
}

/** True if the address lacks a digit: writers print all eight. */
function isShort({ addressAt, addressEnd }: Line): boolean {
  return addressEnd - addressAt < ADDRESS_DIGITS;
}

/** Checks the data of an access. `free`: the size does not determine the data. `expected`: data, a wait or an abort must follow. */
function checkData(line: Line, free: boolean, expected: boolean): void {
  const digits = line.dataEnd - line.dataAt;
  const second = line.secondEnd - line.secondAt;
  if (digits === 0) {
    if (expected && (line.suffixes & (SUFFIX.wait | SUFFIX.abort)) === 0) line.faults |= FAULT.missingData;
  } else if (free) {
    if (line.hasAddress && line.size === 0) line.size = Math.ceil((digits + second) / 2);
  } else if (
    line.size === 8 ? digits !== WORD_DIGITS || second !== WORD_DIGITS : digits !== 2 * line.size || second !== 0
  ) {
    line.faults |= FAULT.dataSize;
  }
}

/** Counts consecutive words of hexadecimal digits. */
function countWords(bytes: Uint8Array, at: number, to: number): number {
  let count = 0;
  let from = at;
  for (let end = wordEnd(bytes, from, to, WORD_DIGITS); end >= 0; end = wordEnd(bytes, from, to, WORD_DIGITS)) {
    count++;
    from = skipBlanks(bytes, end, to);
  }
  return count;
}

const SUFFIX_WORDS: readonly (readonly [string, number])[] = [
  ['(abort)', SUFFIX.abort],
  ['(wait)', SUFFIX.wait],
  ['(peek)', SUFFIX.peek],
  ['(poke)', SUFFIX.poke],
];

/** Reads everything after the data to the end of the line. */
function readSuffixes(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  let from = at;
  line.suffixAt = at;
  while (from < to && bytes[from] === OPEN) {
    const start = from;
    const found = SUFFIX_WORDS.find(([word]) => startsWith(bytes, start, to, word));
    if (found === undefined) break;
    line.suffixes |= found[1];
    line.suffixEnd = from + found[0].length;
    from = skipBlanks(bytes, line.suffixEnd, to);
  }
  if (line.suffixEnd <= line.suffixAt) line.suffixEnd = line.suffixAt;
  if (from === to) return true;
  line.textAt = from;
  line.textEnd = to;
  if (startsWithWord(bytes, from, to, 'pipe')) {
    // The text may name the access that follows in the pipeline.
    line.suffixes |= SUFFIX.pipe;
    return true;
  }
  line.textEnd = splitRest(bytes, from, to, line);
  if (line.textEnd > from) line.faults |= FAULT.trailingText;
  return true;
}

/** Sets the line's `restAt` to a record that begins in bytes[from, to). Returns the end of the text before it, without blanks. */
function splitRest(bytes: Uint8Array, from: number, to: number, line: Line): number {
  line.restAt = nextRecord(bytes, from, to);
  return Math.max(from, trimEnd(bytes, from, line.restAt));
}

function readAddress(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  const end = wordEnd(bytes, at, to, ADDRESS_DIGITS);
  if (end < 0) return false;
  line.addressAt = at;
  line.addressEnd = end;
  line.address = hexOf(bytes, at, end);
  return true;
}

function clear(line: Line, at: number): void {
  line.stamp = STAMP.none;
  line.time = 0;
  line.size = line.address = line.suffixes = line.faults = 0;
  line.hasAddress = false;
  line.timeAt = line.timeEnd = line.addressAt = line.addressEnd = line.dataAt = line.dataEnd = at;
  line.secondAt = line.secondEnd = line.suffixAt = line.suffixEnd = line.textAt = line.textEnd = at;
  line.wordAt = line.wordEnd = at;
  assert(at >= 0, 'a line starts in the bytes');
}
