/**
 * BYU traces have records of 6 or of 12 bytes, and nothing in a file says which. How many records from a place on look like
 * the one or the other, judged roughly: for a decoder that finds nothing of its own there, to say what the file may be instead.
 */

/** Whether at least three quarters of at most `count` records from index `at` on, before `limit`, look like 6-byte ones. */
export function lookLikeSix(bytes: Uint8Array, at: number, limit: number, count: number): boolean {
  return most(bytes, at, limit, count, 6, isLikeSix);
}

/** The same for 12-byte records; the first of them may begin at `at` or six bytes later. */
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

/** A memory or port cycle at a multiple of 8, big endian, that asks for some byte. */
function isLikeSix(bytes: Uint8Array, at: number): boolean {
  const cycle = bytes[at + 5]! >>> 4;
  const known = cycle === 5 || cycle === 7 || cycle === 8 || cycle === 9 || cycle >= 12;
  return known && (bytes[at + 3]! & 7) === 0 && bytes[at + 4] !== 0xff;
}

/** A memory or port request of 1 to 8, 16 or 32 bytes with nothing set that never is. */
function isLikeTwelve(bytes: Uint8Array, at: number): boolean {
  const request = bytes[at + 4]!;
  const size = bytes[at + 5]!;
  const known = request <= 3 || request === 0x10 || request === 0x11;
  const usual = (size >= 1 && size <= 8) || size === 16 || size === 32;
  return known && usual && bytes[at + 6]! <= 3 && bytes[at + 7]! <= 15 && bytes[at + 11] === 0;
}
