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
import {
  afterMark,
  COMMA,
  EQUALS,
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
  FIRST_ACCESS,
  isThumbLine,
  kindOf,
  LEAST_LETTERS,
  LETTERS,
  MOST_LETTERS,
  NATURE,
  natureOf,
  NO_LETTER,
  SIZE_PLACE,
  sizeOf,
  UNSIZED,
  type Word,
  WORDS,
} from './codes.ts';
import { KIND } from '../../records/record.ts';
import { blankLength, skipBlanks, startsWithWord, tokenEnd, valueEnd, wordEnd } from './tokens.ts';
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
} as const;

/** The diagnostic code of each fault, which is also its mark. */
export const FAULTS = [
  [FAULT.dataSize, 'data-size'],
  [FAULT.missingData, 'missing-data'],
  [FAULT.opcodeSize, 'opcode-size'],
  [FAULT.eventNumber, 'event-number'],
  [FAULT.registerList, 'register-list'],
  [FAULT.trailingText, 'trailing-text'],
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

/** Reads the trimmed line bytes[at, to) into `line`. Returns false if it is not a record. */
export function readLine(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  clear(line, at);
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

/** Calls `visit` for each `name=value` of a register list. The value's span includes its 0x. Returns false if the list is broken. */
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
    const end = valueEnd(bytes, equals + 1, to);
    if (end < 0) return false;
    visit?.(from, equals + 1, end);
    let next = skipBlanks(bytes, end, to);
    if (next === to) return true;
    if (bytes[next] === COMMA) next++;
    else if (next === end) return false;
    from = skipBlanks(bytes, next, to);
    if (from === to) return false;
  }
}

const HEADERS = ['Date:', 'Source:', 'Options:', 'Range:', 'Sample:'];
/** Times have at least the digits of a 32-bit number, and at most as many as a double holds exactly. */
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

/** Words of up to three letters in either case, by the number that their bytes form. */
const WORD_BY_LETTERS: ReadonlyMap<number, Word> = new Map(
  WORDS.filter((word) => word.length <= 3).flatMap((word) =>
    [word, word.toLowerCase()].map((spelling): [number, Word] => [numberOf(spelling), word]),
  ),
);

function numberOf(letters: string): number {
  return Array.from(letters).reduce((number, letter) => number * 256 + letter.charCodeAt(0), 0);
}

function readWord(bytes: Uint8Array, at: number, end: number): Word | undefined {
  if (end === at || end - at > 3) return undefined;
  let letters = 0;
  for (let i = at; i < end; i++) letters = letters * 256 + bytes[i]!;
  return WORD_BY_LETTERS.get(letters);
}

/** Returns the code of an access word; -1 if it is not one. */
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
  // Burst letters are in eighth place in the older generation only, which has no ninth letter.
  if (letters === MOST_LETTERS) {
    const eighth = bytes[at + MOST_LETTERS - 2]!;
    if (eighth !== UNDERSCORE && (eighth | SPACE) !== LOWER_D) return -1;
  }
  return sum;
}

/** True for access words of cycles without a transfer that have no size: `MCR___`, or `MAR____` with a burst letter. */
function isUnsized(bytes: Uint8Array, at: number, letters: number): boolean {
  const type = bytes[at + 1]! | SPACE;
  if (letters === LEAST_LETTERS) return type === LOWER_C || type === LOWER_I;
  if (letters !== LEAST_LETTERS + 1 || (type !== LOWER_A && type !== LOWER_R)) return false;
  return !SIZES.includes(String.fromCharCode(bytes[at + SIZE_PLACE]!));
}

const SIZES = '1248';

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
  line.textEnd = to;
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

/** True if a readable list contains only known registers, separated by commas, with values of the right width. */
function isCleanList(bytes: Uint8Array, at: number, to: number, coprocessor: boolean): boolean {
  let clean = true;
  let previousEnd = at;
  readList(bytes, at, to, (nameAt, valueAt, end) => {
    if (nameAt > at && bytes.subarray(previousEnd, nameAt).indexOf(COMMA) < 0) clean = false;
    const name = textOf(bytes, nameAt, Math.min(valueAt - 1, nameAt + LONGEST_NAME + 1));
    const known = coprocessor ? COPROCESSOR_REGISTER.test(name) : REGISTER.test(name) && isWord(bytes, valueAt, end);
    if (!known) clean = false;
    previousEnd = end;
  });
  return clean;
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

/** Reads the fields after an access word. */
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
  if (startsWithWord(bytes, from, to, 'pipe')) line.suffixes |= SUFFIX.pipe;
  else line.faults |= FAULT.trailingText;
  return true;
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
