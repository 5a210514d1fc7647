// Calls that a page makes at the same time: one request, one body, an answer for each.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fail, ok } from '../../shared/base/result.ts';
import { createHandlers, call, readFrames, refusal } from './handlers.ts';

let handlers: ReturnType<typeof createHandlers>;
beforeAll(() => {
  handlers = createHandlers();
});
afterAll(() => handlers.dispose());

function together(calls: readonly (readonly [id: string, name: string, args: unknown])[], cancelled: string[] = []) {
  return call('together', { calls: calls.map(([id, name, args]) => ({ id, name, args })), cancelled });
}

test('each call gets its own events and its answer in the order in which they are ready', async () => {
  const { handler, client } = handlers.desktop();
  const response = await handler(
    together([
      ['a', 'info', { trace: 't1' }],
      ['b', 'index', { trace: 't1' }],
    ]),
  );
  const frames = readFrames(response);
  const [info, index] = client.reached;
  index?.emit({ bytes: 7 });
  index?.answer(ok({ counts: new Float64Array([1.5]) }));
  info?.answer(fail('gone', 'no such trace'));
  expect(await frames).toEqual([
    { call: 'b', event: { bytes: 7 } },
    { call: 'b', answer: ok({ counts: new Float64Array([1.5]) }) },
    { call: 'a', answer: fail('gone', 'no such trace') },
  ]);
});

test('a call that is refused does not keep others from their answers', async () => {
  const { handler, client, allowed } = handlers.desktop();
  allowed.grant('/mine');
  const response = await handler(
    together([
      ['1', 'detect', { path: '/other' }],
      ['2', 'nothing', {}],
      ['3', 'records', { trace: 't1', from: 0, count: 0 }],
      ['4', 'detect', { path: '/mine' }],
    ]),
  );
  const frames = readFrames(response);
  client.reached[0]?.answer(ok('fine'));
  expect(client.reached.map(({ args }) => args)).toEqual([{ path: '/mine' }]);
  const answers = new Map((await frames).map((frame) => [frame.call, 'answer' in frame && frame.answer]));
  expect(answers.get('1')).toMatchObject({ error: { code: 'not-opened' } });
  expect(answers.get('2')).toEqual(fail('unknown-request', 'There is no request named "nothing".'));
  expect(answers.get('3')).toEqual(fail('usage', 'records: count must be a whole number from 1 to 10000.'));
  expect(answers.get('4')).toEqual(ok('fine'));
});

test('a later request cancels one call, and leaves the others of its body', async () => {
  const { handler, client } = handlers.desktop();
  const first = await handler(
    together([
      ['a', 'info', { trace: 't1' }],
      ['b', 'info', { trace: 't2' }],
    ]),
  );
  const cancel = await handler(together([], ['a', 'unknown']));
  expect(cancel.status).toBe(204);
  expect(client.reached.map(({ aborted }) => aborted())).toEqual([true, false]);
  client.reached[1]?.answer(ok(2));
  expect(await readFrames(first)).toEqual([
    { call: 'a', answer: fail('cancelled', 'The request was cancelled.') },
    { call: 'b', answer: ok(2) },
  ]);
});

test('a call that was cancelled before it arrived is cancelled at once', async () => {
  const { handler, client } = handlers.desktop();
  await handler(together([], ['late']));
  const next = client.next();
  void handler(together([['late', 'info', { trace: 't1' }]]));
  const reached = await next;
  expect(reached.aborted()).toBe(true);
});

test('a reader that goes away cancels all calls of its body', async () => {
  const { handler, client } = handlers.desktop();
  const response = await handler(
    together([
      ['a', 'info', { trace: 't1' }],
      ['b', 'info', { trace: 't2' }],
    ]),
  );
  await response.body?.cancel();
  await vi.waitUntil(() => client.reached.every(({ aborted }) => aborted()));
});

test.each([
  ['no list', {}, '400 usage together: calls is missing.'],
  [
    'too many calls',
    { calls: Array(33).fill({}), cancelled: [] },
    '400 usage together: calls must be a list of at most 32 items.',
  ],
  [
    'a call without a name',
    { calls: [{ id: 'a', args: {} }], cancelled: [] },
    '400 usage together: calls[0].name is missing.',
  ],
])('refuses %s', async (_, body, expected) => {
  const { handler, client } = handlers.desktop();
  expect(await refusal(await handler(call('together', body)))).toBe(expected);
  expect(client.reached).toEqual([]);
});
