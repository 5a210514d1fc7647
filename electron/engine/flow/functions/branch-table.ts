/**
 * The branches that a walk comes by, each known by a number: programs go the same ways again and again, so what is asked of the
 * ends of a branch is looked up once.
 */
import { EVENT, type Events } from '../../../../shared/flow/events.ts';
import type { Places } from './places.ts';

export interface KnownBranches {
  /** What is known of branch number `n`, from `n * WORDS` on; see WORD. Other arrays once `number` was called. */
  readonly words: Uint32Array;
  /** Numbers are good as long as this is the same: too many branches are forgotten. */
  readonly age: number;
  /** Somebody calls what is at a place, or will return there: branches that lead there may leave their function. */
  leaves(place: number): void;
  /** What is known of addresses is not so any more. */
  forget(): void;
  /** The number of the branch that event `at` is one of. */
  number(events: Events, at: number): number;
}

/** What words hold. The places are of the ends that its flags say it has. */
export const WORD = {
  sourceLow: 0,
  sourceHigh: 1,
  targetLow: 2,
  targetHigh: 3,
  resumeLow: 4,
  resumeHigh: 5,
  /** The kind's code, and from bit 8 the event's flags. */
  sort: 6,
  source: 7,
  target: 8,
  resume: 9,
  /**
   * One more than the function that it only goes about in, as long as that is the innermost one and is not returned from; ANYWHERE
   * where it does so in whichever runs; 0 where that is not known.
   */
  inner: 10,
  /** The next one, and one more, of those that go to the same place; 0 behind the last. */
  nextTo: 11,
} as const;
/** More than any function. */
export const ANYWHERE = 0xffff_ffff;
/** Of a branch: as many as lie in memory together. */
export const WORDS = 16;
export const FLAGS_FROM = 8;
export const KIND_BITS = (1 << FLAGS_FROM) - 1;

/** More than a block has records. */
const MOST = 1 << 19;

export function createKnownBranches(places: Places): KnownBranches {
  /** By place: the first branch, and one more, that goes there. */
  let leading = new Uint32Array(256);
  let slots = new Int32Array(1024).fill(-1);
  let count = 0;
  const known = {
    words: new Uint32Array(256 * WORDS),
    age: 0,
    leaves(place: number) {
      const { words } = known;
      for (let each = leading[place] ?? 0; each > 0; each = words[(each - 1) * WORDS + WORD.nextTo]!)
        words[(each - 1) * WORDS + WORD.inner] = 0;
    },
    forget,
    number,
  };
  return known;

  function number(events: Events, at: number): number {
    const sourceLow = events.sourceLow[at]!;
    const targetLow = events.targetLow[at]!;
    const resumeLow = events.resumeLow[at]!;
    const sort = events.kind[at]! | (events.flags[at]! << FLAGS_FROM);
    const mask = slots.length - 1;
    let slot = hashOf(sourceLow, targetLow, sort) & mask;
    const { words } = known;
    for (let branch = slots[slot]!; branch >= 0; branch = slots[slot]!) {
      const first = branch * WORDS;
      if (
        words[first + WORD.sourceLow] === sourceLow &&
        words[first + WORD.targetLow] === targetLow &&
        words[first + WORD.sort] === sort &&
        words[first + WORD.resumeLow] === resumeLow &&
        words[first + WORD.sourceHigh] === events.sourceHigh[at] &&
        words[first + WORD.targetHigh] === events.targetHigh[at] &&
        words[first + WORD.resumeHigh] === events.resumeHigh[at]
      )
        return branch;
      slot = (slot + 1) & mask;
    }
    return make(events, at, sort, slot);
  }

  function make(events: Events, at: number, sort: number, slot: number): number {
    if (count === MOST) {
      forget();
      return number(events, at);
    }
    if ((count + 1) * WORDS > known.words.length) grow();
    const { words } = known;
    const first = count * WORDS;
    const flags = sort >> FLAGS_FROM;
    words[first + WORD.sourceLow] = events.sourceLow[at]!;
    words[first + WORD.sourceHigh] = events.sourceHigh[at]!;
    words[first + WORD.targetLow] = events.targetLow[at]!;
    words[first + WORD.targetHigh] = events.targetHigh[at]!;
    words[first + WORD.resumeLow] = events.resumeLow[at]!;
    words[first + WORD.resumeHigh] = events.resumeHigh[at]!;
    words[first + WORD.sort] = sort;
    if ((flags & EVENT.source) !== 0)
      words[first + WORD.source] = places.at(events.sourceLow[at]!, events.sourceHigh[at]!);
    if ((flags & EVENT.target) !== 0) putTarget(first, places.at(events.targetLow[at]!, events.targetHigh[at]!));
    if ((flags & EVENT.resume) !== 0)
      words[first + WORD.resume] = places.at(events.resumeLow[at]!, events.resumeHigh[at]!);
    slots[slot] = count++;
    if (count * 4 > slots.length) rehash();
    return count - 1;
  }

  function putTarget(first: number, place: number): void {
    if (place >= leading.length) {
      const larger = new Uint32Array(Math.max(2 * leading.length, place + 1));
      larger.set(leading);
      leading = larger;
    }
    known.words[first + WORD.target] = place;
    known.words[first + WORD.nextTo] = leading[place]!;
    leading[place] = count + 1;
  }

  function grow(): void {
    const larger = new Uint32Array(known.words.length * 2);
    larger.set(known.words);
    known.words = larger;
  }

  function rehash(): void {
    slots = new Int32Array(slots.length * 2).fill(-1);
    const mask = slots.length - 1;
    const { words } = known;
    for (let each = 0; each < count; each++) {
      const first = each * WORDS;
      let slot =
        hashOf(words[first + WORD.sourceLow]!, words[first + WORD.targetLow]!, words[first + WORD.sort]!) & mask;
      while (slots[slot]! >= 0) slot = (slot + 1) & mask;
      slots[slot] = each;
    }
  }

  function forget(): void {
    known.age++;
    count = 0;
    known.words = new Uint32Array(256 * WORDS);
    leading = new Uint32Array(256);
    slots = new Int32Array(1024).fill(-1);
  }
}

function hashOf(sourceLow: number, targetLow: number, sort: number): number {
  const hash = Math.imul(sourceLow ^ Math.imul(targetLow, 0x85ebca6b) ^ (sort << 20), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}
