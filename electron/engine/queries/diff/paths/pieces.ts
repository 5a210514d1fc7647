/** Of alignments with equally few differences, the one that a person expects. */
import type { Match } from './match.ts';

/**
 * Prefers the alignment with the fewest pieces: joins what one sequence has more at two places if it could be one place. A piece begins at
 * the last place where it could, so the first one is where the sequences part.
 */
export function inFewPieces(matches: readonly Match[], one: Int32Array, other: Int32Array): readonly Match[] {
  const end = { a: one.length, b: other.length, length: 0 };
  const places: Place[] = [{ a: 0, b: 0, length: 0 }, ...matches.map((match) => ({ ...match })), end];
  for (let at = places.length - 2; at >= 0; at--)
    while (isMoved(places, at, one, other) || isJoined(places, at, one, other));
  return places.filter(({ length }) => length > 0);
}

interface Place {
  a: number;
  b: number;
  length: number;
}

/** Moves the piece after a match by one symbol if it can be. */
function isMoved(places: Place[], at: number, one: Int32Array, other: Int32Array): boolean {
  const [match, next] = [places[at]!, places[at + 1]];
  if (next === undefined || next.length === 0) return false;
  const [a, b] = [match.a + match.length, match.b + match.length];
  const isFree = next.b === b ? one[a] === one[next.a] : next.a === a && other[b] === other[next.b];
  if (!isFree) return false;
  match.length++;
  next.a++;
  next.b++;
  if (--next.length === 0 && at + 2 < places.length) places.splice(at + 1, 1);
  return true;
}

/** Symbols between two pieces that can become one. */
const MOST_BETWEEN = 4096;

/** Joins the pieces before and after the next match, if both are of the same sequence. */
function isJoined(places: Place[], at: number, one: Int32Array, other: Int32Array): boolean {
  const [match, next, last] = [places[at]!, places[at + 1], places[at + 2]];
  if (next === undefined || last === undefined || next.length > MOST_BETWEEN) return false;
  const [a, b] = [match.a + match.length, match.b + match.length];
  const isOfOne = next.b === b && last.b === next.b + next.length;
  const isOfOther = next.a === a && last.a === next.a + next.length;
  if (isOfOne === isOfOther) return false;
  const { length } = next;
  let before = 0;
  while (before < length && one[a + before] === other[b + before]) before++;
  let after = 0;
  while (after < length && one[last.a - 1 - after] === other[last.b - 1 - after]) after++;
  if (before + after < length) return false;
  const moved = length - before;
  match.length += before;
  last.a -= moved;
  last.b -= moved;
  last.length += moved;
  places.splice(at + 1, 1);
  return true;
}
