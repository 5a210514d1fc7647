// A heatmap as the command line draws it: where things stand, and that both drawings show the same cells.
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { heatFigure } from '../../electron/cli/heat/figure.ts';
import { toPng } from '../../electron/cli/heat/png.ts';
import { sketch } from '../../electron/cli/heat/sketch.ts';
import { toSvg } from '../../electron/cli/heat/svg.ts';
import { addressTicks, countTicks, shortNumber, wholeTicks } from '../../electron/cli/heat/ticks.ts';
import type { HeatGrid } from '../../shared/api.ts';

/** Two columns, three rows; column by column from the lowest row up. */
const grid: HeatGrid = {
  from: 0,
  to: 1000,
  columns: 2,
  edges: new Float64Array([0, 500, 1000]),
  bands: [{ low: '0x8000', high: '0xb000', rows: 3, rowBytes: 4096 }],
  rows: 3,
  counts: new Float64Array([1, 0, 0, 0, 10, 100]),
  most: 100,
  coarse: false,
  reach: { records: 1000, bytes: 6000, complete: true },
};

test('the sketch has the highest addresses on top and denser characters for more accesses', () => {
  expect(sketch(grid)).toBe(
    ['0xa000 │ @', '0x9000 │ +', '0x8000 │·', '       └──', '        records 0 to 1,000; · one access, @ 100', ''].join(
      '\n',
    ),
  );
});

test('the figure names its axes, ends and counts', () => {
  const { texts } = heatFigure(grid, 'a <trace>.byu');
  const words = texts.map(({ text }) => text);
  expect(words).toEqual([
    'a <trace>.byu',
    ...['0', '100', '200', '300', '400', '500', '600', '700', '800', '900', '1,000'],
    'record',
    ...['0x8000', '0x8800', '0x9000', '0x9800', '0xa000', '0xa800'],
    'address',
    'accesses',
    ...['1', '10', '100'],
  ]);
});

test('names stand beside the map, the higher one where two would cover one another', () => {
  const figure = heatFigure(grid, '', [
    { name: 'below', kind: 'function', low: '0x8000', high: '0x9000' },
    { name: 'tiny', kind: 'function', low: '0x8800', high: '0x8810' },
    { name: 'a_name_that_is_longer_than_there_is_room', kind: 'object', low: '0xa000', high: '0x20000' },
    { name: 'program code', kind: 'segment', low: '0x8000', high: '0xb000' },
  ]);
  const right = Math.max(...figure.texts.filter(({ anchor }) => anchor === 'start').map(({ x }) => x));
  expect(right).toBeLessThan(figure.width);
  const at = new Map(figure.texts.map(({ text, y }) => [text, y]));
  expect(at.has('tiny')).toBe(false);
  expect(at.has('a_name_that_is_longer_t…')).toBe(true);
  // Three rows: the lowest, the highest, the middle of all.
  expect(at.get('program code')! - at.get('a_name_that_is_longer_t…')!).toBe(
    at.get('below')! - at.get('program code')!,
  );
});

test('SVG holds the cells as an image with the highest addresses on top, and vectors around it', () => {
  const svg = new TextDecoder().decode(toSvg(heatFigure(grid, 'a <trace>.byu')));
  expect(svg).toContain('>a &lt;trace&gt;.byu</text>');
  const data = /<image [^>]*href="data:image\/png;base64,([^"]+)"/.exec(svg)?.[1] ?? '';
  const image = PNG.sync.read(Buffer.from(data, 'base64'));
  expect([image.width, image.height]).toEqual([2, 3]);
  const inked = Array.from({ length: 6 }, (_, i) => brightness(image, i % 2, Math.floor(i / 2)) < 765);
  expect(inked).toEqual([false, true, false, true, true, false]);
  // One access is lighter than ten, ten lighter than a hundred.
  expect(brightness(image, 0, 2)).toBeGreaterThan(brightness(image, 1, 1));
  expect(brightness(image, 1, 1)).toBeGreaterThan(brightness(image, 1, 0));
});

test('PNG shows the same cells, twice as large as SVG', () => {
  const figure = heatFigure(grid, 'title');
  const png = PNG.sync.read(Buffer.from(toPng(figure)));
  expect([png.width, png.height]).toEqual([2 * figure.width, 2 * figure.height]);
  const map = figure.rasters[0];
  if (!map) throw new Error('the figure has no map');
  const middle = (column: number, row: number) =>
    brightness(
      png,
      2 * Math.round(map.x + ((column + 0.5) * map.width) / 2),
      2 * Math.round(map.y + ((row + 0.5) * map.height) / 3),
    );
  expect(middle(0, 0)).toBe(765);
  expect(middle(0, 2)).toBeLessThan(765);
  expect(middle(0, 2)).toBeGreaterThan(middle(1, 1));
  expect(middle(1, 1)).toBeGreaterThan(middle(1, 0));
});

test('a map without accesses says so', () => {
  const empty = { ...grid, counts: new Float64Array(6), most: 0 };
  expect(heatFigure(empty, '').texts.map(({ text }) => text)).toContain('no access here');
  expect(PNG.sync.read(Buffer.from(toPng(heatFigure(empty, '')))).width).toBeGreaterThan(1000);
});

test('ticks are round in the base in which an axis is read', () => {
  expect(wholeTicks(0, 3, 10)).toEqual([0, 1, 2, 3]);
  expect(addressTicks(0xffff_ffff_ffff_0000n, 1n << 64n, 4)).toEqual([0xffff_ffff_ffff_0000n, 0xffff_ffff_ffff_8000n]);
  expect(addressTicks(0x1234n, 0x5234n, 6)).toEqual([0x2000n, 0x3000n, 0x4000n, 0x5000n]);
  expect(addressTicks(5n, 5n, 6)).toEqual([]);
  expect(countTicks(1, 10)).toEqual([1]);
  expect(countTicks(441, 10)).toEqual([1, 10, 100, 441]);
  expect(countTicks(250, 10)).toEqual([1, 10, 250]);
  expect(countTicks(10 ** 9, 5)).toEqual([1, 1000, 10 ** 6, 10 ** 9]);
  expect([1, 9999, 12_345, 1_000_000, 2_345_678_901].map(shortNumber)).toEqual(['1', '9999', '12.3k', '1M', '2.35G']);
});

function brightness(png: PNG, x: number, y: number): number {
  const at = 4 * (y * png.width + x);
  return png.data.subarray(at, at + 3).reduce((sum, part) => sum + part, 0);
}
