/** Answers that end early: the steps so far, and what they used but nobody followed. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOpenTraces } from '../../../electron/engine/open/open-traces.ts';
import { stopWhy } from '../../../electron/engine/queries/why/stopping.ts';
import { why } from '../../../electron/engine/queries/why/why.ts';
import { createPool } from '../../../electron/engine/threads/pool.ts';
import { createTask } from '../../../electron/engine/threads/task.ts';
import type { Trace } from '../../../electron/engine/trace.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { Why } from '../../../shared/requests/why.ts';
import { scratch } from '../traces.ts';

const SAMPLE = fileURLToPath(new URL('../../samples/tarmac/arm-sort/trace.txt', import.meta.url));
const STOPPED = 'the search was stopped before it was found';

const place = scratch();
const pool = createPool(1);
const traces = createOpenTraces(pool, { indexDirectory: place.folder });
const task = createTask<unknown>(
  () => false,
  () => undefined,
);
let trace: Trace;

beforeAll(async () => {
  trace = value(await traces.open({ path: SAMPLE }, task));
  value(await traces.build(trace, () => true));
});
afterAll(async () => {
  traces.close();
  await pool.close();
  place.dispose();
});

/** Why r2 is 0x630 after record 190, stopped when that is checked for the `check`th time. */
async function stoppedAt(check: number): Promise<Why> {
  let checks = 0;
  return value(await why(trace, { trace: trace.id, at: 190, register: 'r2' }, task, () => ++checks === check));
}

test('a search that is stopped answers with the steps that it has', async () => {
  const found = new Map<number, Why>();
  for (let check = 1; ; check++) {
    const answer = await stoppedAt(check);
    if (answer.ended.reason !== 'cancelled') break;
    found.set(answer.steps.length, answer);
  }
  // Records 187, 171, 166, 158 and 149 made it (test/app/cli/why.test.ts). With all five, the answer is complete.
  expect([...found].map(([, { steps }]) => steps.map(({ n }) => n))).toEqual([
    [],
    [187],
    [187, 171],
    [187, 171, 166],
    [187, 171, 166, 158],
  ]);
  expect(found.get(0)).toMatchObject({
    of: { register: 'r2', value: '0x630' },
    origin: [{ register: 'r2', value: '0x630', step: null, reason: STOPPED }],
    ended: { open: [{ register: 'r2' }] },
  });
  // 171 adds r4, whose low byte 158 loaded and whose other bytes it cleared, to r2, which 166 multiplied.
  const two = found.get(2);
  expect(two?.steps.map(({ uses }) => uses.map(({ step, reason }) => step ?? reason))).toEqual([
    [1],
    [STOPPED, STOPPED],
  ]);
  expect(two?.ended.open).toMatchObject([{ register: 'r2' }, { register: 'r4<7:0>' }, { register: 'r4<31:8>' }]);
});

// test/app/cli/why.test.ts has the whole answers to these questions.
test('a search forward that is stopped answers with the steps that it has', async () => {
  const found: Why[] = [];
  for (let check = 1; found.at(-1)?.ended.reason !== 'ends'; check++) {
    let checks = 0;
    const question = { trace: trace.id, at: 178, address: '0x8738', forward: true, allCopies: true } as const;
    found.push(value(await why(trace, question, task, () => ++checks === check)));
  }
  const stopped = found.slice(0, -1);
  expect(new Set(stopped.map(({ ended }) => ended.reason))).toEqual(new Set(['cancelled']));
  expect([...new Set(stopped.map(({ steps }) => steps.map(({ n }) => n).join()))]).toEqual([
    '',
    '179',
    '179,190',
    '179,190,192',
  ]);
  // The byte in memory keeps its value until the end.
  expect(stopped[0]).toMatchObject({ forward: true, ends: [], ended: { open: [{ address: '0x8738', length: 1 }] } });
  expect(stopped.every(({ ended }) => ended.open.length > 0)).toBe(true);
});

test('a request to stop is remembered for the run that it names', async () => {
  stopWhy(trace, { run: 'one' });
  const reasons = [];
  for (const run of ['one', 'another'])
    reasons.push(value(await why(trace, { trace: trace.id, at: 190, register: 'r2', run }, task)).ended.reason);
  // Instructions are missing before record 140.
  expect(reasons).toEqual(['cancelled', 'unknown']);
});

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
