/** Which pages accesses start in: a bit for each, quickest where pages come in order. */
import type { PageNumber } from '../../../../../shared/base/units.ts';
import { pageAt, ROW, WORD, type AccessRows } from './access-rows.ts';
import { bitCount } from '../../../collections/byte-sets.ts';

export interface PageSet {
  add(page: PageNumber): void;
  addStarts(rows: AccessRows): void;
  /** Words of 32 pages that it keeps: what it takes of memory. */
  words(): number;
  count(): number;
}

export function createPageSet(): PageSet {
  /** By page / 32. */
  const seen = new Map<number, number>();
  // The word of the last pages added; it is stored in the map when another word is needed.
  let word = -1;
  let bits = 0;

  return {
    add,
    addStarts({ length, words }): void {
      const end = length * ROW;
      // An access that starts in another page may run into this one.
      for (let at = 0; at < end; at += ROW) if (words[at + WORD.count] !== 0) add(pageAt(words, at));
    },
    words(): number {
      keep();
      return seen.size;
    },
    count(): number {
      keep();
      let pages = 0;
      for (const its of seen.values()) pages += bitCount(its);
      return pages;
    },
  };

  function add(page: PageNumber): void {
    const its = Math.floor(page / 32);
    if (its !== word) {
      keep();
      word = its;
    }
    bits |= 1 << (page - its * 32);
  }

  function keep(): void {
    if (bits !== 0) seen.set(word, (seen.get(word) ?? 0) | bits);
    bits = 0;
  }
}
