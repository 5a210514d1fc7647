/**
 * Finds the records of binary formats that contain a text. The decoder gives equal words the same key, so that only a few records must be
 * described.
 */
import { BATCH_RECORDS } from '../../../../shared/records/batch.ts';
import type { Decoder } from '../../../../shared/format/format.ts';
import type { Decoded } from '../records/block-reader.ts';

export interface WordsTest {
  /** Prepares the rows [from, to) of a batch. `hasText` then refers to these rows. */
  prepare(decoded: Decoded, from: number, to: number): void;
  /** Returns true if the name, text and marks of a record contain the text. */
  hasText(index: number): boolean;
  /** Adds the rows in [from, to) that contain the text and have one of the kinds (bit k: KINDS[k]). */
  addMatches(kinds: number, from: number, to: number, indexes: number[]): void;
}

/** Number of entries in the direct-mapped cache of results. Keys that collide are found in a map. */
const PLACES = 4096;
/** Marks an empty cache entry. */
const NO_KEY = -1;

/** `wordsOf` returns the words of a record whose result is not cached. */
export function createWordsTest(
  decoder: Decoder,
  wordsOf: (decoded: Decoded, index: number) => string,
  matches: (words: string) => boolean,
): WordsTest {
  const keys = new Int32Array(BATCH_RECORDS);
  const keyAt = new Int32Array(PLACES).fill(NO_KEY);
  const resultAt = new Uint8Array(PLACES);
  const known = new Map<number, boolean>();
  let current: Decoded;

  return {
    prepare(decoded, from, to): void {
      current = decoded;
      decoder.wordsKeys?.(decoded.window, decoded.batch, from, to, keys);
    },
    hasText,
    addMatches(kinds, from, to, indexes): void {
      const { kind } = current.batch;
      // This loop visits every record of a trace, and few records contain the text.
      const [numbers, at, said] = [keys, keyAt, resultAt];
      for (let i = from; i < to; i++) {
        const key = numbers[i]!;
        const place = placeOf(key);
        if (at[place] === key && said[place] === 0) continue;
        if ((kinds & (1 << kind[i]!)) !== 0 && hasText(i)) indexes.push(i);
      }
    },
  };

  function hasText(index: number): boolean {
    const key = keys[index]!;
    const place = placeOf(key);
    return keyAt[place] === key ? resultAt[place] === 1 : lookUp(index, key, place);
  }

  function lookUp(index: number, key: number, place: number): boolean {
    if (key === 0) return matches(wordsOf(current, index));
    let said = known.get(key);
    if (said === undefined) {
      said = matches(wordsOf(current, index));
      known.set(key, said);
    }
    keyAt[place] = key;
    resultAt[place] = Number(said);
    return said;
  }
}

/** The hash only spreads the keys. The whole key is compared afterwards. */
function placeOf(key: number): number {
  return (key ^ (key >>> 12)) & (PLACES - 1);
}
