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
  const stage = server();
  stage.fails('disconnected');
  const answer = stage.connection.client.request('records', ask);
  await expect.poll(() => stage.connection.lost).toContain('does not answer');
  stage.later();
  await expect.poll(() => stage.rests).toBe(1);
  expect(stage.connection.lost).not.toBe(null);

  stage.fails(null);
  stage.connection.check();
  expect(await answer).toEqual(ok('records'));
  expect(stage.connection.lost).toBe(null);
  expect(stage.requested).toEqual(['records', 'formats', 'formats', 'formats', 'records']);
});

test('several failed requests give one message and one reconnection attempt', async () => {
  const stage = server();
  stage.fails('disconnected');
  const answers = Promise.all([1, 2, 3].map(() => stage.connection.client.request('records', ask)));
  await expect.poll(() => stage.rests).toBe(1);
  expect(stage.requested).toEqual(['records', 'records', 'records', 'formats']);
  stage.fails(null);
  stage.later();
  expect(await answers).toEqual([ok('records'), ok('records'), ok('records')]);
});

test('never repeats a change: it fails, and the page explains why', async () => {
  const stage = server();
  stage.fails('disconnected');
  const answer = await stage.connection.client.request('importNotes', { trace: 't1', text: '' });
  expect(answer).toEqual(fail('disconnected', 'disconnected'));
  expect(stage.requested).toEqual(['importNotes', 'formats']);
  expect(stage.connection.lost).toContain('does not answer');
});

test('a cancelled request does not wait', async () => {
  const stage = server();
  stage.fails('disconnected');
  const own = new AbortController();
  const answer = stage.connection.client.request('records', ask, { signal: own.signal });
  await expect.poll(() => stage.rests).toBe(1);
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
  const stage = server();
  stage.fails('refused');
  void stage.connection.client.request('records', ask);
  await expect.poll(() => stage.connection.lost).toContain('was restarted');
});
