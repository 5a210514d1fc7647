/**
 * How the answer to a call travels as a stream of bytes: frames, of which its last one holds the answer.
 *
 *     u32 LE  length of the header
 *     u32 LE  length of the payload
 *     header  JSON in ASCII: {"event": VALUE, "bulk": [..]} or {"answer": RESULT, "bulk": [..]}, "rows" where there are some, and
 *             "call" where several calls share the stream
 *     payload the numbers of all typed arrays of the value, each from a multiple of 8 on
 *
 * A Float64Array or Uint8Array anywhere in the value is null in the JSON, and `bulk` reports its path, type, offset and
 * length (in elements): bulk is never text, and the reader hands out views of the payload without a further copy.
 * A long list of flat objects is null, too, and `rows` reports its path, length and columns (wire-rows.ts), each with its key,
 * kind, the offset of its numbers and its texts.
 * Numbers lie as the machine has them: both ends are the same machine, and every machine this runs on is little-endian.
 */
import { latin1, u32LittleEndian } from '../base/bytes.ts';
import { assert } from '../base/result.ts';
import type { Result } from '../base/result.ts';
import { packRows, unpackRows, type PackedColumn } from './row-columns.ts';

/** `call`: the call that it belongs to, if several share the stream. */
export type Frame = ({ readonly event: unknown } | { readonly answer: Result<unknown> }) & { readonly call?: string };

export const FRAMES_TYPE = 'application/x-tracebench-frames';

export interface FrameReaderOptions {
  /** The header's bytes as text, where there is something faster than what every place has. */
  readonly text?: (ascii: Uint8Array) => string;
  /** Called for each frame whose text can contain characters outside printable ASCII; the text of other frames needs no check. */
  readonly onOtherText?: (frame: Frame) => void;
}

export interface FrameReader {
  /** Takes the next bytes of the stream, cut anywhere, and returns the frames that they complete. Throws on what is no stream of frames. */
  push(chunk: Uint8Array): readonly Frame[];
}

export function encodeFrame(frame: Frame): Uint8Array<ArrayBuffer> {
  const taken: Taken = { bulk: [], rows: [], arrays: [], length: 0 };
  const plain = takeBulk('event' in frame ? frame.event : frame.answer, [], taken);
  const { bulk, rows, arrays, length: payloadLength } = taken;
  const header = asciiJson({
    ...(frame.call !== undefined && { call: frame.call }),
    ['event' in frame ? 'event' : 'answer']: plain,
    bulk,
    ...(rows.length > 0 && { rows }),
  });
  assert(header.length <= HEADER_MOST && payloadLength <= PAYLOAD_MOST, 'an answer is too long for one frame');

  const bytes = new Uint8Array(PREFIX + header.length + payloadLength);
  putU32(bytes, 0, header.length);
  putU32(bytes, 4, payloadLength);
  for (let i = 0; i < header.length; i++) bytes[PREFIX + i] = header.charCodeAt(i);
  let at = PREFIX + header.length;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += padded(array.byteLength);
  }
  return bytes;
}

export function createFrameReader(options: FrameReaderOptions = {}): FrameReader {
  let part = prefixPart();
  let filled = 0;

  return {
    push(chunk) {
      const frames: Frame[] = [];
      let at = 0;
      while (at < chunk.length) {
        const length = Math.min(part.bytes.length - filled, chunk.length - at);
        part.bytes.set(chunk.subarray(at, at + length), filled);
        at += length;
        filled += length;
        if (filled < part.bytes.length) continue;
        if (part.body) frames.push(decodeBody(part, options));
        part = part.body ? prefixPart() : bodyPart(part.bytes);
        filled = part.headerAt;
      }
      return frames;
    },
  };
}

type Bulk = Float64Array | Uint8Array;
/** Where in the value, which type, at which byte of the payload, how many elements. */
type BulkPlace = readonly [path: readonly (string | number)[], type: 'f64' | 'u8', offset: number, length: number];

/** Where in the value, how many rows, and their columns. */
type RowsPlace = readonly [path: readonly (string | number)[], count: number, columns: readonly ColumnPlace[]];
/** `offset`: of its Float64Array in the payload. */
type ColumnPlace = readonly [key: string, kind: PackedColumn['kind'], offset: number, texts: readonly string[]];

/** Buffer being filled: the prefix, or a body whose header starts at `headerAt` so that its payload is aligned to 8 bytes. */
interface Part {
  readonly body: boolean;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headerAt: number;
  readonly payloadAt: number;
}

const PREFIX = 8;
/** Longer ones come from something else than `encodeFrame`. */
const HEADER_MOST = 2 ** 28;
const PAYLOAD_MOST = 2 ** 30;

