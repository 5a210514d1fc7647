// Requests that walk a trace: sent once per key, with progress if slow, and with stop and retry.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FlowProgress } from '../../shared/requests/flow.ts';
import { fail, ok, type Result } from '../../shared/base/result.ts';
import { createBranchList } from '../../renderer/features/branches/branch-list.svelte.ts';
import { createFlowQuestion } from '../../renderer/trace/questions/flow-question.svelte.ts';
import { createHeat } from '../../renderer/features/heatmap/heat.svelte.ts';
import { playEngine, WHOLE } from './played-engine.ts';
import { createTrace } from '../../renderer/trace/trace.svelte.ts';
import type { Answer, Arguments, RequestName, Client } from '../../shared/requests/requests.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Run {
  readonly key: number;
  readonly signal: AbortSignal;
  readonly report: (progress: FlowProgress) => void;
  readonly answer: (value: string) => Promise<void>;
}

function ask() {
  const runs: Run[] = [];
  const question = createFlowQuestion<number, string>(
    (key, { signal, onEvent }) =>
      new Promise<Result<string>>((resolve) => {
        const answer = async (value: string): Promise<void> => {
          resolve(ok(value));
          for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
        };
        runs.push({ key, signal, report: onEvent, answer });
      }),
    () => 100,
  );
  return { question, runs };
}

test('counts progress from the start of the walk and shows it only if the walk takes long', async () => {
  const { question, runs } = ask();
  question.ask(1);
  runs[0]?.report({ at: 150, to: 200 });
  expect([question.busy, question.done]).toEqual([true, null]);
  vi.advanceTimersByTime(501);
  expect(question.done).toBe(0);
  runs[0]?.report({ at: 150, to: 200 });
  expect(question.done).toBe(0.5);
  await runs[0]?.answer('all');
  expect([question.busy, question.done, question.value, question.key]).toEqual([false, null, 'all', 1]);
});

test('retries a failed request on demand, but not if the trace lacks the information', async () => {
  const codes = ['cut-short', 'no-flow'];
  const question = createFlowQuestion<number, string>(() => {
    const code = codes.shift();
    return Promise.resolve(code === undefined ? ok('after all') : fail(code, 'in a sentence'));
  });
  const idle = (): Promise<void> => expect.poll(() => question.busy).toBe(false);
  question.ask(1);
  await idle();
  expect([question.error?.code, question.failed]).toEqual(['cut-short', true]);
  question.retry();
  expect(question.failed).toBe(false);
  await idle();
  expect([question.error?.code, question.failed]).toEqual(['no-flow', false]);
  question.retry();
  await idle();
  expect([question.value, question.error, question.failed]).toEqual(['after all', undefined, false]);
});

test('sends a key once, and a new key cancels the old request', async () => {
  const { question, runs } = ask();
  question.ask(1);
  question.ask(1);
  expect(runs.map(({ key }) => key)).toEqual([1]);
  question.ask(2);
  expect([runs[0]?.signal.aborted, runs[1]?.key]).toEqual([true, 2]);
  await runs[0]?.answer('old');
  await runs[1]?.answer('new');
  expect(question.value).toBe('new');
});

test('sends a stopped request again on retry or for another key', async () => {
  const { question, runs } = ask();
  question.cancel();
  expect(question.stopped).toBe(false);
  question.ask(1);
  question.cancel();
  expect([runs[0]?.signal.aborted, question.stopped, question.busy]).toEqual([true, true, false]);
  question.ask(1);
  expect(runs).toHaveLength(1);
  question.retry();
  expect([runs.length, question.stopped]).toEqual([2, false]);
  await runs[1]?.answer('after all');
  expect(question.value).toBe('after all');
  question.cancel();
  question.ask(3);
  expect([runs.length, question.stopped]).toEqual([3, false]);
});

