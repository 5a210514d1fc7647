// Work that several callers wait for runs once and continues while one of them waits.
import { setImmediate as breathe } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSharedWork } from '../../electron/engine/threads/shared-work.ts';
import { createTask, type Task } from '../../electron/engine/threads/task.ts';
import { CANCELLED } from '../../shared/requests/failures.ts';
import { ok, type Result } from '../../shared/base/result.ts';

/** A cancellable request. */
function question() {
  const progress: number[] = [];
  let isGivenUp = false;
  const task = createTask<number>(
    () => isGivenUp,
    (event) => progress.push(event),
  );
  const giveUp = (): void => {
    isGivenUp = true;
  };
  return { task, progress, giveUp };
}

/** Work that reports progress and ends when the test lets it. */
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

test('runs once for all callers and reports progress to each', async () => {
  const { state, work } = slowWork();
  const shared = createSharedWork(work);
  const [first, second] = [question(), question()];
  const answers = Promise.all([shared.wait(first.task), shared.wait(second.task)]);
  while (state.steps < 3) await breathe();
  state.done = true;
  expect(await answers).toEqual([ok('found'), ok('found')]);
  expect(state.runs).toBe(1);
  expect(second.progress.length).toBeGreaterThan(0);
  expect(shared.ended).toBe(true);
});

test('continues for the other callers when one cancels', async () => {
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

test('stops when all callers cancel', async () => {
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
