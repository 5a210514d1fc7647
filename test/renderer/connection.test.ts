// The page without a server: one message, waiting requests, and nothing done twice.
import { expect, test } from 'vitest';
import { createConnection } from '../../renderer/client/connection.svelte.ts';
import type { RequestName, Client } from '../../shared/requests/requests.ts';
import { fail, ok } from '../../shared/base/result.ts';

/** A server that answers with the names of calls, until it is reported to fail. */
function server() {
  const requested: RequestName[] = [];
  let trouble: string | null = null;
  let pauses: (() => void)[] = [];
  const wire = {
    request(name: RequestName) {
      requested.push(name);
      return Promise.resolve(trouble === null ? ok(name) : fail(trouble, trouble));
    },
  } as unknown as Client;
  const connection = createConnection(wire, () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    pauses.push(() => resolve(undefined));
    return { over: promise, sooner: () => resolve(undefined) };
  });
  return {
    requested,
    connection,
    fails(code: string | null) {
      trouble = code;
    },
    /** Time goes on: the page looks again. */
    later() {
      const all = pauses;
      pauses = [];
      for (const go of all) go();
    },
    get rests() {
      return pauses.length;
    },
  };
}

const ask = { trace: 't1', from: 0, count: 1 } as const;

test('a question waits while nobody answers, and is asked again once somebody does', async () => {
  const world = server();
  world.fails('disconnected');
  const answer = world.connection.client.request('records', ask);
  await expect.poll(() => world.connection.lost).toContain('does not answer');
  world.later();
  await expect.poll(() => world.rests).toBe(1);
  expect(world.connection.lost).not.toBe(null);

  world.fails(null);
  world.connection.check();
  expect(await answer).toEqual(ok('records'));
  expect(world.connection.lost).toBe(null);
  expect(world.requested).toEqual(['records', 'formats', 'formats', 'formats', 'records']);
});

test('many panes that lose their answers make one sentence, and one look', async () => {
  const world = server();
  world.fails('disconnected');
  const answers = Promise.all([1, 2, 3].map(() => world.connection.client.request('records', ask)));
  await expect.poll(() => world.rests).toBe(1);
  expect(world.requested).toEqual(['records', 'records', 'records', 'formats']);
  world.fails(null);
  world.later();
  expect(await answers).toEqual([ok('records'), ok('records'), ok('records')]);
});

test('a change is never made twice: it fails, and the page says why', async () => {
  const world = server();
  world.fails('disconnected');
  const answer = await world.connection.client.request('importNotes', { trace: 't1', text: '' });
  expect(answer).toEqual(fail('disconnected', 'disconnected'));
  expect(world.requested).toEqual(['importNotes', 'formats']);
  expect(world.connection.lost).toContain('does not answer');
});

test('what is cancelled does not wait', async () => {
  const world = server();
  world.fails('disconnected');
  const own = new AbortController();
  const answer = world.connection.client.request('records', ask, { signal: own.signal });
  await expect.poll(() => world.rests).toBe(1);
  own.abort();
  expect(await answer).toMatchObject({ ok: false, error: { code: 'cancelled' } });
});

test('one answer that is cut off while others come is that question’s own failure', async () => {
  const requested: string[] = [];
  const connection = createConnection({
    request(name: RequestName) {
      requested.push(name);
      return Promise.resolve(name === 'formats' ? ok([]) : fail('disconnected', 'cut off'));
    },
  });
  expect(await connection.client.request('records', ask)).toEqual(fail('disconnected', 'cut off'));
  expect(requested).toEqual(['records', 'formats', 'records', 'formats']);
  expect(connection.lost).toBe(null);
});

test('a server that was restarted is reported from one that is away', async () => {
  const world = server();
  world.fails('refused');
  void world.connection.client.request('records', ask);
  await expect.poll(() => world.connection.lost).toContain('was restarted');
});
