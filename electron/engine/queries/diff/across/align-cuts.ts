/**
 * Aligns two sequences of branches that may have cuts: places where any number of branches is missing. A trace buffer covers a small part of
 * a run, so branches beside a cut of the other sequence cost nothing, and all others as much as a match gains. Of alignments that are equally
 * good, the one that is earliest in the first sequence is taken.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { align } from '../paths/align.ts';
import { createSearch } from '../paths/fewest-differences.ts';
import { landmarksIn } from '../paths/landmarks.ts';
import type { Match, Part } from '../paths/match.ts';
import { inFewPieces } from '../paths/pieces.ts';

/** A sequence of symbols, at least 0; CUT is a cut. It begins and ends with one. */
export type Symbols = Int32Array;
export const CUT = -1;

/** Fewest symbols of a stretch that divides what is too long to be aligned as a whole: shorter ones are alike by chance. */
const SHORTEST_LANDMARK = 16;
/** Cells of a table that is filled without dividing it. */
const FEW_CELLS = 1 << 22;
/** Most cells of a table: each takes a quarter of a byte and some nanoseconds. */
const MOST_CELLS = 2 ** 30;
/** Cells that are filled before other requests are served: some milliseconds. */
const CELLS_AT_ONCE = 1 << 20;
/** Steps of the search for the fewest differences of what is too long for a table. */
const MOST_STEPS = 1 << 21;

export interface CutAlignment {
  /** In order. */
  readonly matches: readonly Match[];
  /** Parts that were too long to be aligned; nothing is known about them. */
  readonly tooLong: readonly Part[];
}

/** Returns undefined once it is cancelled. */
export async function alignCuts(a: Symbols, b: Symbols, isCancelled: () => boolean): Promise<CutAlignment | undefined> {
  const matches: Match[] = [];
  const tooLong: Part[] = [];
  const [one, other] = [withUniqueCuts(a, 1), withUniqueCuts(b, 2)];
  const todo: Part[] = [{ a: 0, aEnd: a.length, b: 0, bEnd: b.length }];
  for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
    const cells = (part.aEnd - part.a) * (part.bEnd - part.b);
    if (cells === 0) continue;
    if (!hasCut(a, part.a, part.aEnd) && !hasCut(b, part.b, part.bEnd)) {
      matches.push(...alignedWhole(a, b, part));
      continue;
    }
    const found =
      cells <= FEW_CELLS ? [] : landmarksIn(one, other, part).filter(({ length }) => length >= SHORTEST_LANDMARK);
    if (found.length > 0) {
      matches.push(...found);
      todo.push(...between(found, part));
      continue;
    }
    const best = cells <= MOST_CELLS ? await bestMatches(a, b, part, isCancelled) : fewDifferences(one, other, part);
    if (isCancelled()) return undefined;
    if (best === undefined) tooLong.push(part);
    else matches.push(...best);
    await breathe();
  }
  matches.sort((left, right) => left.a - right.a);
  return { matches, tooLong };
}

/** Gives cuts symbols that occur nowhere else: -2, -4, .. or -3, -5, .. */
function withUniqueCuts(symbols: Symbols, first: number): Int32Array {
  let next = -1 - first;
  return symbols.map((symbol) => (symbol === CUT ? (next -= 2) + 2 : symbol));
}

function hasCut(symbols: Symbols, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (symbols[at] === CUT) return true;
  return false;
}

function alignedWhole(a: Symbols, b: Symbols, part: Part): readonly Match[] {
  const [one, other] = [a.subarray(part.a, part.aEnd), b.subarray(part.b, part.bEnd)];
  return inFewPieces(align(one, other).matches, one, other).map((match) => moved(match, part));
}

function moved({ a, b, length }: Match, part: Part): Match {
  return { a: a + part.a, b: b + part.b, length };
}

/** Returns what is before, between and after matches of a part. */
function between(matches: readonly Match[], { a, aEnd, b, bEnd }: Part): readonly Part[] {
  const parts: Part[] = [];
  let [nextA, nextB] = [a, b];
  for (const match of [...matches, { a: aEnd, b: bEnd, length: 0 }]) {
    parts.push({ a: nextA, aEnd: match.a, b: nextB, bEnd: match.b });
    [nextA, nextB] = [match.a + match.length, match.b + match.length];
  }
  return parts;
}

