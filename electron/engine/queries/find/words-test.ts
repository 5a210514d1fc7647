/**
 * Which records of binary formats say a text: most have the words of one of a few kinds of record, which the decoder tells
 * apart by a number, so that few are described.
 */
import { BATCH_RECORDS } from '../../../../shared/records/batch.ts';
import type { Decoder } from '../../../../shared/format/format.ts';
import type { Decoded } from '../records/block-reader.ts';

export interface WordsTest {
  /** Looks at the rows [from, to) of what was decoded; `says` is about them from then on. */
  look(decoded: Decoded, from: number, to: number): void;
  /** Whether the name, text and marks of a record hold the text. */
  says(index: number): boolean;
  /** Adds those of the rows [from, to) that say it and have one of the kinds (bit k: KINDS[k]). */
  addSaying(kinds: number, from: number, to: number, indexes: number[]): void;
}

/** Numbers that are found again at once; of those that share a place, one is, and the others are found in a map. */
const PLACES = 4096;
/** No record has it. */
const NO_KEY = -1;

/** `wordsOf` gives the words of a record that has no number yet. */
export function createWordsTest(
  decoder: Decoder,
  wordsOf: (decoded: Decoded, index: number) => string,
  matches: (words: string) => boolean,
): WordsTest {
  const keys = new Int32Array(BATCH_RECORDS);
  const keyAt = new Int32Array(PLACES).fill(NO_KEY);
  const saidAt = new Uint8Array(PLACES);
  const known = new Map<number, boolean>();
  let current: Decoded;

  return {
    look(decoded, from, to): void {
      current = decoded;
      decoder.wordsKeys?.(decoded.window, decoded.batch, from, to, keys);
    },
    says,
    addSaying(kinds, from, to, indexes): void {
      const { kind } = current.batch;
      // A search looks at all records of a trace here, and few say the text.
      const [numbers, at, said] = [keys, keyAt, saidAt];
      for (let i = from; i < to; i++) {
        const key = numbers[i]!;
        const place = placeOf(key);
        if (at[place] === key && said[place] === 0) continue;
        if ((kinds & (1 << kind[i]!)) !== 0 && says(i)) indexes.push(i);
      }
    },
  };

  function says(index: number): boolean {
    const key = keys[index]!;
    const place = placeOf(key);
    return keyAt[place] === key ? saidAt[place] === 1 : lookUp(index, key, place);
  }

  function lookUp(index: number, key: number, place: number): boolean {
    if (key === 0) return matches(wordsOf(current, index));
    let said = known.get(key);
    if (said === undefined) {
      said = matches(wordsOf(current, index));
      known.set(key, said);
    }
    keyAt[place] = key;
    saidAt[place] = Number(said);
    return said;
  }
}

/** Any place would do: the number that lies there is compared whole. */
function placeOf(key: number): number {
  return (key ^ (key >>> 12)) & (PLACES - 1);
}
