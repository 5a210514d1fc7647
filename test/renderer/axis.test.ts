import { gridBands } from '../../present/heat/grid.ts';
import { expect, test } from 'vitest';
import {
  addressAt,
  foldedAxis,
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
