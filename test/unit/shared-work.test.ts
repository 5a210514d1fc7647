// Work that several wait for is done once, and goes on as long as one of them waits.
import { setImmediate as breathe } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSharedWork } from '../../electron/engine/threads/shared-work.ts';
import { createTask, type Task } from '../../electron/engine/threads/task.ts';
import { CANCELLED } from '../../shared/requests/failures.ts';
import { ok, type Result } from '../../shared/base/result.ts';

/** A question that can be given up. */
function question() {
  const heard: number[] = [];
  let isGivenUp = false;
  const task = createTask<number>(
    () => isGivenUp,
    (event) => heard.push(event),
  );
  const giveUp = (): void => {
    isGivenUp = true;
  };
  return { task, heard, giveUp };
}

/** Work that reports how far it is and ends when it is let. */
function slowWork() {
  const state = { runs: 0, steps: 0, done: false };
  const work = async (task: Task<number>): Promise<Result<string>> => {
    state.runs++;
    while (!state.done) {
      if (task.cancelled()) return task.cancel();
      task.report(++state.steps);
      await breathe();
    }
    return ok('found');
  };
  return { state, work };
}

test('it is done once for all, who all hear how far it is', async () => {
  const { state, work } = slowWork();
  const shared = createSharedWork(work);
  const [first, second] = [question(), question()];
  const answers = Promise.all([shared.wait(first.task), shared.wait(second.task)]);
  while (state.steps < 3) await breathe();
  state.done = true;
  expect(await answers).toEqual([ok('found'), ok('found')]);
  expect(state.runs).toBe(1);
  expect(second.heard.length).toBeGreaterThan(0);
  expect(shared.ended).toBe(true);
});

test('one that is given up leaves the others their answer', async () => {
  const { state, work } = slowWork();
  const shared = createSharedWork(work);
  const [first, second] = [question(), question()];
  const [given, kept] = [shared.wait(first.task), shared.wait(second.task)];
  first.giveUp();
  expect(await given).toMatchObject({ ok: false, error: { code: CANCELLED } });
  expect(shared.ended).toBe(false);
  state.done = true;
  expect(await kept).toEqual(ok('found'));
});

test('it ends when all give up', async () => {
  const { state, work } = slowWork();
  const shared = createSharedWork(work);
  const only = question();
  const answer = shared.wait(only.task);
  while (state.steps === 0) await breathe();
  only.giveUp();
  expect(await answer).toMatchObject({ ok: false, error: { code: CANCELLED } });
  expect(shared.ended).toBe(true);
  const steps = state.steps;
  await breathe();
  await breathe();
  expect(state.steps - steps).toBeLessThan(2);
});
