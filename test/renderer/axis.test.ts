import { gridBands } from '../../present/heat/grid.ts';
import { densest, wholePages } from '../../present/heat/lens.ts';
import { expect, test } from 'vitest';
import {
  addressAt,
  foldedAxis,
  magnifiedAxis,
  nearestEnd,
  nearestPosition,
  positionOf,
  trueAxis,
  visiblePieces,
} from '../../present/base/axis.ts';

const code = { low: 0x8000n, high: 0x9000n };
const heap = { low: 0x1000_0000n, high: 0x1001_0000n };
const stack = { low: 0xffff_ffff_ffff_f000n, high: 1n << 64n };

test('a folded axis fills 0 to 1 and gives every band a share', () => {
  const axis = foldedAxis([code, heap, stack]);
  expect(axis.map((band) => band.start)).toEqual([0, axis[0]?.end, axis[1]?.end]);
  expect(axis.at(-1)?.end).toBe(1);
  for (const band of axis) expect(band.end - band.start).toBeGreaterThan(0.1);
});

test('returns no position for a folded address, but one for its borders', () => {
  const axis = foldedAxis([code, heap, stack]);
  expect(positionOf(axis, 0x9000n)).toBeUndefined();
  expect(nearestPosition(axis, 0x9000n)).toBe(axis[1]?.start);
  expect(nearestEnd(axis, 0x9000n)).toBe(axis[0]?.end);
  expect(nearestEnd(axis, 1n << 64n)).toBe(1);
});

test('converts addresses to positions and back, up to the top of 64 bits', () => {
  const axis = foldedAxis([code, heap, stack]);
  for (const address of [0x8000n, 0x8ff8n, 0x1000_8000n, 0xffff_ffff_ffff_f800n]) {
    const position = positionOf(axis, address);
    expect(position).toBeDefined();
    const back = addressAt(axis, position ?? 0) ?? 0n;
    expect(back - address >= -1n && back - address <= 1n).toBe(true);
  }
  expect(addressAt(axis, 1)).toBe(0xffff_ffff_ffff_ffffn);
});

test('an axis true to scale is one band from the lowest to the highest address', () => {
  expect(trueAxis([code, heap])).toEqual([{ low: 0x8000n, high: 0x1001_0000n, start: 0, end: 1 }]);
  expect(trueAxis([])).toEqual([]);
  expect(addressAt([], 0.5)).toBeUndefined();
});

test('returns the visible pieces of the bands in a window', () => {
  const axis = foldedAxis([code, heap]);
  const border = axis[0]?.end ?? 0;
  const pieces = visiblePieces(axis, border / 2, border + (1 - border) / 2);
  expect(pieces.map(({ low, high }) => [low, high])).toEqual([
    [0x8800n, 0x9000n],
    [0x1000_0000n, 0x1000_8001n],
  ]);
});

test('rounds row heights up to powers of two and extends bands to whole rows, but never into a neighbour', () => {
  const piece = (low: bigint, high: bigint, start: number, end: number) => ({ low, high, start, end });
  expect(gridBands([piece(0x1003n, 0x1ffdn, 0, 1)], 16)).toEqual([{ low: 0x1000n, high: 0x2000n, rows: 16 }]);
  expect(gridBands([piece(0x1003n, 0x1ff0n, 0, 0.5), piece(0x1ff8n, 0x2fffn, 0.5, 1)], 32)).toEqual([
    { low: 0x1000n, high: 0x1ff0n, rows: 16 },
    { low: 0x1ff8n, high: 0x2ff8n + 0x100n, rows: 17 },
  ]);
  // At most one row per byte, and the top of 64 bits is a border too.
  expect(gridBands([piece(0n, 4n, 0, 1)], 100)).toEqual([{ low: 0n, high: 4n, rows: 4 }]);
  expect(gridBands([piece((1n << 64n) - 48n, 1n << 64n, 0, 1)], 1)).toEqual([
    { low: (1n << 64n) - 64n, high: 1n << 64n, rows: 1 },
  ]);
});

test('cuts rows at the ends of a span that cannot grow, if they are to be apart', () => {
  const lens = { low: 0x1800n, high: 0x2000n, start: 0.5, end: 1 };
  const below = { low: 0n, high: 0x1800n, start: 0, end: 0.5 };
  // Rows of 0x1000 below, where the last one is cut, and of 0x400 in the lens: the power of two nearest to 0x555.
  expect(gridBands([below, lens], 3, 'apart')).toEqual([
    { low: 0n, high: 0x1000n, rows: 1 },
    { low: 0x1000n, high: 0x1800n, rows: 1 },
    { low: 0x1800n, high: 0x2000n, rows: 2 },
  ]);
});

test('a lens gives its span half of the axis, and the other addresses the rest in their proportions', () => {
  const axis = trueAxis([{ low: 0n, high: 0x10000n }]);
  const magnified = magnifiedAxis(axis, { low: 0x8000n, high: 0x9000n });
  // 8 pages below, 7 pages above.
  expect(magnified.map(({ low, high }) => [low, high])).toEqual([
    [0n, 0x8000n],
    [0x8000n, 0x9000n],
    [0x9000n, 0x10000n],
  ]);
  expect(magnified.map(({ end }) => Math.round(end * 3000))).toEqual([800, 2300, 3000]);
  expect(positionOf(magnified, 0x8800n)).toBeCloseTo((800 + 750) / 3000);
  expect(addressAt(magnified, (800 + 750) / 3000)).toBe(0x8800n);
});

test('a lens over several bands magnifies all of them alike, and one with half of the axis already changes nothing', () => {
  const spans = [code, heap, stack];
  const axis = foldedAxis(spans);
  const magnified = magnifiedAxis(axis, { low: 0n, high: 0x1000_1000n });
  expect(magnified.map(({ low }) => low)).toEqual([code.low, heap.low, 0x1000_1000n, stack.low]);
  expect(magnified[2]?.start).toBeCloseTo(0.5);
  expect(magnifiedAxis(axis, { low: heap.low, high: heap.high })).toBe(axis);
  expect(magnifiedAxis(axis, { low: 0x20n, high: 0x40n })).toBe(axis);
});

test('the densest addresses are the pages next to the hottest with a 256th of its accesses or more', () => {
  const page = (low: bigint, count: number) => ({ low, high: low + 0x1000n, count });
  const pages = [page(0x9000n, 2560), page(0x8000n, 40), page(0x20000n, 30), page(0xa000n, 10), page(0xb000n, 9)];
  expect(densest(pages)).toEqual({ low: 0x8000n, high: 0xb000n });
  expect(densest([])).toBeUndefined();
  expect(wholePages({ low: 0x8010n, high: 0x9001n })).toEqual({ low: 0x8000n, high: 0xa000n });
});
