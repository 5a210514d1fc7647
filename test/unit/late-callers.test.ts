import { expect, test } from 'vitest';
import { createLateCallers } from '../../electron/engine/flow/history/late-callers.ts';

function noted() {
  const callers = createLateCallers();
  // Two stacks take turns, and the first one returns last.
  callers.add(40, 7, 52);
  callers.add(10, 5, 60);
  callers.add(40, 8, 61);
  callers.add(10, 6, 90);
  callers.add(40, 7, 95);
  return callers;
}

test('returns the callers of a stack after a record, innermost first', () => {
  const callers = noted();
  expect(callers.of(40, 0)).toEqual([7, 8, 7]);
  expect(callers.of(40, 52)).toEqual([8, 7]);
  expect(callers.of(10, 59)).toEqual([5, 6]);
  expect(callers.of(10, 90)).toEqual([]);
  for (const other of [0, 9, 11, 39, 41]) expect(callers.of(other, 0)).toEqual([]);
});

test('returns the same callers after a round trip', () => {
  const kept = createLateCallers(noted().table());
  expect(kept.of(40, 0)).toEqual([7, 8, 7]);
  expect(kept.of(10, 60)).toEqual([6]);
  expect(createLateCallers(createLateCallers().table()).of(1, 0)).toEqual([]);
});

test('accepts decreasing record numbers and numbers beyond 2^32', () => {
  const callers = createLateCallers();
  callers.add(6_000_000_000, 3, 5_999_999_990);
  callers.add(0, 70_000, 9_000_000_000);
  expect(callers.of(6_000_000_000, 5_999_999_989)).toEqual([3]);
  expect(callers.of(6_000_000_000, 5_999_999_990)).toEqual([]);
  expect(callers.of(0, 8_999_999_999)).toEqual([70_000]);
  expect(callers.of(0, 9_000_000_000)).toEqual([]);
});
