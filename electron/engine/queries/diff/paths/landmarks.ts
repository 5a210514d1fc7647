/** Landmarks of two sequences: stretches that each of them has exactly once, in their order, and the rarest symbols that both have. */
import { RowTable } from '../../../collections/row-table.ts';
import type { Match, Part } from './match.ts';

/** Lengths of landmarks, in the order in which they are tried: long ones are seldom alike by chance. */
const LENGTHS = [32, 8, 2, 1] as const;

/** Returns the longest landmarks in order, without those that would put more apart than they match. */
export function landmarksIn(one: Int32Array, other: Int32Array, part: Part): readonly Match[] {
  for (const length of LENGTHS) {
    if (Math.min(part.aEnd - part.a, part.bEnd - part.b) < length) continue;
    const found = withoutDetours(onDiagonals(ascending(once(one, other, part, length)), length), part);
    if (found.length > 0) return found;
  }
  return [];
}

interface Pair {
  readonly a: number;
  readonly b: number;
}

/** Returns the places of the stretches of this length that each part has once, by their places in the first sequence. */
function once(one: Int32Array, other: Int32Array, part: Part, length: number): readonly Pair[] {
  const hashesA = hashesOf(one, part.a, part.aEnd, length);
  const hashesB = hashesOf(other, part.b, part.bEnd, length);
  const table = new RowTable(powerAbove(hashesA.length));
  /** By distinct stretch of the first part: its place, or TWICE. */
  const placeA = new Int32Array(hashesA.length);
  const placeB = new Int32Array(hashesA.length).fill(NEVER);
  const keys = new Int32Array(hashesA.length);
  const rowOf = (hash: number): number => {
    for (let row = table.first(hash); row >= 0; row = table.next()) if (keys[row] === hash) return row;
    return NEVER;
  };
  for (let k = 0; k < hashesA.length; k++) {
    const hash = hashesA[k]!;
    const row = rowOf(hash);
    if (row >= 0) placeA[row] = TWICE;
    else {
      const added = table.add(hash);
      keys[added] = hash;
      placeA[added] = k;
    }
  }
  for (let k = 0; k < hashesB.length; k++) {
    const row = rowOf(hashesB[k]!);
    if (row >= 0) placeB[row] = placeB[row] === NEVER ? k : TWICE;
  }
  const pairs: Pair[] = [];
  for (let row = 0; row < hashesA.length; row++) {
    if (placeA[row]! < 0 || placeB[row]! < 0) continue;
    const pair = { a: part.a + placeA[row]!, b: part.b + placeB[row]! };
    if (isEqual(one, other, pair, length)) pairs.push(pair);
  }
  return pairs;
}

const NEVER = -1;
const TWICE = -2;

function powerAbove(size: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(16, size)));
}

const FACTOR = 0x2c1b3c6d;

/** Returns a hash of the stretch at each place, rolled from place to place. */
function hashesOf(symbols: Int32Array, from: number, to: number, length: number): Int32Array {
  const hashes = new Int32Array(Math.max(0, to - from - length + 1));
  let out = 1;
  for (let k = 0; k < length; k++) out = Math.imul(out, FACTOR);
  let sum = 0;
  for (let at = from; at < to; at++) {
    sum = (Math.imul(sum, FACTOR) + mixed(symbols[at]!)) | 0;
    const first = at - length;
    if (first >= from) sum = (sum - Math.imul(out, mixed(symbols[first]!))) | 0;
    if (first + 1 >= from) hashes[first + 1 - from] = sum ^ (sum >>> 15);
  }
  return hashes;
}

function mixed(symbol: number): number {
  const k = Math.imul(symbol ^ (symbol >>> 16), 0x85ebca6b);
  return k ^ (k >>> 13);
}

function isEqual(one: Int32Array, other: Int32Array, { a, b }: Pair, length: number): boolean {
  for (let k = 0; k < length; k++) if (one[a + k] !== other[b + k]) return false;
  return true;
}

/** Returns the longest choice of pairs that ascends in both sequences. The pairs ascend in the first one. */
function ascending(pairs: readonly Pair[]): readonly Pair[] {
  /** By length of a choice: the pair with the lowest end; and the pair before each. */
  const ends: number[] = [];
  const before = new Int32Array(pairs.length);
  for (const [at, { b }] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]!]!.b < b) low = middle + 1;
      else high = middle;
    }
    before[at] = low === 0 ? -1 : ends[low - 1]!;
    ends[low] = at;
  }
  const chosen: Pair[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]!) chosen.push(pairs[at]!);
  return chosen.reverse();
}

/** Joins pairs that overlap or touch on one diagonal. Of pairs that overlap on different ones, the earlier one stays. */
function onDiagonals(pairs: readonly Pair[], length: number): readonly Match[] {
  const matches: Match[] = [];
  for (const { a, b } of pairs) {
    const last = matches.at(-1);
    if (last === undefined || (a >= last.a + last.length && b >= last.b + last.length && a - b !== last.a - last.b))
      matches.push({ a, b, length });
    else if (a - b === last.a - last.b)
      if (a <= last.a + last.length) matches[matches.length - 1] = { ...last, length: a + length - last.a };
      else matches.push({ a, b, length });
  }
  return matches;
}

/** Leaves out matches of one diagonal that put more apart, seen from the diagonals before and after them, than they match. */
function withoutDetours(matches: readonly Match[], { a, b, aEnd, bEnd }: Part): readonly Match[] {
  const kept: Match[] = [];
  let last = a - b;
  for (let at = 0; at < matches.length;) {
    const own = diagonalOf(matches[at]!);
    let end = at;
    let length = 0;
    for (; end < matches.length && diagonalOf(matches[end]!) === own; end++) length += matches[end]!.length;
    const next = end < matches.length ? diagonalOf(matches[end]!) : aEnd - bEnd;
    const detour = Math.abs(own - last) + Math.abs(next - own) - Math.abs(next - last);
    if (detour <= length) {
      for (let k = at; k < end; k++) kept.push(matches[k]!);
      last = own;
    }
    at = end;
  }
  return kept;
}

function diagonalOf({ a, b }: Match): number {
  return a - b;
}

/** A rare symbol occurs at most so often in each sequence. */
const RARE = 64;

/** Returns the longest match around a symbol that is rarest in both parts; none if they share no rare one. */
export function rarest(one: Int32Array, other: Int32Array, part: Part): readonly Match[] {
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
  return best === undefined ? [] : [best];
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
