/** Distinguishes targets from sources by straight-line runs. Messages come from made-up programs with known roles. */
import { describe, expect, test } from 'vitest';
import { readBranchTrace } from '../../shared/pentium/branch-messages.ts';

/** Runs of a made-up program: entry at `target`, straight-line code, exit at `source`. */
const RUNS: readonly (readonly [target: number, source: number])[] = [
  [0x1000, 0x1034],
  [0x2400, 0x2470],
  [0x1040, 0x1052],
  [0x8010, 0x8123],
  [0x3000, 0x3004],
  [0x3100, 0x3190],
  [0x9a00, 0x9b10],
  [0x1054, 0x10a0],
  [0x5000, 0x5020],
  [0x4ff0, 0x5044],
];

/** Each branch ends run k and begins run k + 1; the message with its target comes first. */
const normal = RUNS.slice(1).flatMap(([target], k) => [target, RUNS[k]![1]]);
const fast = RUNS.map(([, source]) => source);

describe('normal mode', () => {
  test('recognises targets first if the capture starts with the first message of a pair', () => {
    expect(readBranchTrace(normal, normal.length).even).toBeGreaterThan(0.9);
  });

  test('recognises sources first if the capture starts with the second message of a pair', () => {
    const late = normal.slice(1);
    expect(readBranchTrace(late, late.length).odd).toBeGreaterThan(0.9);
  });

  test('reads addresses without their low four bits equally well', () => {
    const coarse = normal.map((address) => address - (address % 16));
    expect(readBranchTrace(coarse, coarse.length)).toEqual(readBranchTrace(normal, normal.length));
  });

  test('reads addresses in the upper half of the address space', () => {
    const high = normal.map((address) => 0xc0000000 + address);
    expect(readBranchTrace(high, high.length).even).toBeGreaterThan(0.9);
  });
});

test('recognises fast mode, where only sources occur', () => {
  // Two walks over the same branches, so that the order does not depend on the list.
  const order = [0, 3, 6, 1, 8, 2, 9, 5, 7, 4, 2, 6, 0, 9, 1, 4, 8, 3, 7, 5, 6, 2, 8, 0, 5, 9, 3, 1];
  const walk = order.map((k) => fast[k]!);
  const { even, odd, fast: sources } = readBranchTrace(walk, walk.length);
  expect(sources).toBeGreaterThan(even + odd);
});

describe('stays undecided about', () => {
  test.each([
    ['nothing', []],
    ['three messages', normal.slice(0, 3)],
    ['one address over and over', Array<number>(50).fill(0x1000)],
    [
      'two in turn: a loop in normal mode or two branches in fast mode',
      Array.from({ length: 50 }, (_, n) => [0x1000, 0x1040][n % 2]!),
    ],
  ])('%s', (_, addresses) => {
    const { even, odd, fast: sources } = readBranchTrace(addresses, addresses.length);
    expect(Math.max(even, odd, sources)).toBeLessThan(0.8);
  });
});

test('reports a change of reading if a message is missing in the middle', () => {
  // Three walks over the same branches, so that both halves have enough runs.
  const order = [0, 3, 6, 1, 8, 2, 9, 5, 7, 4, 2, 6, 0, 9, 1, 4, 8, 3, 7, 5, 6, 2, 8, 0, 5, 9, 3, 1];
  const walk = order.slice(1).flatMap((k, i) => [RUNS[k]![0], RUNS[order[i]!]![1]]);
  expect(readBranchTrace(walk, walk.length).even).toBeGreaterThan(0.9);
  expect(readBranchTrace(walk, walk.length).changed).toBeLessThan(0.01);
  for (const lost of [16, 23, 30, 37]) {
    const rest = walk.toSpliced(lost, 1);
    expect(readBranchTrace(rest, rest.length).changed).toBeGreaterThan(0.9);
  }
  const sources = order.map((k) => fast[k]!);
  expect(readBranchTrace(sources, sources.length).changed).toBeLessThan(0.2);
});

test('returns probabilities that add up to one, from the given number of messages only', () => {
  const { even, odd, fast: sources } = readBranchTrace(normal, normal.length);
  expect(even + odd + sources).toBeCloseTo(1, 12);
  const padded = Uint32Array.from([...normal, 7, 7, 7, 7]);
  expect(readBranchTrace(padded, normal.length)).toEqual(readBranchTrace(normal, normal.length));
});
