/**
 * Effects of a stretch of the trace on the bytes of a page: which bytes it touched and wrote, their final values, and which bytes it
 * read before it wrote them, with what it read first. Masks of two stretches make those of both together.
 *
 * A line's coding: `line | form << 6`, then sets of bytes. Form 0: all that is touched is written; 1: nothing is; 2: two sets,
 * touched and written. Form 3 has values: a byte of flags says which sets follow (touched, written, known, first read, first
 * read with another value than the one left), then come the known bytes and those others.
 * A set's coding is one byte `first word << 4 | words - 1` where it is a run of 4-byte words; runs that would end behind the
 * line stand for other forms.
 */
import { IndexDamaged } from '../../../collections/varint.ts';
import { bitCount, end, lowest, SPAN_HIGH, SPAN_LOW } from '../../../collections/byte-sets.ts';

export interface PageMasks {
  /** Bit i of the 64: line i is in use. */
  linesLow: number;
  linesHigh: number;
  /** Whether any line has values. */
  valued: boolean;
  /** Halves of sets, by line * 2: bytes that were touched; written; whose value is known at the end; whose first effect was a read. */
  readonly touched: Int32Array;
  readonly written: Int32Array;
  readonly known: Int32Array;
  readonly first: Int32Array;
  /** Per byte of the page: the value left, the value first read; meaningful where known, where first read. */
  readonly values: Uint8Array;
  readonly firstValues: Uint8Array;
}

/** Most bytes that a page's chunk can have. */
export const CHUNK_BYTES = 64 * (2 + 5 * 9 + 128);

export function createPageMasks(): PageMasks {
  return {
    linesLow: 0,
    linesHigh: 0,
    valued: false,
    touched: new Int32Array(128),
    written: new Int32Array(128),
    known: new Int32Array(128),
    first: new Int32Array(128),
    values: new Uint8Array(4096),
    firstValues: new Uint8Array(4096),
  };
}

export function clearPageMasks(masks: PageMasks): void {
  masks.linesLow = masks.linesHigh = 0;
  masks.valued = false;
}

/** Makes the line empty if it was not in use. */
export function useLine(masks: PageMasks, line: number): void {
  const bit = 1 << (line & 31);
  if (((line < 32 ? masks.linesLow : masks.linesHigh) & bit) !== 0) return;
  if (line < 32) masks.linesLow |= bit;
  else masks.linesHigh |= bit;
  for (let half = line * 2; half < line * 2 + 2; half++) {
    masks.touched[half] = masks.written[half] = masks.known[half] = masks.first[half] = 0;
  }
}

const RAW = 0xff;
const WORDS = 0xfe;
const BYTES = 0xfd;
const EMPTY = 0xfc;

const FORM = { allWritten: 0, noneWritten: 1, sets: 2, values: 3 } as const;
/** Of `written` and `known`: how the set is given. */
const AS = { touched: 0, empty: 1, given: 2, written: 3 } as const;
const OTHER_FIRSTS = 1 << 6;

/** Writes the page's chunk from `at` on, where CHUNK_BYTES are free; returns its end. */
export function encodePageMasks(masks: PageMasks, bytes: Uint8Array, at: number): number {
  let to = at;
  for (let rest = masks.linesLow; rest !== 0; rest &= rest - 1) to = encodeLine(masks, lowest(rest, 0), bytes, to);
  for (let rest = masks.linesHigh; rest !== 0; rest &= rest - 1) to = encodeLine(masks, lowest(0, rest), bytes, to);
  return to;
}

function encodeLine(masks: PageMasks, line: number, bytes: Uint8Array, at: number): number {
  const { touched, written, known, first } = masks;
  const half = line * 2;
  const tLow = touched[half]!;
  const tHigh = touched[half + 1]!;
  const wLow = written[half]!;
  const wHigh = written[half + 1]!;
  const isKnown = masks.valued && (known[half]! | known[half + 1]! | first[half]! | first[half + 1]!) !== 0;
  if (!isKnown) {
    const none = (wLow | wHigh) === 0;
    const all = wLow === tLow && wHigh === tHigh;
    bytes[at] = line | ((none ? FORM.noneWritten : all ? FORM.allWritten : FORM.sets) << 6);
    const to = writeSet(bytes, at + 1, tLow, tHigh);
    return none || all ? to : writeSet(bytes, to, wLow, wHigh);
  }
  return encodeValues(masks, line, bytes, at);
}

