// Bad input in `info`: codes as sentences, each followed by its most frequent shapes.
import { expect, test } from 'vitest';
import { diagnosticsTable } from '../../electron/cli/print/info-diagnostics.ts';
import type { DiagnosticGroup, ShapeRow } from '../../shared/requests/requests.ts';

const shape = (text: string, count: number, firstOffset: number): ShapeRow => ({
  shape: text,
  count,
  firstOffset,
  firstRecord: firstOffset / 10,
  sample: text.replaceAll('#', '7'),
  sampleIs: 'text',
});

const group = (text: string, shapes: readonly ShapeRow[]): DiagnosticGroup => ({
  code: 'code',
  count: shapes.reduce((sum, { count }) => sum + count, 0),
  firstOffset: Math.min(...shapes.map(({ firstOffset }) => firstOffset)),
  firstRecord: Math.min(...shapes.map(({ firstRecord }) => firstRecord)),
  text,
  shapes,
});

test('prints a code with one shape as one row with its sample', () => {
  expect(diagnosticsTable([group('Something is off.', [shape('', 3, 1230)])], false)).toBe(
    'problem            count  first byte  first record\nSomething is off.      3       1,230           123\n',
  );
  const reported = { ...shape('', 3, 1230), sample: '00 ff' };
  expect(diagnosticsTable([group('Something is off.', [reported])], false).split('\n')[1]).toBe(
    'Something is off.      3       1,230           123  00 ff',
  );
});

test('prints up to five shapes below their code and sums up the rest in one row', () => {
  const shapes = ['a #', 'b #', 'c #', 'd #', 'e #', 'f #', 'g #'].map((text, i) => shape(text, 1000 - i, 10 * i));
  expect(diagnosticsTable([group('Unknown line.', shapes)], false)).toBe(
    [
      'problem              count  first byte  first record  starts with',
      'Unknown line.        6,979           0             0',
      '  a #                1,000           0             0  a 7',
      '  b #                  999          10             1  b 7',
      '  c #                  998          20             2  c 7',
      '  d #                  997          30             3  d 7',
      '  e #                  996          40             4  e 7',
      '  and 2 more shapes  1,989',
      '',
    ].join('\n'),
  );
});

test('cuts a long sample between characters', () => {
  const long = { ...shape('x', 1, 0), sample: '\u{1F600}'.repeat(60) };
  const row = diagnosticsTable([group('Odd.', [long])], false).split('\n')[2] ?? '';
  expect(row.slice(row.indexOf('\u{1F600}'))).toBe(`${'\u{1F600}'.repeat(43)}…`);
});
