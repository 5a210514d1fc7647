/**
 * Recognizes the words that announce records of Tracer text, and finds a record that begins inside the line of another one: a lost line
 * end joins two lines.
 */
import {
  CR,
  EQUALS,
  LF,
  LOWER_A,
  LOWER_C,
  LOWER_D,
  LOWER_I,
  LOWER_R,
  SPACE,
  TAB,
  UNDERSCORE,
} from '../../base/characters.ts';
import {
  FIRST_ACCESS,
  LEAST_LETTERS,
  LETTERS,
  MOST_LETTERS,
  NO_LETTER,
  SIZE_PLACE,
  UNSIZED,
  type Word,
  WORDS,
} from './codes.ts';
import { skipBlanks, tokenEnd, wordEnd } from './tokens.ts';

export type Form = 'instruction' | 'event' | 'registers' | 'cycle' | 'plain access' | 'text';

export const WORD_FORM: Readonly<Partial<Record<Word, Form>>> = Object.fromEntries(
  WORDS.flatMap((word) => {
    const form = formOf(word);
    return form === undefined ? [] : [[word, form]];
  }),
);

function formOf(word: Word): Form | undefined {
  if (word === 'OTHER' || word === '?') return undefined;
  if (word === 'E') return 'event';
  if (word === 'R' || word === 'RCP') return 'registers';
  if (word.startsWith('P')) return 'text';
  if (/^[MB][IC]O?$/.test(word)) return 'cycle';
  return word.startsWith('I') ? 'instruction' : 'plain access';
}

/** Words of up to three letters in either case, by the number that their bytes form. */
const WORD_BY_LETTERS: ReadonlyMap<number, Word> = new Map(
  WORDS.filter((word) => word.length <= 3 && word !== '?').flatMap((word) =>
    [word, word.toLowerCase()].map((spelling): [number, Word] => [numberOf(spelling), word]),
  ),
);

function numberOf(letters: string): number {
  return Array.from(letters).reduce((number, letter) => number * 256 + letter.charCodeAt(0), 0);
}

export function readWord(bytes: Uint8Array, at: number, end: number): Word | undefined {
  if (end === at || end - at > 3) return undefined;
  let letters = 0;
  for (let i = at; i < end; i++) letters = letters * 256 + bytes[i]!;
  return WORD_BY_LETTERS.get(letters);
}

/** Returns the code of an access word; -1 if it is not one. */
export function accessCode(bytes: Uint8Array, at: number, end: number): number {
  const letters = end - at;
  const unsized = isUnsized(bytes, at, letters);
  if (letters > MOST_LETTERS || (letters === LEAST_LETTERS && !unsized)) return -1;
  let sum = FIRST_ACCESS + (unsized ? UNSIZED : 0);
  for (let i = 0; i < letters; i++) {
    const place = unsized && i >= SIZE_PLACE ? i + 1 : i;
    sum += LETTERS[place]![bytes[at + i]!]!;
  }
  if (sum >= NO_LETTER) return -1;
  // Burst letters are in eighth place in the older generation only, which has no ninth letter.
  if (letters === MOST_LETTERS) {
    const eighth = bytes[at + MOST_LETTERS - 2]!;
    if (eighth !== UNDERSCORE && (eighth | SPACE) !== LOWER_D) return -1;
  }
  return sum;
}

/** True for access words of cycles without a transfer that have no size: `MCR___`, or `MAR____` with a burst letter. */
function isUnsized(bytes: Uint8Array, at: number, letters: number): boolean {
  const type = bytes[at + 1]! | SPACE;
  if (letters === LEAST_LETTERS) return type === LOWER_C || type === LOWER_I;
  if (letters !== LEAST_LETTERS + 1 || (type !== LOWER_A && type !== LOWER_R)) return false;
  return !SIZES.includes(String.fromCharCode(bytes[at + SIZE_PLACE]!));
}

const SIZES = '1248';

/** Addresses in records that begin inside a line have all digits. Text rarely has as many. */
const ADDRESS_DIGITS = 8;

/** Returns the start of the first record that announces itself at a word of bytes[from, to); `to` if there is none. */
export function nextRecord(bytes: Uint8Array, from: number, to: number): number {
  let at = skipBlanks(bytes, from, to);
  while (at < to && !announces(bytes, at, to)) at = skipBlanks(bytes, tokenEnd(bytes, at, to), to);
  return at;
}

/**
 * Returns the end of the words at the end of a line that a blank at `at` precedes: the first byte that is neither a blank nor printed ASCII.
 * Returns -1 if a record begins at one of them.
 */
export function endOfWords(bytes: Uint8Array, at: number): number {
  let p = at;
  while (bytes[p] === SPACE) {
    while (bytes[++p] === SPACE);
    if (OPENS_WORD[(bytes[p]! << 8) | bytes[p + 1]!] === 1 && announcesInLine(bytes, p)) return -1;
    while ((bytes[p]! - FIRST_PRINTED) >>> 0 < PRINTED) p++;
  }
  return p;
}

/** ASCII characters other than blanks and controls: the first, and their number. */
const FIRST_PRINTED = 0x21;
const PRINTED = 0x7f - FIRST_PRINTED;

/** 1 for the first two bytes of a word that can announce a record, as a number of 16 bits. */
const OPENS_WORD = opensWord();

function opensWord(): Uint8Array {
  const opens = new Uint8Array(1 << 16);
  for (const letters of WORD_BY_LETTERS.keys()) {
    if (letters > 0xff) opens[letters > 0xffff ? letters >> 8 : letters] = 1;
    else for (const blank of [SPACE, TAB]) opens[(letters << 8) | blank] = 1;
  }
  const [firsts, seconds] = [LETTERS[0]!, LETTERS[1]!].map((table) =>
    Array.from(table.keys()).filter((byte) => table[byte]! < NO_LETTER),
  );
  for (const first of firsts!) for (const second of seconds!) opens[(first << 8) | second] = 1;
  return opens;
}

/** True if a record begins at the word `at` of a line. */
function announcesInLine(bytes: Uint8Array, at: number): boolean {
  const lf = bytes.indexOf(LF, at);
  return announces(bytes, at, bytes[lf - 1] === CR ? lf - 1 : lf);
}

function announces(bytes: Uint8Array, at: number, to: number): boolean {
  const end = tokenEnd(bytes, at, to);
  const next = skipBlanks(bytes, end, to);
  const form = end - at >= LEAST_LETTERS ? undefined : WORD_FORM[readWord(bytes, at, end) ?? 'OTHER'];
  if (form === 'registers') return bytes.subarray(next, tokenEnd(bytes, next, to)).indexOf(EQUALS) > 0;
  if (form === undefined ? end - at < LEAST_LETTERS || accessCode(bytes, at, end) < 0 : form === 'text') return false;
  return wordEnd(bytes, next, to, ADDRESS_DIGITS) - next === ADDRESS_DIGITS;
}
