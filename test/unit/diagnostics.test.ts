/** Counts of bad input do not depend on how the input is divided. */
import { expect, test } from 'vitest';
import {
  byCode,
  byteShape,
  Diagnostics,
  lineShape,
  MOST_SHAPES,
  OTHER_SHAPES,
} from '../../shared/format/diagnostics.ts';
import { createRandom } from '../laws/random.ts';

test('counts by code and shape and keeps the first place of each', () => {
  const counted = new Diagnostics();
  counted.add('unknown-line', 40, 4, 'a #');
  counted.add('cut-record', 90, 9);
  counted.add('unknown-line', 50, 5, 'b #');
  counted.add('unknown-line', 60, 6, 'a #');
  expect(counted.list()).toEqual([
    { code: 'unknown-line', shape: 'a #', count: 2, firstOffset: 40, firstRecord: 4 },
    { code: 'unknown-line', shape: 'b #', count: 1, firstOffset: 50, firstRecord: 5 },
    { code: 'cut-record', shape: '', count: 1, firstOffset: 90, firstRecord: 9 },
  ]);
  expect(byCode(counted.list())).toEqual([
    { code: 'unknown-line', count: 3, firstOffset: 40, firstRecord: 4 },
    { code: 'cut-record', count: 1, firstOffset: 90, firstRecord: 9 },
  ]);
});

test('numbers records from the start of the part', () => {
  const all = new Diagnostics();
  all.addAll([{ code: 'x', shape: '', count: 3, firstOffset: 7, firstRecord: 2 }], 100);
  expect(all.list()).toEqual([{ code: 'x', shape: '', count: 3, firstOffset: 7, firstRecord: 102 }]);
});

test('gives the same shapes and counts for every division into parts', () => {
  const random = createRandom(5);
  const met = Array.from({ length: 5000 }, (_, n) => ({
    n,
    shape: 'x'.repeat(1 + random.below(12)) + String(random.below(40)),
  }));
  const whole = new Diagnostics();
  for (const { n, shape } of met) whole.add('x', n * 10, n, shape);
  expect(whole.list()).toHaveLength(MOST_SHAPES + 1);
  expect(whole.list().reduce((sum, { count }) => sum + count, 0)).toBe(met.length);
  for (const size of [1, 7, 100, 1999]) {
    const joined = new Diagnostics();
    for (let from = 0; from < met.length; from += size) {
      const part = new Diagnostics();
      met.slice(from, from + size).forEach(({ n, shape }, i) => part.add('x', n * 10, i, shape));
      joined.addAll(part.list(), from);
    }
    expect(joined.list(), `parts of ${String(size)}`).toEqual(whole.list());
  }
  const kept = whole.list().filter(({ shape }) => shape !== OTHER_SHAPES);
  for (const { shape, count, firstRecord } of kept) {
    expect(count).toBe(met.filter((one) => one.shape === shape).length);
    expect(firstRecord).toBe(met.findIndex((one) => one.shape === shape));
  }
});

test.each([
  ['unimp device: write 0x4', 'unimp device: write #'],
  ['  IN: main\r\n', 'IN: main'],
  ['0x00008000:  e59f0060  ldr r0, [pc, #96]', '#: # ldr r0, [pc, ##]'],
  ['\0\0\0\x01', '..'],
])('gives %j the shape %j', (line, shape) => {
  const bytes = new TextEncoder().encode(line);
  expect(lineShape(bytes, 0, bytes.length)).toBe(shape);
});

test.each([
  ['.. .. .. .. xx x.', '.. .. .. .. ff d.'],
  ['.. .. .. .x .. x.', '.. .. .. .8 .. d.'],
  ['xx .. .. ..', '00 .. .. ..'],
  ['.. .. .. .. .. ..', '.. .. .. .. .. ..'],
])('keeps the digits of the bytes %j', (pattern, shape) => {
  const shapeOf = byteShape(pattern);
  // Preceded by two bytes of another record.
  const bytes = Uint8Array.from([0xaa, 0xbb, 0x00, 0x10, 0x07, 0xc8, 0xff, 0xd0]);
  expect([shapeOf(bytes, 2), shapeOf(bytes, 2)]).toEqual([shape, shape]);
});
