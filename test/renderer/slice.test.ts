/** The slice that the page shows: how many steps are requested, what stays shown meanwhile, and walking from step to step. */
import { expect, test } from 'vitest';
import type { Why } from '../../shared/requests/why.ts';
import { playEngine, WHOLE } from './played-engine.ts';

/** An answer with steps at these records that ends for a reason. */
function answer(records: readonly number[], reason: Why['ended']['reason']): Why {
  const of = { register: 'r0', cpu: null, value: '0x1' } as const;
  const step = { kind: 'copy', defines: [], uses: [], inferred: false } as const;
  return {
    at: 500,
    of,
    steps: records.map((n) => ({ n, ...step })),
    origin: [],
    ended: { reason, open: [] },
    reach: WHOLE,
  };
}

const QUESTION = { at: 500, register: 'r0' };
const RUN = expect.any(String) as string;

test('more steps are requested as long as there are more, and the answer stays shown meanwhile', async () => {
  const { trace, of, last } = playEngine();
  const { slice } = trace;
  slice.ask(QUESTION);
  slice.ask({ ...QUESTION });
  expect(of('why').map(({ args }) => args)).toEqual([{ trace: 't1', at: 500, register: 'r0', steps: 50, run: RUN }]);
  await last('why').answer(answer([400, 300], 'steps'));
  expect([slice.next, [...slice.numbers]]).toEqual([200, [300, 400]]);
  slice.more();
  expect(last('why').args).toMatchObject({ steps: 200 });
  expect([slice.busy, slice.answer?.steps.length]).toEqual([true, 2]);
  await last('why').answer(answer([400, 300, 200], 'origins'));
  expect([slice.busy, slice.next, slice.answer?.steps.length]).toEqual([false, undefined, 3]);
});

test('a stopped request is answered with the steps so far, and can be repeated', async () => {
  const { trace, last, of } = playEngine();
  const { slice } = trace;
  slice.ask(QUESTION);
  slice.cancel();
  const { run } = last('why').args as { readonly run: string };
  expect([last('stopWhy').args, slice.busy, slice.stopped]).toEqual([{ trace: 't1', run }, true, false]);
  await last('why').answer(answer([400, 300], 'cancelled'));
  expect([slice.busy, slice.stopped, slice.answer?.steps.length]).toEqual([false, true, 2]);
  // A report has as many steps.
  expect(slice.part).toEqual({ kind: 'why', question: { ...QUESTION, steps: 2 } });
  slice.retry();
  expect([of('why').length, last('why').args]).toEqual([2, { trace: 't1', ...QUESTION, steps: 50, run: RUN }]);
  expect(last('why').args).not.toMatchObject({ run });
  expect(slice.stopped).toBe(false);
});

test('an answer that was stopped does not replace a longer one', async () => {
  const { trace, last } = playEngine();
  const { slice } = trace;
  slice.ask(QUESTION);
  await last('why').answer(answer([400, 300], 'steps'));
  slice.more();
  slice.cancel();
  await last('why').answer(answer([400], 'cancelled'));
  expect([slice.busy, slice.stopped, slice.answer?.steps.length, slice.next]).toEqual([false, true, 2, 200]);
});

test('the second stop drops a request that does not end', async () => {
  const { trace, last, of } = playEngine();
  const { slice } = trace;
  slice.ask(QUESTION);
  await last('why').answer(answer([400], 'steps'));
  slice.more();
  slice.cancel();
  slice.cancel();
  expect([
    last('why').signal?.aborted,
    of('stopWhy').length,
    slice.stopped,
    slice.busy,
    slice.answer?.steps.length,
  ]).toEqual([true, 1, true, false, 1]);
});

test('the answer belongs to its own question until the next answer arrives', async () => {
  const { trace, last } = playEngine();
  const { slice } = trace;
  slice.ask(QUESTION);
  await last('why').answer(answer([400], 'origins'));
  slice.ask({ at: 500, address: '0x8000' });
  expect([slice.question, slice.numbers.length]).toEqual([QUESTION, 1]);
  await last('why').answer(answer([], 'unknown'));
  expect([slice.question, slice.numbers.length]).toEqual([{ at: 500, address: '0x8000' }, 0]);
});

test('the filter ends with the question', async () => {
  const { trace, last } = playEngine();
  const { slice } = trace;
  slice.only = true;
  expect(slice.only).toBe(false);
  slice.ask(QUESTION);
  await last('why').answer(answer([400], 'origins'));
  slice.only = true;
  expect(slice.only).toBe(true);
  slice.ask(null);
  expect([slice.only, slice.answer, slice.numbers.length]).toEqual([false, undefined, 0]);
});

test('walking goes from step to step, also from a record between two steps', async () => {
  const { trace, last } = playEngine();
  const { slice } = trace;
  slice.ask(QUESTION);
  await last('why').answer(answer([400, 300, 200], 'origins'));
  expect([slice.walk(300, 1), slice.walk(300, -1), slice.walk(250, 1), slice.walk(250, -1)]).toEqual([
    400, 200, 300, 200,
  ]);
  expect([slice.walk(400, 1), slice.walk(200, -1), slice.walk(999, -1), slice.walk(0, 1)]).toEqual([
    400, 200, 400, 200,
  ]);
});
