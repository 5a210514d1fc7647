/**
 * Reads one line of Tracer text in every form that its writers print, and as damaged by repeated copying. The result contains the
 * positions and values of the fields, and depends on this line only.
 */
import { afterMark, LOWER_X, UPPER_T, ZERO } from '../../base/characters.ts';
import { hexEnd, hexOf, textOf } from '../../base/scan.ts';
import { KIND, MOVES } from '../../records/record.ts';
import { readAccess, readCycle, readPlainAccess } from './accesses.ts';
import { CODE, isThumbLine, isWrite, kindOf, LEAST_LETTERS } from './codes.ts';
import { readDamaged } from './damaged.ts';
import { clearLine, FAULT, type Line, readAddress, splitRest, STAMP, WORD_DIGITS } from './line.ts';
import { readRegisters } from './register-list.ts';
import { blankLength, skipBlanks, startsWithWord, tokenEnd, trimEnd, wordEnd } from './tokens.ts';
import { accessCode, nextRecord, readWord, WORD_FORM } from './words.ts';

/**
 * Reads the trimmed line bytes[at, to) into `line`. Returns false if it is not a record; its faults then say whether it may be a write. If
 * another record begins in the line, `restAt` is its start, and the bytes before it read the same alone if `joined` is true.
 */
export function readLine(bytes: Uint8Array, at: number, to: number, line: Line, joined = false): boolean {
  line.joined = joined;
  let found = readRecord(bytes, at, to, line);
  let restAt = to;
  for (let end = to; line.restAt < end; found = readRecord(bytes, at, end, line)) {
    restAt = line.restAt;
    line.joined = true;
    end = trimEnd(bytes, at, restAt);
  }
  line.restAt = restAt;
  return found;
}

function readRecord(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  if (readUndamaged(bytes, at, to, line) || readDamaged(bytes, to, line)) return true;
  const { native, wordAt, wordEnd } = line;
  const mayWrite = isWrite(native) || WRITE.test(textOf(bytes, wordAt, wordEnd));
  // The words before an effect may be damaged.
  const first = tokenEnd(bytes, skipBlanks(bytes, at, to), to);
  for (let next = nextRecord(bytes, first, to); next < to; next = nextRecord(bytes, tokenEnd(bytes, next, to), to))
    if (readUndamaged(bytes, next, to, line) && isEffect(line.native)) {
      line.faults |= FAULT.leadingText | (mayWrite ? FAULT.lostAddress : 0);
      return true;
    }
  line.restAt = to;
  line.native = native;
  line.faults = mayWrite ? FAULT.lostAddress : 0;
  return false;
}

/** Beginning of the word of a write. */
const WRITE = /^(?:[MB].|[MX])W/i;

function isEffect(native: number): boolean {
  const kind = kindOf(native);
  return kind === KIND.register || MOVES[kind] === 1;
}

/** Reads a line as `readLine` does, if it begins as a record does. */
export function readUndamaged(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  clearLine(line, at);
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
      line.textEnd = splitRest(bytes, rest, to, line);
      return rest < line.textEnd;
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

const HEADERS = ['Date:', 'Source:', 'Options:', 'Range:', 'Sample:'];
/** Times have at least the digits of a 32-bit number, and at most as many as a double holds exactly. */
const STAMP_DIGITS = 8;
const MOST_STAMP_DIGITS = 13;
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
  // Half of an ARM opcode would be a Thumb instruction.
  return !line.joined || line.textEnd > line.textAt || end - from === WORD_DIGITS;
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
  if (line.joined && line.textEnd === line.textAt) {
    line.faults |= FAULT.eventNumber;
    line.secondEnd = line.secondAt;
  }
  return true;
}
