// Late and reordered answers from an engine controlled by the test: user actions in the meantime win, and each answer stays with its
// request.
import { expect, test } from 'vitest';
import type { RequestName, TraceInfo } from '../../shared/requests/requests.ts';
import type { Kind } from '../../shared/records/record.ts';
import { fail, type Result } from '../../shared/base/result.ts';
import { createHeat } from '../../renderer/features/heatmap/heat.svelte.ts';
import { createMemoryBands } from '../../renderer/features/memory/memory-bands.svelte.ts';
import { createQuestion } from '../../renderer/trace/questions/question.svelte.ts';
import { playEngine as play, idle, WHOLE as whole } from './played-engine.ts';

function infoOf(complete: boolean, kinds: Partial<Record<Kind, number>>): Partial<TraceInfo> {
  return { kinds, notices: [], index: { path: '', bytes: 0, complete, seconds: 0 } };
}

test('counts of an incomplete index never exclude a kind, even if they arrive after its end', async () => {
  const { trace, of } = play({ records: 100, bytes: 1000, complete: false });
  const built = trace.build();
  await of('index')[0]?.answer({ ...whole, seconds: 1 });
  expect([trace.reach.complete, trace.info]).toEqual([true, null]);
  await of('info')[0]?.answer(infoOf(false, { write: 5 }));
  await built;
  trace.cursor.setAddress({ low: 0x8000n, bytes: 1 });
  void trace.accessSearch.find('next-access');
  expect(of('find')).toHaveLength(1);
});

