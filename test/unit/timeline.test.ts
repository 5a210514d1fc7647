/** Timelines: functions and depths by column, and phases. */
import { describe, expect, test } from 'vitest';
import { phasesOf } from '../../electron/engine/flow/tally/phases.ts';
import { createTimeline, folded, type Timeline } from '../../electron/engine/flow/tally/timeline.ts';

function columnsOf({ columns, starts, fn, records }: Timeline): readonly (readonly (readonly number[])[])[] {
  return Array.from({ length: columns }, (_, column) =>
    Array.from({ length: starts[column + 1]! - starts[column]! }, (_unused, at) => {
      const row = starts[column]! + at;
      return [fn[row]!, records[row]!];
    }),
  );
}

test('sums the records of the innermost functions by column', () => {
  const timeline = createTimeline(100, 120, 4);
  timeline.add(1, 0, 100, -1, 103);
  timeline.add(2, 1, 100, 103, 104);
  timeline.add(1, 0, 100, 104, 113);
  timeline.add(3, 2, 100, 118, 130);
  timeline.ended(100, 0);
  const found = timeline.timeline();
  expect(columnsOf(found)).toEqual([
    [
      [1, 4],
      [2, 1],
    ],
    [[1, 5]],
    [[1, 3]],
    [[3, 2]],
  ]);
  expect([[...found.low], [...found.high]]).toEqual([
    [0, 0, 0, 2],
    [1, 0, 0, 2],
  ]);
  expect(columnsOf(folded(found, 2))).toEqual([
    [
      [1, 9],
      [2, 1],
    ],
    [
      [1, 3],
      [3, 2],
    ],
  ]);
});

test('counts depths from callers that are found later, separately for each stack', () => {
  const timeline = createTimeline(0, 40, 4);
  timeline.add(1, 0, 0, 0, 5);
  timeline.add(2, 0, 5, 5, 15);
  // The first stack is taken up again, and returns show two callers of its outermost function.
  timeline.add(3, -2, 0, 15, 25);
  timeline.ended(0, 2);
  timeline.ended(5, 0);
  const { low, high } = timeline.timeline();
  expect([...low]).toEqual([0, 0, 0, Number.NaN]);
  expect([...high]).toEqual([2, 0, 0, Number.NaN]);
});

test('joins pairs of columns if there are too many functions', () => {
  const [records, functions] = [2 ** 13, 30];
  const timeline = createTimeline(0, records, 1024, 2000);
  const sums = new Map<string, number>();
  for (let n = 0; n < records; n++) timeline.add(n % functions, n % 7, 0, n, n + 1);
  timeline.ended(0, 0);
  const found = timeline.timeline();
  expect(found.columns).toBeLessThan(1024);
  expect(found.fn.length).toBeLessThan(4000);
  for (let n = 0; n < records; n++) {
    const cell = `${Math.floor((n * found.columns) / records)} ${n % functions}`;
    sums.set(cell, (sums.get(cell) ?? 0) + 1);
  }
  const cells = columnsOf(found).flatMap((rows, column) =>
    rows.map(([fn, its]) => [`${column} ${fn!}`, its!] as const),
  );
  expect(new Map(cells)).toEqual(sums);
  expect([...new Set(found.high)]).toEqual([6]);
});

describe('phases', () => {
  /** One column per entry: letters are functions, each for one record. */
  function phases(columns: readonly string[]): readonly string[] {
    const starts = [0];
    const fn: number[] = [];
    const records: number[] = [];
    for (const column of columns) {
      const counts = new Map<number, number>();
      for (const letter of column) counts.set(letter.charCodeAt(0), (counts.get(letter.charCodeAt(0)) ?? 0) + 1);
      fn.push(...counts.keys());
      records.push(...counts.values());
      starts.push(fn.length);
    }
    const none = new Float64Array(columns.length);
    return phasesOf({
      columns: columns.length,
      starts: Int32Array.from(starts),
      fn: Int32Array.from(fn),
      records: Float64Array.from(records),
      low: none,
      high: none,
    }).map(({ first, end, functions }) => {
      const mix = functions.map((one) => `${String.fromCharCode(one.fn)}${one.records}`);
      return `${first}-${end} ${mix.join(' ')}`;
    });
  }

  test('begin where half of the time goes to other functions', () => {
    expect(phases(['aaab', 'aaba', 'baaa', 'cccc', 'cccd', 'ccdc'])).toEqual(['0-3 a9 b3', '3-6 c10 d2']);
    // Half of the time in common: two phases. Three quarters: one.
    expect(phases(['aabb', 'aabb', 'bbbb', 'bbbb'])).toEqual(['0-2 a4 b4', '2-4 b8']);
    expect(phases(['aabb', 'aaab'])).toEqual(['0-2 a5 b3']);
  });

  test('are one if the same mix goes on, whatever the order within columns', () => {
    expect(phases(['abc', 'cba', 'bca', 'acb'])).toEqual(['0-4 a4 b4 c4']);
  });

  test('take in what is shorter than a 64th of the whole, on the side that it is more like', () => {
    const long = Array.from({ length: 64 }, () => 'aaaa');
    const other = Array.from({ length: 63 }, () => 'bbbb');
    expect(phases([...long, 'bccc', ...other])).toEqual(['0-64 a256', '64-128 b253 c3']);
  });

  test('include stretches in which nothing is known', () => {
    expect(phases(['', '', 'aa', 'aa'])).toEqual(['0-2 ', '2-4 a4']);
  });
});
