/**
 * Reads the start of a line: time, unit and source, and the word that announces the kind of record.
 *
 *     53 clk cpu0 IT ..      decimal time, unit, source      12.5 us R ..        fraction
 *     53 clk 0 IT ..         a bare cpu number               271ns R ..          unit glued to the time
 *     5 clk css.core1 IT ..  a named component                    R R1 (USR) ..   no time: that of the previous line applies
 */
import {
  afterMark,
  COLON,
  DOT,
  HASH,
  isBlank,
  isDecimal,
  isLetter,
  LOWER_C,
  LOWER_P,
  LOWER_U,
  MINUS,
  UPPER_A,
  UPPER_B,
  UPPER_C,
  UPPER_D,
  UPPER_E,
  UPPER_F,
  UPPER_I,
  UPPER_L,
  UPPER_M,
  UPPER_P,
  UPPER_R,
  UPPER_S,
  UPPER_T,
  UPPER_W,
  UPPER_X,
  ZERO,
} from '../../../base/characters.ts';
import { KIND } from '../../../records/record.ts';
import {
  busCode,
  MOST_BYTES,
  OTHER,
  readCode,
  REGISTER,
  rtlCode,
  rtlKind,
  shortCode,
  SKIPPED,
  TAKEN,
  WORD,
  writeCode,
} from '../codes.ts';
import { FAULT, type Line, MARK, MOST_CPU } from './line.ts';
import { decimalOf, isText, skipBlanks, textOf, tokenEnd } from '../../../base/scan.ts';

/** Units of timestamps (docs/formats/tarmac.md). */
export const UNITS = ['clk', 'ns', 'cs', 'cyc', 'tic', 'ps', 'us'] as const;

const MOST_TIME_DIGITS = 20;
const MOST_UNIT_LETTERS = 8;
const MOST_CPU_DIGITS = 9;
/** Cpu numbers reserved per cluster, and the number of clusters with distinct cpu numbers. */
const CLUSTER_CPUS = 256;
const CLUSTERS = 128;
/** Number of distinct instances per component if a processor's name contains several numbered components. */
const NESTED = 16;

/**
 * Reads up to the end of the record's word. Returns its native code; OTHER if the line is not a record. A line without a time is a
 * record only if `untimed` is true.
 */
export function readPrefix(bytes: Uint8Array, from: number, to: number, untimed: boolean, line: Line): number {
  let at = skipBlanks(bytes, afterMark(bytes, from, to), to);
  if (at >= to) return OTHER;
  const first = bytes[at]!;
  if (isDecimal(first) || first === MINUS) {
    at = readTime(bytes, at, to, line);
    if (at < 0) return OTHER;
  } else if (!untimed) return isHeader(bytes, at, to, line) ? WORD['Tarmac Text'] : OTHER;
  return readSourceAndWord(bytes, at, to, line);
}

/** Reads time and unit. Returns the start of the next word; -1 on failure. */
export function readTime(bytes: Uint8Array, from: number, to: number, line: Line): number {
  const negative = bytes[from] === MINUS;
  const first = negative ? from + 1 : from;
  let at = first;
  let digits = 0;
  let time = 0;
  while (at < to && isDecimal(bytes[at]!)) time = time * 10 + (bytes[at++]! - ZERO);
  if (at === first || at - first > MOST_TIME_DIGITS) return -1;
  if (at + 1 < to && bytes[at] === DOT && isDecimal(bytes[at + 1]!)) {
    const fraction = ++at;
    while (at < to && isDecimal(bytes[at]!)) time = time * 10 + (bytes[at++]! - ZERO);
    digits = at - fraction;
    if (digits > MOST_TIME_DIGITS) return -1;
  }
  line.timeAt = from;
  line.timeEnd = at;
  line.exact = Number.isSafeInteger(time);
  // An integer below 2^53 divided by a power of ten gives the nearest double. Longer numbers are parsed as text.
  if (!line.exact) time = Number(textOf(bytes, first, at));
  else if (digits > 0) time /= 10 ** digits;
  line.time = negative ? 0 - time : time;
  const glued = at < to && !isBlank(bytes[at]!);
  at = line.unitAt = skipBlanks(bytes, at, to);
  while (at < to && isLetter(bytes[at]!)) at++;
  line.unitEnd = at;
  if (at === line.unitAt || at - line.unitAt > MOST_UNIT_LETTERS || at >= to || !isBlank(bytes[at]!)) return -1;
  if (glued && !isUnit(bytes, line.unitAt, at)) return -1;
  return skipBlanks(bytes, at, to);
}

/** True for a known unit. Only known units may follow a number without a blank, and none of them is a component's name. */
export function isUnit(bytes: Uint8Array, from: number, to: number): boolean {
  return UNITS.some((unit) => isText(bytes, from, to, unit));
}

