/**
 * Readers of blanks, words and hexadecimal digits in Tracer text. Blanks are spaces, tabs and no-break spaces, which copied text may
 * contain. Positions are indexes of `bytes`, and `to` is the end of the line.
 */
import { CR, HEX, isBlank, LF, LOWER_X, NO_DIGIT, UNDERSCORE, ZERO } from '../../base/characters.ts';
import { hexEnd, startsWith } from '../../base/scan.ts';

const NO_BREAK_SPACE = 0xa0;
const UTF8_LEAD = 0xc2;

/** Returns the length in bytes of the blank at `at`; 0 if there is none. A no-break space has one byte in Latin-1, two in UTF-8. */
export function blankLength(bytes: Uint8Array, at: number, to: number): number {
  if (at >= to) return 0;
  const byte = bytes[at]!;
  if (isBlank(byte) || byte === NO_BREAK_SPACE) return 1;
  return byte === UTF8_LEAD && at + 1 < to && bytes[at + 1] === NO_BREAK_SPACE ? 2 : 0;
}

/**
 * Returns the end of a line's content, which excludes the line end and the blanks before it. A record that ends within its line keeps a
 * carriage return.
 */
export function trimEnd(bytes: Uint8Array, at: number, end: number): number {
  const endsLine = end > at && bytes[end - 1] === LF;
  let to = end;
  while (to > at) {
    const byte = bytes[to - 1]!;
    if (byte === NO_BREAK_SPACE) to -= to - 1 > at && bytes[to - 2] === UTF8_LEAD ? 2 : 1;
    else if (isBlank(byte) || (endsLine && (byte === LF || byte === CR))) to--;
    else break;
  }
  return to;
}

/** Returns the end of a whole word of at most `most` hexadecimal digits; -1 if there is none. */
export function wordEnd(bytes: Uint8Array, at: number, to: number, most: number): number {
  const end = hexEnd(bytes, at, to);
  return end === at || end - at > most || (end < to && blankLength(bytes, end, to) === 0) ? -1 : end;
}

/** Returns the end of hexadecimal digits with an optional 0x and single `_` between digits; -1 if there are none. */
export function valueEnd(bytes: Uint8Array, at: number, to: number): number {
  const from = at + 2 < to && bytes[at] === ZERO && bytes[at + 1] === LOWER_X ? at + 2 : at;
  let end = from;
  while (
    end < to &&
    (HEX[bytes[end]!] !== NO_DIGIT || (bytes[end] === UNDERSCORE && end > from && bytes[end - 1] !== UNDERSCORE))
  )
    end++;
  if (end > from && bytes[end - 1] === UNDERSCORE) end--;
  return end > from ? end : -1;
}

export function skipBlanks(bytes: Uint8Array, at: number, to: number): number {
  let from = at;
  for (let length = blankLength(bytes, from, to); length > 0; length = blankLength(bytes, from, to)) from += length;
  return from;
}

export function tokenEnd(bytes: Uint8Array, at: number, to: number): number {
  let end = at;
  while (end < to && blankLength(bytes, end, to) === 0) end++;
  return end;
}

/** True if bytes[at, to) starts with a word, followed by a blank or the end of the line. */
export function startsWithWord(bytes: Uint8Array, at: number, to: number, word: string): boolean {
  const end = at + word.length;
  return startsWith(bytes, at, to, word) && (end === to || blankLength(bytes, end, to) > 0);
}
