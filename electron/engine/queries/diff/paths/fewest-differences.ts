/**
 * Finds the alignment of two sequences with the fewest differences: Wu, Manber, Myers and Miller, "An O(NP) sequence comparison algorithm",
 * 1990. P is the number of symbols that only the shorter sequence has, so a run that only lost instructions costs little.
 */
import { longer } from '../../../collections/columns.ts';
import type { Match, Part } from './match.ts';

/** So many comparisons of symbols that are equal count as one step. */
const COMPARISONS = 64;

/** Returns a function that aligns a part of two sequences. It returns undefined if that takes more than `most` steps. */
export function createSearch(
  one: Int32Array,
  other: Int32Array,
): (part: Part, most: number) => readonly Match[] | undefined {
  /** By step: the place that it reached in the longer sequence, and twice the number of the step before, plus 1 if that is on the next diagonal. */
  let reached = new Int32Array(1024);
  let before = new Int32Array(1024);
  return (part, most) => {
    const isSwapped = part.aEnd - part.a > part.bEnd - part.b;
    const [short, shortFrom, shortLength] = isSwapped
      ? [other, part.b, part.bEnd - part.b]
      : [one, part.a, part.aEnd - part.a];
    const [long, longFrom, longLength] = isSwapped
      ? [one, part.a, part.aEnd - part.a]
      : [other, part.b, part.bEnd - part.b];
    const delta = longLength - shortLength;
    const rounds = Math.min(shortLength, roundsWithin(delta, most));
    if (rounds < 0) return undefined;
    /** By diagonal, place in the longer sequence minus place in the shorter one, from -rounds - 1: the last step there and its place. */
    const origin = rounds + 1;
    const furthest = new Int32Array(delta + 2 * rounds + 3).fill(-1);
    const last = new Int32Array(furthest.length).fill(-1);
    let steps = 0;
    let comparisons = 0;
    const step = (k: number): void => {
      const at = k + origin;
      const [below, above] = [furthest[at - 1]! + 1, furthest[at + 1]!];
      const isAbove = below <= above;
      const start = isAbove ? above : below;
      let y = start;
      let x = y - k;
      while (x < shortLength && y < longLength && short[shortFrom + x] === long[longFrom + y]) {
        x++;
        y++;
      }
      comparisons += y - start;
      if (steps === reached.length) {
        reached = longer(reached, 2 * steps);
        before = longer(before, 2 * steps);
      }
      reached[steps] = y;
      before[steps] = isAbove ? 2 * last[at + 1]! + 1 : 2 * last[at - 1]!;
      furthest[at] = y;
      last[at] = steps++;
    };
    for (let p = 0; p <= rounds && comparisons < COMPARISONS * most; p++) {
      for (let k = -p; k < delta; k++) step(k);
      for (let k = delta + p; k >= delta; k--) step(k);
      if (furthest[delta + origin] === longLength) return matchesTo(last[delta + origin]!, delta, isSwapped, part);
    }
    return undefined;
  };

  /** Returns the matches on the way to a step on a diagonal. */
  function matchesTo(end: number, diagonal: number, isSwapped: boolean, part: Part): readonly Match[] {
    const matches: Match[] = [];
    let k = diagonal;
    for (let step = end; step >= 0;) {
      const link = before[step]!;
      const previous = link >> 1;
      const isAbove = (link & 1) !== 0;
      const start = previous < 0 ? 0 : reached[previous]! + (isAbove ? 0 : 1);
      const length = reached[step]! - start;
      const [x, y] = [start - k, start];
      if (length > 0)
        matches.push(isSwapped ? { a: part.a + y, b: part.b + x, length } : { a: part.a + x, b: part.b + y, length });
      k += isAbove ? 1 : -1;
      step = previous;
    }
    return matches.reverse();
  }
}

/** Returns the last round p whose steps, delta + 2p + 1 each, are together at most `most`; negative if there is none. */
function roundsWithin(delta: number, most: number): number {
  return Math.floor((Math.sqrt(delta * delta + 4 * most) - delta - 2) / 2);
}
