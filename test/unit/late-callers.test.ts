import { expect, test } from 'vitest';
import { createLateCallers } from '../../electron/engine/flow/history/late-callers.ts';

function functionsOf(callers: ReturnType<typeof createLateCallers>, begun: number, record: number): readonly number[] {
  return callers.of(begun, record).map(({ fn }) => fn);
}

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
  expect(functionsOf(callers, 40, 0)).toEqual([7, 8, 7]);
  expect(functionsOf(callers, 40, 52)).toEqual([8, 7]);
  expect(functionsOf(callers, 10, 59)).toEqual([5, 6]);
  expect(functionsOf(callers, 10, 90)).toEqual([]);
  for (const other of [0, 9, 11, 39, 41]) expect(functionsOf(callers, other, 0)).toEqual([]);
});

test('returns the same callers after a round trip', () => {
  const kept = createLateCallers(noted().table());
  expect(functionsOf(kept, 40, 0)).toEqual([7, 8, 7]);
  expect(functionsOf(kept, 10, 60)).toEqual([6]);
  expect(createLateCallers(createLateCallers().table()).of(1, 0)).toEqual([]);
  expect(kept.of(40, 60)).toEqual([
    { fn: 8, record: 61 },
    { fn: 7, record: 95 },
  ]);
});

test('accepts decreasing record numbers and numbers beyond 2^32', () => {
  const callers = createLateCallers();
  callers.add(6_000_000_000, 3, 5_999_999_990);
  callers.add(0, 70_000, 9_000_000_000);
  expect(functionsOf(callers, 6_000_000_000, 5_999_999_989)).toEqual([3]);
  expect(functionsOf(callers, 6_000_000_000, 5_999_999_990)).toEqual([]);
  expect(functionsOf(callers, 0, 8_999_999_999)).toEqual([70_000]);
  expect(functionsOf(callers, 0, 9_000_000_000)).toEqual([]);
});
