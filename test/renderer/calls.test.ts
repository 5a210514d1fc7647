/** Requests of the panes about calls while an index grows and ranges are dragged, and the history of centred functions. */
import { expect, test } from 'vitest';
import { ask, callsKey, createCalls } from '../../renderer/trace/flow/calls.svelte.ts';
import { createCursor } from '../../renderer/trace/cursor.svelte.ts';
import type { Client } from '../../shared/requests/requests.ts';
import type { CallGraph, FlowRange } from '../../shared/requests/flow.ts';
import { ok, type Result } from '../../shared/base/result.ts';

interface Requested {
  readonly args: FlowRange;
  readonly signal: AbortSignal | undefined;
  readonly answer: (result: Result<unknown>) => Promise<void>;
}

function open() {
  const requested: Requested[] = [];
  const announced: string[] = [];
  const client = {
    request: (_name: string, args: FlowRange, options?: { readonly signal?: AbortSignal }) =>
      new Promise((resolve) => {
        const answer = async (result: Result<unknown>): Promise<void> => {
          resolve(result);
          for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
        };
        requested.push({ args, signal: options?.signal, answer });
      }),
  } as unknown as Client;
  const cursor = createCursor();
  return { requested, announced, cursor, calls: createCalls(client, 't1', cursor, (text) => announced.push(text)) };
}

const complete = (records: number) => ({ records, bytes: records, complete: true });
const growing = (records: number) => ({ records, bytes: records, complete: false });
const EMPTY = { functions: [], edges: [] } as unknown as CallGraph;

test('requests whole records of the range, or the whole trace without a range', () => {
  expect(callsKey({ from: 10.4, to: 19.2 }, complete(100))).toEqual({ from: 10, to: 20, step: 100 });
  expect(callsKey(null, complete(100))).toEqual({ step: 100 });
});

test('requests a growing index again at few sizes, and at its end', () => {
  const steps = new Set(Array.from({ length: 10_000 }, (_, at) => callsKey(null, growing(100 * (at + 1))).step));
  // From 100 records to 10,000 times as many: 1.5 ** 23 is more.
  expect(steps.size).toBeLessThanOrEqual(24);
  expect(callsKey(null, growing(1_000_000)).step).not.toBe(callsKey(null, complete(1_000_000)).step);
});

test('a dragged range does not restart the first walk through a trace, but restarts later ones', async () => {
  const { requested, calls } = open();
  ask(calls.graph, callsKey(null, complete(1000)));
  ask(calls.graph, callsKey({ from: 0, to: 500 }, complete(1000)));
  expect(requested.map(({ args }) => args)).toEqual([{ trace: 't1' }]);
  await requested[0]!.answer(ok(EMPTY));
  ask(calls.graph, callsKey({ from: 0, to: 400 }, complete(1000)));
  ask(calls.graph, callsKey({ from: 0, to: 300 }, complete(1000)));
  expect(requested.map(({ args }) => args.to)).toEqual([undefined, 400, 300]);
  expect(requested.map(({ signal }) => signal?.aborted)).toEqual([false, true, false]);
  calls.stop();
  expect(requested[2]!.signal?.aborted).toBe(true);
});

test('goes back through all centred functions to the default', () => {
  const { calls } = open();
  expect(calls.canGoBack).toBe(false);
  for (const id of ['0x1', '0x2', '0x2', '0x3']) calls.centreOn(id);
  const way = [calls.centre];
  while (calls.canGoBack) {
    calls.goBack();
    way.push(calls.centre);
  }
  expect(way).toEqual(['0x3', '0x2', '0x1', null]);
});

test('centres on the innermost open call at the cursor, for the latest request', async () => {
  const { requested, announced, calls, cursor } = open();
  const first = calls.centreHere();
  cursor.jump(7);
  const second = calls.centreHere();
  await requested[1]!.answer(ok({ frames: [{ id: '0x20' }, { id: '0x10' }] }));
  await requested[0]!.answer(ok({ frames: [{ id: '0x99' }] }));
  await Promise.all([first, second]);
  expect(requested.map(({ args }) => args)).toEqual([
    { trace: 't1', at: 0 },
    { trace: 't1', at: 7 },
  ]);
  expect(calls.centre).toBe('0x20');
  const third = calls.centreHere();
  await requested[2]!.answer(ok({ frames: [] }));
  await third;
  expect([calls.centre, announced]).toEqual(['0x20', ['The function that runs at the cursor is unknown.']]);
});

test('keeps a function chosen, or gone back to, before the function at the cursor is known', async () => {
  const { requested, announced, calls } = open();
  calls.centreOn('0x1');
  const first = calls.centreHere();
  calls.centreOn('0x1');
  await requested[0]!.answer(ok({ frames: [{ id: '0x20' }] }));
  calls.centreOn('0x2');
  const second = calls.centreHere();
  calls.goBack();
  await requested[1]!.answer(ok({ frames: [] }));
  await Promise.all([first, second]);
  expect([calls.centre, announced]).toEqual(['0x1', []]);
});
