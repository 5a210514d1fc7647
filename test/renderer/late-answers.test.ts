// Answers that come late, or after younger ones, from an engine that the test plays: what a person did meanwhile stays, and what is shown belongs to what was asked.
import { expect, test } from 'vitest';
import type { Answer, CallName, CallOptions, Client, Opened, Reach, TraceInfo } from '../../shared/api.ts';
import type { Kind } from '../../shared/record.ts';
import { fail, type Result } from '../../shared/result.ts';
import { createTrace } from '../../renderer/stores/trace.svelte.ts';

const whole: Reach = { records: 1000, bytes: 10_000, complete: true };
const opened: Opened = {
  trace: 't1',
  file: { path: 'run.txt', bytes: 10_000 },
  format: { id: 'tarmac', name: 'Tarmac', confidence: 1, reasons: [], options: {} },
  reach: whole,
  notices: [],
};

interface Asked {
  readonly name: CallName;
  readonly args: object;
  readonly signal: CallOptions<CallName>['signal'];
  /** Nothing: it fails. */
  readonly answer: (value?: unknown) => Promise<void>;
}

function play(reach: Reach = whole) {
  const asked: Asked[] = [];
  const said: string[] = [];
  const client: Client = {
    call: <N extends CallName>(name: N, args: object, options: CallOptions<N> = {}) =>
      new Promise<Result<Answer<N>>>((resolve) => {
        const answer = async (value?: unknown): Promise<void> => {
          resolve(value === undefined ? fail('broken', 'The trace is gone.') : { ok: true, value: value as Answer<N> });
          await settled();
        };
        asked.push({ name, args, signal: options.signal, answer });
      }),
  };
  const trace = createTrace(
    client,
    { path: 'run.txt' },
    { ...opened, reach },
    (text) => text !== '' && said.push(text),
  );
  const of = (name: CallName): readonly Asked[] => asked.filter((call) => call.name === name);
  return { trace, said, asked, of };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
}

function infoOf(complete: boolean, kinds: Partial<Record<Kind, number>>): Partial<TraceInfo> {
  return { kinds, index: { path: '', bytes: 0, complete, seconds: 0 } };
}

test('counts of a part of the index, come after the end or not, never say that a kind is nowhere', async () => {
  const { trace, of } = play({ records: 100, bytes: 1000, complete: false });
  const built = trace.build();
  await of('index')[0]?.answer({ ...whole, seconds: 1 });
  expect([trace.reach.complete, trace.info]).toEqual([true, null]);
  await of('info')[0]?.answer(infoOf(false, { write: 5 }));
  await built;
  trace.cursor.setAddress({ low: 0x8000n, bytes: 1 });
  void trace.who.ask('next-access');
  expect(of('find')).toHaveLength(1);
});

test('an older answer about a trace does not replace a younger one', async () => {
  const { trace, of } = play();
  void trace.build();
  await of('index')[0]?.answer({ ...whole, seconds: 1 });
  void trace.build();
  await of('index')[1]?.answer({ ...whole, seconds: 1 });
  const [older, younger] = of('info');
  await younger?.answer(infoOf(true, { write: 9 }));
  await older?.answer(infoOf(false, { write: 5 }));
  expect(trace.info?.kinds).toEqual({ write: 9 });
});
