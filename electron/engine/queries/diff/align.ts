/**
 * Aligns two sequences of symbols: finds stretches that both have, in their order. Short sequences get the fewest differences (Myers, "An
 * O(ND) difference algorithm and its variations", 1986). Long ones with many differences are first divided at the symbols that are rarest in
 * both, since the chunks of loops repeat thousands of times and are no landmarks. What no landmark divides stays unmatched.
 */

/** `length` symbols from place `a` of the one sequence equal those from place `b` of the other. */
export interface Match {
  readonly a: number;
  readonly b: number;
  readonly length: number;
}

/** Sequences of together so many symbols get the fewest differences. */
export const EXACT = 4096;
/** Longer ones do if there are at most so many differences. */
const MOST_DIFFERENCES = 2048;
/** Sequences of together more symbols are divided at landmarks. */
const LONG = 1 << 18;
/** A landmark occurs at most so often in each sequence. */
const RARE = 64;

/** Places [a, aEnd) and [b, bEnd). */
interface Part {
  readonly a: number;
  readonly aEnd: number;
  readonly b: number;
  readonly bEnd: number;
}

/** Returns the matches in order; no two of them touch each other in both sequences. */
export function align(a: Int32Array, b: Int32Array): readonly Match[] {
  const found: Match[] = [];
  const todo: Part[] = [{ a: 0, aEnd: a.length, b: 0, bEnd: b.length }];
  for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
    const inner = withoutEnds(a, b, part, found);
    const [long, wide] = [inner.aEnd - inner.a, inner.bEnd - inner.b];
    if (long === 0 || wide === 0) continue;
    const most = long + wide <= EXACT ? long + wide : long + wide <= LONG ? MOST_DIFFERENCES : 0;
    const fewest = fewestDifferences(a, b, inner, most);
    if (fewest !== undefined) {
      found.push(...fewest);
      continue;
    }
    const landmark = rarest(a, b, inner);
    if (landmark === undefined) continue;
    found.push(landmark);
    todo.push(
      { ...inner, aEnd: landmark.a, bEnd: landmark.b },
      { ...inner, a: landmark.a + landmark.length, b: landmark.b + landmark.length },
    );
  }
  return joined(found.sort((one, other) => one.a - other.a));
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

/** Returns the longest match around a symbol that is rarest in both parts; undefined if they share no rare one. */
function rarest(one: Int32Array, other: Int32Array, part: Part): Match | undefined {
  const places = placesOf(one, part.a, part.aEnd);
  const others = placesOf(other, part.b, part.bEnd);
  let rarity = Number.POSITIVE_INFINITY;
  let best: Match | undefined;
  for (const [symbol, its] of places) {
    const there = others.get(symbol);
    if (there === undefined || its.length > RARE || there.length > RARE) continue;
    if (its.length * there.length > rarity) continue;
    if (its.length * there.length < rarity) best = undefined;
    rarity = its.length * there.length;
    for (const a of its)
      for (const b of there) {
        if (best !== undefined && a >= best.a && a < best.a + best.length && b - a === best.b - best.a) continue;
        const match = extended(one, other, part, a, b);
        if (best === undefined || match.length > best.length) best = match;
      }
  }
  return best;
}

/** Returns the places of each symbol, one more than RARE of a frequent one. */
function placesOf(symbols: Int32Array, from: number, to: number): ReadonlyMap<number, readonly number[]> {
  const places = new Map<number, number[]>();
  for (let at = from; at < to; at++) {
    const known = places.get(symbols[at]!);
    if (known === undefined) places.set(symbols[at]!, [at]);
    else if (known.length <= RARE) known.push(at);
  }
  return places;
}

function extended(one: Int32Array, other: Int32Array, part: Part, a: number, b: number): Match {
  let before = 0;
  while (a - before > part.a && b - before > part.b && one[a - before - 1] === other[b - before - 1]) before++;
  let after = 1;
  while (a + after < part.aEnd && b + after < part.bEnd && one[a + after] === other[b + after]) after++;
  return { a: a - before, b: b - before, length: before + after };
}

/** Returns the matches of an alignment with the fewest differences; undefined if there are more than `most`. */
function fewestDifferences(
  one: Int32Array,
  other: Int32Array,
  { a, aEnd, b, bEnd }: Part,
  most: number,
): readonly Match[] | undefined {
  const [long, wide] = [aEnd - a, bEnd - b];
  /** By number of differences: how far each diagonal k = x - y reaches, from k = -d on. */
  const reached: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    const own = new Int32Array(2 * d + 1);
    const last = reached[d - 1];
    for (let k = -d; k <= d; k += 2) {
      let x = last === undefined ? 0 : stepFrom(last, d, k).x;
      while (x < long && x - k < wide && x - k >= 0 && one[a + x] === other[b + x - k]) x++;
      own[k + d] = x;
      if (x >= long && x - k >= wide) return matchesAlong([...reached, own], { a, b, long, wide });
    }
    reached.push(own);
  }
  return undefined;
}

/** Returns where diagonal k begins with d differences, and from which diagonal of those with d - 1. */
function stepFrom(last: Int32Array, d: number, k: number): { readonly x: number; readonly from: number } {
  const reach = (diagonal: number): number => last[diagonal + d - 1]!;
  const isOther = k === -d || (k !== d && reach(k - 1) < reach(k + 1));
  return isOther ? { x: reach(k + 1), from: k + 1 } : { x: reach(k - 1) + 1, from: k - 1 };
}

function matchesAlong(
  reached: readonly Int32Array[],
  { a, b, long, wide }: { readonly a: number; readonly b: number; readonly long: number; readonly wide: number },
): readonly Match[] {
  const matches: Match[] = [];
  let k = long - wide;
  let end = long;
  for (let d = reached.length - 1; d >= 0; d--) {
    const last = reached[d - 1];
    const step = last === undefined ? { x: 0, from: 0 } : stepFrom(last, d, k);
    if (end > step.x) matches.push({ a: a + step.x, b: b + step.x - k, length: end - step.x });
    if (last === undefined) break;
    k = step.from;
    end = last[k + d - 1]!;
  }
  return matches;
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

/**
 * Of alignments with equally few differences, prefers the one with the fewest pieces: joins what one sequence has more at two places if it
 * could be one place. A piece begins at the last place where it could, so the first one is where the sequences part.
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
