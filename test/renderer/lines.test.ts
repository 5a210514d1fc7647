// Lists whose rows take several lines, and lists with calls folded away.
import { expect, test } from 'vitest';
import { topOf } from '../../renderer/widgets/scroll.ts';
import { foldOver, rangesOf, recordOf, rowOf, rowsOf, withFold, type Fold } from '../../renderer/trace/flow/folded.ts';
import {
  clampPosition,
  lastPosition,
  placeRows,
  revealRow,
  rowsInSight,
  scrollLines,
  type Lines,
} from '../../renderer/features/instructions/lines.ts';

/** Row r has 1, 2, 3, 1, 2, 3 ... lines. */
const lines: Lines = { rows: 30, visible: 10, heightOf: (row) => 1 + (row % 3) };
/** All lines of the list in order, each with its row: the slow oracle of positions. */
const all = Array.from({ length: lines.rows }, (_, row) => Array<number>(lines.heightOf(row)).fill(row)).flat();

/** Lines above a position. */
function above(top: number): number {
  const row = Math.floor(top);
  return all.filter((other) => other < row).length + (top - row) * lines.heightOf(row);
}

test('places rows below one another, with the first one partly scrolled out', () => {
  expect(placeRows(0, lines)).toEqual([
    { row: 0, y: 0 },
    { row: 1, y: 1 },
    { row: 2, y: 3 },
    { row: 3, y: 6 },
    { row: 4, y: 7 },
    { row: 5, y: 9 },
  ]);
  expect(placeRows(1.5, lines)[0]).toEqual({ row: 1, y: -1 });
  expect(placeRows(1.5, lines)[1]).toEqual({ row: 2, y: 1 });
  expect(placeRows(0, { ...lines, rows: 0 })).toEqual([]);
});

test('a page is the number of rows in sight, for any row height', () => {
  // Lines 0, 1-2, 3-5, 6, 7-8 are inside the view of ten lines; of 9-11 only one is.
  expect(rowsInSight(0, lines)).toBe(5);
  // Half of row 1 is scrolled out: rows 2 to 5 follow, with lines 1-3, 4, 5-6, 7-9.
  expect(rowsInSight(1.5, lines)).toBe(4);
  expect(rowsInSight(0, { ...lines, visible: 2, heightOf: () => 9 })).toBe(1);
});

test('dragging the thumb to the end shows the last row, for any row height', () => {
  const list = { rows: lines.rows, visible: lines.rows - lastPosition(lines) };
  const end = topOf(1000, list, 400);
  expect(end).toBe(lastPosition(lines));
  expect(placeRows(end, lines).at(-1)).toEqual({ row: 29, y: 7 });
  expect(topOf(0, list, 400)).toBe(0);
});

test('scrolls by lines, for any row height, and stops at both ends', () => {
  const end = all.length - lines.visible;
  for (let from = 0; from < end; from += 3) {
    const start = scrollLines(0, from, lines);
    expect(above(start)).toBeCloseTo(from);
    for (const by of [-100, -4, -0.5, 0, 0.5, 1, 7, 100])
      expect(above(scrollLines(start, by, lines))).toBeCloseTo(Math.min(end, Math.max(0, from + by)));
  }
  expect(above(lastPosition(lines))).toBe(end);
  expect(clampPosition(29.9, lines)).toBe(lastPosition(lines));
  expect(lastPosition({ ...lines, rows: 2 })).toBe(0);
});

test('reveals a row with a margin, and does not move for a row in sight', () => {
  for (let from = 0; from <= all.length - lines.visible; from += 1) {
    const top = scrollLines(0, from, lines);
    for (let row = 0; row < lines.rows; row += 1) {
      const next = revealRow(row, top, lines, 2);
      const y = all.indexOf(row) - above(next);
      const bottom = y + lines.heightOf(row);
      expect(y >= -1e-9 && bottom <= lines.visible + 1e-9, `${row} from ${from}`).toBe(true);
      const before = all.indexOf(row) - from;
      if (before >= 2 && before + lines.heightOf(row) <= lines.visible - 2) expect(next).toBe(top);
    }
  }
});

test('shows a row higher than the view from its first line', () => {
  const high: Lines = { rows: 100, visible: 10, heightOf: (row) => (row === 50 ? 40 : 1) };
  expect(placeRows(revealRow(50, 45, high, 3), high)[0]).toEqual({ row: 50, y: 0 });
  expect(placeRows(revealRow(50, 55, high, 3), high)[0]).toEqual({ row: 50, y: 0 });
});

test('hidden rows take no line, wherever they are', () => {
  // Rows 0, 5, 10 ... have a line; those between belong to them. The last four of 30 rows are hidden.
  const hidden: Lines = { rows: 30, visible: 3, heightOf: (row) => (row % 5 === 0 ? 1 : 0), densest: 5 };
  expect(placeRows(0, hidden).map(({ row, y }) => [row, y])).toEqual([
    [0, 0],
    [5, 1],
    [10, 2],
  ]);
  // A position at a hidden row shows the next visible one.
  expect(placeRows(7, hidden)[0]).toEqual({ row: 10, y: 0 });
  expect([lastPosition(hidden), clampPosition(29, hidden), clampPosition(14, hidden)]).toEqual([15, 15, 14]);
  expect([1, 2.5, 100, -100].map((by) => scrollLines(0, by, hidden))).toEqual([5, 10.5, 15, 0]);
  expect([-1, -1.5, -2].map((by) => scrollLines(15, by, hidden))).toEqual([10, 5.5, 5]);
  expect(rowsInSight(0, hidden)).toBe(3);
  expect(placeRows(revealRow(25, 0, hidden, 1), hidden).at(-1)).toEqual({ row: 25, y: 2 });
  expect(placeRows(revealRow(5, 15, hidden, 1), hidden)[0]).toEqual({ row: 0, y: 0 });
});

test('folded records have no row, and rows and records map to each other', () => {
  const folds: readonly Fold[] = [
    { head: 3, from: 5, to: 9 },
    { head: 12, from: 13, to: 20 },
  ];
  const shown = Array.from({ length: 30 }, (_, n) => n).filter((n) => !(n >= 5 && n < 9) && !(n >= 13 && n < 20));
  expect(rowsOf(folds, 30)).toBe(shown.length);
  shown.forEach((n, row) => {
    expect([recordOf(folds, row), rowOf(folds, n)]).toEqual([n, row]);
  });
  expect([rowOf(folds, 5), rowOf(folds, 8), rowOf(folds, 19)].map((row) => recordOf(folds, row))).toEqual([4, 4, 12]);
  expect([foldOver(folds, 4), foldOver(folds, 5)?.head, foldOver(folds, 9)]).toEqual([undefined, 3, undefined]);
  expect(rangesOf(folds, 3, 12)).toEqual([
    { from: 3, to: 5 },
    { from: 9, to: 13 },
    { from: 20, to: 23 },
  ]);
});

test('a fold replaces the folds inside it, and an empty fold is ignored', () => {
  const inner = { head: 6, from: 7, to: 9 };
  const outer = { head: 3, from: 4, to: 20 };
  const other = { head: 30, from: 31, to: 40 };
  expect(withFold([inner, other], outer)).toEqual([outer, other]);
  expect(withFold([outer], { head: 50, from: 51, to: 51 })).toEqual([outer]);
});

test('a fold that hides the head of another fold opens that one, as calls of alternating processors may overlap', () => {
  const own = { head: 5, from: 8, to: 12 };
  const others = { head: 2, from: 3, to: 7 };
  expect(withFold([own], others)).toEqual([others]);
});
