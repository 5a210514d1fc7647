/** Reads hexadecimal digits two at a time, as words of a window. */
import { HEX, NO_DIGIT } from '../../../base/characters.ts';

/** Maps two characters, the first one in the low byte, to the byte that they spell as hexadecimal digits; -1 if they do not. */
const HEX_PAIR = new Int16Array(65536).fill(-1);
const DIGITS = [...HEX.keys()].filter((character) => HEX[character] !== NO_DIGIT);
for (const upper of DIGITS)
  for (const lower of DIGITS) HEX_PAIR[upper | (lower << 8)] = (HEX[upper]! << 4) | HEX[lower]!;

/** Returns the value of four hexadecimal digits read as a little-endian word; negative if one is not a digit. */
export function spelled(characters: number): number {
  return (HEX_PAIR[characters & 0xffff]! << 8) | HEX_PAIR[characters >>> 16]!;
}
