/** Numbers and names in bytes of either byte order. Callers check `has` first: a read past the end is a bug and throws. */
import { Buffer } from 'node:buffer';

export interface Data {
  readonly length: number;
  readonly littleEndian: boolean;
  /** True if `count` bytes starting at `at` exist; false for negative or infinite arguments. */
  has(at: number, count: number): boolean;
  u8(at: number): number;
  u16(at: number): number;
  u32(at: number): number;
  u64(at: number): bigint;
  /** Reads an unsigned number of 1, 2, 4 or 8 bytes. */
  word(at: number, bytes: number): bigint;
  /** Returns a view of the bytes [at, at + count). */
  part(at: number, count: number): Uint8Array;
  /** Reads text up to a zero byte, the end, or `most` bytes (default NAME_BYTES), whichever comes first; empty past the end. */
  name(at: number, most?: number): string;
  /** Returns the offset after the zero byte that ends the text at `at`; undefined if there is none before `end`. */
  pastName(at: number, end: number): number | undefined;
}

/** Longest name in bytes. Longer names are truncated. */
export const NAME_BYTES = 4096;

export function createData(bytes: Uint8Array, littleEndian: boolean): Data {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const u8 = (at: number): number => view.getUint8(at);
  const u16 = (at: number): number => view.getUint16(at, littleEndian);
  const u32 = (at: number): number => view.getUint32(at, littleEndian);
  const u64 = (at: number): bigint => view.getBigUint64(at, littleEndian);
  return {
    length: bytes.length,
    littleEndian,
    has: (at, count) => at >= 0 && count >= 0 && at + count <= bytes.length,
    u8,
    u16,
    u32,
    u64,
    word(at, width) {
      if (width === 8) return u64(at);
      return BigInt(width === 4 ? u32(at) : width === 2 ? u16(at) : u8(at));
    },
    part: (at, count) => bytes.subarray(at, at + count),
    name(at, most = NAME_BYTES) {
      if (at >= bytes.length) return '';
      const part = text.subarray(at, at + most);
      const end = part.indexOf(0);
      return part.toString('utf8', 0, end < 0 ? part.length : end);
    },
    pastName(at, end) {
      const length = text.subarray(at, end).indexOf(0);
      return length < 0 ? undefined : at + length + 1;
    },
  };
}

/** Converts an offset or size to a number. Values that no file can have become infinite. */
export function toPlace(value: bigint): number {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : Number.POSITIVE_INFINITY;
}
