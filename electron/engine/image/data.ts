/** Numbers and names in bytes of either order. Whoever reads asks `has` first: reading beyond the end is our own mistake. */
import { Buffer } from 'node:buffer';

export interface Data {
  readonly length: number;
  readonly littleEndian: boolean;
  /** True when `count` bytes from `at` on are there; false for anything that is no place in the bytes. */
  has(at: number, count: number): boolean;
  u8(at: number): number;
  u16(at: number): number;
  u32(at: number): number;
  u64(at: number): bigint;
  /** An unsigned number of 1, 2, 4 or 8 bytes. */
  word(at: number, bytes: number): bigint;
  /** The bytes [at, at + count), shared. */
  part(at: number, count: number): Uint8Array;
  /** Text up to a zero byte, the end or `most` bytes, NAME_BYTES by default, whichever comes first; empty beyond the end. */
  name(at: number, most?: number): string;
  /** Just past the zero byte that ends the text at `at`; undefined where there is none before `end`. */
  pastName(at: number, end: number): number | undefined;
}

/** Longer names are cut. */
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

/** A place or a size in a file as a number; what no file can have becomes infinite. */
export function toPlace(value: bigint): number {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : Number.POSITIVE_INFINITY;
}
