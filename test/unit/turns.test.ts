/** The order in which the decode pool does its tasks. */
import { expect, test } from 'vitest';
import type { Queue } from '../../electron/engine/threads/pool-task.ts';
import { createTurns, type Turns } from '../../electron/engine/threads/turns.ts';

interface Named {
  readonly name: string;
  readonly queue: Queue;
  readonly question: object | undefined;
}

test('urgent tasks come first, scans and surveys take turns', () => {
  const turns = createTurns<Named>();
  for (const queue of ['scan', 'scan', 'survey', 'survey', 'urgent'] as const)
    turns.add({ name: queue, queue, question: undefined });
  expect(takeAll(turns)).toEqual(['urgent', 'survey', 'scan', 'survey', 'scan']);
  expect(turns.isEmpty()).toBe(true);
});

test('a question on which less was spent comes before a longer one', () => {
  const turns = createTurns<Named>();
  const [long, short] = [{}, {}];
  const isLong = { name: 'long', queue: 'survey', question: long } as const;
  turns.spend(isLong, 500);
  turns.add(isLong);
  turns.add({ ...isLong });
  turns.add({ name: 'short', queue: 'survey', question: short });
  expect(takeAll(turns)).toEqual(['short', 'long', 'long']);
});

test('of two questions that took about as long, the older one ends first', () => {
  const turns = createTurns<Named>();
  const [older, younger] = ['older', 'younger'].map((name): Named => ({ name, queue: 'scan', question: {} }));
  turns.add(older!);
  turns.add(younger!);
  turns.spend(older!, 90);
  turns.spend(younger!, 60);
  for (const task of [younger!, older!, younger!]) turns.add(task);
  expect(takeAll(turns)).toEqual(['older', 'older', 'younger', 'younger', 'younger']);
});

test('a long question is served even if short ones never end', () => {
  const turns = createTurns<Named>();
  const long: Named = { name: 'long', queue: 'urgent', question: {} };
  turns.spend(long, 500);
  turns.add(long);
  const taken: string[] = [];
  while (!taken.includes('long') && taken.length < 100) {
    turns.add({ name: 'short', queue: 'urgent', question: {} });
    taken.push(turns.take()!.name);
  }
  expect(taken.length).toBeLessThanOrEqual(4);
});

test('a removed task has no turn, and one put first has the next', () => {
  const turns = createTurns<Named>();
  const [a, b, c] = ['a', 'b', 'c'].map((name): Named => ({ name, queue: 'scan', question: undefined }));
  turns.add(a!);
  turns.add(b!);
  turns.addFirst(c!);
  expect(turns.remove(a!)).toBe(true);
  expect(turns.remove(a!)).toBe(false);
  expect(takeAll(turns)).toEqual(['c', 'b']);
});

function takeAll(turns: Turns<Named>): readonly string[] {
  const names: string[] = [];
  for (let next = turns.take(); next !== undefined; next = turns.take()) names.push(next.name);
  return names;
}
