/**
 * The last accesses of a block to the bytes of a page: by whom each byte was touched last, by whom written last, who left its
 * value; and who read it first where that was its first effect in the block.
 *
 * A line's coding: the line, the number of its accesses, the accesses from the newest to the oldest. An access: a head (is a
 * write, has a value, is a first read, size as a power of two, whether record and start follow from the one before as in a
 * burst), its start and size where they do not follow, how many records it lies before the one before (the first: its record in the
 * block), its value.
 */
import { IndexDamaged } from '../store/varint.ts';

/** Accesses to one page, by line from the lowest, in a line from the newest. */
export interface TouchWriter {
  bytes: Uint8Array<ArrayBuffer>;
  length: number;
  record: number;
  start: number;
}

export const TOUCH = { write: 1, value: 2, first: 4 } as const;

const SIZE_SHIFT = 3;
const OTHER_SIZE = 7;
const NEXT_RECORD = 64;
const NEXT_START = 128;

export function createTouchWriter(): TouchWriter {
  return { bytes: new Uint8Array(65536), length: 0, record: 0, start: 0 };
}

function room(writer: TouchWriter, more: number): void {
  if (writer.length + more <= writer.bytes.length) return;
  const larger = new Uint8Array(writer.bytes.length * 2);
  larger.set(writer.bytes.subarray(0, writer.length));
  writer.bytes = larger;
}

/** `accesses`: how many follow by `putTouch`; at least one. */
export function putLine(writer: TouchWriter, line: number, accesses: number): void {
  room(writer, 8);
  writer.bytes[writer.length++] = line;
  putNumber(writer, accesses);
  writer.record = -1;
  writer.start = 64;
}

/** `flags` of TOUCH; `values[valueAt...]` are its bytes where it has a value. `size`: 1 to 64. */
export function putTouch(
  writer: TouchWriter,
  flags: number,
  record: number,
  start: number,
  size: number,
  values: Uint8Array,
  valueAt: number,
): void {
  room(writer, 80);
  const { bytes } = writer;
  const power = 31 - Math.clz32(size);
  const code = 1 << power === size ? power : OTHER_SIZE;
  const nextRecord = writer.record - 1 === record;
  const nextStart = writer.start - size === start;
  bytes[writer.length++] = flags | (code << SIZE_SHIFT) | (nextRecord ? NEXT_RECORD : 0) | (nextStart ? NEXT_START : 0);
  if (!nextStart) bytes[writer.length++] = start;
  if (code === OTHER_SIZE) bytes[writer.length++] = size;
  if (!nextRecord) putNumber(writer, writer.record < 0 ? record : writer.record - record);
  if ((flags & TOUCH.value) !== 0) {
    for (let i = 0; i < size; i++) bytes[writer.length++] = values[valueAt + i]!;
  }
  writer.record = record;
  writer.start = start;
}

function putNumber(writer: TouchWriter, value: number): void {
  const { bytes } = writer;
  let rest = value;
  while (rest > 127) {
    bytes[writer.length++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[writer.length++] = rest;
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
