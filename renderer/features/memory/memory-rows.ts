/** Layout of memory in rows of bytes or words, the knowledge about each byte, and scroll positions among touched addresses. */
import type { UnusedSegment } from '../../../shared/requests/requests.ts';
import { address as addressText } from '../../../shared/base/numbers.ts';
import { byteText, character } from '../../widgets/hex.ts';
import type { Table } from '../../widgets/table.ts';

/** Answer of the engine: bytes starting at `low`, after record `at`. */
export interface MemoryImage {
  readonly at: number;
  readonly low: bigint;
  readonly bytes: Uint8Array;
  /** Codes of KNOWN in shared/requests/requests.ts. */
  readonly known: Uint8Array;
  /** Last writer of each byte; -1 if there is none. */
  readonly writers: Float64Array;
  readonly touched: Float64Array;
  /** Segments of images that were not used, if images were requested. */
  readonly unused?: readonly UnusedSegment[];
}

/** `never`: no record touched the byte. `unknown`: touched, but the trace does not contain its value. */
export type Knowledge = 'never' | 'unknown' | 'data' | 'opcode' | 'image';

/**
 * Highlight of a byte, the strongest that applies: the current record `writes` or `reads` it, or it was last `written` or `touched`
 * in the range of the charts. `quiet` otherwise.
 */
export type Mark = 'quiet' | 'touched' | 'written' | 'reads' | 'writes';

export interface MemoryByte {
  readonly address: bigint;
  /** `5a`, `??` if unknown, `··` if never touched, spaces if not loaded yet. */
  readonly text: string;
  readonly character: string;
  readonly knowledge: Knowledge;
  readonly mark: Mark;
  readonly writer: number;
  readonly touched: number;
}

export interface MemoryRow {
  readonly address: bigint;
  /** Bytes in the order of addresses. */
  readonly bytes: readonly MemoryByte[];
}

/** Records [from, to). */
interface Range {
  readonly from: number;
  readonly to: number;
}

const SPACE = 1n << 64n;

/** Returns `count` rows of `width` bytes starting at `top`, none beyond the end of the address space. */
export function memoryRows(
  image: MemoryImage | undefined,
  top: bigint,
  count: number,
  width: number,
  range: Range,
): readonly MemoryRow[] {
  const rows: MemoryRow[] = [];
  for (let row = 0; row < count; row += 1) {
    const address = top + BigInt(row * width);
    if (address >= SPACE) break;
    const bytes: MemoryByte[] = [];
    for (let index = 0; index < width; index += 1) bytes.push(byteAt(image, address + BigInt(index), range));
    rows.push({ address, bytes });
  }
  return rows;
}

export function byteAt(image: MemoryImage | undefined, address: bigint, range: Range): MemoryByte {
  const index = image && address >= image.low ? Number(address - image.low) : -1;
  const code = image?.known[index];
  if (!image || code === undefined) {
    return { address, text: '  ', character: ' ', knowledge: 'never', mark: 'quiet', writer: -1, touched: -1 };
  }
  const value = image.bytes[index] ?? 0;
  const writer = image.writers[index] ?? -1;
  const touched = image.touched[index] ?? -1;
  const knowledge = KNOWLEDGE[code] ?? 'unknown';
  const own = { address, writer, touched, mark: markOf(writer, touched, image.at, range) };
  if (knowledge === 'unknown') {
    const isSeen = touched >= 0;
    return { ...own, text: isSeen ? '??' : '··', character: ' ', knowledge: isSeen ? 'unknown' : 'never' };
  }
  return { ...own, text: byteText(value), character: character(value), knowledge };
}

/** Knowledge for each code of KNOWN. */
const KNOWLEDGE: readonly Knowledge[] = ['unknown', 'data', 'opcode', 'image'];

function markOf(writer: number, touched: number, at: number, range: Range): Mark {
  if (touched < 0) return 'quiet';
  if (writer === at) return 'writes';
  if (touched === at) return 'reads';
  if (writer >= range.from && writer < range.to) return 'written';
  return touched >= range.from && touched < range.to ? 'touched' : 'quiet';
}

/** Returns the bytes of a row grouped in words, in display order: a little-endian word starts with its last byte. */
export function inWords<T>(bytes: readonly T[], word: number, endian: 'little' | 'big'): readonly (readonly T[])[] {
  const words: T[][] = [];
  for (let start = 0; start < bytes.length; start += word) {
    const own = bytes.slice(start, start + word);
    words.push(endian === 'little' ? own.reverse() : own);
  }
  return words;
}

