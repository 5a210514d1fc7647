/**
 * Interns the distinct branches of a trace: each gets a number and a row of words with its ends, kind and flags. A program repeats
 * the same branches, so facts about the ends of a branch are looked up once.
 */
import { EVENT, type Events } from '../../../../shared/flow/events.ts';
import { RowTable } from '../../collections/row-table.ts';
import type { Places } from './places.ts';

export interface BranchTable {
  /** The row of branch `n` starts at `n * WORDS`; see WORD. A call of `number` may replace the array. */
  readonly words: Uint32Array;
  /** Numbers are valid while this is unchanged: the table is cleared when it is full. */
  readonly generation: number;
  /** Clears WORD.inner of all branches to a place, because it is called or returned to: they may leave their function. */
  forgetInner(place: number): void;
  /** Clears the table, because facts about addresses have changed. */
  clear(): void;
  /** Returns the number of the branch that event `at` is an instance of. */
  number(events: Events, at: number): number;
}

/** Layout of a row. A place is valid if the flags say that the branch has that end. */
export const WORD = {
  sourceLow: 0,
  sourceHigh: 1,
  targetLow: 2,
  targetHigh: 3,
  resumeLow: 4,
  resumeHigh: 5,
  /** Bits 0 to 7: the kind, a code of BRANCH. From bit 8: the flags, bits of EVENT. */
  kindAndFlags: 6,
  source: 7,
  target: 8,
  resume: 9,
  /**
   * One more than the function that the branch does not leave if that function is the innermost one, and the branch does not go
   * to its resume address. ANY_FUNCTION if that holds for every function; 0 if it is not table.
   */
  inner: 10,
  /** One more than the next branch to the same place; 0 for the last one. */
  nextWithTarget: 11,
} as const;
/** More than any function number. */
export const ANY_FUNCTION = 0xffff_ffff;
/** Words of a row: a cache line. */
export const WORDS = 16;
export const FLAGS_SHIFT = 8;
export const KIND_MASK = (1 << FLAGS_SHIFT) - 1;

/** Capacity: more than the records of a block. */
const MOST_BRANCHES = 1 << 19;
/** Initial capacity. */
const START = 256;

export function createBranchTable(places: Places): BranchTable {
  /** By place: one more than the first branch to it; 0 if there is none. */
  let leading = new Uint32Array(256);
  let rows = new RowTable(START);
  let count = 0;
  const table = {
    words: new Uint32Array(START * WORDS),
    generation: 0,
    forgetInner(place: number) {
      const { words } = table;
      for (let each = leading[place] ?? 0; each > 0; each = words[(each - 1) * WORDS + WORD.nextWithTarget]!)
        words[(each - 1) * WORDS + WORD.inner] = 0;
    },
    clear,
    number,
  };
  return table;

  function number(events: Events, at: number): number {
    const sourceLow = events.sourceLow[at]!;
    const targetLow = events.targetLow[at]!;
    const resumeLow = events.resumeLow[at]!;
    const kindAndFlags = events.kind[at]! | (events.flags[at]! << FLAGS_SHIFT);
    const hash = hashOf(sourceLow, targetLow, kindAndFlags);
    const { words } = table;
    for (let branch = rows.first(hash); branch >= 0; branch = rows.next()) {
      const first = branch * WORDS;
      if (
        words[first + WORD.sourceLow] === sourceLow &&
        words[first + WORD.targetLow] === targetLow &&
        words[first + WORD.kindAndFlags] === kindAndFlags &&
        words[first + WORD.resumeLow] === resumeLow &&
        words[first + WORD.sourceHigh] === events.sourceHigh[at] &&
        words[first + WORD.targetHigh] === events.targetHigh[at] &&
        words[first + WORD.resumeHigh] === events.resumeHigh[at]
      )
        return branch;
    }
    if (count < MOST_BRANCHES) return add(events, at, kindAndFlags, hash);
    clear();
    return number(events, at);
  }

  function add(events: Events, at: number, kindAndFlags: number, hash: number): number {
    if ((count + 1) * WORDS > table.words.length) grow();
    const branch = rows.add(hash);
    const { words } = table;
    const first = branch * WORDS;
    const flags = kindAndFlags >> FLAGS_SHIFT;
    words[first + WORD.sourceLow] = events.sourceLow[at]!;
    words[first + WORD.sourceHigh] = events.sourceHigh[at]!;
    words[first + WORD.targetLow] = events.targetLow[at]!;
    words[first + WORD.targetHigh] = events.targetHigh[at]!;
    words[first + WORD.resumeLow] = events.resumeLow[at]!;
    words[first + WORD.resumeHigh] = events.resumeHigh[at]!;
    words[first + WORD.kindAndFlags] = kindAndFlags;
    if ((flags & EVENT.source) !== 0)
      words[first + WORD.source] = places.at(events.sourceLow[at]!, events.sourceHigh[at]!);
    if ((flags & EVENT.target) !== 0) putTarget(first, places.at(events.targetLow[at]!, events.targetHigh[at]!));
    if ((flags & EVENT.resume) !== 0)
      words[first + WORD.resume] = places.at(events.resumeLow[at]!, events.resumeHigh[at]!);
    count++;
    return branch;
  }

  function putTarget(first: number, place: number): void {
    if (place >= leading.length) {
      const larger = new Uint32Array(Math.max(2 * leading.length, place + 1));
      larger.set(leading);
      leading = larger;
    }
    table.words[first + WORD.target] = place;
    table.words[first + WORD.nextWithTarget] = leading[place]!;
    leading[place] = count + 1;
  }

  function grow(): void {
    const larger = new Uint32Array(table.words.length * 2);
    larger.set(table.words);
    table.words = larger;
  }

  function clear(): void {
    table.generation++;
    count = 0;
    table.words = new Uint32Array(START * WORDS);
    leading = new Uint32Array(256);
    rows = new RowTable(START);
  }
}

function hashOf(sourceLow: number, targetLow: number, kindAndFlags: number): number {
  const hash = Math.imul(sourceLow ^ Math.imul(targetLow, 0x85ebca6b) ^ (kindAndFlags << 20), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}
