/**
 * The last accesses of a block to the bytes of a page: by whom each byte was touched last, by whom written last, who left its
 * value; and who read it first where that was its first effect in the block.
 *
 * A line's coding: the line, the number of its accesses, the accesses from the newest to the oldest. An access: a head (is a
 * write, has a value, is a first read, size as a power of two, whether record and start follow from the one before as in a
 * burst), its start and size where they do not follow, how many records it lies before the one before (the first: its record in the
 * block), its value.
 */
import { IndexDamaged } from '../../../collections/varint.ts';

/** Accesses to one page, by line from the lowest, in a line from the newest. */
export interface TouchWriter {
  bytes: Uint8Array<ArrayBuffer>;
  length: number;
  /** The accesses of the next line that is put. */
  readonly line: LineTouches;
}

/** By access of a line, MOST_TOUCHES at most. */
export interface LineTouches {
  /** Flags of TOUCH, from bit 3 on where it starts in the line, from bit 9 on its size less 1. */
  readonly what: Int32Array;
  /** Within the block. */
  readonly records: Int32Array;
  /** Where its bytes begin, if it has a value. */
  readonly valueAt: Int32Array;
}

export const TOUCH = { write: 1, value: 2, first: 4 } as const;
export const START_SHIFT = 3;
export const LESS_SHIFT = 9;

/** Each access of a line touches, writes, values or reads first a byte that no other does: 4 times 64. */
const MOST_TOUCHES = 256;
/** Bytes that the head, start, size and record of an access take at most. */
const TOUCH_BYTES = 8;
const SIZE_SHIFT = 3;
const OTHER_SIZE = 7;
const NEXT_RECORD = 64;
const NEXT_START = 128;

export function createTouchWriter(): TouchWriter {
  const line = {
    what: new Int32Array(MOST_TOUCHES),
    records: new Int32Array(MOST_TOUCHES),
    valueAt: new Int32Array(MOST_TOUCHES),
  };
  return { bytes: new Uint8Array(65536), length: 0, line };
}

function room(writer: TouchWriter, more: number): void {
  if (writer.length + more <= writer.bytes.length) return;
  const larger = new Uint8Array(Math.max(writer.bytes.length * 2, writer.length + more));
  larger.set(writer.bytes.subarray(0, writer.length));
  writer.bytes = larger;
}

/** The first `accesses` of `writer.line`, at least one. `values`: where their bytes lie; undefined if none has a value. */
export function putLine(writer: TouchWriter, line: number, accesses: number, values: Uint8Array | undefined): void {
  room(writer, TOUCH_BYTES + accesses * (TOUCH_BYTES + (values === undefined ? 0 : 64)));
  const { bytes } = writer;
  const { what, records, valueAt } = writer.line;
  let to = writer.length | 0;
  bytes[to++] = line;
  let left = accesses;
  for (; left > 127; left >>>= 7) bytes[to++] = (left & 127) | 128;
  bytes[to++] = left;
  let recordBefore = -1;
  let startBefore = 64;
  for (let i = 0; i < accesses; i++) {
    const its = what[i]!;
    const start = (its >>> START_SHIFT) & 63;
    const size = (its >>> LESS_SHIFT) + 1;
    const record = records[i]!;
    const power = 31 - Math.clz32(size);
    const code = 1 << power === size ? power : OTHER_SIZE;
    const nextRecord = recordBefore - 1 === record;
    const nextStart = startBefore - size === start;
    bytes[to++] = (its & 7) | (code << SIZE_SHIFT) | (nextRecord ? NEXT_RECORD : 0) | (nextStart ? NEXT_START : 0);
    if (!nextStart) bytes[to++] = start;
    if (code === OTHER_SIZE) bytes[to++] = size;
    if (!nextRecord) {
      let rest = recordBefore < 0 ? record : recordBefore - record;
      for (; rest > 127; rest >>>= 7) bytes[to++] = (rest & 127) | 128;
      bytes[to++] = rest;
    }
    if (values !== undefined && (its & TOUCH.value) !== 0) {
      const at = valueAt[i]!;
      for (let byte = 0; byte < size; byte++) bytes[to++] = values[at + byte]!;
    }
    recordBefore = record;
    startBefore = start;
  }
  writer.length = to;
}

/** A chunk as it is read; the fields are those of the last access. */
export interface TouchReader {
  bytes: Uint8Array;
  at: number;
  end: number;
  line: number;
  /** Accesses of the line that are not read yet. */
  left: number;
  flags: number;
  /** Within the block. */
  record: number;
  /** Bytes start, ..., start + size - 1 of the line. */
  start: number;
  size: number;
  /** Where its bytes begin. */
  valueAt: number;
}

export function readTouches(bytes: Uint8Array, at: number, end: number): TouchReader {
  return { bytes, at, end, line: 0, left: 0, flags: 0, record: 0, start: 0, size: 0, valueAt: 0 };
}

/** The next access of the chunk; false behind the last. */
export function nextTouch(reader: TouchReader): boolean {
  const { bytes } = reader;
  const isNewest = reader.left === 0;
  if (isNewest) {
    if (reader.at >= reader.end) return false;
    reader.line = bytes[reader.at++]!;
    reader.left = number(reader);
    reader.start = 64;
  }
  reader.left--;
  const head = bytes[reader.at++]!;
  const code = (head >>> SIZE_SHIFT) & 7;
  reader.flags = head & 7;
  const start = (head & NEXT_START) === 0 ? bytes[reader.at++]! : -1;
  reader.size = code === OTHER_SIZE ? bytes[reader.at++]! : 1 << code;
  reader.start = start < 0 ? reader.start - reader.size : start;
  if ((head & NEXT_RECORD) !== 0) reader.record--;
  else reader.record = isNewest ? number(reader) : reader.record - number(reader);
  reader.valueAt = reader.at;
  if ((head & TOUCH.value) !== 0) reader.at += reader.size;
  if (reader.at > reader.end) throw new IndexDamaged('an access ends behind its chunk');
  return true;
}

function number(reader: TouchReader): number {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) throw new IndexDamaged('a chunk ends early');
    if (byte < 128) return value + byte * scale;
    value += (byte - 128) * scale;
  }
}
