/**
 * One line of Tracer text, read with care: every form that its writers print and what copies of copies make of it.
 *
 *     T 0000001A  MNR8O___ 00008000 E28F8090 E898000F (abort)
 *     | |         |        |        |        |        what became of the access
 *     | |         |        |        |        second word of eight bytes, from address + 4
 *     | |         |        |        data in value order, two digits a byte
 *     | |         |        address
 *     | |         letters of the access
 *     | time in the low 32 bits; blanks in place of both: as in the line before
 *     only where the trace has time stamps
 *
 * Blanks are spaces, tabs and no-break spaces, one or more. Answers where things are and what they say; refuses to know
 * other lines.
 */
import {
  afterMark,
  COMMA,
  EQUALS,
  HEX,
  LOWER_A,
  LOWER_C,
  LOWER_D,
  LOWER_I,
  LOWER_R,
  LOWER_X,
  OPEN,
  SPACE,
  UNDERSCORE,
  UPPER_T,
  UPPER_X,
  ZERO,
} from '../../base/characters.ts';
import { assert } from '../../base/result.ts';
import {
  CODE,
  isThumbLine,
  FIRST_ACCESS,
  kindOf,
  LEAST_LETTERS,
  LETTERS,
  MOST_LETTERS,
  NATURE,
  natureOf,
  NO_LETTER,
  SIZE_PLACE,
  sizeOf,
  type Word,
  UNSIZED,
  WORDS,
} from './codes.ts';
import { KIND } from '../../records/record.ts';
import { ascii, blankLength, digitsEnd, skipBlanks, startsWith, startsWithWord, tokenEnd, wordEnd } from './tokens.ts';

/** What a line says of its time. */
export const STAMP = { none: 0, own: 1, asBefore: 2 } as const;

/** Bits of `Line.suffixes`. */
export const SUFFIX = { abort: 1, wait: 2, peek: 4, poke: 8, pipe: 16 } as const;

/** Bits of `Line.faults`: rules of the format that the line breaks while it can still be read. */
export const FAULT = {
  dataSize: 1,
  missingData: 2,
  opcodeSize: 4,
  eventNumber: 8,
  registerList: 16,
  trailingText: 32,
} as const;

/** Where things lie: offsets into the bytes; start = end where they are absent. */
export interface Line {
  stamp: number;
  /** STAMP.own: the time as written, below 2^52. */
  time: number;
  timeAt: number;
  timeEnd: number;
  native: number;
  /** Bytes touched, or bytes of the opcode; 0 where the line does not say. */
  size: number;
  /** The line has an address that is one; `address` is it. */
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
  /** All suffixes together. */
  suffixAt: number;
  suffixEnd: number;
  /** Disassembly, name, list of registers or what follows without being known. */
  textAt: number;
  textEnd: number;
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
  };
}