function readSourceAndWord(bytes: Uint8Array, from: number, to: number, line: Line): number {
  let at = from;
  let end = tokenEnd(bytes, at, to);
  let native = OTHER;
  const source = bytes[at]!;
  const cpu = source === LOWER_C && bytes[at + 1] === LOWER_P && bytes[at + 2] === LOWER_U && end - at > 2;
  if (!cpu && !isDecimal(source)) native = readWord(bytes, at, end, line);
  if (native === OTHER) {
    if (isHeader(bytes, at, to, line)) return WORD['Tarmac Text'];
    if (end >= to || !readSource(bytes, at, end, cpu, line)) return OTHER;
    at = skipBlanks(bytes, end, to);
    end = tokenEnd(bytes, at, to);
    native = readWord(bytes, at, end, line);
  }
  line.wordAt = at;
  line.wordEnd = end;
  // Every record has fields after its word, so the last word of a line announces nothing.
  return end >= to && line.kind !== KIND.other ? OTHER : native;
}

/** Reads `0`, `cpu0` or a component's name. Trailing digits of a name are the cpu number. */
function readSource(bytes: Uint8Array, from: number, to: number, cpu: boolean, line: Line): boolean {
  const bare = isDecimal(bytes[from]!);
  if (!cpu && !bare && (!isLetter(bytes[from]!) || isUnit(bytes, from, to))) return false;
  let digits = to;
  while (digits > from && isDecimal(bytes[digits - 1]!)) digits--;
  if (to - digits > MOST_CPU_DIGITS || (bare && digits > from)) return false;
  let number = decimalOf(bytes, digits, to);
  if (!bare && digits < to) number = processorOf(bytes, from, digits, number);
  line.cpuAt = from;
  line.cpuEnd = to;
  if (digits < to) line.cpu = number;
  if (number < 0 || number > MOST_CPU) line.faults |= FAULT.cpuRange;
  return true;
}

/**
 * Returns the number of the processor whose name is bytes[from, to) followed by the digits of `own`. Numbers of enclosing components
 * count too, so cluster0.cpu1 and cluster1.cpu1, or cluster0.cpu1.thread0 and cluster1.cpu1.thread0, are distinct. Returns -1 if the
 * numbers do not fit.
 */
function processorOf(bytes: Uint8Array, from: number, to: number, own: number): number {
  let numbered = 0;
  let holder = 0;
  let nested = own;
  let scale = 1;
  let fits = own < NESTED;
  for (let end = to - 1; end > from; end--) {
    if (bytes[end] !== DOT || !isDecimal(bytes[end - 1]!)) continue;
    let first = end;
    while (first > from && isDecimal(bytes[first - 1]!)) first--;
    let number = 0;
    for (let at = first; at < end; at++) number = Math.min(number * 10 + (bytes[at]! - ZERO), MOST_CPU);
    if (numbered === 0) holder = number % CLUSTERS;
    numbered++;
    scale = Math.min(scale * NESTED, MOST_CPU + 1);
    nested += number * scale;
    if (number >= NESTED) fits = false;
  }
  if (numbered > 1) return fits && nested <= MOST_CPU ? nested : -1;
  return own < CLUSTER_CPUS ? own + holder * CLUSTER_CPUS : own;
}

