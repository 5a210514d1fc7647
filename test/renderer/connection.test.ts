// The page without a server: one message, waiting requests, and nothing done twice.
import { expect, test } from 'vitest';
import { createConnection } from '../../renderer/client/connection.svelte.ts';
import type { RequestName, Client } from '../../shared/requests/requests.ts';
import { fail, ok } from '../../shared/base/result.ts';

/** A server that answers with the name of the request, until the test makes it fail. */
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
    /** Lets time pass, so that the page tries again. */
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

test('a request waits while the server is away and is sent again when it answers', async () => {
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

test('several failed requests give one message and one reconnection attempt', async () => {
  const world = server();
  world.fails('disconnected');
  const answers = Promise.all([1, 2, 3].map(() => world.connection.client.request('records', ask)));
  await expect.poll(() => world.rests).toBe(1);
  expect(world.requested).toEqual(['records', 'records', 'records', 'formats']);
  world.fails(null);
  world.later();
  expect(await answers).toEqual([ok('records'), ok('records'), ok('records')]);
});

test('never repeats a change: it fails, and the page explains why', async () => {
  const world = server();
  world.fails('disconnected');
  const answer = await world.connection.client.request('importNotes', { trace: 't1', text: '' });
  expect(answer).toEqual(fail('disconnected', 'disconnected'));
  expect(world.requested).toEqual(['importNotes', 'formats']);
  expect(world.connection.lost).toContain('does not answer');
});

test('a cancelled request does not wait', async () => {
  const world = server();
  world.fails('disconnected');
  const own = new AbortController();
  const answer = world.connection.client.request('records', ask, { signal: own.signal });
  await expect.poll(() => world.rests).toBe(1);
  own.abort();
  expect(await answer).toMatchObject({ ok: false, error: { code: 'cancelled' } });
});

test('an answer truncated while the server is up fails only its own request', async () => {
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

test('distinguishes a restarted server from one that is away', async () => {
  const world = server();
  world.fails('refused');
  void world.connection.client.request('records', ask);
  await expect.poll(() => world.connection.lost).toContain('was restarted');
});
