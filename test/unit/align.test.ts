// Alignment of two sequences, compared with a table of longest common subsequences, and on sequences too long for it.
import { describe, expect, test } from 'vitest';
import { align as alignment } from '../../electron/engine/queries/diff/paths/align.ts';
import type { Match } from '../../electron/engine/queries/diff/paths/match.ts';
import { inFewPieces } from '../../electron/engine/queries/diff/paths/pieces.ts';
import { createRandom } from '../laws/random.ts';

/** Length of the longest common subsequence, by the table of all prefixes. */
function longestCommon(a: readonly number[], b: readonly number[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const symbol of a) {
    const next = [0];
    for (let j = 1; j <= b.length; j++)
      next.push(symbol === b[j - 1] ? row[j - 1]! + 1 : Math.max(row[j]!, next[j - 1]!));
    row = next;
  }
  return row[b.length]!;
}

const align = (a: Int32Array, b: Int32Array): readonly Match[] => alignment(a, b).matches;

function expectSound(a: readonly number[], b: readonly number[], matches: readonly Match[]): void {
  let [endA, endB] = [0, 0];
  for (const match of matches) {
    expect(match.length).toBeGreaterThan(0);
    expect(match.a).toBeGreaterThanOrEqual(endA);
    expect(match.b).toBeGreaterThanOrEqual(endB);
    expect(a.slice(match.a, match.a + match.length)).toEqual(b.slice(match.b, match.b + match.length));
    [endA, endB] = [match.a + match.length, match.b + match.length];
  }
}

const lengthOf = (matches: readonly Match[]): number => matches.reduce((sum, { length }) => sum + length, 0);

describe('align', () => {
  test.each([1, 2, 3, 4])('finds as much as the table of subsequences, with the seed %i', (seed) => {
    const random = createRandom(seed);
    for (let round = 0; round < 200; round++) {
      const symbols = 1 + random.below(5);
      const some = (): number[] => Array.from({ length: random.below(40) }, () => random.below(symbols));
      const [a, b] = [some(), some()];
      const matches = align(Int32Array.from(a), Int32Array.from(b));
      expectSound(a, b, matches);
      expect(lengthOf(matches)).toBe(longestCommon(a, b));
    }
  });

  test.each([5, 6])('finds edits of a long sequence of loops at their places, with the seed %i', (seed) => {
    const random = createRandom(seed);
    // Loops of few symbols, and one landmark after each.
    const a: number[] = [];
    for (let loop = 0; loop < 400; loop++) {
      const body = Array.from({ length: 1 + random.below(6) }, () => random.below(30));
      for (let k = random.below(200); k > 0; k--) a.push(...body);
      a.push(1000 + loop);
    }
    const b: number[] = [];
    const edits = new Set<number>();
    while (edits.size < 40) edits.add(random.below(a.length));
    let kept = 0;
    for (const [at, symbol] of a.entries()) {
      // A symbol that no other place has takes the place of another one, or is put before it.
      if (edits.has(at)) b.push(100_000 + at);
      if (edits.has(at) && at % 2 === 0) continue;
      b.push(symbol);
      kept += 1;
    }
    const matches = align(Int32Array.from(a), Int32Array.from(b));
    expectSound(a, b, matches);
    expect(lengthOf(matches)).toBe(kept);
  });

  test('puts what one sequence has more at its last place, in one piece', () => {
    const last = [
      { a: 0, b: 0, length: 4 },
      { a: 6, b: 4, length: 1 },
    ];
    const [a, b] = [Int32Array.of(1, 2, 1, 2, 1, 2, 3), Int32Array.of(1, 2, 1, 2, 3)];
    expect(inFewPieces([{ a: 2, b: 0, length: 5 }], a, b)).toEqual(last);
    const apart = [
      { a: 0, b: 0, length: 1 },
      { a: 3, b: 1, length: 4 },
    ];
    expect(inFewPieces(apart, a, b)).toEqual(last);
    // 8 7 is put between 7 and 9, although it could also be 7 8 before them.
    const pieces = [{ a: 2, b: 0, length: 2 }];
    expect(inFewPieces(pieces, Int32Array.of(7, 8, 7, 9), Int32Array.of(7, 9))).toEqual([
      { a: 0, b: 0, length: 1 },
      { a: 3, b: 1, length: 1 },
    ]);
  });

  test('leaves long sequences with nothing in common unmatched', () => {
    const a = Int32Array.from({ length: 20_000 }, (_, k) => k % 2);
    const b = Int32Array.from({ length: 20_000 }, (_, k) => 2 + (k % 2));
    expect(align(a, b)).toEqual([]);
  });
});
