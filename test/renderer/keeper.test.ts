/** Traces are opened with the view that was left, and kept again. */
import { beforeEach, expect, test, vi } from 'vitest';
import { startWorkbench } from './start-workbench.ts';
import type { Client, KeptTrace, RequestName } from '../../shared/requests/requests.ts';
import { fail, ok } from '../../shared/base/result.ts';

beforeEach(() => {
  const storage = { getItem: () => null, setItem: () => undefined };
  vi.stubGlobal('sessionStorage', storage);
  vi.stubGlobal('document', { visibilityState: 'visible', addEventListener: () => undefined });
});

const LEFT: KeptTrace = {
  path: '/a',
  bytes: 6000,
  modified: 1,
  at: 1,
  state: 'same',
  view: JSON.stringify({ version: 1, n: 500, range: { from: 400, to: 600 } }),
};

/** An engine with one trace of 1000 records, whose index is complete or ends when the test says so. */
function play(left: KeptTrace, complete: boolean) {
  const format = { id: 'byu6', name: 'BYU', confidence: 1, reasons: [], options: {} };
  const reach = complete ? { records: 1000, bytes: 6000 } : { records: 10, bytes: 60 };
  const indexed = Promise.withResolvers<unknown>();
  const writes: string[] = [];
  const request = (name: RequestName, args: { readonly view?: string }): unknown => {
    switch (name) {
      case 'kept':
        return ok({ settings: {}, traces: [left], problems: ['a file is damaged'] });
      case 'keepTrace':
        writes.push(args.view ?? '');
        return ok({});
      case 'detect':
        return ok({ candidates: [{ format: 'byu6', confidence: 1, reasons: [], preview: [] }] });
      case 'open':
        return ok({
          trace: 't1',
          file: { path: '/a', bytes: 6000 },
          format,
          reach: { ...reach, complete },
          notices: [],
        });
      case 'index':
        return indexed.promise;
      default:
        return fail('not-asked', `${name} is not part of this test`);
    }
  };
  const client = { request: (name: RequestName, args: object) => Promise.resolve(request(name, args)) };
  const finish = () => indexed.resolve(ok({ records: 1000, bytes: 6000, complete: true }));
  return {
    client: client as unknown as Client,
    workbench: startWorkbench(client as unknown as Client),
    writes,
    finish,
  };
}

test('opens at the record and range that were left, without a way back to the start', async () => {
  const { workbench, writes } = play(LEFT, true);
  await workbench.open({ path: '/a' });
  const { cursor } = workbench.traces[0]!;
  expect([cursor.n, cursor.range, cursor.canGoBack]).toEqual([500, { from: 400, to: 600 }, false]);
  expect(workbench.said.text).toBe('a file is damaged');
  cursor.jump(501);
  workbench.release();
  expect(JSON.parse(writes.at(-1) ?? '{}')).toMatchObject({ n: 501, range: { from: 400, to: 600 } });
});

test('goes to a record once it is indexed, and keeps the old place until then', async () => {
  const { workbench, writes, finish } = play(LEFT, false);
  await workbench.open({ path: '/a' });
  const { cursor } = workbench.traces[0]!;
  expect(cursor.n).toBe(0);
  workbench.release();
  expect(new Set(writes)).toEqual(new Set([LEFT.view]));
  finish();
  await expect.poll(() => cursor.n).toBe(500);
  expect(cursor.range).toEqual({ from: 400, to: 600 });
});

test('stays where the person has gone before the record is indexed', async () => {
  const { workbench, finish } = play(LEFT, false);
  await workbench.open({ path: '/a' });
  const trace = workbench.traces[0]!;
  trace.cursor.jump(7);
  finish();
  await expect.poll(() => trace.indexing).toBe('complete');
  expect([trace.cursor.n, trace.cursor.range]).toEqual([7, null]);
});

test('shows the last record of a file that has become shorter, and says that it has changed', async () => {
  const view = JSON.stringify({ version: 1, n: 5_000_000, range: { from: 4_000_000, to: 5_000_000 } });
  const { workbench } = play({ ...LEFT, state: 'changed', view }, true);
  await workbench.open({ path: '/a' });
  const { cursor } = workbench.traces[0]!;
  expect(cursor.n).toBe(999);
  expect(cursor.range === null || cursor.range.to <= 1000).toBe(true);
});

test('names the newest recent trace once the host has answered, and does not wait for ever', async () => {
  vi.useFakeTimers();
  try {
    const { client } = play(LEFT, true);
    const answer = Promise.withResolvers<undefined>();
    const late = {
      async request(name: RequestName, args: object) {
        if (name === 'kept') await answer.promise;
        return client.request(name, args);
      },
    };
    const { keeper } = startWorkbench(late);
    const refreshed = keeper.refresh();
    const given = keeper.newest();
    await vi.runAllTimersAsync();
    expect(await given).toBe(undefined);
    const newest = keeper.newest();
    answer.resolve(undefined);
    await refreshed;
    expect(await newest).toBe('/a');
  } finally {
    vi.useRealTimers();
  }
});
