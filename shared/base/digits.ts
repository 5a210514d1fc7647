/** Reads and checks digits several at a time, as little-endian words of a view: half as many steps as one by one. */
import { HEX, NO_DIGIT, ZERO } from './characters.ts';

/** Maps two characters, the first one in the low byte, to the byte that they spell as hexadecimal digits; -1 if they do not. */
const HEX_PAIR = new Int16Array(65536).fill(-1);
const DIGITS = [...HEX.keys()].filter((character) => HEX[character] !== NO_DIGIT);
for (const upper of DIGITS)
  for (const lower of DIGITS) HEX_PAIR[upper | (lower << 8)] = (HEX[upper]! << 4) | HEX[lower]!;

/** Returns the value of four hexadecimal digits read as a little-endian word; negative if one is not a digit. */
export function spelled(characters: number): number {
  return (HEX_PAIR[characters & 0xffff]! << 8) | HEX_PAIR[characters >>> 16]!;
}

/** True if `count` characters are decimal digits, four at a time: the last four may overlap the previous ones. */
export function areDigits(view: DataView, at: number, count: number): boolean {
  const last = at + count - 4;
  if (count < 4) {
    for (let p = at; p < at + count; p++) if ((view.getUint8(p) - ZERO) >>> 0 > 9) return false;
    return true;
  }
  for (let p = at; p < last; p += 4) if (!areFourDigits(view.getInt32(p, true))) return false;
  return areFourDigits(view.getInt32(last, true));
}

/** The digits are 0x30 to 0x39: no byte carries into the next one. */
function areFourDigits(characters: number): boolean {
  return (((characters & 0xf0f0f0f0) ^ 0x30303030) | (((characters + 0x06060606) & 0xf0f0f0f0) ^ 0x30303030)) === 0;
}

/** Returns the number of decimal digits from index `at` on. A byte that is none follows. */
export function digitsAt(bytes: Uint8Array, at: number): number {
  let p = at;
  while ((bytes[p]! - ZERO) >>> 0 < 10) p++;
  return p - at;
}
