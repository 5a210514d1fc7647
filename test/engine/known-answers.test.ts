/** Questions that take a walk over a trace are answered alike from memory, whatever happens to the first answer. */
import { afterAll, expect, test } from 'vitest';
import { knownAnswer } from '../../electron/engine/queries/known-answers.ts';
import type { Trace } from '../../electron/engine/trace.ts';
import { fail, ok } from '../../shared/base/result.ts';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { nastyTarmac, scratch } from './traces.ts';

const place = scratch();
const engine = sharedEngine(6000);
afterAll(async () => {
  await engine.close();
  place.dispose();
});

test('the second answer to each question is the first one', async () => {
  const path = place.file('trace.tarmac', nastyTarmac(400, 5));
  const { trace } = await ask(engine, 'open', { path, format: 'tarmac' });
  await ask(engine, 'index', { trace });
  const questions = [
    () => ask(engine, 'overview', { trace, columns: 7 }),
    () => ask(engine, 'tally', { trace }),
    () => ask(engine, 'hottest', { trace, by: 'page', most: 10 }),
    () => ask(engine, 'findAll', { trace, text: '0', columns: 7, most: 100 }),
    () => ask(engine, 'branches', { trace }),
    () => ask(engine, 'branchEvents', { trace, count: 20 }),
    () => ask(engine, 'calls', { trace }),
    () => ask(engine, 'tree', { trace }),
    () => ask(engine, 'spans', { trace }),
    () => ask(engine, 'profile', { trace }),
    () => ask(engine, 'loops', { trace }),
  ];
  for (const question of questions) {
    const first = await question();
    expect(await question()).toEqual(first);
    expect(await question()).toEqual(first);
  }
});

/** As much of a trace as `knownAnswer` uses. */
function traceOf(complete: boolean): Trace {
  return { ingest: { complete } } as Trace;
}

async function request(trace: Trace, args: object, value: object): Promise<unknown> {
  const found = await knownAnswer(trace, 'find', args, () => Promise.resolve(ok(value)));
  return found.ok ? found.value : found.error;
}

test('an answer is remembered for its question and trace only, once the index is complete', async () => {
  const trace = traceOf(true);
  expect(await request(trace, { from: 1 }, { found: 1 })).toEqual({ found: 1 });
  expect(await request(trace, { from: 1 }, { found: 2 })).toEqual({ found: 1 });
  expect(await request(trace, { from: 2 }, { found: 3 })).toEqual({ found: 3 });
  expect(await request(traceOf(true), { from: 1 }, { found: 4 })).toEqual({ found: 4 });
  const partial = traceOf(false);
  expect(await request(partial, {}, { found: 5 })).toEqual({ found: 5 });
  expect(await request(partial, {}, { found: 6 })).toEqual({ found: 6 });
});

test('a remembered answer has arrays of its own', async () => {
  const trace = traceOf(true);
  const first = { counts: Float64Array.of(1, 2) };
  await request(trace, {}, first);
  first.counts.buffer.transfer();
  const second = (await request(trace, {}, {})) as typeof first;
  expect(second).toEqual({ counts: Float64Array.of(1, 2) });
  second.counts.buffer.transfer();
  expect(await request(trace, {}, {})).toEqual({ counts: Float64Array.of(1, 2) });
});

test('neither failures nor very large answers are remembered', async () => {
  const trace = traceOf(true);
  const failure = await knownAnswer(trace, 'find', {}, () => Promise.resolve(fail('cancelled', 'it was cancelled')));
  expect(failure.ok).toBe(false);
  await request(trace, {}, { counts: new Float64Array(2 ** 20) });
  expect(await request(trace, {}, { found: 1 })).toEqual({ found: 1 });
});
