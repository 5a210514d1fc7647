/**
 * Recognizes the words that announce records of Tracer text, and finds a record that begins inside the line of another one: a lost line
 * end joins two lines.
 */
import {
  CR,
  EQUALS,
  HEX,
  LF,
  LOWER_A,
  LOWER_C,
  LOWER_D,
  LOWER_I,
  LOWER_R,
  NO_DIGIT,
  SPACE,
  TAB,
  UNDERSCORE,
  UPPER_B,
  UPPER_I,
  UPPER_M,
  UPPER_P,
  UPPER_R,
  UPPER_T,
  UPPER_X,
} from '../../base/characters.ts';
import {
  CODE,
  FIRST_ACCESS,
  isWrite,
  LEAST_LETTERS,
  LETTERS,
  MOST_LETTERS,
  NO_LETTER,
  SIZE_PLACE,
  UNSIZED,
  type Word,
  WORDS,
} from './codes.ts';
import { textOf } from '../../base/scan.ts';
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
  for (let at = skipBlanks(bytes, from, to); at < to;) {
    if (announces(bytes, at, to)) return at;
    const end = tokenEnd(bytes, at, to);
    const next = skipBlanks(bytes, end, to);
    const word = joinedWord(bytes, at, end, next, to);
    if (word > at) return word;
    at = next;
  }
  return to;
}

/**
 * Returns the start of a word that ends the token bytes[at, end) and announces a record with the token `next`, as in `0000BNW4____ 00008000`
 * and `LDRR r3=00000005`: lost bytes can join it to the text before it. Returns `at` if there is none. Only the letters of writers count,
 * because a lower-case text can end in some of them.
 */
function joinedWord(bytes: Uint8Array, at: number, end: number, next: number, to: number): number {
  const isLong = tokenEnd(bytes, next, to) - next >= ADDRESS_DIGITS;
  if (isLong && REGISTER_VALUE.test(textOf(bytes, next, next + ADDRESS_DIGITS))) {
    const word = bytes[end - 1] === UPPER_P ? end - 3 : end - 1;
    return word > at && bytes[word] === UPPER_R && announces(bytes, word, to) ? word : at;
  }
  if (wordEnd(bytes, next, to, ADDRESS_DIGITS) - next !== ADDRESS_DIGITS) return at;
  for (let word = end - 2; word > at && word >= end - MOST_LETTERS; word--)
    if (JOINABLE.includes(bytes[word]!) && announces(bytes, word, to)) return word;
  return at;
}

const REGISTER_VALUE = /^(?:r(?:[0-9]|1[0-5])|[cs]psr|p[0-9]{1,2}c[0-9]{1,2})=/;
/** First letters of the words of accesses and instructions. */
const JOINABLE: readonly number[] = [UPPER_B, UPPER_I, UPPER_M, UPPER_X];

/** True if the first token of bytes[at, to) is the word of a record. */
export function beginsRecord(bytes: Uint8Array, at: number, to: number): boolean {
  const end = tokenEnd(bytes, at, to);
  return readWord(bytes, at, end) !== undefined || (end - at >= LEAST_LETTERS && accessCode(bytes, at, end) >= 0);
}

/**
 * Returns the end of the words at the end of a line that a blank at `at` precedes: the first byte that is neither a blank nor printed ASCII.
 * Returns -1 if a record begins at one of them.
 */
export function endOfWords(bytes: Uint8Array, at: number): number {
  let p = at;
  while (bytes[p] === SPACE) {
    const end = p;
    while (bytes[++p] === SPACE);
    if (OPENS_WORD[(bytes[p]! << 8) | bytes[p + 1]!] === 1 && announcesInLine(bytes, p)) return -1;
    const word = p;
    while ((bytes[p]! - FIRST_PRINTED) >>> 0 < PRINTED) p++;
    if (p - word >= ADDRESS_DIGITS && mayBeJoined(bytes, end, word)) return -1;
  }
  return p;
}

/** ASCII characters other than blanks and controls: the first, and their number. */
const FIRST_PRINTED = 0x21;
const PRINTED = 0x7f - FIRST_PRINTED;

/** True if the token that ends at `end` may end with the word of a record: the token `next`, of eight or more bytes, is its operand. */
function mayBeJoined(bytes: Uint8Array, end: number, next: number): boolean {
  const last = bytes[end - 1]!;
  if (last === UPPER_R || last === UPPER_P) {
    // The shortest name has two characters, the longest six.
    for (let at = next + 2; at <= next + 6; at++) if (bytes[at] === EQUALS) return true;
  }
  for (let at = next; at < next + ADDRESS_DIGITS; at++) if (HEX[bytes[at]!] === NO_DIGIT) return false;
  return true;
}

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
  for (const blank of [SPACE, TAB]) opens[(UPPER_T << 8) | blank] = 1;
  return opens;
}

/** True if a record or the word of a write begins at the word `at` of a line. */
function announcesInLine(bytes: Uint8Array, at: number): boolean {
  const lf = bytes.indexOf(LF, at);
  const to = bytes[lf - 1] === CR ? lf - 1 : lf;
  return isWriteWord(bytes, at, tokenEnd(bytes, at, to)) || announces(bytes, at, to);
}

/** True if bytes[from, to) names a write without an address that can be read. */
export function namesWrite(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = skipBlanks(bytes, from, to); at < to;) {
    const end = tokenEnd(bytes, at, to);
    const next = skipBlanks(bytes, end, to);
    if (isWriteWord(bytes, at, end) && wordEnd(bytes, next, to, ADDRESS_DIGITS) - next !== ADDRESS_DIGITS) return true;
    at = next;
  }
  return false;
}

function isWriteWord(bytes: Uint8Array, at: number, end: number): boolean {
  if (bytes[at] !== UPPER_M && bytes[at] !== UPPER_X) return false;
  const code = end - at < LEAST_LETTERS ? CODE[readWord(bytes, at, end) ?? 'OTHER'] : accessCode(bytes, at, end);
  return code >= 0 && isWrite(code);
}

function announces(bytes: Uint8Array, at: number, to: number): boolean {
  const end = tokenEnd(bytes, at, to);
  const next = skipBlanks(bytes, end, to);
  if (end - at === 1 && bytes[at] === UPPER_T) {
    const digits = wordEnd(bytes, next, to, ADDRESS_DIGITS);
    return digits - next === ADDRESS_DIGITS && beginsRecord(bytes, skipBlanks(bytes, digits, to), to);
  }
  const form = end - at >= LEAST_LETTERS ? undefined : WORD_FORM[readWord(bytes, at, end) ?? 'OTHER'];
  if (form === 'registers') return bytes.subarray(next, tokenEnd(bytes, next, to)).indexOf(EQUALS) > 0;
  if (form === undefined ? end - at < LEAST_LETTERS || accessCode(bytes, at, end) < 0 : form === 'text') return false;
  return wordEnd(bytes, next, to, ADDRESS_DIGITS) - next === ADDRESS_DIGITS;
}
