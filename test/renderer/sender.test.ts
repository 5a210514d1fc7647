// Which calls of the page share an HTTP request, and what becomes of each of them.
import { afterEach, expect, test, vi } from 'vitest';
import { createClient } from '../../renderer/client/client.ts';
import { encodeFrame, FRAMES_TYPE, type Frame } from '../../shared/wire/frames.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

interface Sent {
  readonly path: string;
  readonly body: {
    readonly calls: readonly { id: string; name: string; args: unknown }[];
    readonly cancelled: string[];
  };
  readonly signal: AbortSignal | undefined;
  readonly reply: (...frames: Frame[]) => void;
  readonly end: () => void;
}

/** A host that answers by hand. */
function host(): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal('fetch', (path: string, { body, signal }: { body: string; signal?: AbortSignal }) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    sent.push({
      path,
      body: JSON.parse(body) as Sent['body'],
      signal,
      reply: (...frames) => frames.forEach((frame) => void writer.write(encodeFrame(frame))),
      end: () => void writer.close(),
    });
    return Promise.resolve(new Response(readable, { headers: { 'content-type': FRAMES_TYPE } }));
  });
  return sent;
}

/** Waits until the calls made so far are sent. */
const sending = (): Promise<void> => Promise.resolve();

test('calls made in one task share a request, and a lone call is sent under its name', async () => {
  const sent = host();
  const client = createClient('./');
  const answers = [client.request('info', { trace: 't1' }), client.request('registers', { trace: 't1', at: 5 })];
  await sending();
  expect(sent.map(({ path }) => path)).toEqual(['./api/together']);
  const [first, second] = sent[0]!.body.calls;
  expect([first?.name, first?.args]).toEqual(['info', { trace: 't1' }]);
  expect([second?.name, second?.args]).toEqual(['registers', { trace: 't1', at: 5 }]);
  // Answers come in any order.
  sent[0]!.reply({ call: second!.id, answer: { ok: true, value: 2 } });
  expect(await answers[1]).toEqual({ ok: true, value: 2 });
  sent[0]!.reply({ call: first!.id, answer: { ok: true, value: 1 } });
  expect(await answers[0]).toEqual({ ok: true, value: 1 });

  void client.request('info', { trace: 't2' });
  await sending();
  expect([sent[1]?.path, sent[1]?.body]).toEqual(['./api/info', { trace: 't2' }]);
});

test('events reach their own call only', async () => {
  const sent = host();
  const client = createClient('./');
  const seen: unknown[] = [];
  const onEvent = (of: string) => (event: unknown) => seen.push([of, event]);
  void client.request('index', { trace: 't1' }, { onEvent: onEvent('t1') });
  const second = client.request('index', { trace: 't2' }, { onEvent: onEvent('t2') });
  await sending();
  const { id } = sent[0]!.body.calls[1]!;
  sent[0]!.reply({ call: id, event: { bytes: 7 } }, { call: id, answer: { ok: true, value: 0 } });
  await second;
  expect(seen).toEqual([['t2', { bytes: 7 }]]);
});

test('a cancelled call is named in the next request, and its late answer is dropped', async () => {
  const sent = host();
  const client = createClient('./');
  const cancel = new AbortController();
  const cancelled = client.request('info', { trace: 't1' }, { signal: cancel.signal });
  const other = client.request('info', { trace: 't2' });
  await sending();
  const [first, second] = sent[0]!.body.calls;
  cancel.abort();
  void client.request('info', { trace: 't3' });
  await sending();
  expect(sent[1]?.path).toBe('./api/together');
  expect(sent[1]?.body.cancelled).toEqual([first!.id]);
  expect(sent[1]?.body.calls.map(({ args }) => args)).toEqual([{ trace: 't3' }]);
  sent[0]!.reply(
    { call: first!.id, answer: { ok: true, value: 1 } },
    { call: second!.id, answer: { ok: true, value: 2 } },
  );
  expect(await other).toEqual({ ok: true, value: 2 });
  expect(await cancelled).toMatchObject({ ok: false, error: { code: 'cancelled' } });
});

test('a call cancelled before it is sent is never sent', async () => {
  const sent = host();
  const client = createClient('./');
  const cancel = new AbortController();
  void client.request('info', { trace: 't1' }, { signal: cancel.signal });
  void client.request('info', { trace: 't2' });
  cancel.abort();
  await sending();
  expect([sent.length, sent[0]?.path, sent[0]?.body]).toEqual([1, './api/info', { trace: 't2' }]);
});

test('a lone call is cancelled by ending its request', async () => {
  const sent = host();
  const cancel = new AbortController();
  void createClient('./').request('info', { trace: 't1' }, { signal: cancel.signal });
  await sending();
  cancel.abort();
  await sending();
  expect([sent.length, sent[0]?.signal?.aborted]).toEqual([1, true]);
});

test('each call without an answer fails when the body ends', async () => {
  const sent = host();
  const client = createClient('./');
  const answers = [client.request('info', { trace: 't1' }), client.request('info', { trace: 't2' })];
  await sending();
  sent[0]!.reply({ call: sent[0]!.body.calls[0]!.id, answer: { ok: true, value: 1 } });
  sent[0]!.end();
  expect(await Promise.all(answers)).toEqual([
    { ok: true, value: 1 },
    expect.objectContaining({ error: expect.objectContaining({ code: 'disconnected' }) as unknown }),
  ]);
});

test('a refusal of the whole request is the answer to each of its calls', async () => {
  const sent = host();
  const client = createClient('./');
  const answers = [client.request('info', { trace: 't1' }), client.request('info', { trace: 't2' })];
  await sending();
  const refusal = { ok: false, error: { code: 'usage', message: 'no' } } as const;
  sent[0]!.reply({ answer: refusal });
  expect(await Promise.all(answers)).toEqual([refusal, refusal]);
});

test('a task that goes on making calls does not keep the first ones waiting', async () => {
  const sent = host();
  const client = createClient('./');
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  for (let n = 0; n < 6; n++) {
    void client.request('info', { trace: `t${n}` });
    now += 10;
  }
  expect(sent.map(({ body }) => body.calls.length)).toEqual([3]);
  await sending();
  expect(sent.map(({ body }) => body.calls.length)).toEqual([3, 3]);
});

test('long arguments and requests that outlive the page go by themselves', async () => {
  const sent = host();
  const client = createClient('./');
  void client.request('info', { trace: 't1' });
  void client.request('info', { trace: 't2' });
  void client.request('importNotes', { trace: 't1', text: 'x'.repeat(10_000) });
  void client.request('close', { trace: 't1' });
  await sending();
  expect(sent.map(({ path }) => path)).toEqual(['./api/importNotes', './api/close', './api/together']);
});

test('a page that is asked to sends every call by itself', async () => {
  const sent = host();
  const client = createClient('./', true);
  void client.request('info', { trace: 't1' });
  void client.request('registers', { trace: 't1', at: 5 });
  await sending();
  expect(sent.map(({ path }) => path)).toEqual(['./api/info', './api/registers']);
});
