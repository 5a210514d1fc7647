// Sums and differences of coverage, on programs of a few instructions that were counted by hand.
import { expect, test } from 'vitest';
import type { Coverage, InstructionSort } from '../../../shared/requests/answers/coverage.ts';
import { derived } from '../../../shared/coverage/derive.ts';
import { added } from '../../../shared/coverage/join.ts';
import { minus } from '../../../shared/coverage/minus.ts';
import type { Hex } from '../../../shared/base/units.ts';

type Row = readonly [
  address: Hex,
  count: number,
  line: number,
  ways?: readonly [taken: number, notTaken: number] | undefined,
  skipped?: number,
];

const FUNCTIONS = [
  { name: 'f', address: '0x8', file: 'a.c', line: 1 },
  { name: 'g', address: '0x10', file: 'a.c', line: 9 },
] as const;

/** Rows are 4 bytes each. Code from 0x10 is `g`, and code before it `f`. */
function program(rows: readonly Row[]): Coverage {
  const numbers = [...new Set(rows.map(([, , line]) => line))].sort((a, b) => a - b);
  const functionOf = (address: Hex): number => (Number(address) >= 0x10 ? 1 : 0);
  const functions = FUNCTIONS.filter((_, at) => rows.some(([address]) => functionOf(address) === at));
  const instructions = {
    addresses: rows.map(([address]) => address),
    sizes: rows.map(() => 4),
    counts: rows.map(([, count]) => count),
    skipped: rows.map(([, , , , skipped]) => skipped ?? null),
    kinds: rows.map(([, , , ways, skipped]): InstructionSort =>
      ways ? 'conditional-branch' : skipped === undefined ? 'plain' : 'conditional',
    ),
    taken: rows.map(([, , , ways]) => ways?.[0] ?? null),
    notTaken: rows.map(([, , , ways]) => ways?.[1] ?? null),
    lines: rows.map(([, , line]) => numbers.indexOf(line)),
    functions: rows.map(([address]) => functions.indexOf(FUNCTIONS[functionOf(address)]!)),
  };
  const places = { lines: numbers.map((line) => ({ file: 'a.c', line })), functions };
  return { ...derived(instructions, places), notes: [], reach: { records: 0, bytes: 0, complete: true } };
}

test('adds counts by address, and takes the count of a line from the sums of its instructions', () => {
  const one = program([
    ['0x8', 1, 1],
    ['0xc', 5, 1, [4, 1]],
    ['0x10', 0, 9],
  ]);
  const other = program([
    ['0x8', 7, 1],
    ['0xc', 2, 1, [0, 2]],
    ['0x14', 3, 10],
  ]);
  const both = added(one, other);
  expect(both.instructions.addresses).toEqual(['0x8', '0xc', '0x10', '0x14']);
  expect(both.instructions.counts).toEqual([8, 7, 0, 3]);
  expect(both.instructions.taken).toEqual([null, 4, null, null]);
  expect(both.instructions.notTaken).toEqual([null, 3, null, null]);
  // The largest count of one run is 5, that of the other 7: one run of both has 8, not 12.
  expect(both.lines).toEqual([
    { file: 'a.c', line: 1, most: 8, first: 8, sum: 15 },
    { file: 'a.c', line: 9, most: 0, first: 0, sum: 0 },
    { file: 'a.c', line: 10, most: 3, first: 3, sum: 3 },
  ]);
  expect(both.functions.map(({ name, count }) => [name, count])).toEqual([
    ['f', 8],
    ['g', 0],
  ]);
  expect(both.totals).toEqual({
    functions: { covered: 2, total: 2 },
    lines: { covered: 2, total: 3 },
    instructions: { covered: 3, total: 4 },
    branches: { covered: 2, total: 2 },
  });
});

test('sorts addresses of different lengths as numbers when it adds', () => {
  const both = added(program([['0x8', 1, 1]]), program([['0x10', 2, 9]]));
  expect(both.instructions.addresses).toEqual(['0x8', '0x10']);
  expect(both.functions.map(({ name }) => name)).toEqual(['f', 'g']);
});

test('leaves out what the other run executed, and keeps the counts of its own', () => {
  const own = program([
    ['0x8', 6, 1],
    ['0xc', 6, 1, [4, 2]],
    ['0x10', 4, 9],
    ['0x14', 0, 10],
  ]);
  const other = program([
    ['0x8', 1, 1],
    ['0xc', 1, 1, [0, 1]],
    ['0x10', 0, 9],
    ['0x14', 0, 10],
  ]);
  const { instructions, lines, functions, totals } = minus(own, other);
  // The branch stays because of the way that the other run did not go.
  expect(instructions.addresses).toEqual(['0xc', '0x10', '0x14']);
  expect(instructions.counts).toEqual([6, 4, 0]);
  expect(lines.filter(({ left }) => left !== true).map(({ line, most }) => [line, most])).toEqual([
    [9, 4],
    [10, 0],
  ]);
  expect(functions.map(({ name, count }) => [name, count])).toEqual([
    ['f', 6],
    ['g', 4],
  ]);
  expect(totals).toEqual({
    functions: { covered: 1, total: 1 },
    lines: { covered: 1, total: 2 },
    instructions: { covered: 1, total: 2 },
    branches: { covered: 1, total: 1 },
  });
});

test('has nothing left of a run minus itself but code that never ran', () => {
  const own = program([
    ['0x8', 6, 1],
    ['0xc', 6, 1, [6, 0]],
    ['0x14', 0, 10],
  ]);
  const { totals } = minus(own, own);
  expect([totals.lines.covered, totals.instructions.covered, totals.branches.covered]).toEqual([0, 0, 0]);
  expect([totals.lines.total, totals.instructions.total, totals.branches.total]).toEqual([1, 1, 1]);
});

test('adds how often instructions were skipped, unless a run that came to them does not show it', () => {
  const shown = program([
    ['0x8', 5, 1, undefined, 2],
    ['0xc', 4, 1, undefined, 0],
    ['0x10', 3, 9, undefined, 3],
  ]);
  const other = program([
    ['0x8', 1, 1, undefined, 1],
    ['0xc', 2, 1],
    ['0x10', 0, 9],
  ]);
  expect(shown.totals.conditions).toEqual({ covered: 4, total: 6 });
  expect(added(shown, other).instructions.skipped).toEqual([3, null, 3]);
});
