/**
 * Where the fields of one QEMU4V line lie: the careful reading that accepts every shape listed in docs/formats/tarmac.md.
 * It knows one line and nothing else: no file, no state, no columns. Bulk decoding falls back to it, describing uses it.
 *
 *     53 clk 0 IT (53) 00008068 e59f0060 A svc_ns : ldr r0, [pc, #0x60]
 *     |  |   | |   |   address  |        | |    |   text
 *     |  |   | |   id           code     | mode security
 *     |  |   | word                      iset
 *     |  |   cpu
 *     |  unit
 *     time
 *
 * A memory line has word, address and code (its data), a register line word, name and code (its value).
 * Source: QEMU4V "Trace Format" (record tables); the tolerated deviations are those other writers of the family make.
 */
import {
  CLOSE,
  COLON,
  CR,
  HEX,
  isBlank,
  isDecimal,
  isLetter,
  LOWER_C,
  LOWER_P,
  LOWER_U,
  LOWER_X,
  MINUS,
  NO_DIGIT,
  OPEN,
  SPACE,
  UNDERSCORE,
  UPPER_I,
  UPPER_L,
  UPPER_M,
  UPPER_R,
  UPPER_S,
  UPPER_T,
  UPPER_W,
  UPPER_X,
  ZERO,
} from '../../characters.ts';
import { MOST_BYTES, OTHER, readCode, REGISTER, SKIPPED, TAKEN, writeCode } from './codes.ts';

/** Bits of `Line.faults`: rules that a line breaks although it can be read. */
export const FAULT = {
  /** The data has not two digits per byte of the stated size: the digits are trusted. */
  dataSize: 1,
  /** The opcode has an odd number of digits. */
  oddOpcode: 2,
  /** Digits of a value are written as x: there is no value. */
  unknownDigits: 4,
  /** Text follows the mode without a colon. */
  missingColon: 8,
  /** The cpu number does not fit its column. */
  cpuRange: 16,
} as const;

export const MOST_CPU = 32767;
const MOST_TIME_DIGITS = 20;
const MOST_UNIT_LETTERS = 8;
const MOST_CPU_DIGITS = 9;
const MOST_ADDRESS_DIGITS = 16;
const MOST_OPCODE_DIGITS = 32;

/** One line's fields as positions in the bytes it was read from; a field that is absent is the empty span at 0. */
export interface Line {
  /** Code of the `native` column; OTHER when the line is no record. */
  native: number;
  /** Number of the time, rounded to a double. */
  time: number;
  timeAt: number;
  timeEnd: number;
  unitAt: number;
  unitEnd: number;
  /** The cpu number, -1 where the line names none. */
  cpu: number;
  cpuAt: number;
  cpuEnd: number;
  wordAt: number;
  wordEnd: number;
  /** Where the attribute letters of a memory access begin; they go on to wordEnd. */
  attributeAt: number;
  idAt: number;
  idEnd: number;
  addressLow: number;
  addressHigh: number;
  addressAt: number;
  addressEnd: number;
  nameAt: number;
  nameEnd: number;
  /** Bytes that the digits of code fill: of the opcode, of the data, of the value. */
  size: number;
  codeAt: number;
  codeEnd: number;
  isetAt: number;
  modeAt: number;
  modeEnd: number;
  textAt: number;
  textEnd: number;
  /** Bits of FAULT. */
  faults: number;
}

export function createLine(): Line {
  return {
    native: OTHER,
    time: 0,
    timeAt: 0,
    timeEnd: 0,
    unitAt: 0,
    unitEnd: 0,
    cpu: -1,
    cpuAt: 0,
    cpuEnd: 0,
    wordAt: 0,
    wordEnd: 0,
    attributeAt: 0,
    idAt: 0,
    idEnd: 0,
    addressLow: 0,
    addressHigh: 0,
    addressAt: 0,
    addressEnd: 0,
    nameAt: 0,
    nameEnd: 0,
    size: 0,
    codeAt: 0,
    codeEnd: 0,
    isetAt: 0,
    modeAt: 0,
    modeEnd: 0,
    textAt: 0,
    textEnd: 0,
    faults: 0,
  };
}

/** Where the line that ends before `to` ends without line end and trailing blanks; `from` when it is blank. */
export function trimEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  while (end > from && (isBlank(bytes[end - 1]!) || bytes[end - 1] === CR || bytes[end - 1] === 10)) end--;
  return end;
}

/** Reads bytes[from..to), trimmed by trimEnd, into `line`. False, with native OTHER, when it is no record. */
export function readLine(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  clear(line);
  const native = readPrefix(bytes, from, to, line);
  if (native === OTHER) return false;
  const whole =
    native === REGISTER
      ? readRegister(bytes, to, line)
      : native === TAKEN || native === SKIPPED
        ? readInstruction(bytes, to, line)
        : readMemory(bytes, to, line);
  if (!whole) return false;
  line.native = native;
  return true;
}

