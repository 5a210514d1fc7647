/** Keys of records for exports (`Decoder.repeats`): the bytes of a record without what changes from one such record to the next. */
import { HEX, NO_DIGIT, UPPER_A, ZERO } from '../base/characters.ts';
import { FLAG, type Batch } from '../records/batch.ts';

/** Longest key in bytes. Longer records are described. */
export const KEY_BYTES = 192;

export interface Repeated {
  readonly bytes: Uint8Array;
  length: number;
  /** True if the record has a value of at most 64 bits that the bytes do not contain: the two halves. */
  hasValue: boolean;
  low: number;
  high: number;
  /**
   * Parts of the described texts (`text`, `flags`, `registers`) that the key does not contain, one after another in UTF-8. Records with the same
   * key have as many of them, at the same places. Each is long enough to be in a text only where the format means it.
   */
  readonly words: Uint8Array;
  /** End of each word. */
  readonly wordEnds: Uint16Array;
  wordCount: number;
}

/** Most bytes of all words of a key, and most words. */
export const WORD_BYTES = 512;
const MOST_WORDS = 4;

export function createRepeated(bytes = new Uint8Array(KEY_BYTES)): Repeated {
  return {
    bytes,
    length: 0,
    hasValue: false,
    low: 0,
    high: 0,
    words: new Uint8Array(WORD_BYTES),
    wordEnds: new Uint16Array(MOST_WORDS),
    wordCount: 0,
  };
}

/** Empties the key, except for a first byte that says what is left out of the others. */
export function startKey(key: Repeated, form: number): void {
  key.bytes[0] = form;
  key.length = 1;
  key.hasValue = false;
  key.wordCount = 0;
}

export function appendBytes(key: Repeated, bytes: Uint8Array, from: number, to: number): void {
  let { length } = key;
  for (let at = from; at < to; at++) key.bytes[length++] = bytes[at]!;
  key.length = length;
}

/** Appends bytes with each hexadecimal digit as 0, and returns the number of digits. */
export function appendDigits(key: Repeated, bytes: Uint8Array, from: number, to: number): number {
  let { length } = key;
  let digits = 0;
  for (let at = from; at < to; at++) {
    const isDigit = HEX[bytes[at]!] !== NO_DIGIT;
    key.bytes[length++] = isDigit ? ZERO : bytes[at]!;
    if (isDigit) digits++;
  }
  key.length = length;
  return digits;
}

/** Takes the value from the bytes that an access moved. Returns false if they are not known or more than eight. */
export function takeMoved(key: Repeated, batch: Batch, index: number, isBig: boolean): boolean {
  const size = batch.size[index]!;
  if ((batch.flags[index]! & FLAG.value) === 0 || size > 8) return false;
  const { bytes } = batch.values;
  const first = batch.valueAt[index]!;
  let [low, high] = [0, 0];
  for (let i = 0; i < size; i++) {
    // From the lowest byte to the highest.
    const byte = bytes[isBig ? first + size - 1 - i : first + i]!;
    if (i < 4) low |= byte << (8 * i);
    else high |= byte << (8 * (i - 4));
  }
  key.hasValue = true;
  key.low = low >>> 0;
  key.high = high >>> 0;
  return true;
}

/** Takes the value from at most 16 hexadecimal digits. */
export function takeDigits(key: Repeated, bytes: Uint8Array, from: number, to: number): void {
  const middle = Math.max(from, to - 8);
  key.hasValue = true;
  key.low = halfOf(bytes, middle, to);
  key.high = halfOf(bytes, from, middle);
}

function halfOf(bytes: Uint8Array, from: number, to: number): number {
  let half = 0;
  for (let at = from; at < to; at++) half = (half << 4) | HEX[bytes[at]!]!;
  return half >>> 0;
}

/** Begins the next word with these letters of ASCII. */
export function startWord(key: Repeated, letters: string): void {
  const { wordEnds, wordCount } = key;
  wordEnds[wordCount] = wordCount === 0 ? 0 : wordEnds[wordCount - 1]!;
  key.wordCount++;
  appendLetters(key, letters);
}

export function appendLetters(key: Repeated, letters: string): void {
  let end = key.wordEnds[key.wordCount - 1]!;
  for (let i = 0; i < letters.length; i++) key.words[end++] = letters.charCodeAt(i);
  key.wordEnds[key.wordCount - 1] = end;
}

export function appendToWord(key: Repeated, bytes: Uint8Array, from: number, to: number): void {
  let end = key.wordEnds[key.wordCount - 1]!;
  for (let at = from; at < to; at++) key.words[end++] = bytes[at]!;
  key.wordEnds[key.wordCount - 1] = end;
}

/** Appends hexadecimal digits to the word as `toHex` prints them: in lower case, without leading zeros. */
export function appendHexToWord(key: Repeated, bytes: Uint8Array, from: number, to: number): void {
  let end = key.wordEnds[key.wordCount - 1]!;
  let at = from;
  while (at < to - 1 && bytes[at] === ZERO) at++;
  for (; at < to; at++) key.words[end++] = bytes[at]! >= UPPER_A ? bytes[at]! | LOWER_CASE : bytes[at]!;
  key.wordEnds[key.wordCount - 1] = end;
}

/** The bit that a small letter has and a capital one has not. */
const LOWER_CASE = 0x20;
