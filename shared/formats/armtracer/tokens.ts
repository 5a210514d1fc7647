/** What lines of Tracer text are made of: blanks of every sort, words, hexadecimal digits. Offsets are into `bytes`; `to` is where the line ends. */
import { CR, HEX, isBlank, LF, LOWER_X, NO_DIGIT, UNDERSCORE, ZERO } from '../../base/characters.ts';

const NO_BREAK_SPACE = 0xa0;
const UTF8_LEAD = 0xc2;

/** How many bytes the blank at `at` has: 0 when there is none. A no-break space is one byte in Latin-1, two in UTF-8. */
export function blankLength(bytes: Uint8Array, at: number, to: number): number {
  if (at >= to) return 0;
  const byte = bytes[at]!;
  if (isBlank(byte) || byte === NO_BREAK_SPACE) return 1;
  return byte === UTF8_LEAD && at + 1 < to && bytes[at + 1] === NO_BREAK_SPACE ? 2 : 0;
}

/** Where a line's content ends: before its line end and the blanks in front of that. */
export function trimEnd(bytes: Uint8Array, at: number, end: number): number {
  let to = end;
  while (to > at) {
    const byte = bytes[to - 1]!;
    if (byte === NO_BREAK_SPACE) to -= to - 1 > at && bytes[to - 2] === UTF8_LEAD ? 2 : 1;
    else if (isBlank(byte) || byte === LF || byte === CR) to--;
    else break;
  }
  return to;
}

/** End of the hexadecimal digits that are a whole token of at most `most` digits; -1 when there is none. */
export function wordEnd(bytes: Uint8Array, at: number, to: number, most: number): number {
  const end = digitsEnd(bytes, at, to, false);
  return end < 0 || end - at > most || (end < to && blankLength(bytes, end, to) === 0) ? -1 : end;
}

/** End of at least one hexadecimal digit; with `spelt` also of `0x12345678_9abcdef0`. -1 when there is none. */
export function digitsEnd(bytes: Uint8Array, at: number, to: number, spelt: boolean): number {
  let from = at;
  if (spelt && from + 2 < to && bytes[from] === ZERO && bytes[from + 1] === LOWER_X) from += 2;
  let end = from;
  while (
    end < to &&
    (HEX[bytes[end]!] !== NO_DIGIT ||
      (spelt && bytes[end] === UNDERSCORE && end > from && bytes[end - 1] !== UNDERSCORE))
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

export function startsWith(bytes: Uint8Array, at: number, to: number, word: Uint8Array): boolean {
  if (to - at < word.length) return false;
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false;
  return true;
}

export function startsWithWord(bytes: Uint8Array, at: number, to: number, word: Uint8Array): boolean {
  const end = at + word.length;
  return startsWith(bytes, at, to, word) && (end === to || blankLength(bytes, end, to) > 0);
}

export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