/** Returns bytes as text for copying, 16 per line: `10 00 00 00`, or in words `00000010`. */
export function memoryText(
  image: MemoryImage | undefined,
  span: { readonly low: bigint; readonly bytes: number },
  word: number,
  endian: 'little' | 'big',
): string {
  const bytes = Array.from({ length: span.bytes }, (_, index) => {
    const { text, knowledge } = byteAt(image, span.low + BigInt(index), { from: 0, to: 0 });
    return knowledge === 'never' ? '??' : text;
  });
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; start += COPIED_ROW) {
    const words = inWords(bytes.slice(start, start + COPIED_ROW), word, endian);
    lines.push(words.map((own) => own.join('')).join(' '));
  }
  return lines.join('\n');
}

/** Returns the bytes of a span that are loaded as a table, as they are known after the image's record. */
export function memoryTable(
  image: MemoryImage,
  { low, bytes }: { readonly low: bigint; readonly bytes: number },
  digits: number,
): Table {
  const end = image.low + BigInt(image.bytes.length);
  const first = low < image.low ? image.low : low;
  const last = low + BigInt(bytes) < end ? low + BigInt(bytes) : end;
  return {
    name: `memory-at-record-${image.at}`,
    head: ['address', 'value', 'known', 'last written by', 'last touched by'],
    count: Math.max(0, Number(last - first)),
    row(index) {
      const byte = byteAt(image, first + BigInt(index), { from: 0, to: 0 });
      const isKnown = byte.knowledge !== 'never' && byte.knowledge !== 'unknown';
      return [
        addressText(byte.address, digits),
        isKnown ? `0x${byte.text}` : undefined,
        KNOWLEDGE_WORDS[byte.knowledge],
        byte.writer < 0 ? undefined : byte.writer,
        byte.touched < 0 ? undefined : byte.touched,
      ];
    },
  };
}

const KNOWLEDGE_WORDS: Readonly<Record<Knowledge, string>> = {
  never: 'never accessed',
  unknown: 'accessed but value unknown',
  data: 'read or written',
  opcode: 'executed opcode',
  image: 'program image',
};

/** Returns up to eight bytes as one number: `0x10`. Undefined if one of them is unknown. */
export function memoryValue(
  image: MemoryImage | undefined,
  { low, bytes }: { readonly low: bigint; readonly bytes: number },
  endian: 'little' | 'big',
): string | undefined {
  if (bytes > LONGEST_VALUE) return undefined;
  const texts = Array.from({ length: bytes }, (_, index) => {
    const { text, knowledge } = byteAt(image, low + BigInt(index), { from: 0, to: 0 });
    return knowledge === 'never' || knowledge === 'unknown' ? undefined : text;
  });
  if (texts.includes(undefined)) return undefined;
  return `0x${BigInt(`0x${(endian === 'little' ? texts.reverse() : texts).join('')}`).toString(16)}`;
}

const LONGEST_VALUE = 8;
const COPIED_ROW = 16;

/** Returns the first address of the row of `width` bytes that contains an address. */
export function alignDown(address: bigint, width: number): bigint {
  return address - (address % BigInt(width));
}

/** Limits an address so that `rows` rows of `width` bytes starting at it fit into the address space. */
export function clampMemory(top: bigint, rows: number, width: number): bigint {
  const last = SPACE - BigInt(Math.max(1, rows) * width);
  return top < 0n ? 0n : top > last ? last : top;
}

/** Returns a first row that shows an address: the current one if it is visible, else one that places it a third below. */
export function revealAddress(address: bigint, top: bigint | null, rows: number, width: number): bigint {
  if (top !== null && address >= top && address < top + BigInt(Math.max(1, rows) * width)) return top;
  const above = BigInt(Math.max(0, Math.floor((rows - 1) / 3)) * width);
  return clampMemory(alignDown(address, width) - above, rows, width);
}

/** Spans of touched addresses, lowest first; `high` is exclusive. */
export type Touched = readonly { readonly low: bigint; readonly high: bigint }[];

/** Returns the number of rows of `width` bytes in all touched spans: the length of the scroll bar. */
export function touchedRows(touched: Touched, width: number): number {
  return touched.reduce((sum, { low, high }) => sum + rowsBetween(low, high, width), 0);
}

/** Returns the index of the row that contains an address, or of the next row. */
export function touchedRow(touched: Touched, address: bigint, width: number): number {
  let row = 0;
  for (const { low, high } of touched) {
    if (address < low) return row;
    if (address < high) return row + Number((address - low) / BigInt(width));
    row += rowsBetween(low, high, width);
  }
  return row;
}

/** Returns the address of the first byte in a row. */
export function touchedAddress(touched: Touched, row: number, width: number): bigint {
  let before = 0;
  for (const { low, high } of touched) {
    const rows = rowsBetween(low, high, width);
    if (row < before + rows) return low + BigInt(Math.floor(row - before)) * BigInt(width);
    before += rows;
  }
  return touched.at(-1)?.low ?? 0n;
}

function rowsBetween(low: bigint, high: bigint, width: number): number {
  return Number((high - low + BigInt(width - 1)) / BigInt(width));
}
