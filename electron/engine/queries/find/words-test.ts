/**
 * Which records of binary formats say a text: most have the words of one of a few kinds of record, which the decoder tells
 * apart by a number, so that few are described.
 */
import type { Decoder } from '../../../../shared/format.ts';
import type { Decoded } from '../block-reader.ts';

export interface WordsTest {
  /** Whether the name, text and marks of a record hold the text. */
  says(decoded: Decoded, index: number): boolean;
}

/** Numbers that are found again at once; those that share a place are found in a map. */
const PLACES = 4096;

/** `describe` gives the words of a record that has no number. */
export function createWordsTest(
  wordsKey: Decoder['wordsKey'],
  describe: (decoded: Decoded, index: number) => string,
  matches: (words: string) => boolean,
): WordsTest {
  const keys = new Float64Array(PLACES);
  const said = new Uint8Array(PLACES);
  const known = new Map<number, boolean>();

  return {
    says(decoded, index): boolean {
      const key = wordsKey?.(decoded.window, decoded.batch, index) ?? 0;
      const place = (key ^ (key >>> 12)) & (PLACES - 1);
      return keys[place] === key && key !== 0 ? said[place] === 1 : lookUp(decoded, index, key, place);
    },
  };

  function lookUp(decoded: Decoded, index: number, key: number, place: number): boolean {
    if (key === 0) return matches(describe(decoded, index));
    let found = known.get(key);
    if (found === undefined) {
      found = matches(describe(decoded, index));
      known.set(key, found);
    }
    keys[place] = key;
    said[place] = Number(found);
    return found;
  }
}
