/**
 * Guesses the record length of a BYU trace. Records have 6 or 12 bytes, and nothing in a file says which. A decoder that finds no
 * valid records uses these rough checks to suggest the other format.
 */

/** True if at least three quarters of the records starting at index `at`, at most `count` and before `limit`, look like 6-byte ones. */
export function lookLikeSix(bytes: Uint8Array, at: number, limit: number, count: number): boolean {
  return most(bytes, at, limit, count, 6, isLikeSix);
}

/** The same test for 12-byte records. The first record may begin at `at` or six bytes later. */
export function lookLikeTwelve(bytes: Uint8Array, at: number, limit: number, count: number): boolean {
  return most(bytes, at, limit, count, 12, isLikeTwelve) || most(bytes, at + 6, limit, count, 12, isLikeTwelve);
}

function most(
  bytes: Uint8Array,
  at: number,
  limit: number,
  count: number,
  unit: number,
  isLike: (bytes: Uint8Array, at: number) => boolean,
): boolean {
  const held = Math.min(count, Math.floor((limit - at) / unit));
  let missing = Math.floor(held / 4);
  if (held < 8) return false;
  for (let k = 0; k < held; k++) if (!isLike(bytes, at + k * unit) && missing-- === 0) return false;
  return true;
}

/** True for a memory or port cycle at a big-endian multiple of 8 that enables at least one byte. */
function isLikeSix(bytes: Uint8Array, at: number): boolean {
  const cycle = bytes[at + 5]! >>> 4;
  const known = cycle === 5 || cycle === 7 || cycle === 8 || cycle === 9 || cycle >= 12;
  return known && (bytes[at + 3]! & 7) === 0 && bytes[at + 4] !== 0xff;
}

/** True for a memory or port request of 1 to 8, 16 or 32 bytes in which no bit is set that is always 0 in real traces. */
function isLikeTwelve(bytes: Uint8Array, at: number): boolean {
  const request = bytes[at + 4]!;
  const size = bytes[at + 5]!;
  const known = request <= 3 || request === 0x10 || request === 0x11;
  const usual = (size >= 1 && size <= 8) || size === 16 || size === 32;
  return known && usual && bytes[at + 6]! <= 3 && bytes[at + 7]! <= 15 && bytes[at + 11] === 0;
}
