/** Names for the bytes that structure lines of text, character classes, and the table of hexadecimal digits. */
export const TAB = 9;
export const LF = 10;
export const CR = 13;
export const SPACE = 32;
export const EXCLAMATION = 33;
export const QUOTE = 34;
export const HASH = 35;
export const DOLLAR = 36;
export const OPEN = 40;
export const CLOSE = 41;
export const ASTERISK = 42;
export const PLUS = 43;
export const COMMA = 44;
export const MINUS = 45;
export const DOT = 46;
export const SLASH = 47;
export const ZERO = 48;
export const COLON = 58;
export const SEMICOLON = 59;
export const EQUALS = 61;
export const QUESTION = 63;
export const UPPER_A = 65;
export const UPPER_B = 66;
export const UPPER_C = 67;
export const UPPER_D = 68;
export const UPPER_E = 69;
export const UPPER_F = 70;
export const UPPER_I = 73;
export const UPPER_L = 76;
export const UPPER_M = 77;
export const UPPER_N = 78;
export const UPPER_O = 79;
export const UPPER_P = 80;
export const UPPER_R = 82;
export const UPPER_S = 83;
export const UPPER_T = 84;
export const UPPER_U = 85;
export const UPPER_W = 87;
export const UPPER_X = 88;
export const OPEN_SQUARE = 91;
export const CLOSE_SQUARE = 93;
export const UNDERSCORE = 95;
export const LOWER_A = 97;
export const LOWER_B = 98;
export const LOWER_C = 99;
export const LOWER_D = 100;
export const LOWER_H = 104;
export const LOWER_I = 105;
export const LOWER_K = 107;
export const LOWER_L = 108;
export const LOWER_N = 110;
export const LOWER_P = 112;
export const LOWER_R = 114;
export const LOWER_S = 115;
export const LOWER_T = 116;
export const LOWER_U = 117;
export const LOWER_W = 119;
export const LOWER_X = 120;
export const LOWER_Z = 122;

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
