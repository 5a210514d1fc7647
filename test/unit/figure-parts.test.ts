// Parts of figures: the colours of the page, PNGs that other programs can read, and texts that fit.
import { readFileSync } from 'node:fs';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { fitted, fittedEnds, widthOf } from '../../present/svg/measure.ts';
import { dataUrl, encodePng } from '../../present/svg/png.ts';
import { element, fixed } from '../../present/svg/svg.ts';
import { CHART_COLOURS } from '../../present/base/theme.ts';

test('figures use the colours of the page', () => {
  const sheet = readFileSync(new URL('../../renderer/style.css', import.meta.url), 'utf8');
  for (const theme of ['dark', 'light'] as const) {
    const block = new RegExp(`:root\\[data-theme='${theme}'\\] \\{([^}]*)\\}`).exec(sheet)?.[1] ?? '';
    const tokens = new Map(
      Array.from(block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g), ([, name, value]) => [name, value]),
    );
    const { chart, ground, raised, line, lineStrong, text, text2, text3, accent, accentSoft, bad, hues, flames } =
      CHART_COLOURS[theme];
    const page = (...names: readonly string[]): readonly unknown[] => names.map((name) => tokens.get(name));
    expect([chart, ground, raised, line, lineStrong, text, text2, text3, accent, accentSoft, bad]).toEqual(
      page(
        'chart',
        'pane',
        'raised',
        'line',
        'line-strong',
        'text',
        'text-2',
        'text-3',
        'accent',
        'accent-soft',
        'bad',
      ),
    );
    expect(Object.values(hues)).toEqual(page(...Object.keys(hues).map((hue) => `k-${hue}`)));
    expect(flames).toEqual(page(...[1, 2, 3, 4, 5, 6, 7, 8].map((at) => `f-${at}`)));
  }
});

test('writes a PNG that another decoder reads', () => {
  const palette = Uint8Array.of(0, 0, 0, 0, 255, 128, 0, 255, 1, 2, 3, 255);
  const pixels = Uint8Array.from({ length: 7 * 5 }, (_, at) => (at * at) % 3);
  const png = PNG.sync.read(Buffer.from(encodePng({ width: 7, height: 5, pixels, palette })));
  expect([png.width, png.height]).toEqual([7, 5]);
  expect([...png.data]).toEqual([...pixels].flatMap((colour) => [...palette.subarray(4 * colour, 4 * colour + 4)]));
});

test.each([0, 1, 2, 3, 200])('encodes %i bytes as a data URL like another encoder', (length) => {
  const bytes = Uint8Array.from({ length }, (_, at) => (at * 37) & 255);
  expect(dataUrl(bytes)).toBe(`data:image/png;base64,${Buffer.from(bytes).toString('base64')}`);
});

test('shortens texts to the available width, at the end or in the middle', () => {
  expect(widthOf('mmmm', 10, 'mono')).toBeCloseTo(24.08);
  expect(widthOf('iiii', 10, 'sans')).toBeLessThan(widthOf('mmmm', 10, 'sans') / 3);
  expect(widthOf('漢字', 10, 'mono')).toBeGreaterThan(widthOf('ab', 10, 'mono'));
  expect(widthOf('e\u0301', 10, 'mono')).toBe(widthOf('e', 10, 'mono'));
  expect(fitted('quicksort', 60, 10, 'mono')).toBe('quicksort');
  expect(fitted('quicksort', 40, 10, 'mono')).toBe('quick…');
  expect(fitted('quicksort', 12, 10, 'mono')).toBe('');
  expect(fittedEnds('std::vector::push_back', 80, 10, 'mono')).toBe('std::v…h_back');
  expect(fitted('𝒳𝒴𝒵𝒳𝒴𝒵', 30, 10, 'mono')).toBe('𝒳𝒴𝒵…');
});

test('writes attributes in order and numbers without rounding noise', () => {
  expect(element('rect', { x: 1 / 3, y: -0, width: undefined, fill: '"<&' })).toBe(
    '<rect x="0.33" y="0" fill="&quot;&lt;&amp;"/>',
  );
  expect([0.005, -0.001, 1e-9, 12345678.9].map(fixed)).toEqual(['0.01', '0', '0', '12345678.9']);
});
