/** Spans of addresses that end beyond the address space. */
import { expect, test } from 'vitest';
import { spanOf } from '../../electron/engine/queries/records/span.ts';

test('ends a span at the last address, however often it is asked for', () => {
  const whole = spanOf(0xfffffffffffffffbn, 0xffffffffffffffffn);
  expect(whole).toMatchObject({ highLow: 0xffffffff, highHigh: 0xffffffff, lastPage: 2 ** 52 - 1 });
  // Enough rounds for V8 to compile the function.
  for (let round = 0; round < 20_000; round++) {
    const span = spanOf(0xfffffffffffffffbn, round % 2 === 0 ? 0x1000000000000000cn : 0xffffffffffffffffn);
    if (span.highLow !== whole.highLow || span.highHigh !== whole.highHigh || span.lastPage !== whole.lastPage)
      expect(span).toEqual(whole);
  }
});