function clear(line: Line): void {
  line.native = OTHER;
  line.cpu = -1;
  line.cpuAt = line.cpuEnd = 0;
  line.attributeAt = 0;
  line.idAt = line.idEnd = 0;
  line.addressLow = line.addressHigh = 0;
  line.addressAt = line.addressEnd = 0;
  line.nameAt = line.nameEnd = 0;
  line.size = 0;
  line.isetAt = 0;
  line.modeAt = line.modeEnd = 0;
  line.textAt = line.textEnd = 0;
  line.faults = 0;
}

/** Time, unit, cpu and the word that tells the record's kind; answers the native code, OTHER when it is none. */
function readPrefix(bytes: Uint8Array, from: number, to: number, line: Line): number {
  let at = skipBlanks(bytes, skipMark(bytes, from, to), to);
  line.timeAt = at;
  at = line.timeEnd = readTime(bytes, at, to, line);
  if (at === line.timeAt || at >= to || !isBlank(bytes[at]!)) return OTHER;
  at = line.unitAt = skipBlanks(bytes, at, to);
  while (at < to && isLetter(bytes[at]!)) at++;
  line.unitEnd = at;
  if (at === line.unitAt || at - line.unitAt > MOST_UNIT_LETTERS || at >= to || !isBlank(bytes[at]!)) return OTHER;
  at = readCpu(bytes, skipBlanks(bytes, at, to), to, line);
  line.wordAt = at;
  at = line.wordEnd = tokenEnd(bytes, at, to);
  // Every record has more fields after its word, so a word that ends the line is none.
  return at >= to ? OTHER : readWord(bytes, line);
}

/** Skips the UTF-8 byte order mark that editors put before a file's first line. */
function skipMark(bytes: Uint8Array, from: number, to: number): number {
  return to - from >= 3 && bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf
    ? from + 3
    : from;
}

/** Decimal digits with an optional minus; answers their end, `from` when there are none or too many. */
function readTime(bytes: Uint8Array, from: number, to: number, line: Line): number {
  const negative = from < to && bytes[from] === MINUS;
  const first = negative ? from + 1 : from;
  let at = first;
  let time = 0;
  while (at < to && isDecimal(bytes[at]!)) time = time * 10 + (bytes[at++]! - ZERO);
  if (at === first || at - first > MOST_TIME_DIGITS) return from;
  // Beyond 2^53 every step above rounds: read the digits at once for the nearest double.
  if (time > Number.MAX_SAFE_INTEGER) time = Number(String.fromCharCode(...bytes.subarray(first, at)));
  line.time = negative ? 0 - time : time;
  return at;
}

/** `0` or `cpu0` before the record's word; answers where the word begins. */
function readCpu(bytes: Uint8Array, from: number, to: number, line: Line): number {
  let at = from;
  const named = bytes[at] === LOWER_C && bytes[at + 1] === LOWER_P && bytes[at + 2] === LOWER_U && at + 3 < to;
  if (named) at += 3;
  const digits = at;
  let cpu = 0;
  while (at < to && isDecimal(bytes[at]!)) cpu = cpu * 10 + (bytes[at++]! - ZERO);
  if (at === digits || at - digits > MOST_CPU_DIGITS || at >= to || !isBlank(bytes[at]!)) return from;
  line.cpu = cpu;
  line.cpuAt = from;
  line.cpuEnd = at;
  if (cpu > MOST_CPU) line.faults |= FAULT.cpuRange;
  return skipBlanks(bytes, at, to);
}

function readWord(bytes: Uint8Array, line: Line): number {
  const length = line.wordEnd - line.wordAt;
  const first = bytes[line.wordAt]!;
  const second = bytes[line.wordAt + 1]!;
  if (first === UPPER_R) return length === 1 ? REGISTER : OTHER;
  if (first === UPPER_I && length === 2) return second === UPPER_T ? TAKEN : second === UPPER_S ? SKIPPED : OTHER;
  if (first !== UPPER_M || (second !== UPPER_R && second !== UPPER_W)) return OTHER;
  let at = line.wordAt + 2;
  let size = 0;
  while (at < line.wordEnd && isDecimal(bytes[at]!) && size <= MOST_BYTES) size = size * 10 + (bytes[at++]! - ZERO);
  if (at === line.wordAt + 2 || size > MOST_BYTES) return OTHER;
  line.attributeAt = at;
  while (at < line.wordEnd) {
    const letter = bytes[at++]!;
    if (letter !== UPPER_X && letter !== UPPER_T && letter !== UPPER_L) return OTHER;
  }
  line.size = size;
  return second === UPPER_R ? readCode(size) : writeCode(size);
}

function readRegister(bytes: Uint8Array, to: number, line: Line): boolean {
  line.nameAt = skipBlanks(bytes, line.wordEnd, to);
  line.nameEnd = tokenEnd(bytes, line.nameAt, to);
  if (line.nameEnd >= to) return false;
  return readCodeDigits(bytes, skipBlanks(bytes, line.nameEnd, to), to, true, line) === to;
}

