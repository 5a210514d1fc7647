/**
 * The units of the program: every number that is easily taken for another one has a name here.
 *
 * They are flavours, not opaque brands: a plain number fits any of them, but one of them does not fit another.
 * All are JavaScript numbers that stay exact up to 2^53; none may pass through 32-bit operators.
 */

/** Bytes from the start of the trace file. */
export type ByteOffset = number & { readonly unit?: 'byte offset' };
/** Number of a record in file order, from 0: the cursor of the whole program. */
export type RecordNumber = number & { readonly unit?: 'record number' };
/** Number of a block (a run of records decoded and indexed as one), from 0 in file order. */
export type BlockNumber = number & { readonly unit?: 'block number' };
/** An address divided by 4096, rounded down: at most 2^52, so exact. */
export type PageNumber = number & { readonly unit?: 'page number' };
/** `0x` and lower-case hexadecimal digits without padding: addresses, values and opcodes on the wire. */
export type Hex = `0x${string}`;

/** Bytes in a page of the index. */
export const PAGE_BYTES = 4096;
/** Bytes in a line of the index: the smallest unit that the find pyramid tells apart. */
export const LINE_BYTES = 64;
/** Lines in a page. */
export const LINES_PER_PAGE = PAGE_BYTES / LINE_BYTES;

const PAGES_PER_HIGH_WORD = 2 ** 20;

/** The page of a 64-bit address given as two unsigned 32-bit halves. */
export function pageOf(low: number, high: number): PageNumber {
  return high * PAGES_PER_HIGH_WORD + (low >>> 12);
}

export function pageToAddress(page: PageNumber): bigint {
  return BigInt(page) * BigInt(PAGE_BYTES);
}

export function addressToPage(address: bigint): PageNumber {
  return Number(address >> 12n);
}

export function joinAddress(low: number, high: number): bigint {
  return high === 0 ? BigInt(low) : (BigInt(high) << 32n) | BigInt(low);
}

export function lowHalf(address: bigint): number {
  return Number(address & 0xffffffffn);
}

export function highHalf(address: bigint): number {
  return Number((address >> 32n) & 0xffffffffn);
}

export function toHex(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}

/** Reads `0x1f`, `1f` is refused: a number that people type for an address says its base, decimal digits alone are decimal. */
export function parseAddress(text: string): bigint | undefined {
  const plain = text.trim().replaceAll('_', '');
  if (!/^(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})$/.test(plain)) return undefined;
  const value = BigInt(plain);
  return value <= 0xffffffffffffffffn ? value : undefined;
}

/** A time on the wire: a number while that is exact, else its decimal digits. */
export type WireTime = number | string;

export function toWireTime(time: bigint): WireTime {
  const short = Number(time);
  return Number.isSafeInteger(short) ? short : time.toString();
}
