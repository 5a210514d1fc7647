/**
 * Decodes the lines of a window into columns. Common lines go through the fast pass in plain.ts; this module handles all others, counts
 * diagnostics, and makes gaps of header lines.
 */
import { type Batch, FLAG, NO_CPU, reserve } from '../../records/batch.ts';
import { HEX, ZERO } from '../../base/characters.ts';
import { lineShape } from '../../format/diagnostics.ts';
import type { Window } from '../../format/format.ts';
import { decodeLines, LINE_DIAGNOSTICS, type LineRules } from '../../format/lines.ts';
import { KIND, MOVES } from '../../records/record.ts';
import { CODE, FIRST_ACCESS, isWrite, kindOf, OWN_FLAG, sizeOf, widthOf } from './codes.ts';
import { createLine, FAULT, FAULTS, type Line, STAMP, SUFFIX } from './line.ts';
import { isFirstHeaderLine, isHeaderLine, readLine } from './read.ts';
import { type Carried, createPlainReader, NO_TIME, type Rules, type Widths } from './plain.ts';
import { trimEnd } from './tokens.ts';
import { nextRecord } from './words.ts';

/** Codes of the diagnostics that this format counts, each with its sentence. */
export const DIAGNOSTICS = {
  ...LINE_DIAGNOSTICS,
  'data-size': 'The data does not have two digits per byte of the size in the letters; the letters are trusted.',
  'missing-data': 'The access has neither data nor (wait) or (abort); it is kept without a value.',
  'opcode-size': 'The opcode has neither four nor eight digits; it is kept as it is.',
  'event-number': 'The event has no number; its words are kept.',
  'register-list': 'The list has an unknown register, lacks a comma or is out of order; it is read as far as possible.',
  'lost-address':
    'The line names a write whose address cannot be read; bytes that it changed are shown with their older values.',
  'lost-register': 'A register cannot be read, or the list may lack some; all registers are unknown after it.',
  'lost-word': 'The word of the record cannot be read; the registers or the bytes that it names are unknown after it.',
  'lost-value': 'The value cannot be read; what the record sets is unknown after it.',
  'leading-text': 'Unknown text precedes the record; it is ignored.',
  'trailing-text': 'Unknown text follows the record; it is kept as its text.',
  'other-width':
    'The access word has a different number of letters than this dialect writes; it is read anyway. The option dialect selects the number of letters.',
} as const;

/** Fills the batch, starting at window.position, moves the position, and returns the last time there. */
export type DecodeTracer = (window: Window, entryTime: number, batch: Batch) => number;

export function createTracerDecoder(rules: Rules): DecodeTracer {
  const { widths, little, sets } = rules;
  const carried: Carried = { time: NO_TIME };
  const line = createLine();
  const plain = createPlainReader(rules, carried);
  const lineRules: LineRules = {
    trim: trimEnd,
    gap(bytes, at, to) {
      if (!isHeaderLine(bytes, at, to)) return undefined;
      if (isFirstHeaderLine(bytes, at, to)) carried.time = NO_TIME;
      return nextRecord(bytes, at, to) < to ? undefined : 'header';
    },
  };
  return (window, entryTime, batch) => {
    carried.time = entryTime;
    decodeLines(window, batch, CODE.OTHER, read, plain, lineRules);
    return carried.time;
  };

  function read(bytes: Uint8Array, at: number, to: number, batch: Batch, row: number): boolean {
    const isRecord = readLine(bytes, at, to, line);
    const isJoined = line.restAt < to;
    if (isJoined) batch.end[row] = batch.start[row]! + line.restAt - at;
    if (!isRecord) {
      if (isJoined) carried.time = NO_TIME;
      if ((line.faults & FAULT.lostAddress) !== 0) countLostAddress(bytes, at, to, batch, row);
      return false;
    }
    fillColumns(batch, row, line, carried.time);
    putValue(batch, row, bytes, line, little);
    const isListed = kindOf(line.native) === KIND.register && (line.faults & FAULT.lostRegister) === 0;
    batch.registers[row] = isListed ? sets.ofList(bytes, line.textAt, line.textEnd) : 0;
    const isLost = (line.faults & FAULT.lostAddress) !== 0 || (isWrite(line.native) && lacksData(line));
    if (isLost) countLostAddress(bytes, at, to, batch, row);
    const start = batch.start[row]!;
    for (const [bit, code] of FAULTS)
      if ((line.faults & bit) !== 0) batch.diagnostics.add(code, start, batch.first + row, lineShape(bytes, at, to));
    if (isOtherWidth(line, widths))
      batch.diagnostics.add('other-width', start, batch.first + row, `${widthOf(line.native)} letters`);
    // The time stamp of the record behind this one, or behind text, may be lost.
    if (isJoined || (line.faults & FAULT.leadingText) !== 0) carried.time = NO_TIME;
    if (line.stamp === STAMP.own && !isJoined) carried.time = line.time;
    return true;
  }
}

