/** Names for the bytes that structure lines of text, character classes, and the table of hexadecimal digits. */
export const TAB = 9;
export const LF = 10;
export const CR = 13;
export const SPACE = 32;
export const OPEN = 40;
export const CLOSE = 41;
export const COMMA = 44;
export const MINUS = 45;
export const ZERO = 48;
export const COLON = 58;
export const UNDERSCORE = 95;
export const UPPER_I = 73;
export const UPPER_L = 76;
export const UPPER_M = 77;
export const UPPER_R = 82;
export const UPPER_S = 83;
export const UPPER_T = 84;
export const UPPER_W = 87;
export const UPPER_X = 88;
export const LOWER_C = 99;
export const LOWER_K = 107;
export const LOWER_L = 108;
export const LOWER_P = 112;
export const LOWER_U = 117;
export const LOWER_X = 120;

/** Entry of HEX for bytes that are not hexadecimal digits. The set bit survives an OR with any digit. */
export const NO_DIGIT = 0x80;

/** Maps a byte to its value as a hexadecimal digit of either case; NO_DIGIT for all other bytes. */
export const HEX: Uint8Array = hexTable();

export function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

export function isLetter(byte: number): boolean {
  return ((byte | 0x20) - 97) >>> 0 < 26;
}

export function isDecimal(byte: number): boolean {
  return (byte - ZERO) >>> 0 < 10;
}

/** Returns the index after a UTF-8 byte order mark at `at`, which editors put before a file's first line; `at` if there is none. */
export function afterMark(bytes: Uint8Array, at: number, to: number): number {
  return to - at >= 3 && bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf ? at + 3 : at;
}

function hexTable(): Uint8Array {
  const table = new Uint8Array(256).fill(NO_DIGIT);
  for (let digit = 0; digit < 16; digit++) {
    const character = digit.toString(16);
    table[character.charCodeAt(0)] = digit;
    table[character.toUpperCase().charCodeAt(0)] = digit;
  }
  return table;
}