/** Reads bytes[at, to), a line without its end and without blanks behind; false when it is none of the format. */
export function readLine(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  clear(line, at);
  const start = afterMark(bytes, at, to);
  let from = skipBlanks(bytes, start, to);
  if (from > start) line.stamp = STAMP.asBefore;
  // The architectural mode stamps events that it does not print, so that several stamps may stand before a record: the last is its own.
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
      // The writer puts no time before these, so blanks there say nothing.
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

/** Whether bytes[at, to) is one of the lines that a writer puts before its records. */
export function isHeaderLine(bytes: Uint8Array, at: number, to: number): boolean {
  const from = skipBlanks(bytes, afterMark(bytes, at, to), to);
  return HEADERS.some((header) => startsWithWord(bytes, from, to, header));
}

/** Whether a header line begins a trace: times start anew behind it. */
export function isFirstHeaderLine(bytes: Uint8Array, at: number, to: number): boolean {
  const from = skipBlanks(bytes, afterMark(bytes, at, to), to);
  return startsWithWord(bytes, from, to, HEADERS[0]!);
}

/** Calls `visit` for each `name=value` of a register list; the value's offsets include its 0x. False when the list is broken. */
export function readList(
  bytes: Uint8Array,
  at: number,
  to: number,
  visit: ((nameAt: number, valueAt: number, valueEnd: number) => void) | undefined,
): boolean {
  let from = at;
  for (;;) {
    let equals = from;
    while (equals < to && bytes[equals] !== EQUALS && bytes[equals] !== COMMA && blankLength(bytes, equals, to) === 0)
      equals++;
    if (equals === from || equals === to || bytes[equals] !== EQUALS) return false;
    const valueEnd = digitsEnd(bytes, equals + 1, to, true);
    if (valueEnd < 0) return false;
    visit?.(from, equals + 1, valueEnd);
    let next = skipBlanks(bytes, valueEnd, to);
    if (next === to) return true;
    if (bytes[next] === COMMA) next++;
    else if (next === valueEnd) return false;
    from = skipBlanks(bytes, next, to);
    if (from === to) return false;
  }
}

const HEADERS = ['Date:', 'Source:', 'Options:', 'Range:', 'Sample:'].map(ascii);
/** Times have at least the digits of a 32-bit number, and at most those that a double holds exactly. */
const STAMP_DIGITS = 8;
const MOST_STAMP_DIGITS = 13;
const ADDRESS_DIGITS = 8;
const WORD_DIGITS = 8;
const MOST_OPCODE_DIGITS = 16;

type Form = 'instruction' | 'event' | 'registers' | 'cycle' | 'plain access' | 'text';

const WORD_FORM: Readonly<Partial<Record<Word, Form>>> = Object.fromEntries(
  WORDS.flatMap((word) => {
    const form = formOf(word);
    return form === undefined ? [] : [[word, form]];
  }),
);

function formOf(word: Word): Form | undefined {
  if (word === 'OTHER') return undefined;
  if (word === 'E') return 'event';
  if (word === 'R' || word === 'RCP') return 'registers';
  if (word.startsWith('P')) return 'text';
  if (/^[MB][IC]O?$/.test(word)) return 'cycle';
  return word.startsWith('I') ? 'instruction' : 'plain access';
}

/** Words of up to three letters by their letters as one number, in either case. */
const WORD_BY_LETTERS: ReadonlyMap<number, Word> = new Map(
  WORDS.filter((word) => word.length <= 3).flatMap((word) =>
    [word, word.toLowerCase()].map((spelt): [number, Word] => [lettersOf(ascii(spelt)), word]),
  ),
);

function lettersOf(letters: Uint8Array): number {
  return letters.reduce((number, letter) => number * 256 + letter, 0);
}

function readWord(bytes: Uint8Array, at: number, end: number): Word | undefined {
  if (end === at || end - at > 3) return undefined;
  let letters = 0;
  for (let i = at; i < end; i++) letters = letters * 256 + bytes[i]!;
  return WORD_BY_LETTERS.get(letters);
}

/** The code of the access with these letters; -1 when they are not those of an access. */
function accessCode(bytes: Uint8Array, at: number, end: number): number {
  const letters = end - at;
  const unsized = isUnsized(bytes, at, letters);
  if (letters > MOST_LETTERS || (letters === LEAST_LETTERS && !unsized)) return -1;
  let sum = FIRST_ACCESS + (unsized ? UNSIZED : 0);
  for (let i = 0; i < letters; i++) {
    const place = unsized && i >= SIZE_PLACE ? i + 1 : i;
    sum += LETTERS[place]![bytes[at + i]!]!;
  }
  if (sum >= NO_LETTER) return -1;
  // Burst letters stand eighth in the older generation only, where no ninth letter follows.
  if (letters === MOST_LETTERS) {
    const eighth = bytes[at + MOST_LETTERS - 2]!;
    if (eighth !== UNDERSCORE && (eighth | SPACE) !== LOWER_D) return -1;
  }
  return sum;
}

/** Whether the letters are those of a cycle without a transfer that leaves its size out: of `MCR___`, or with a burst letter `MAR____`. */
function isUnsized(bytes: Uint8Array, at: number, letters: number): boolean {
  const type = bytes[at + 1]! | SPACE;
  if (letters === LEAST_LETTERS) return type === LOWER_C || type === LOWER_I;
  if (letters !== LEAST_LETTERS + 1 || (type !== LOWER_A && type !== LOWER_R)) return false;
  return !SIZES.includes(bytes[at + SIZE_PLACE]!);
}

const SIZES = ascii('1248');

/** `T 0000001A  `; answers where the rest begins, -1 when it is no time stamp before something. */
function readStamp(bytes: Uint8Array, at: number, to: number, line: Line): number {
  const from = skipBlanks(bytes, at + 1, to);
  const end = digitsEnd(bytes, from, to, false);
  if (end < 0 || end - from < STAMP_DIGITS || end - from > MOST_STAMP_DIGITS) return -1;
  const rest = skipBlanks(bytes, end, to);
  if (rest === end || rest === to) return -1;
  let time = 0;
  for (let i = from; i < end; i++) time = time * 16 + HEX[bytes[i]!]!;
  line.stamp = STAMP.own;
  line.time = time;
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
  line.textEnd = to;
  return true;
}

/**
 * Whether the opcode bytes[from, to) is one of Thumb's 16 bits in eight digits. Architectural lines may have as many for every opcode;
 * those of 32 bits begin with 11101, 11110 or 11111 (ARM DDI 0406C, A6.1), never with zeros.
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
  // The manual writes numbers of events with 0x, the module without.
  const word = skipBlanks(bytes, line.dataEnd, to);
  const from = word + 2 < to && bytes[word] === ZERO && bytes[word + 1] === LOWER_X ? word + 2 : word;
  const end = wordEnd(bytes, from, to, WORD_DIGITS);
  if (end < 0) line.faults |= FAULT.eventNumber;
  line.secondAt = from;
  line.secondEnd = Math.max(from, end);
  line.textAt = skipBlanks(bytes, line.secondEnd, to);
  line.textEnd = to;
  return true;
}

function readRegisters(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  if (!readList(bytes, at, to, undefined)) return false;
  if (!isCleanList(bytes, at, to, line.native === CODE.RCP)) line.faults |= FAULT.registerList;
  line.textAt = at;
  line.textEnd = to;
  return true;
}

/** Whether a list that can be read names known registers only, parted by commas, with values as wide as theirs. */
function isCleanList(bytes: Uint8Array, at: number, to: number, coprocessor: boolean): boolean {
  let clean = true;
  let previousEnd = at;
  readList(bytes, at, to, (nameAt, valueAt, valueEnd) => {
    if (nameAt > at && bytes.subarray(previousEnd, nameAt).indexOf(COMMA) < 0) clean = false;
    const name = String.fromCharCode(...bytes.subarray(nameAt, Math.min(valueAt - 1, nameAt + LONGEST_NAME + 1)));
    const known = coprocessor
      ? COPROCESSOR_REGISTER.test(name)
      : REGISTER.test(name) && isWord(bytes, valueAt, valueEnd);
    if (!known) clean = false;
    previousEnd = valueEnd;
  });
  return clean;
}

function isWord(bytes: Uint8Array, at: number, end: number): boolean {
  return end - at === WORD_DIGITS && digitsEnd(bytes, at, end, false) === end;
}

/** Characters of the longest name that is known. */
const LONGEST_NAME = 6;
const REGISTER = /^(?:r(?:[0-9]|1[0-5])|[cs]psr)$/;
const COPROCESSOR_REGISTER = /^p[0-9]{1,2}c[0-9]{1,2}$/;

/** `MI`, `MIO`, `MC`, `MCO`: no address; a coprocessor cycle may have data. */
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

/** An access of the architectural mode: `MR4 00008000 e28f8090`, data always eight digits, or only those of its bytes. */
function readPlainAccess(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  if (!readAddress(bytes, at, to, line)) return false;
  line.hasAddress = true;
  line.size = sizeOf(line.native);
  const from = skipBlanks(bytes, line.addressEnd, to);
  const end = wordEnd(bytes, from, to, WORD_DIGITS);
  if (end < 0) return false;
  line.dataAt = from;
  line.dataEnd = end;
  if (end - from !== WORD_DIGITS && end - from !== 2 * line.size) line.faults |= FAULT.dataSize;
  if (bytes[line.wordAt] === UPPER_X || bytes[line.wordAt] === LOWER_X) line.suffixes |= SUFFIX.abort;
  line.textAt = skipBlanks(bytes, end, to);
  line.textEnd = to;
  // A register number may follow.
  if (to > line.textAt && (to - line.textAt > 2 || wordEnd(bytes, line.textAt, to, 2) < 0))
    line.faults |= FAULT.trailingText;
  return true;
}

/** What follows the letters of an access. */
function readAccess(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  const nature = natureOf(line.native);
  const killed = (nature & NATURE.killed) !== 0;
  let from = at;
  line.size = sizeOf(line.native);
  const bare = killed && countWords(bytes, at, to) <= (line.size === 8 ? 2 : 1);
  if (!bare) {
    if (!readAddress(bytes, from, to, line)) return false;
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

/** `free`: the size says nothing of the data; `expected`: data or a wait belongs there. */
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

/** How many words of hexadecimal digits stand there one after the other. */
function countWords(bytes: Uint8Array, at: number, to: number): number {
  let count = 0;
  let from = at;
  for (let end = wordEnd(bytes, from, to, WORD_DIGITS); end >= 0; end = wordEnd(bytes, from, to, WORD_DIGITS)) {
    count++;
    from = skipBlanks(bytes, end, to);
  }
  return count;
}

const SUFFIX_WORDS: readonly (readonly [Uint8Array, number])[] = [
  [ascii('(abort)'), SUFFIX.abort],
  [ascii('(wait)'), SUFFIX.wait],
  [ascii('(peek)'), SUFFIX.peek],
  [ascii('(poke)'), SUFFIX.poke],
];
const PIPE = ascii('pipe');

/** What follows the data, to the end of the line. */
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
  if (startsWithWord(bytes, from, to, PIPE)) line.suffixes |= SUFFIX.pipe;
  else line.faults |= FAULT.trailingText;
  return true;
}

function readAddress(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  const end = wordEnd(bytes, at, to, ADDRESS_DIGITS);
  if (end < 0) return false;
  line.addressAt = at;
  line.addressEnd = end;
  let address = 0;
  for (let i = at; i < end; i++) address = address * 16 + HEX[bytes[i]!]!;
  line.address = address;
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