test('an older answer about a trace does not replace a newer one', async () => {
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

const later = { n: 700, offset: 0, bytes: 10, kind: 'write' as const, native: 'MW2' };

test('a search that ends after the cursor moved announces its result and leaves the cursor there', async () => {
  const looks: readonly [string, (trace: ReturnType<typeof play>['trace']) => Promise<unknown>, RequestName, object][] =
    [
      [
        'The next match is record 700.',
        ({ search }) => search.find({ criteria: { text: 'x' }, direction: 'next', label: 'match' }),
        'find',
        { records: [later], reach: whole },
      ],
      [
        'There is no earlier match.',
        ({ search }) => search.find({ criteria: { text: 'x' }, direction: 'previous', label: 'match' }),
        'find',
        { records: [], reach: whole },
      ],
      [
        'R3 next set by record 700.',
        ({ accessSearch }) => accessSearch.find('next-write'),
        'access',
        { record: later, reach: whole },
      ],
      ['The end of this function is record 700.', ({ flow }) => flow.step('out'), 'step', { n: 700 }],
    ];
  for (const [reported, look, name, answer] of looks) {
    const { trace, of, announced } = play();
    trace.cursor.jump(500);
    trace.cursor.setRegister({ name: 'R3' });
    const looking = look(trace);
    trace.cursor.step(3);
    await of(name)[0]?.answer(answer);
    expect([await looking, trace.cursor.n, announced.at(-1)]).toEqual([
      undefined,
      3,
      `Asked at record 500: ${reported}`,
    ]);
  }
});

test('a search without a result names its start if the cursor has moved', async () => {
  const { trace, of } = play();
  const searching = trace.search.find({ criteria: { text: 'x' }, direction: 'next', label: 'match' });
  await of('find')[0]?.answer({ records: [], reach: whole });
  await searching;
  expect(trace.search.message).toBe('There is no later match.');
  trace.cursor.step(3);
  expect(trace.search.message).toBe('Asked at record 0: There is no later match.');
});

test('keeps an address that is chosen while an access to another one is searched', async () => {
  const { trace, of, announced } = play();
  trace.cursor.jump(500, { low: 0x8000n, bytes: 1 });
  const asking = trace.accessSearch.find('next-write');
  trace.cursor.setAddress({ low: 0x9000n, bytes: 1 });
  await of('find')[0]?.answer({ records: [], reach: whole });
  await of('access')[0]?.answer({ record: later, reach: whole });
  expect([await asking, trace.cursor.n, trace.cursor.address?.low]).toEqual([undefined, 500, 0x9000n]);
  expect(announced.at(-1)).toBe('0x8000 next written by record 700.');
});

test('of two clicked stack frames, goes to the one clicked last', async () => {
  const { trace, of } = play();
  void trace.flow.toCall(100);
  void trace.flow.toCall(200);
  const [first, second] = of('records');
  await second?.answer({ records: [{ ...later, n: 200, kind: 'exception' }] });
  await first?.answer({ records: [{ ...later, n: 100, kind: 'exception' }] });
  expect(trace.cursor.n).toBe(200);
});

test('walks along the edge of the record where the walk began', async () => {
  const { trace, of } = play();
  trace.cursor.jump(500);
  void trace.flow.follow('next');
  trace.cursor.step(800);
  await of('branchEvents')[0]?.answer({ events: [{ n: 500, kind: 'jump', source: '0x10', target: '0x20' }] });
  expect(of('branchEvents')[1]?.args).toMatchObject({ source: '0x10', from: 501 });
  await of('branchEvents')[1]?.answer({ events: [{ n: 600, kind: 'jump', source: '0x10', target: '0x20' }] });
  expect(trace.cursor.n).toBe(800);
});

test('keeps an edge that is chosen while the edge at the cursor is looked up', async () => {
  const { trace, of } = play();
  void trace.flow.follow('next');
  const chosen = { of: 'branches', kind: 'call', source: '0x30', target: '0x40' } as const;
  trace.flow.choose(chosen);
  await of('branchEvents')[0]?.answer({ events: [{ n: 0, kind: 'jump', source: '0x10', target: '0x20' }] });
  expect([trace.flow.edge, of('branchEvents').length]).toEqual([chosen, 1]);
});

test('goes to the heatmap cell entered last, but not after the cursor has moved', async () => {
  const { trace, of } = play();
  const heat = createHeat(trace);
  const area = { from: 0, to: 1000, low: 0x8000n, high: 0x9000n };
  const found = (n: number) => ({ records: [{ ...later, n, address: '0x8000' }], reach: whole });
  void heat.enter(area);
  void heat.enter({ ...area, low: 0x8800n });
  await of('find')[1]?.answer(found(300));
  await of('find')[0]?.answer(found(100));
  expect(trace.cursor.n).toBe(300);
  void heat.enter(area);
  trace.cursor.step(5);
  await of('find')[2]?.answer(found(100));
  expect(trace.cursor.n).toBe(5);
});

test('a stopped or failed search for the nearest access does not continue backwards', async () => {
  for (const end of ['stop', 'fail'] as const) {
    const { trace, of, announced } = play();
    const address = { low: 0x8000n, bytes: 1 };
    const looking = trace.search.findNear({ criteria: { text: 'x' }, label: 'access to 0x8000', address });
    if (end === 'stop') trace.search.cancel();
    await of('find')[0]?.answer();
    await looking;
    expect([of('find').length, announced]).toEqual([1, end === 'stop' ? [] : ['The trace is gone.']]);
  }
});

test.each([
  [true, 'There is no later access to 0x8000. This is the last one.'],
  [false, 'There is no later access to 0x8000 in the indexed part. This is the last one in the indexed part.'],
])(
  'says that the last access is the last one, of the indexed part if the index (complete: %s) grows',
  async (complete, text) => {
    const { trace, of, announced } = play();
    const reach = { ...whole, complete };
    const looking = trace.search.findNear({ criteria: { text: 'x' }, label: 'access to 0x8000' });
    await of('find')[0]?.answer({ records: [], reach });
    await of('find')[1]?.answer({ records: [{ ...later, n: 0 }], reach });
    await looking;
    expect(announced.at(-1)).toBe(text);
  },
);

test('shows a count only for the current selection', async () => {
  const { trace, of } = play();
  const heat = createHeat(trace);
  const [one, other] = [0x8000n, 0x9000n].map((low) => ({ from: 0, to: 10, low, high: low + 64n }));
  if (!one || !other) throw new Error('two cells are needed');
  heat.chosen.ask(one);
  await of('tally')[0]?.answer({ kinds: { write: 3, read: 4 } });
  expect([heat.countOf(one), heat.countOf(other)]).toEqual([7, undefined]);
  heat.chosen.ask(other);
  await of('tally')[1]?.answer();
  expect(heat.countOf(other)).toBeUndefined();
});

test('does not treat a range as empty before its records have arrived', async () => {
  const { trace, of } = play();
  const heat = createHeat(trace);
  heat.marks.ask({ from: 100, to: 200 });
  expect(heat.hasMarks(100, 200)).toBe(false);
  await of('records').at(-1)?.answer({ records: [] });
  expect([heat.hasMarks(110, 200), heat.hasMarks(90, 190), heat.hasMarks(150, 201)]).toEqual([true, false, false]);
});

test('looks up the first memory address again when the index is complete, even if all bytes were read before', async () => {
  const { trace, of } = play({ ...whole, complete: false });
  const bands = createMemoryBands(trace);
  const touched = { bands: [{ low: '0x8000', high: '0x9000' }], reach: whole };
  bands.follow();
  await of('bands')[0]?.answer(touched);
  await of('find')[0]?.answer({ records: [], reach: whole });
  expect([bands.start, bands.isWhole]).toEqual([null, false]);
  const built = trace.build();
  await of('index')[0]?.answer({ ...whole, seconds: 1 });
  await of('info')[0]?.answer(infoOf(true, { read: 1 }));
  await built;
  expect(bands.isWhole).toBe(false);
  bands.follow();
  await of('bands')[1]?.answer(touched);
  await of('find')[1]?.answer({ records: [], reach: whole });
  expect([bands.start, bands.isWhole]).toEqual([0x8000n, true]);
});

test('drops the error of a request, and its late answer, when the value held answers the next', async () => {
  const answers: ((result: Result<string>) => void)[] = [];
  const question = createQuestion<number, string>(() => new Promise((settle) => answers.push(settle)));
  const answer = async (at: number, result: Result<string>): Promise<void> => {
    answers[at]?.(result);
    await idle();
  };
  question.ask(1);
  await answer(0, { ok: true, value: 'one' });
  question.ask(2);
  await answer(1, fail('broken', 'The trace is gone.'));
  expect([question.value, question.error?.code]).toEqual(['one', 'broken']);
  question.stop();
  expect([question.value, question.error]).toEqual(['one', undefined]);
  question.ask(3);
  question.stop();
  await answer(2, { ok: true, value: 'three' });
  expect(question.value).toBe('one');
});