function encodeValues(masks: PageMasks, line: number, bytes: Uint8Array, at: number): number {
  const { touched, written, known, first, values, firstValues } = masks;
  const half = line * 2;
  const tLow = touched[half]!;
  const tHigh = touched[half + 1]!;
  const wLow = written[half]!;
  const wHigh = written[half + 1]!;
  const kLow = known[half]!;
  const kHigh = known[half + 1]!;
  const fLow = first[half]!;
  const fHigh = first[half + 1]!;
  const base = line * 64;
  let dLow = fLow & ~kLow;
  let dHigh = fHigh & ~kHigh;
  for (let rest = fLow & kLow; rest !== 0; rest &= rest - 1) {
    const byte = lowest(rest, 0);
    if (values[base + byte] !== firstValues[base + byte]) dLow |= 1 << byte;
  }
  for (let rest = fHigh & kHigh; rest !== 0; rest &= rest - 1) {
    const byte = lowest(0, rest);
    if (values[base + byte] !== firstValues[base + byte]) dHigh |= 1 << (byte - 32);
  }
  const asWritten = setAs(wLow, wHigh, tLow, tHigh, 0, 0);
  const asKnown = setAs(kLow, kHigh, tLow, tHigh, wLow, wHigh);
  const asFirst = setAs(fLow, fHigh, tLow, tHigh, wLow, wHigh);
  const others = (dLow | dHigh) !== 0;
  bytes[at] = line | (FORM.values << 6);
  bytes[at + 1] = asWritten | (asKnown << 2) | (asFirst << 4) | (others ? OTHER_FIRSTS : 0);
  let to = writeSet(bytes, at + 2, tLow, tHigh);
  if (asWritten === AS.given) to = writeSet(bytes, to, wLow, wHigh);
  if (asKnown === AS.given) to = writeSet(bytes, to, kLow, kHigh);
  if (asFirst === AS.given) to = writeSet(bytes, to, fLow, fHigh);
  if (others) to = writeSet(bytes, to, dLow, dHigh);
  to = gather(values, base, kLow, kHigh, bytes, to);
  return others ? gather(firstValues, base, dLow, dHigh, bytes, to) : to;
}

function setAs(low: number, high: number, tLow: number, tHigh: number, wLow: number, wHigh: number): number {
  if ((low | high) === 0) return AS.empty;
  if (low === tLow && high === tHigh) return AS.touched;
  return low === wLow && high === wHigh ? AS.written : AS.given;
}

function gather(values: Uint8Array, base: number, low: number, high: number, to: Uint8Array, at: number): number {
  let next = at;
  for (let rest = low; rest !== 0; rest &= rest - 1) to[next++] = values[base + lowest(rest, 0)]!;
  for (let rest = high; rest !== 0; rest &= rest - 1) to[next++] = values[base + lowest(0, rest)]!;
  return next;
}

function writeSet(bytes: Uint8Array, at: number, low: number, high: number): number {
  if ((low | high) === 0) {
    bytes[at] = EMPTY;
    return at + 1;
  }
  const from = lowest(low, high);
  const length = end(low, high) - from;
  if (SPAN_LOW[from * 65 + length] === low && SPAN_HIGH[from * 65 + length] === high) {
    if (((from | length) & 3) === 0) {
      bytes[at] = ((from >>> 2) << 4) | ((length >>> 2) - 1);
      return at + 1;
    }
    bytes[at] = BYTES;
    bytes[at + 1] = from;
    bytes[at + 2] = length;
    return at + 3;
  }
  if (isWords(low) && isWords(high)) {
    bytes[at] = WORDS;
    bytes[at + 1] = wordsOf(low);
    bytes[at + 2] = wordsOf(high);
    return at + 3;
  }
  bytes[at] = RAW;
  for (let i = 0; i < 4; i++) {
    bytes[at + 1 + i] = low >>> (8 * i);
    bytes[at + 5 + i] = high >>> (8 * i);
  }
  return at + 9;
}

/** Whether all bytes of each group of four are alike. */
function isWords(half: number): boolean {
  const ones = half & 0x11111111;
  return Math.imul(ones, 15) === half;
}