/** Branches at every tenth record up to 10,000, answered as the engine does. */
function branches() {
  const requested: Arguments<'branchEvents'>[] = [];
  const reach = { records: 10_000, bytes: 1, complete: true };
  const client: Client = {
    request: <N extends RequestName>(name: N, args: Arguments<N>) => {
      if (name !== 'branchEvents') return new Promise<never>(() => undefined);
      const { from = 0, to = 10_000, count, backwards = false } = args as Arguments<'branchEvents'>;
      requested.push(args as Arguments<'branchEvents'>);
      const all = Array.from({ length: 1000 }, (_, i) => 10 * i).filter((n) => n >= from && n < to);
      const some = (backwards ? all.toReversed() : all).slice(0, count);
      const last = some.at(-1) ?? 0;
      const next = some.length === all.length ? null : backwards ? last : last + 10;
      const events = some.map((n) => ({ n, kind: 'jump' as const, inferred: false }));
      return Promise.resolve(ok({ events, next, reach }) as Result<Answer<N>>);
    },
  };
  const opened = {
    trace: 't',
    file: { path: 'x', bytes: 1 },
    format: { id: 'tarmac', name: 'Tarmac', confidence: 1, reasons: [], options: {} },
    reach,
    notices: [],
  };
  return { list: createBranchList(createTrace(client, { path: 'x' }, opened, () => undefined)), requested: requested };
}

async function idle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
}

test('loads branches around a record page by page on both sides without gaps or repetitions', async () => {
  const { list, requested } = branches();
  list.look(5005, null);
  await idle();
  const numbers = (): number[] => list.events.map(({ n }) => n);
  expect([numbers().length, numbers()[0], numbers().at(-1)]).toEqual([400, 3010, 7000]);
  list.look(3500, null);
  await idle();
  expect(requested).toHaveLength(2);
  expect([await list.more('before'), numbers()[0]]).toEqual([200, 1010]);
  expect([await list.more('after'), numbers().at(-1)]).toEqual([0, 9000]);
  while ((await list.more('before')) > 0);
  await list.more('after');
  expect(numbers()).toEqual(Array.from({ length: 1000 }, (_, i) => 10 * i));
  const before = requested.length;
  expect([await list.more('before'), await list.more('after'), requested.length]).toEqual([0, 0, before]);
  list.look(9000, ['call']);
  await idle();
  expect(requested.at(-1)).toMatchObject({ kinds: ['call'], from: 9001 });
});

test('does not show branches of another filter or of a previous position', async () => {
  const { list } = branches();
  list.look(5005, null);
  await idle();
  list.look(9500, null);
  list.look(5005, null);
  await idle();
  expect(list.events.at(0)?.n).toBe(3010);
  list.look(5005, ['call']);
  expect(list.events).toEqual([]);
  list.question.cancel();
  expect([await list.more('after'), list.events]).toEqual([0, []]);
});

test('the fine counts of the heatmap show progress, and stay cancelled until they are wanted again', async () => {
  const { trace, last } = playEngine();
  const { fine } = createHeat(trace);
  const bands = [{ low: '0x0', high: '0x4000', rows: 2 }] as const;
  const rectangle = { from: 0, to: 1000, columns: 2, bands, kinds: null };
  fine.ask(rectangle);
  expect(last('heat').args).toEqual({
    trace: 't1',
    from: 0,
    to: 1000,
    columns: 2,
    bands,
    precision: 'fine',
  });
  last('heat').report({ at: 100, to: 1000 });
  expect(fine.done).toBeNull();
  vi.advanceTimersByTime(501);
  expect(fine.done).toBe(0);
  last('heat').report({ at: 250, to: 1000 });
  expect(fine.done).toBe(0.25);
  fine.cancel();
  expect([last('heat').signal?.aborted, fine.busy, fine.stopped, fine.done]).toEqual([true, false, true, null]);
  fine.ask(rectangle);
  expect(fine.busy).toBe(false);
  fine.retry();
  const edges = Float64Array.of(0, 500, 1000);
  const counts = Float64Array.of(1, 2, 3, 4);
  await last('heat').answer({ columns: 2, rows: 2, edges, bands: [], counts, most: 4, coarse: false, reach: WHOLE });
  expect([fine.busy, fine.stopped, fine.value?.counts]).toEqual([false, false, counts]);
});
