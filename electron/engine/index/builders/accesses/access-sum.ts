/** The accesses of stretches of the trace, one after the other, summed up in one place. */
import { ROW, WORD, type AccessRows, type AddressHalves } from './access-rows.ts';

export interface AccessSum {
  /** Rows added since the last `clear`; valid until the next change. */
  rows(): AccessRows;
  /** `offset`: records from where the sum counts to where `rows` count; all together have fewer than 2^32. */
  add(rows: AccessRows, offset: number): void;
  clear(): void;
}

/**
 * The sum changes in place: of pairs that it has, only the words that differ; those that it has not are put in between
 * afterwards. The memory stays for the next sum.
 */
export function createAccessSum(): AccessSum {
  let words = new Int32Array(0);
  let length = 0;
  /** Where in the words of what is added the new pairs are, and before which row of the sum they belong. */
  let newRows = new Int32Array(0);
  let newPlaces = new Int32Array(0);
  let lowest: AddressHalves = { low: 0, high: 0 };
  let highest: AddressHalves = { low: 0, high: 0 };

  return {
    rows: () => ({ length, words, lowest, highest }),
    add(rows, offset): void {
      if (rows.length === 0) return;
      if (length === 0 || isBelow(rows.lowest, lowest)) lowest = rows.lowest;
      if (length === 0 || isBelow(highest, rows.highest)) highest = rows.highest;
      insert(rows.words, joinPairs(rows, offset), offset);
    },
    clear(): void {
      length = 0;
    },
  };

  /** Adds what belongs to pairs that are there; returns how many are not. */
  function joinPairs(rows: AccessRows, offset: number): number {
    if (newRows.length < rows.length) {
      newRows = new Int32Array(Math.ceil(rows.length * 1.2));
      newPlaces = new Int32Array(newRows.length);
    }
    const into = words;
    const from = rows.words;
    const intoEnd = length * ROW;
    const fromEnd = rows.length * ROW;
    // Rows are sorted, so the last ones say whether any page lies above what the low word of a pair holds.
    const isNarrow = from[fromEnd - ROW] === 0 && (intoEnd === 0 || into[intoEnd - ROW] === 0);
    let fresh = 0;
    let to = 0;
    for (let at = 0; at < fromEnd; at += ROW) {
      const low = from[at + 1]! >>> 0;
      let isThere: boolean;
      if (isNarrow) {
        while (to < intoEnd && into[to + 1]! >>> 0 < low) to += ROW;
        isThere = to < intoEnd && into[to + 1]! >>> 0 === low;
      } else {
        const high = from[at]!;
        while (to < intoEnd && (into[to]! < high || (into[to] === high && into[to + 1]! >>> 0 < low))) to += ROW;
        isThere = to < intoEnd && into[to] === high && into[to + 1]! >>> 0 === low;
      }
      if (!isThere) {
        newRows[fresh] = at;
        newPlaces[fresh] = to;
        fresh++;
        continue;
      }
      into[to + WORD.linesLow] = into[to + WORD.linesLow]! | from[at + WORD.linesLow]!;
      into[to + WORD.linesHigh] = into[to + WORD.linesHigh]! | from[at + WORD.linesHigh]!;
      const count = from[at + WORD.count]! >>> 0;
      if (count > 0) {
        const before = into[to + WORD.count]! >>> 0;
        if (before === 0) into[to + WORD.first] = (from[at + WORD.first]! >>> 0) + offset;
        into[to + WORD.count] = before + count;
        into[to + WORD.last] = (from[at + WORD.last]! >>> 0) + offset;
      }
      to += ROW;
    }
    return fresh;
  }

  /** Puts the new pairs where they belong, starting at the last, moving what follows each once. */
  function insert(from: Int32Array, fresh: number, offset: number): void {
    if (fresh === 0) return;
    const needed = (length + fresh) * ROW;
    if (words.length < needed) {
      const larger = new Int32Array(Math.ceil(needed * 1.2));
      larger.set(words.subarray(0, length * ROW));
      words = larger;
    }
    let end = length * ROW;
    for (let i = fresh - 1; i >= 0; i--) {
      const place = newPlaces[i]!;
      const gap = (i + 1) * ROW;
      if (end - place > SHORT_MOVE) words.copyWithin(place + gap, place, end);
      else for (let word = end - 1; word >= place; word--) words[word + gap] = words[word]!;
      end = place;
      const at = newRows[i]!;
      const to = place + gap - ROW;
      for (let word = 0; word < ROW; word++) words[to + word] = from[at + word]!;
      words[to + WORD.first] = (from[at + WORD.first]! >>> 0) + offset;
      words[to + WORD.last] = (from[at + WORD.last]! >>> 0) + offset;
    }
    length += fresh;
  }
}

/** Words that are moved sooner one by one than by a call. */
const SHORT_MOVE = 32 * ROW;

function isBelow(a: AddressHalves, b: AddressHalves): boolean {
  return a.high < b.high || (a.high === b.high && a.low < b.low);
}
