// A heatmap as a figure: description in words, positions of cells and labels, and hostile names.
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { heatFigure } from '../../present/heat/heat-figure.ts';
import type { HeatGrid, NamedSpan } from '../../shared/requests/requests.ts';
import { assertWellFormed, textsOf } from './figure-texts.ts';

/** Two columns; three rows in one address range and one in another, column by column, lowest row first. */
const grid: HeatGrid = {
  from: 0,
  to: 1000,
  columns: 2,
  edges: new Float64Array([0, 500, 1000]),
  bands: [
    { low: '0x8000', high: '0xb000', rows: 3, rowBytes: 4096 },
    { low: '0x40000', high: '0x42000', rows: 1, rowBytes: 8192 },
  ],
  rows: 4,
  counts: new Float64Array([1, 0, 0, 0, 0, 10, 100, 7]),
  most: 100,
  coarse: false,
  reach: { records: 1000, bytes: 6000, complete: true },
};
const light = { theme: 'light' } as const;

function drawn(names: readonly NamedSpan[] = [], of = grid): string {
  return heatFigure({ name: 'sort.byu', grid: of, names }, light).svg;
}

test('the description names range, total and hottest cell', () => {
  const { title, description } = heatFigure({ name: 'sort.byu', grid, names: [] }, light);
  expect(title).toBe('Heatmap of sort.byu');
  expect(description).toBe(
    'Heatmap of sort.byu, records 0 to 999 from left to right, addresses upwards: 0x8000 to 0xafff; 0x40000 to 0x41fff. ' +
      'It counts all accesses: 118 in all cells together. The hottest cell has 100: records 500 to 999, addresses 0xa000 to 0xafff.',
  );
});

test('labels show range ends, round addresses, records, counts and the cell size', () => {
  const words = textsOf(drawn()).map(({ text }) => text);
  expect(words).toEqual(
    expect.arrayContaining(['0x00008000', '0x00040000', '0', '500', 'record', 'accesses per cell', '1', '10', '100']),
  );
  expect(words.at(-1)).toBe(
    'A cell is 500 records wide and 4 KiB to 8 KiB of addresses high. Where the chart is interrupted, no address is accessed.',
  );
});

test('draws each address range as a picture with the highest addresses on top and more accesses darker on white', () => {
  const [low, high, ...others] = picturesOf(drawn());
  expect(others).toEqual([]);
  expect([low?.png.width, low?.png.height, high?.png.width, high?.png.height]).toEqual([2, 3, 2, 1]);
  expect(low!.y).toBeGreaterThan(high!.y + high!.height);
  expect(cellsOf(low!.png)).toEqual([
    [undefined, expect.any(Number)],
    [undefined, expect.any(Number)],
    [expect.any(Number), undefined],
  ]);
  const [[, hottest], [, ten], [one]] = cellsOf(low!.png) as [number[], number[], number[]];
  expect(one).toBeGreaterThan(ten!);
  expect(ten).toBeGreaterThan(hottest!);
});

test('places columns of uneven width at their records, at least one pixel wide', () => {
  const uneven = {
    ...grid,
    columns: 3,
    edges: new Float64Array([0, 1, 250, 1000]),
    bands: [{ low: '0x8000', high: '0x9000', rows: 1, rowBytes: 4096 } as const],
    rows: 1,
    counts: new Float64Array([5, 0, 5]),
    most: 5,
  };
  const [picture] = picturesOf(drawn([], uneven));
  const inked = cellsOf(picture!.png)[0]!.map((cell) => cell !== undefined);
  const { width } = picture!.png;
  expect(inked).toEqual(Array.from({ length: width }, (_, x) => x === 0 || x >= width / 4));
});

test('draws names inside the figure and keeps the higher one if two overlap', () => {
  const svg = drawn([
    { name: 'tiny', kind: 'function', low: '0x8800', high: '0x8810' },
    { name: 'below', kind: 'function', low: '0x8000', high: '0x9000' },
    { name: 'a_name_that_is_much_longer_than_there_is_room_for', kind: 'object', low: '0xa000', high: '0x20000' },
  ]);
  const at = new Map(textsOf(svg).map(({ text, y }) => [text, y]));
  expect(at.has('tiny')).toBe(false);
  const cut = [...at.keys()].find((text) => text.startsWith('a_name_') && text.endsWith('room_for'));
  expect(cut).toContain('…');
  expect(at.get('below')).toBeGreaterThan(at.get(cut!)!);
});

test('draws a note and no scale for a map without accesses', () => {
  const svg = drawn([], { ...grid, counts: new Float64Array(8), most: 0 });
  const words = textsOf(svg).map(({ text }) => text);
  expect(words).toContain('no access here');
  expect(words).not.toContain('accesses per cell');
  expect(svg).toContain('<desc>Heatmap of sort.byu, records 0 to 999: there are no accesses here.</desc>');
});

test('says which part the index has not reached yet', () => {
  const svg = drawn([], { ...grid, reach: { records: 1000, bytes: 6000, complete: false } });
  expect(textsOf(svg).at(-1)?.text).toBe(
    'The trace is indexed up to record 1,000; later records are not in this figure.',
  );
});

test('escapes markup in names', () => {
  const name = '"><script>alert(1)</script>\u0000\u202e\ud800 &amp;';
  const { svg } = heatFigure(
    { name, grid, names: [{ name, kind: 'function', low: '0x8000', high: '0xb000' }] },
    { theme: 'dark', title: `${name}]]>` },
  );
  assertWellFormed(svg);
  for (const bad of ['<script', '\0', '\u202e', '\ud800']) expect(svg.includes(bad)).toBe(false);
  expect(svg).toContain('&lt;script&gt;alert(1)&lt;/script&gt;[U+0000][U+202E]� &amp;amp;]]&gt;</title>');
});

test('gives the same bytes for the same data, and the same words in another colour scheme', () => {
  expect(drawn()).toBe(drawn());
  const dark = heatFigure({ name: 'sort.byu', grid, names: [] }, { theme: 'dark' });
  expect(textsOf(dark.svg)).toEqual(textsOf(drawn()));
  expect(dark.svg).not.toBe(drawn());
});

interface Picture {
  readonly y: number;
  readonly height: number;
  readonly png: PNG;
}

function picturesOf(svg: string): readonly Picture[] {
  const found = svg.matchAll(
    /<image [^>]*y="(\d+)" width="\d+" height="(\d+)"[^>]*href="data:image\/png;base64,([^"]+)"/g,
  );
  return Array.from(found, ([, y, height, data]) => ({
    y: Number(y),
    height: Number(height),
    png: PNG.sync.read(Buffer.from(data!, 'base64')),
  }));
}

/** Brightness of each pixel, undefined without ink; row by row from the top. */
function cellsOf(png: PNG): readonly (readonly (number | undefined)[])[] {
  return Array.from({ length: png.height }, (_, y) =>
    Array.from({ length: png.width }, (__, x) => {
      const [r = 0, g = 0, b = 0, a = 0] = png.data.subarray(4 * (y * png.width + x));
      return a === 0 ? undefined : r + g + b;
    }),
  );
}