/** Reads the first line of a file: `Tarmac Text Rev 3t`, `# CORTEXM0PLUS TARMAC 00000001`. */
function isHeader(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  if (bytes[from] !== UPPER_T && bytes[from] !== HASH) return false;
  const text = textOf(bytes, from, Math.min(to, from + 64));
  if (!/^Tarmac Text\b|^#.*\bTARMAC\b/.test(text)) return false;
  line.wordAt = line.wordEnd = line.textAt = from;
  line.textEnd = to;
  line.kind = KIND.other;
  return true;
}

/** Returns the native code of a word; OTHER if it announces no record. Sets the line's kind, and the size of accesses. */
function readWord(bytes: Uint8Array, from: number, to: number, line: Line): number {
  const length = to - from;
  const second = bytes[from + 1]!;
  switch (bytes[from]) {
    case UPPER_R:
      if (length > 1) return readSized(bytes, from, to, KIND.read, WORD.R01, line);
      line.kind = KIND.register;
      return REGISTER;
    case UPPER_I:
      if (length !== 2) return readInformation(bytes, from, to, 'INFO_EXCEPTION_REASON', line);
      line.kind = second === UPPER_S ? KIND.skipped : KIND.instruction;
      return second === UPPER_T ? TAKEN : second === UPPER_S ? SKIPPED : second === UPPER_F ? WORD.IF : OTHER;
    case UPPER_M:
      return readAccess(bytes, from, to, line);
    case UPPER_E:
      line.kind = length === 2 ? KIND.instruction : length === 3 ? KIND.exception : KIND.event;
      if (length === 1) return WORD.E;
      if (length === 2) return second === UPPER_S ? WORD.ES : OTHER;
      return isText(bytes, from, to, 'EXC') ? WORD.EXC : OTHER;
    case UPPER_L:
      line.kind = KIND.read;
      return length === 2 && second === UPPER_D ? WORD.LD : OTHER;
    case UPPER_S:
      line.kind = KIND.write;
      if (length === 2) return second === UPPER_T ? WORD.ST : OTHER;
      return readInformation(bytes, from, to, 'SIGNAL', line);
    case UPPER_B:
      line.kind = KIND.branch;
      return length === 2 && second === UPPER_R ? WORD.BR : readBusWord(bytes, from, to, line);
    case UPPER_F:
      line.kind = KIND.branch;
      if (length !== 2) return OTHER;
      return second === UPPER_D ? WORD.FD : second === UPPER_I ? WORD.FI : second === UPPER_R ? WORD.FR : OTHER;
    case UPPER_W:
      return readSized(bytes, from, to, KIND.write, WORD.W01, line);
    case UPPER_C:
      return readInformation(bytes, from, to, second === UPPER_A && length === 4 ? 'CADI' : 'CACHE', line);
    case UPPER_T:
      return readInformation(bytes, from, to, second === UPPER_T ? 'TTW' : 'TLB', line);
    case UPPER_P:
      return readInformation(bytes, from, to, 'P', line);
    default:
      return OTHER;
  }
}

type Information = 'CADI' | 'CACHE' | 'TTW' | 'TLB' | 'P' | 'SIGNAL' | 'INFO_EXCEPTION_REASON';

function readInformation(bytes: Uint8Array, from: number, to: number, word: Information, line: Line): number {
  line.kind = KIND.other;
  const end = bytes[to - 1] === COLON ? to - 1 : to;
  return isText(bytes, from, end, word) ? WORD[word] : OTHER;
}

/** Reads `MR4X`, `MNR4O__I`, `MR4_D`. */
function readAccess(bytes: Uint8Array, from: number, to: number, line: Line): number {
  const way = bytes[from + 1]!;
  if (way !== UPPER_R && way !== UPPER_W) return readRtlWord(bytes, from, to, line);
  line.kind = way === UPPER_R ? KIND.read : KIND.write;
  let at = from + 2;
  let size = 0;
  while (at < to && isDecimal(bytes[at]!) && size <= MOST_BYTES) size = size * 10 + (bytes[at++]! - ZERO);
  if (at === from + 2 || size > MOST_BYTES) return OTHER;
  line.size = size;
  line.attributeAt = at;
  while (at < to) {
    const letter = bytes[at++]!;
    if (letter === UPPER_X || letter === UPPER_T || letter === UPPER_L) continue;
    line.attributeAt = 0;
    const code = shortCode(bytes, from, to);
    if (code !== OTHER && bytes[to - 1] === UPPER_I) line.kind = KIND.fetch;
    if (code !== OTHER && letter === UPPER_E) line.marks |= MARK.aborted;
    return code;
  }
  return way === UPPER_R ? readCode(size) : writeCode(size);
}

/** Reads `MNR4O__I` and `BNR4O__I`. */
function readRtlWord(bytes: Uint8Array, from: number, to: number, line: Line): number {
  const code = rtlCode(bytes, from, to);
  if (code === OTHER) return OTHER;
  line.size = isDecimal(bytes[from + 3]!) ? bytes[from + 3]! - ZERO : 0;
  line.kind = rtlKind(code);
  return code;
}

/** Reads `BR4D__N` of Fast Models and `BNR4O__I` of RTL. */
function readBusWord(bytes: Uint8Array, from: number, to: number, line: Line): number {
  const code = busCode(bytes, from, to);
  if (code === OTHER) return readRtlWord(bytes, from, to, line);
  const write = bytes[from + 1] === UPPER_W;
  const wide = to - from - 7;
  line.size = bytes[from + 2]! - ZERO;
  if (wide > 0) line.size = line.size * 10 + bytes[from + 3]! - ZERO;
  line.kind = write ? KIND['bus-write'] : bytes[from + 3 + wide] === UPPER_I ? KIND['bus-fetch'] : KIND['bus-read'];
  return code;
}

/** Reads `R04`, `W16`. */
function readSized(bytes: Uint8Array, from: number, to: number, kind: number, first: number, line: Line): number {
  if (to - from !== 3 || !isDecimal(bytes[from + 1]!) || !isDecimal(bytes[from + 2]!)) return OTHER;
  const size = (bytes[from + 1]! - ZERO) * 10 + bytes[from + 2]! - ZERO;
  const place = size === 1 ? 0 : size === 2 ? 1 : size === 4 ? 2 : size === 8 ? 3 : size === 16 ? 4 : -1;
  line.kind = kind;
  line.size = size;
  return place < 0 ? OTHER : first + place;
}
