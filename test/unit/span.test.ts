/** Spans of addresses that end beyond the address space. */
import { expect, test } from 'vitest';
import { spanOf } from '../../electron/engine/queries/records/span.ts';

test.each([
  ['with the lower half of a small address', 0xfffffffffffffffbn, 0x1000000000000000cn],
  ['one byte beyond it', 0x8000n, 0x10000000000000000n],
  ['far beyond it, of a span that begins at 0', 0n, 0xffffffffffffffffffffn],
])('ends a span at the last address instead of an end %s', (_, low, high) => {
  const span = spanOf(low, high);
  expect(span).toMatchObject({ low, high: 0xffffffffffffffffn, highLow: 0xffffffff, highHigh: 0xffffffff });
  expect(span).toEqual(spanOf(low, 0xffffffffffffffffn));
});

test('ends a span at the last page', () => {
  const whole = spanOf(0xfffffffffffffffbn, 0xffffffffffffffffn);
  expect(whole).toMatchObject({ highLow: 0xffffffff, highHigh: 0xffffffff, lastPage: 2 ** 52 - 1 });
  expect(spanOf(0xfffffffffffffffbn, 0x1000000000000000cn)).toEqual(whole);
});