/** A bit for each group of four. */
function wordsOf(half: number): number {
  let words = 0;
  for (let i = 0; i < 8; i++) words |= ((half >>> (4 * i)) & 1) << i;
  return words;
}

/** A chunk as it is read, line by line; a line's fields are those of the last `next`. */
export interface MaskReader {
  bytes: Uint8Array;
  at: number;
  end: number;
  line: number;
  touchedLow: number;
  touchedHigh: number;
  writtenLow: number;
  writtenHigh: number;
  knownLow: number;
  knownHigh: number;
  firstLow: number;
  firstHigh: number;
  othersLow: number;
  othersHigh: number;
  /** Where the known bytes begin, and those first read that differ. */
  valuesAt: number;
  othersAt: number;
}

export function createMaskReader(): MaskReader {
  return {
    bytes: new Uint8Array(0),
    ...{ at: 0, end: 0, line: 0, valuesAt: 0, othersAt: 0 },
    ...{ touchedLow: 0, touchedHigh: 0, writtenLow: 0, writtenHigh: 0, knownLow: 0, knownHigh: 0 },
    ...{ firstLow: 0, firstHigh: 0, othersLow: 0, othersHigh: 0 },
  };
}

const set = { low: 0, high: 0 };

/** Reads the chunk's next line; false behind the last. */
export function nextMasks(reader: MaskReader): boolean {
  if (reader.at >= reader.end) return false;
  const { bytes } = reader;
  const head = bytes[reader.at++]!;
  reader.line = head & 63;
  reader.knownLow = reader.knownHigh = reader.firstLow = reader.firstHigh = 0;
  reader.othersLow = reader.othersHigh = 0;
  const form = head >>> 6;
  const flags = form === FORM.values ? bytes[reader.at++]! : 0;
  readSet(reader);
  const { low, high } = set;
  reader.touchedLow = reader.writtenLow = low;
  reader.touchedHigh = reader.writtenHigh = high;
  if (form === FORM.noneWritten) reader.writtenLow = reader.writtenHigh = 0;
  else if (form === FORM.sets) {
    readSet(reader);
    reader.writtenLow = set.low;
    reader.writtenHigh = set.high;
  } else if (form === FORM.values) readValues(reader, flags);
  if (reader.at > reader.end) throw new IndexDamaged('a line of masks ends behind its chunk');
  return true;
}

function readValues(reader: MaskReader, flags: number): void {
  readSetAs(reader, flags & 3);
  reader.writtenLow = set.low;
  reader.writtenHigh = set.high;
  readSetAs(reader, (flags >>> 2) & 3);
  reader.knownLow = set.low;
  reader.knownHigh = set.high;
  readSetAs(reader, (flags >>> 4) & 3);
  reader.firstLow = set.low;
  reader.firstHigh = set.high;
  if ((flags & OTHER_FIRSTS) !== 0) {
    readSet(reader);
    reader.othersLow = set.low;
    reader.othersHigh = set.high;
  }
  reader.valuesAt = reader.at;
  reader.othersAt = reader.at + bitCount(reader.knownLow) + bitCount(reader.knownHigh);
  reader.at = reader.othersAt + bitCount(reader.othersLow) + bitCount(reader.othersHigh);
}

function readSetAs(reader: MaskReader, as: number): void {
  if (as === AS.given) {
    readSet(reader);
    return;
  }
  set.low = as === AS.touched ? reader.touchedLow : as === AS.written ? reader.writtenLow : 0;
  set.high = as === AS.touched ? reader.touchedHigh : as === AS.written ? reader.writtenHigh : 0;
}

function readSet(reader: MaskReader): void {
  const { bytes } = reader;
  const code = bytes[reader.at++]!;
  if (code < EMPTY) {
    const at = (code >>> 4) * 4 * 65 + ((code & 15) + 1) * 4;
    set.low = SPAN_LOW[at]!;
    set.high = SPAN_HIGH[at]!;
  } else if (code === WORDS) {
    set.low = spread(bytes[reader.at]!);
    set.high = spread(bytes[reader.at + 1]!);
    reader.at += 2;
  } else if (code === BYTES) {
    const at = bytes[reader.at]! * 65 + bytes[reader.at + 1]!;
    set.low = SPAN_LOW[at]!;
    set.high = SPAN_HIGH[at]!;
    reader.at += 2;
  } else if (code === RAW) {
    const { at } = reader;
    set.low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    set.high = bytes[at + 4]! | (bytes[at + 5]! << 8) | (bytes[at + 6]! << 16) | (bytes[at + 7]! << 24);
    reader.at += 8;
  } else set.low = set.high = 0;
}

