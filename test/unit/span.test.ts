/** Spans of addresses that end beyond the address space. */
import { expect, test } from 'vitest';
import { spanOf } from '../../electron/engine/queries/records/span.ts';

test('ends a span at the last address', () => {
  const whole = spanOf(0xfffffffffffffffbn, 0xffffffffffffffffn);
  expect(whole).toMatchObject({ highLow: 0xffffffff, highHigh: 0xffffffff, lastPage: 2 ** 52 - 1 });
  expect(spanOf(0xfffffffffffffffbn, 0x1000000000000000cn)).toEqual(whole);
});
