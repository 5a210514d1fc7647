/**
 * Named number types for units that are easily confused, the sizes of index pages and lines, and conversions of addresses.
 *
 * The types are flavours, not opaque brands: a plain number fits any of them, but a value of one does not fit another.
 * All are JavaScript numbers that stay exact up to 2^53. None may pass through 32-bit operators.
 */

/** Number of bytes from the start of the trace file. */
export type ByteOffset = number & { readonly unit?: 'byte offset' };
/** Position of a record in file order, starting at 0. The cursor of the whole program is a record number. */
export type RecordNumber = number & { readonly unit?: 'record number' };
/** Position of a block in file order, starting at 0. A block is a run of records that are decoded and indexed together. */
export type BlockNumber = number & { readonly unit?: 'block number' };
/** An address divided by 4096, rounded down. Below 2^52, so a double holds it exactly. */
export type PageNumber = number & { readonly unit?: 'page number' };
/** `0x` and lower-case hexadecimal digits without padding: addresses, values and opcodes on the wire. */
export type Hex = `0x${string}`;

/** Size of an index page in bytes. */
export const PAGE_BYTES = 4096;
/** Size of an index line in bytes: the smallest unit that the find pyramid distinguishes. */
export const LINE_BYTES = 64;
export const LINES_PER_PAGE = PAGE_BYTES / LINE_BYTES;

const PAGES_PER_HIGH_WORD = 2 ** 20;

/** Returns the page of a 64-bit address given as two unsigned 32-bit halves. */
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

/** Returns hexadecimal digits of either case, with or without `0x` and `_`, in the form that the wire uses. */
export function digitsToHex(digits: string): Hex {
  const plain = digits.toLowerCase().replace(/^0x/, '').replaceAll('_', '');
  return `0x${plain.replace(/^0+(?=.)/, '')}`;
}

/**
 * Parses an address that a person typed: `0x1f` is hexadecimal and `31` is decimal. Returns undefined for anything else, including
 * `1f`, because hexadecimal digits without a prefix are ambiguous.
 */
export function parseAddress(text: string): bigint | undefined {
  const plain = text.trim().replaceAll('_', '');
  if (!/^(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})$/.test(plain)) return undefined;
  const value = BigInt(plain);
  return value <= 0xffffffffffffffffn ? value : undefined;
}

/** A time on the wire: a number if a double holds it exactly, otherwise its decimal digits. */
export type WireTime = number | string;

export function toWireTime(time: bigint): WireTime {
  const short = Number(time);
  return Number.isSafeInteger(short) ? short : time.toString();
}
