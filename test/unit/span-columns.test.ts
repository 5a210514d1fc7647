/** Calls over time by columns: exact if a call covers a column, else the function that was open longest. */
import { describe, expect, test } from 'vitest';
import { createSpanColumns, type SpanTable } from '../../electron/engine/flow/tally/span-columns.ts';
import { createRandom, type Random } from '../laws/random.ts';
import { spansByRecord, type Stay } from '../span-oracle.ts';

function rowsOf({ fn, depth, from, to, open, stays }: SpanTable): readonly (readonly number[])[] {
  return Array.from(fn, (own, i) => [depth[i]!, from[i]!, own, to[i]!, stays[i]!, open[i]!]).sort(
    (a, b) => a[0]! - b[0]! || a[1]! - b[1]!,
  );
}

/** Stays of a program that calls at random, in the order of their ends. */
function randomStays(random: Random, records: number): readonly Stay[] {
  const done: Stay[] = [];
  const open: { fn: string; from: number }[] = [];
  for (let n = 0; n < records; n++) {
    // Returns are rarer than calls while it is shallow, so that long and short calls both occur.
    while (open.length > 0 && random.below(3) === 0) done.push({ ...open.pop()!, depth: open.length, to: n });
    if (open.length < 5 && random.below(4) > 0) open.push({ fn: String(random.below(3)), from: n });
  }
  while (open.length > 0) done.push({ ...open.pop()!, depth: open.length, to: records });
  return done.filter(({ from, to }) => from < to);
}

test('sums short calls by column, joins columns of one function, and keeps long calls', () => {
  // 4 columns of 10 records. Function 1 is open for 6 records of column 0 and for 4 of column 1, function 2 for 3 and 2.
  const { add, tables } = createSpanColumns(0, 40, [4]);
  add(1, 0, 0, 4);
  add(2, 0, 4, 7);
  add(1, 0, 8, 12);
  add(2, 0, 12, 14);
  add(1, 0, 16, 18);
  add(3, 0, 20, 33);
  add(2, 0, 34, 35);
  const [table] = tables();
  expect(rowsOf(table!)).toEqual([
    [0, 0, 1, 18, 3, 10],
    [0, 20, 3, 33, 1, 13],
    [0, 34, 2, 35, 1, 1],
  ]);
  expect(table!.coarse).toBe(true);
});

test('keeps where a call began that another function hides, and where a call began before the range', () => {
  const { add, tables } = createSpanColumns(100, 140, [4]);
  add(5, 0, 90, 102);
  // 3 of its 5 records are in column 0, where function 6 has 5.
  add(6, 0, 102, 107);
  add(7, 0, 107, 112);
  const [{ fn, from, since }] = tables() as readonly [SpanTable];
  expect([...fn].map((own, i) => [own, from[i], since[i]])).toEqual([
    [6, 102, Number.NaN],
    [7, 110, 107],
  ]);
});

describe.each([1, 2, 3, 4, 5, 6])('calls at random, seed %i', (seed) => {
  const random = createRandom(seed);
  const records = 200 + random.below(200);
  const stays = randomStays(random, records);

  test.each([
    { from: 0, to: records },
    { from: 31, to: records - 17 },
  ])('gives the spans of a record by record computation, for each number of columns', ({ from, to }) => {
    const columns = [64, 32, 16, 8];
    const spans = createSpanColumns(from, to, columns);
    for (const { fn, depth, from: since, to: until } of stays) spans.add(Number(fn), depth, since, until);
    const cut = stays
      .map((stay) => ({ ...stay, from: Math.max(from, stay.from), to: Math.min(to, stay.to) }))
      .filter((stay) => stay.from < stay.to);
    const tables = spans.tables();
    expect(tables.map((table) => table.columns)).toEqual(columns);
    for (const table of tables) {
      const expected = spansByRecord(cut, from, to, table.columns);
      expect(rowsOf(table)).toEqual(
        expected.map((span) => [span.depth, span.from, Number(span.fn), span.to, span.calls, span.open]),
      );
    }
  });
});

test('leaves out the deepest levels of endless recursion', () => {
  const { add, tables } = createSpanColumns(0, 1000, [512]);
  for (let depth = 999; depth >= 0; depth--) add(1, depth, depth, 1000);
  const [table] = tables();
  expect([table!.levels, table!.fn.length, Math.max(...table!.depth)]).toEqual([256, 256, 255]);
});
