import { expect, test } from 'vitest';
import { trueAxis } from '../../present/base/axis.ts';
import {
  clearLevels,
  columnOf,
  nearestHot,
  paintLevels,
  rowOf,
  spanOfRow,
  type HeatImage,
} from '../../present/heat/heat.ts';
import { foldLines } from '../../present/heat/fold-lines.ts';
import { heatColour, heatPixels, levelOf, LEVELS } from '../../present/heat/palette.ts';

// Two columns (records 0..9 and 10..19), two bands of two rows of 16 bytes.
const image: HeatImage = {
  columns: 2,
  rows: 4,
  edges: Float64Array.of(0, 10, 20),
  bands: [
    { low: 0n, high: 32n, rows: 2, rowBytes: 16 },
    { low: 32n, high: 60n, rows: 2, rowBytes: 16 },
  ],
  counts: Float64Array.of(100, 0, 0, 1, 0, 0, 0, 0),
  most: 100,
};
const axis = trueAxis([{ low: 0n, high: 64n }]);
const all = { from: 0, to: 20, bottom: 0, top: 1 };

function picture(width: number, height: number, window = all, least = 1): string[] {
  const levels = { width, height, data: new Uint8Array(width * height) };
  paintLevels(levels, image, axis, window, least);
  return Array.from({ length: height }, (_, y) =>
    Array.from(levels.data.subarray(y * width, (y + 1) * width), (level) =>
      level === 0 ? '.' : level === LEVELS ? '#' : 'o',
    ).join(''),
  );
}

test('draws cells at their records and addresses, with the lowest address at the bottom', () => {
  expect(picture(4, 8)).toEqual(['....', 'oo..', '....', '....', '....', '....', '##..', '##..']);
});

test('draws the same cell larger in a zoomed window', () => {
  expect(picture(4, 4, { from: 0, to: 10, bottom: 0, top: 0.5 })).toEqual(['....', '....', '####', '####']);
});

test('draws a single cell at a visible minimum size', () => {
  const cells = picture(40, 6, { from: -1000, to: 1000, bottom: -0.5, top: 1 }, 2);
  expect(cells.map((line) => line.replaceAll('.', ''))).toEqual(['oo', '', '##', '##', '', '']);
});

test('clears the given record range only', () => {
  const levels = { width: 4, height: 1, data: Uint8Array.of(9, 9, 9, 9) };
  clearLevels(levels, 10, 20, all);
  expect([...levels.data]).toEqual([9, 9, 0, 0]);
});

test('finds the cell of a record and an address', () => {
  expect([-1, 0, 9, 10, 19, 20].map((n) => columnOf(image, n))).toEqual([undefined, 0, 0, 1, 1, undefined]);
  expect(rowOf(image, 31n)).toEqual({ row: 1, low: 16n, high: 32n });
  expect(rowOf(image, 59n)).toEqual({ row: 3, low: 48n, high: 60n });
  expect(rowOf(image, 60n)).toBeUndefined();
  expect(spanOfRow(image, 2)).toEqual({ row: 2, low: 32n, high: 48n });
});

test('finds the nearest cell within reach only', () => {
  expect(nearestHot(image, { column: 1, row: 0 }, { pixels: 6, wide: 4, tall: 3 })).toEqual({ column: 0, row: 0 });
  expect(nearestHot(image, { column: 1, row: 2 }, { pixels: 1, wide: 4, tall: 3 })).toEqual({ column: 0, row: 3 });
  expect(
    nearestHot({ ...image, counts: new Float64Array(8) }, { column: 0, row: 0 }, { pixels: 6, wide: 4, tall: 3 }),
  ).toBeUndefined();
});

test('uses logarithmic levels: each factor of ten is one equal step', () => {
  expect([0, 1, 10, 100, 1000].map((count) => levelOf(count, 1000))).toEqual([0, 33, 107, 181, 255]);
  expect(levelOf(1, 1)).toBe(LEVELS);
  expect(levelOf(1, 2)).toBeGreaterThan(LEVELS / 2);
});

test('both themes contrast a single access with the background and the hottest most', () => {
  const luminance = (colour: string): number => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a: number, b: number): number => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const dark = [0, 0.5, 1].map((at) => contrast(luminance(heatColour(at, 'dark')), luminance('#0d1117')));
  const light = [0, 0.5, 1].map((at) => contrast(luminance(heatColour(at, 'light')), luminance('#ffffff')));
  for (const steps of [dark, light]) {
    expect(steps[0]).toBeGreaterThan(1.4);
    expect(steps[1]).toBeGreaterThan(steps[0] ?? Infinity);
    expect(steps[2]).toBeGreaterThan(Math.max(7, steps[1] ?? Infinity));
  }
});

test('draws no access transparent and every access opaque', () => {
  const alphas = [...heatPixels('dark')].map((pixel) => pixel >>> 24);
  expect(alphas[0]).toBe(0);
  expect(new Set(alphas.slice(1))).toEqual(new Set([255]));
});

test('folds the axis of a small trace by lines: keeps short gaps and limits the number of bands', () => {
  const spans = [
    { low: 0n, high: 4096n },
    { low: 0x10000n, high: 0x11000n },
  ];
  const counts = new Float64Array(128);
  // Lines 0 and 3 of the first page (a gap of 128 bytes), line 40 of it, and the last line of the second.
  for (const line of [0, 3, 40, 127]) counts[line] = 1;
  expect(foldLines(spans, counts, 20)).toEqual([
    { low: 0n, high: 256n },
    { low: 2560n, high: 2624n },
    { low: 0x10fc0n, high: 0x11000n },
  ]);
  expect(foldLines(spans, counts, 2)).toEqual([
    { low: 0n, high: 2624n },
    { low: 0x10fc0n, high: 0x11000n },
  ]);
  expect(foldLines(spans, new Float64Array(128), 20)).toEqual([]);
});