function readMemory(bytes: Uint8Array, to: number, line: Line): boolean {
  const stated = line.size;
  const at = readAddress(bytes, skipBlanks(bytes, line.wordEnd, to), to, line);
  if (at < 0 || at >= to) return false;
  if (readCodeDigits(bytes, skipBlanks(bytes, at, to), to, true, line) !== to) return false;
  if (codeDigits !== 2 * stated) line.faults |= FAULT.dataSize;
  return true;
}

function readInstruction(bytes: Uint8Array, to: number, line: Line): boolean {
  let at = skipBlanks(bytes, line.wordEnd, to);
  if (at < to && bytes[at] === OPEN) {
    line.idAt = ++at;
    while (at < to && isDecimal(bytes[at]!)) at++;
    line.idEnd = at;
    if (at === line.idAt || at >= to || bytes[at] !== CLOSE) return false;
    at = skipBlanks(bytes, at + 1, to);
  }
  at = readAddress(bytes, at, to, line);
  if (at < 0 || at >= to) return false;
  at = readCodeDigits(bytes, skipBlanks(bytes, at, to), to, false, line);
  if (at < 0 || at >= to || !isBlank(bytes[at]!) || codeDigits > MOST_OPCODE_DIGITS) return false;
  if (codeDigits % 2 === 1) line.faults |= FAULT.oddOpcode;
  at = line.isetAt = skipBlanks(bytes, at, to);
  if (at >= to || !isLetter(bytes[at]!)) return false;
  at++;
  if (at < to && !isBlank(bytes[at]!) && bytes[at] !== COLON) return false;
  readModeAndText(bytes, skipBlanks(bytes, at, to), to, line);
  return true;
}

function readModeAndText(bytes: Uint8Array, from: number, to: number, line: Line): void {
  let at = from;
  line.modeAt = at;
  while (at < to && !isBlank(bytes[at]!) && bytes[at] !== COLON) at++;
  line.modeEnd = at;
  at = skipBlanks(bytes, at, to);
  line.textAt = at;
  line.textEnd = to;
  if (at >= to) return;
  if (bytes[at] === COLON) line.textAt = at + 1 < to && bytes[at + 1] === SPACE ? at + 2 : at + 1;
  else line.faults |= FAULT.missingColon;
}

/** An address of at most 64 bits; answers the end of its token, -1 when it is none. */
function readAddress(bytes: Uint8Array, from: number, to: number, line: Line): number {
  const end = scanDigits(bytes, from, to, false);
  if (end < 0 || codeDigits > MOST_ADDRESS_DIGITS || (end < to && !isBlank(bytes[end]!))) return -1;
  line.addressLow = codeLow;
  line.addressHigh = codeHigh;
  line.addressAt = from;
  line.addressEnd = end;
  return end;
}

/** Opcode, data or value of any width; answers its end, -1 when there is none. */
function readCodeDigits(bytes: Uint8Array, from: number, to: number, unknown: boolean, line: Line): number {
  const end = scanDigits(bytes, from, to, unknown);
  if (end < 0) return -1;
  line.codeAt = from;
  line.codeEnd = end;
  line.size = Math.ceil(codeDigits / 2);
  if (codeUnknown) line.faults |= FAULT.unknownDigits;
  return end;
}

// What scanDigits found beside the end: module variables, because it is called per field and must not allocate.
let codeDigits = 0;
let codeLow = 0;
let codeHigh = 0;
let codeUnknown = false;

/**
 * Hexadecimal digits with an optional 0x and single `_` between digits; where `unknown` is set also x for a digit that
 * the writer did not know. Answers the end of the digits, -1 when there is none.
 */
function scanDigits(bytes: Uint8Array, from: number, to: number, unknown: boolean): number {
  let at = from;
  if (at + 2 < to && bytes[at] === ZERO && (bytes[at + 1]! | 0x20) === LOWER_X && HEX[bytes[at + 2]!] !== NO_DIGIT)
    at += 2;
  codeDigits = codeLow = codeHigh = 0;
  codeUnknown = false;
  let digitEnd = -1;
  while (at < to) {
    const byte = bytes[at]!;
    let digit = HEX[byte]!;
    if (digit === NO_DIGIT) {
      if (unknown && (byte | 0x20) === LOWER_X) {
        codeUnknown = true;
        digit = 0;
      } else if (byte === UNDERSCORE && digitEnd === at) {
        at++;
        continue;
      } else break;
    }
    codeHigh = ((codeHigh << 4) | (codeLow >>> 28)) >>> 0;
    codeLow = ((codeLow << 4) | digit) >>> 0;
    codeDigits++;
    digitEnd = ++at;
  }
  return digitEnd === at ? digitEnd : -1;
}

function skipBlanks(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(bytes[at]!)) at++;
  return at;
}

function tokenEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && !isBlank(bytes[at]!)) at++;
  return at;
}
