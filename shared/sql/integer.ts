/**
 * Unsigned 64-bit numbers in SQLite, whose integers are signed. Up to 2^63 - 1 they are integers. Larger ones are text: `0x` and sixteen
 * lower-case digits. SQLite orders all integers before all text, and text by its characters, so comparisons, minimum, maximum and ORDER BY
 * are right for all of them. Arithmetic is right for integers only.
 */
import { toHex, type Hex } from '../base/units.ts';

export type SqlNumber = bigint | string;

const LARGEST = 2n ** 63n - 1n;

/** Wider values than 64 bits, such as the contents of vector registers, are text with as many digits as they have. */
export function toSql(value: bigint): SqlNumber {
  return value <= LARGEST ? value : `0x${value.toString(16).padStart(16, '0')}`;
}

/** Returns an unsigned number from its form in SQLite, or from digits; negative integers count modulo 2^64. Undefined for anything else. */
export function fromSql(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return BigInt.asUintN(64, value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt.asUintN(64, BigInt(value)) : undefined;
  if (typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value)) return BigInt(value);
  return undefined;
}

/** Returns the form that answers have. */
export function hexOfSql(value: SqlNumber): Hex {
  return toHex(BigInt.asUintN(typeof value === 'bigint' ? 64 : 1 << 20, BigInt(value)));
}
