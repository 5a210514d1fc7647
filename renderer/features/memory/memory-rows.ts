/** How memory is laid out in rows of bytes or words, what is known of each byte, and where a stretch stands in all of it. */
import { byteText, character } from '../../widgets/hex.ts';

/** What the engine answered: bytes from `low` on, once record `at` has taken effect. */
export interface MemoryImage {
  readonly at: number;
  readonly low: bigint;
  readonly bytes: Uint8Array;
  /** Codes of KNOWN in shared/requests/requests.ts. */
  readonly known: Uint8Array;
  /** Records; -1 where there is none. */
  readonly writers: Float64Array;
  readonly touched: Float64Array;
}

/** `never`: no record touched it; `unknown`: touched, but the trace does not tell its value. */
export type Knowledge = 'never' | 'unknown' | 'data' | 'opcode';

/**
 * The strongest thing to say of a byte: this very record `writes` or `reads` it; it was last `written` in the range that the
 * charts show, or `touched` there; `quiet` otherwise.
 */
export type Mark = 'quiet' | 'touched' | 'written' | 'reads' | 'writes';

export interface MemoryByte {
  readonly address: bigint;
  /** `5a`, `??` where not known, `··` where never seen; blank where it has not arrived. */
  readonly text: string;
  readonly character: string;
  readonly knowledge: Knowledge;
  readonly mark: Mark;
  readonly writer: number;
  readonly touched: number;
}

export interface MemoryRow {
  readonly address: bigint;
  /** In the order of addresses. */
  readonly bytes: readonly MemoryByte[];
}

/** Records [from, to). */
interface Range {
  readonly from: number;
  readonly to: number;
}

const SPACE = 1n << 64n;

/** `count` rows of `width` bytes from `top` on; none past the end of the address space. */
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

/** By the codes of KNOWN. */
const KNOWLEDGE: readonly Knowledge[] = ['unknown', 'data', 'opcode'];

function markOf(writer: number, touched: number, at: number, range: Range): Mark {
  if (touched < 0) return 'quiet';
  if (writer === at) return 'writes';
  if (touched === at) return 'reads';
  if (writer >= range.from && writer < range.to) return 'written';
  return touched >= range.from && touched < range.to ? 'touched' : 'quiet';
}

/** The bytes of a row as its words show them: a little-endian word is written from its last byte to its first. */
export function inWords<T>(bytes: readonly T[], word: number, endian: 'little' | 'big'): readonly (readonly T[])[] {
  const words: T[][] = [];
  for (let start = 0; start < bytes.length; start += word) {
    const own = bytes.slice(start, start + word);
    words.push(endian === 'little' ? own.reverse() : own);
  }
  return words;
}

/** `10 00 00 00`, or in words `00000010`, 16 bytes a line: what is copied. */
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

const COPIED_ROW = 16;

/** The first address of a row of `width` bytes. */
export function alignDown(address: bigint, width: number): bigint {
  return address - (address % BigInt(width));
}

/** The highest address that `rows` rows of `width` bytes can begin with. */
export function clampMemory(top: bigint, rows: number, width: number): bigint {
  const last = SPACE - BigInt(Math.max(1, rows) * width);
  return top < 0n ? 0n : top > last ? last : top;
}

/** The upper row that shows an address: the same one while it is in sight, else one that puts it a third below. */
export function revealAddress(address: bigint, top: bigint | null, rows: number, width: number): bigint {
  if (top !== null && address >= top && address < top + BigInt(Math.max(1, rows) * width)) return top;
  const above = BigInt(Math.max(0, Math.floor((rows - 1) / 3)) * width);
  return clampMemory(alignDown(address, width) - above, rows, width);
}

/** Spans of touched addresses, lowest first; `high` exclusive. */
export type Touched = readonly { readonly low: bigint; readonly high: bigint }[];

/** Rows of `width` bytes in all that is touched: the length of the scroll bar. */
export function touchedRows(touched: Touched, width: number): number {
  return touched.reduce((sum, { low, high }) => sum + rowsBetween(low, high, width), 0);
}

/** Which of those rows an address is in, or the next one. */
export function touchedRow(touched: Touched, address: bigint, width: number): number {
  let row = 0;
  for (const { low, high } of touched) {
    if (address < low) return row;
    if (address < high) return row + Number((address - low) / BigInt(width));
    row += rowsBetween(low, high, width);
  }
  return row;
}

/** The address of the first byte in such a row. */
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