/** Returns the matches if few branches differ; undefined if many do, or if finding out takes too long. */
function fewDifferences(one: Int32Array, other: Int32Array, part: Part): readonly Match[] | undefined {
  const matches = createSearch(one, other)(part, MOST_STEPS);
  const shorter = Math.min(part.aEnd - part.a, part.bEnd - part.b);
  if (matches === undefined || 2 * matches.reduce((sum, { length }) => sum + length, 0) < shorter) return undefined;
  const [its, others] = [one.subarray(part.a, part.aEnd), other.subarray(part.b, part.bEnd)];
  const own = matches.map(({ a, b, length }) => ({ a: a - part.a, b: b - part.b, length }));
  return inFewPieces(own, its, others).map((match) => moved(match, part));
}

/** Ways to a cell: a branch of the one or of the other sequence alone, or a pair of equal ones. */
const WAY = { one: 0, other: 1, pair: 2 } as const;

/** Fills a table with the best alignment of all beginnings, and returns the matches of the whole; undefined if it is cancelled. */
async function bestMatches(
  a: Symbols,
  b: Symbols,
  part: Part,
  isCancelled: () => boolean,
): Promise<readonly Match[] | undefined> {
  const columns = part.aEnd - part.a;
  const rows = part.bEnd - part.b;
  const width = columns + 1;
  /** Ways to the cells, row after row: four in a byte. */
  const ways = new Uint8Array(Math.ceil((width * (rows + 1)) / 4));
  const freeA = freePlaces(a, part.a, part.aEnd);
  const freeB = freePlaces(b, part.b, part.bEnd);
  let row = new Int32Array(width);
  let last = new Int32Array(width);
  let unserved = 0;
  for (let j = 0; j <= rows; j++) {
    unserved += width;
    if (unserved > CELLS_AT_ONCE) {
      unserved = 0;
      await breathe();
      if (isCancelled()) return undefined;
    }
    const symbol = j === 0 ? CUT : b[part.b + j - 1]!;
    const isFree = freeB[j] === 1;
    let before = 0;
    for (let i = 0; i <= columns; i++) {
      let best = 0;
      let way: number = WAY.one;
      if (j > 0) {
        best = last[i]! - (symbol === CUT || freeA[i] === 1 ? 0 : 1);
        way = WAY.other;
      }
      if (i > 0) {
        const its = a[part.a + i - 1]!;
        const alone = before - (its === CUT || isFree ? 0 : 1);
        if (j === 0 || alone >= best) {
          best = alone;
          way = WAY.one;
        }
        if (its === symbol && symbol !== CUT) {
          const paired = last[i - 1]! + 1;
          if (paired > best) {
            best = paired;
            way = WAY.pair;
          }
        }
      }
      before = best;
      row[i] = best;
      const cell = j * width + i;
      ways[Math.floor(cell / 4)]! |= way << (2 * (cell % 4));
    }
    [row, last] = [last, row];
  }
  const matches: Match[] = [];
  for (let [i, j] = [columns, rows]; i > 0 || j > 0;) {
    const cell = j * width + i;
    const way = (ways[Math.floor(cell / 4)]! >> (2 * (cell % 4))) & 3;
    if (way === WAY.pair) {
      const next = matches.at(-1);
      [i, j] = [i - 1, j - 1];
      if (next?.a === part.a + i + 1 && next.b === part.b + j + 1)
        matches[matches.length - 1] = { a: next.a - 1, b: next.b - 1, length: next.length + 1 };
      else matches.push({ a: part.a + i, b: part.b + j, length: 1 });
    } else if (way === WAY.one) i--;
    else j--;
  }
  return matches.reverse();
}

/** By place between two symbols: 1 if a cut is before or after it. */
function freePlaces(symbols: Symbols, from: number, to: number): Uint8Array {
  return Uint8Array.from({ length: to - from + 1 }, (_, k) => {
    const at = from + k;
    return Number(symbols[at - 1] === CUT || symbols[at] === CUT || at === 0 || at === symbols.length);
  });
}