/** True if a word is missing, which may have been the address. */
function lacksData({ faults, size, secondAt, secondEnd }: Line): boolean {
  const isMissing = (faults & (FAULT.missingData | FAULT.lostValue)) !== 0;
  return isMissing || (size === 8 && (faults & FAULT.dataSize) !== 0 && secondAt === secondEnd);
}

function countLostAddress(bytes: Uint8Array, at: number, to: number, batch: Batch, row: number): void {
  batch.diagnostics.add('lost-address', batch.start[row]!, batch.first + row, lineShape(bytes, at, to));
}

function isOtherWidth({ native }: Line, { least, most }: Widths): boolean {
  const width = widthOf(native);
  return width !== 0 && (width < least || width > most);
}

function fillColumns(batch: Batch, row: number, line: Line, lastTime: number): void {
  const own = line.stamp === STAMP.own;
  const known = line.stamp === STAMP.asBefore && lastTime >= 0;
  batch.time[row] = own ? line.time : known ? lastTime : Number.NaN;
  batch.kind[row] = kindOf(line.native);
  batch.native[row] = line.native;
  batch.addressLow[row] = line.hasAddress ? line.address : 0;
  batch.addressHigh[row] = 0;
  batch.size[row] = line.size;
  batch.cpu[row] = NO_CPU;
  batch.flags[row] =
    (line.hasAddress ? FLAG.address : 0) |
    ((line.suffixes & (SUFFIX.abort | SUFFIX.wait)) === 0 ? 0 : FLAG.noEffect) |
    (line.faults === 0 ? 0 : FLAG.malformed) |
    (own && line.time < lastTime ? OWN_FLAG.wentBack : 0) |
    (line.joined ? OWN_FLAG.joined : 0);
}

const WORD_DIGITS = 8;

/**
 * Adds the bytes that the line's access moved to row `row`, whose other columns are already written. Adds nothing if a word is missing or
 * has the wrong number of digits, or if the letters contain no size.
 */
function putValue(batch: Batch, row: number, bytes: Uint8Array, line: Line, little: boolean): void {
  const { size, dataAt, dataEnd, secondAt, secondEnd } = line;
  if (MOVES[batch.kind[row]!] === 0 || sizeOf(line.native) === 0 || (batch.flags[row]! & FLAG.noEffect) !== 0) return;
  const digits = dataEnd - dataAt;
  const rest = secondEnd - secondAt;
  if (size === 8 ? digits !== 8 || rest !== 8 : digits === 0 || rest !== 0 || !fills(bytes, line)) return;
  const heap = batch.values;
  reserve(heap, size);
  const word = size === 8 ? 4 : size;
  putWord(heap.bytes, heap.length, word, bytes, dataEnd, little);
  if (size === 8) putWord(heap.bytes, heap.length + 4, word, bytes, secondEnd, little);
  batch.valueAt[row] = heap.length;
  heap.length += size;
  batch.flags[row]! |= FLAG.value;
}

/** True if the data has the digits of the size. The architectural form always has eight, and digits above the size are 0. */
function fills(bytes: Uint8Array, { native, size, dataAt, dataEnd }: Line): boolean {
  const digits = dataEnd - dataAt;
  if (digits === 2 * size) return true;
  if (native >= FIRST_ACCESS || digits !== WORD_DIGITS) return false;
  for (let at = dataAt; at < dataEnd - 2 * size; at++) if (bytes[at] !== ZERO) return false;
  return true;
}

/** Writes the last `size` bytes of the digits before `end` to values[to, to + size). */
function putWord(values: Uint8Array, to: number, size: number, bytes: Uint8Array, end: number, little: boolean): void {
  for (let i = 0; i < size; i++) {
    const at = end - 2 * i - 2;
    values[to + (little ? i : size - 1 - i)] = (HEX[bytes[at]!]! << 4) | HEX[bytes[at + 1]!]!;
  }
}