function spread(words: number): number {
  let bits = 0;
  for (let i = 0; i < 8; i++) bits |= ((words >>> i) & 1) << (4 * i);
  return Math.imul(bits, 15);
}

/**
 * Adds what a later stretch did to what `masks` says of all before it. Calls `contradicted` for each line where the later
 * one first read bytes that the earlier left with another value, with those bytes.
 */
export function addPageMasks(
  masks: PageMasks,
  reader: MaskReader,
  contradicted: (line: number, low: number, high: number) => void,
): void {
  const { touched, written } = masks;
  while (nextMasks(reader)) {
    const { line } = reader;
    useLine(masks, line);
    const half = line * 2;
    if ((reader.knownLow | reader.knownHigh | reader.firstLow | reader.firstHigh) !== 0 || masks.valued)
      addValues(masks, reader, contradicted);
    touched[half] = touched[half]! | reader.touchedLow;
    touched[half + 1] = touched[half + 1]! | reader.touchedHigh;
    written[half] = written[half]! | reader.writtenLow;
    written[half + 1] = written[half + 1]! | reader.writtenHigh;
  }
}

function addValues(
  masks: PageMasks,
  reader: MaskReader,
  contradicted: (line: number, low: number, high: number) => void,
): void {
  const { written, known, first, values, firstValues } = masks;
  const { bytes, line } = reader;
  const half = line * 2;
  const base = line * 64;
  masks.valued = true;
  scatterFirsts(reader, LATER_FIRSTS);
  // Where the earlier stretch had an effect, what the later one read first is held against it; elsewhere it is first for both.
  let wrongLow = 0;
  let wrongHigh = 0;
  for (let h = 0; h < 2; h++) {
    const its = h === 0 ? reader.firstLow : reader.firstHigh;
    const idle = known[half + h]! | written[half + h]!;
    for (let rest = its & known[half + h]!; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      const byte = h * 32 + 31 - Math.clz32(bit);
      if (values[base + byte] === LATER_FIRSTS[byte]) continue;
      if (h === 0) wrongLow |= bit;
      else wrongHigh |= bit;
    }
    const fresh = its & ~idle;
    for (let rest = fresh; rest !== 0; rest &= rest - 1) {
      const byte = h * 32 + 31 - Math.clz32(rest & -rest);
      firstValues[base + byte] = LATER_FIRSTS[byte]!;
    }
    first[half + h] = first[half + h]! | fresh;
  }
  if ((wrongLow | wrongHigh) !== 0) contradicted(line, wrongLow, wrongHigh);
  known[half] = (known[half]! & ~reader.writtenLow) | reader.knownLow;
  known[half + 1] = (known[half + 1]! & ~reader.writtenHigh) | reader.knownHigh;
  let at = reader.valuesAt;
  for (let rest = reader.knownLow; rest !== 0; rest &= rest - 1) values[base + lowest(rest, 0)] = bytes[at++]!;
  for (let rest = reader.knownHigh; rest !== 0; rest &= rest - 1) values[base + lowest(0, rest)] = bytes[at++]!;
}

const LATER_FIRSTS = new Uint8Array(64);

/** Values of the line's bytes at their first read, by byte of the line. */
export function scatterFirsts(reader: MaskReader, to: Uint8Array): void {
  const { bytes } = reader;
  if ((reader.firstLow | reader.firstHigh) === 0) return;
  let at = reader.valuesAt;
  for (let rest = reader.knownLow; rest !== 0; rest &= rest - 1) to[lowest(rest, 0)] = bytes[at++]!;
  for (let rest = reader.knownHigh; rest !== 0; rest &= rest - 1) to[lowest(0, rest)] = bytes[at++]!;
  at = reader.othersAt;
  for (let rest = reader.othersLow; rest !== 0; rest &= rest - 1) to[lowest(rest, 0)] = bytes[at++]!;
  for (let rest = reader.othersHigh; rest !== 0; rest &= rest - 1) to[lowest(0, rest)] = bytes[at++]!;
}