function prefixPart(): Part {
  return { body: false, bytes: new Uint8Array(PREFIX), headerAt: 0, payloadAt: PREFIX };
}

function bodyPart(prefix: Uint8Array): Part {
  const header = u32LittleEndian(prefix, 0);
  const payload = u32LittleEndian(prefix, 4);
  if (header < 2 || header > HEADER_MOST || payload > PAYLOAD_MOST) throw new Error('this is no stream of frames');
  const headerAt = padded(header) - header;
  return { body: true, bytes: new Uint8Array(headerAt + header + payload), headerAt, payloadAt: headerAt + header };
}

/** An escape, as JSON in ASCII writes any other character, or DEL, which it leaves as it is. A backslash in the text may look like one. */
const OTHER = /\\[^"\\]|\u007f/;

function decodeBody(part: Part, { text: textOf = latin1, onOtherText }: FrameReaderOptions): Frame {
  const text = textOf(part.bytes.subarray(part.headerAt, part.payloadAt));
  const header = JSON.parse(text) as Header;
  const kind = 'event' in header ? 'event' : 'answer';
  const holder: Record<string, unknown> = { root: header[kind] };
  for (const [path, type, offset, length] of header.bulk) {
    const at = part.payloadAt + offset;
    const array =
      type === 'f64' ? new Float64Array(part.bytes.buffer, at, length) : part.bytes.subarray(at, at + length);
    put(holder, ['root', ...path], array);
  }
  for (const [path, count, columns] of header.rows ?? []) {
    const packed = columns.map(([key, columnKind, offset, texts]) => {
      const values = new Float64Array(part.bytes.buffer, part.payloadAt + offset, count);
      return { key, kind: columnKind, values, texts };
    });
    put(holder, ['root', ...path], unpackRows({ count, columns: packed }));
  }
  const { call } = header;
  const frame = { [kind]: holder['root'], ...(call !== undefined && { call }) } as Frame;
  if (OTHER.test(text)) onOtherText?.(frame);
  return frame;
}

interface Header {
  readonly call?: string;
  readonly event?: unknown;
  readonly answer?: unknown;
  readonly bulk: readonly BulkPlace[];
  readonly rows?: readonly RowsPlace[];
}

function put(holder: Record<string, unknown>, path: readonly (string | number)[], array: unknown): void {
  let at = holder;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  at[path.at(-1)!] = array;
}

/** Binary parts that travel beside the JSON of a value. */
interface Taken {
  readonly bulk: BulkPlace[];
  readonly rows: RowsPlace[];
  /** In the order in which they lie in the payload. */
  readonly arrays: Bulk[];
  /** Length of the payload in bytes. */
  length: number;
}

/**
 * The value with null if arrays of numbers and long lists of flat objects were; those are added to `taken`. `path` is the way
 * here. What has none of them inside is not copied: answers may have a million fields.
 */
function takeBulk(value: unknown, path: (string | number)[], taken: Taken): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Float64Array || value instanceof Uint8Array) {
    taken.bulk.push([[...path], value instanceof Float64Array ? 'f64' : 'u8', takeArray(value, taken), value.length]);
    return null;
  }
  const packed = Array.isArray(value) ? packRows(value) : undefined;
  if (packed !== undefined) {
    const columns = packed.columns.map(({ key, kind, values, texts }): ColumnPlace => [
      key,
      kind,
      takeArray(values, taken),
      texts,
    ]);
    taken.rows.push([[...path], packed.count, columns]);
    return null;
  }
  const holder = value as Record<string | number, unknown>;
  let copy: Record<string | number, unknown> | undefined;
  const look = (key: string | number): void => {
    const item = holder[key];
    if (typeof item !== 'object' || item === null) return;
    path.push(key);
    const plain = takeBulk(item, path, taken);
    path.pop();
    if (plain === item) return;
    copy ??= (Array.isArray(value) ? [...(value as unknown[])] : { ...holder }) as Record<string | number, unknown>;
    copy[key] = plain;
  };
  if (Array.isArray(value)) for (let at = 0; at < value.length; at++) look(at);
  else for (const key of Object.keys(value)) look(key);
  return copy ?? value;
}

/** Its offset in the payload. */
function takeArray(array: Bulk, taken: Taken): number {
  const offset = taken.length;
  taken.arrays.push(array);
  taken.length += padded(array.byteLength);
  return offset;
}

/** JSON whose characters are all bytes below 128: this layer has no encoder of UTF-8. */
function asciiJson(value: unknown): string {
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, escape);
}

function putU32(bytes: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = (value >>> (8 * i)) & 0xff;
}

function padded(length: number): number {
  return Math.ceil(length / 8) * 8;
}
