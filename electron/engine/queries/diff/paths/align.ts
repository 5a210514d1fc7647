/**
 * Aligns two sequences of symbols: finds stretches that both have, in their order. Sequences with few differences get the fewest (Wu, Manber,
 * Myers and Miller, "An O(NP) sequence comparison algorithm", 1990). Others are first divided at landmarks: stretches that each has exactly
 * once, since what loops repeat thousands of times shows no place. What nothing divides stays unmatched.
 */
import { createSearch } from './fewest-differences.ts';
import { landmarksIn, rarest } from './landmarks.ts';
import type { Match, Part } from './match.ts';

export interface Alignment {
  /** In order. No two of them touch each other in both sequences. */
  readonly matches: readonly Match[];
  /** Parts of both sequences that were too different. All others have the fewest differences between the landmarks around them. */
  readonly unaligned: readonly Part[];
}

/** Steps of a search for the fewest differences that is tried before landmarks. */
const FEW_STEPS = 1 << 16;
/** Steps of the search if no landmark divides a part; each takes 12 bytes. */
const MOST_STEPS = 1 << 21;

export function align(a: Int32Array, b: Int32Array): Alignment {
  const search = createSearch(a, b);
  return divide(a, b, (part) => {
    const few = search(part, FEW_STEPS);
    if (few !== undefined) return { matches: few, isFinal: true };
    const landmarks = landmarksIn(a, b, part);
    if (landmarks.length > 0) return { matches: landmarks, isFinal: false };
    const fewest = search(part, MOST_STEPS);
    return fewest === undefined ? { matches: rarest(a, b, part), isFinal: false } : { matches: fewest, isFinal: true };
  });
}

/** Like `align`, but only at those landmarks that are `sure`. Parts without any stay unaligned, however short they are. */
export function alignLandmarks(a: Int32Array, b: Int32Array, isSure: (match: Match) => boolean): Alignment {
  return divide(a, b, (part) => ({ matches: landmarksIn(a, b, part).filter(isSure), isFinal: false }));
}

/** Matches that divide a part. */
interface Division {
  readonly matches: readonly Match[];
  /** True if no symbols between the matches are to be matched. */
  readonly isFinal: boolean;
}

function divide(a: Int32Array, b: Int32Array, divisionOf: (part: Part) => Division): Alignment {
  const found: Match[] = [];
  const unaligned: Part[] = [];
  const todo: Part[] = [{ a: 0, aEnd: a.length, b: 0, bEnd: b.length }];
  for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
    const inner = withoutEnds(a, b, part, found);
    if (inner.a === inner.aEnd || inner.b === inner.bEnd) continue;
    const { matches, isFinal } = divisionOf(inner);
    if (!isFinal && matches.length === 0) unaligned.push(inner);
    let { a: nextA, b: nextB } = inner;
    for (const match of matches) {
      found.push(match);
      if (!isFinal) todo.push({ a: nextA, aEnd: match.a, b: nextB, bEnd: match.b });
      [nextA, nextB] = [match.a + match.length, match.b + match.length];
    }
    if (!isFinal && matches.length > 0) todo.push({ a: nextA, aEnd: inner.aEnd, b: nextB, bEnd: inner.bEnd });
  }
  return {
    matches: joined(found.sort((one, other) => one.a - other.a)),
    unaligned: unaligned.sort((one, other) => one.a - other.a),
  };
}

/** Matches equal symbols at both ends, and returns what is between. */
function withoutEnds(one: Int32Array, other: Int32Array, { a, aEnd, b, bEnd }: Part, found: Match[]): Part {
  const most = Math.min(aEnd - a, bEnd - b);
  let before = 0;
  while (before < most && one[a + before] === other[b + before]) before++;
  let after = 0;
  while (after < most - before && one[aEnd - 1 - after] === other[bEnd - 1 - after]) after++;
  if (before > 0) found.push({ a, b, length: before });
  if (after > 0) found.push({ a: aEnd - after, b: bEnd - after, length: after });
  return { a: a + before, aEnd: aEnd - after, b: b + before, bEnd: bEnd - after };
}

function joined(matches: readonly Match[]): readonly Match[] {
  const result: Match[] = [];
  for (const match of matches) {
    const last = result.at(-1);
    if (last !== undefined && last.a + last.length === match.a && last.b + last.length === match.b)
      result[result.length - 1] = { ...last, length: last.length + match.length };
    else result.push(match);
  }
  return result;
}
