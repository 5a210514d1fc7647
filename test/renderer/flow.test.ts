// Steps over and out of calls, walks along an edge, folded calls and chunks, against an engine controlled by the test.
import { expect, test } from 'vitest';
import { fail, ok } from '../../shared/base/result.ts';
import { createChunks } from '../../renderer/trace/questions/chunks.svelte.ts';
import { playEngine, idle, WHOLE as reach } from './played-engine.ts';

/** The cursor is at record 500. */
function play() {
  const played = playEngine();
  played.trace.cursor.jump(500);
  return played;
}

test("a step moves to the engine's answer and can be undone with back", async () => {
  const { trace, last, announced } = play();
  const stepping = trace.flow.step('over');
  expect(last('step').args).toEqual({ trace: 't1', at: 500, step: 'over' });
  expect(trace.flow.running?.label).toBe('the end of the call');
  await last('step').answer({ n: 777, reach });
  expect([await stepping, trace.cursor.n, trace.flow.running]).toEqual([777, 777, null]);
  trace.cursor.back();
  expect(trace.cursor.n).toBe(500);

  const out = trace.flow.step('back out');
  await last('step').answer({ n: null, reach });
  await last('stack').answer({ frames: [{ id: 'f', function: 'fib' }], notes: [], reach });
  expect([await out, trace.cursor.n]).toEqual([undefined, 500]);
  expect(announced).toEqual(['The call of this function is not in the trace.']);
  const broken = trace.flow.step('out');
  await last('step').answer(undefined);
  expect([await broken, announced.at(-1)]).toEqual([undefined, 'The trace is gone.']);
});

test('explains that no function is known at the cursor if a step finds nothing', async () => {
  const { trace, last, announced } = play();
  const over = trace.flow.step('over');
  await last('step').answer({ n: null, reach });
  expect(last('stack').args).toEqual({ trace: 't1', at: 500 });
  await last('stack').answer({ frames: [], notes: [], reach });
  expect(await over).toBe(undefined);
  expect(announced).toEqual(['The function that runs here is unknown, so there is no call to step over or out of.']);
});

test('only the newest request moves the cursor, and a stopped one does not', async () => {
  const { trace, requested } = play();
  void trace.flow.step('over');
  void trace.flow.step('out');
  const [older, newer] = requested.filter(({ name }) => name === 'step');
  expect(older?.signal?.aborted).toBe(true);
  await newer?.answer({ n: 600, reach });
  await older?.answer({ n: 700, reach });
  expect(trace.cursor.n).toBe(600);
  void trace.flow.step('over');
  trace.flow.cancel();
  await requested.at(-1)?.answer({ n: 900, reach });
  expect([trace.cursor.n, trace.flow.running]).toEqual([600, null]);
});

test('finds the next branch with the same ends, including an unknown end', async () => {
  const { trace, last, announced } = play();
  trace.flow.choose({ of: 'branches', kind: 'jump', source: '0x8000' });
  const next = trace.flow.follow('next');
  expect(last('branchEvents').args).toEqual({
    trace: 't1',
    kinds: ['jump'],
    source: '0x8000',
    target: null,
    count: 1,
    from: 501,
  });
  await last('branchEvents').answer({ events: [{ n: 510, kind: 'jump', inferred: false }], next: null, reach });
  expect([await next, trace.cursor.n]).toEqual([510, 510]);
  const previous = trace.flow.follow('previous');
  expect(last('branchEvents').args).toMatchObject({ to: 510, backwards: true });
  await last('branchEvents').answer({ events: [], next: null, reach });
  expect([await previous, announced.at(-1)]).toEqual([
    undefined,
    'There is no earlier jump of this edge (0x8000 → unknown).',
  ]);
});

test('without a chosen edge, uses the edge of the branch at the cursor', async () => {
  const { trace, last, announced } = play();
  const nothing = trace.flow.follow('next');
  await last('branchEvents').answer({ events: [], next: null, reach });
  expect([await nothing, trace.flow.edge]).toEqual([undefined, null]);
  expect(announced.at(-1)).toMatch(/^Choose an edge/);
  const next = trace.flow.follow('next');
  await last('branchEvents').answer({
    events: [{ n: 500, kind: 'call', source: '0x10', target: '0x20', inferred: false }],
    next: null,
    reach,
  });
  expect(last('branchEvents').args).toMatchObject({ kinds: ['call'], source: '0x10', target: '0x20', from: 501 });
  await last('branchEvents').answer({ events: [{ n: 502, kind: 'call', inferred: false }], next: null, reach });
  expect(await next).toBe(502);
  // Further walking stays on the edge, and so do steps to records without a branch.
  const on = trace.flow.follow('next');
  expect(last('branchEvents').args).toMatchObject({ source: '0x10', target: '0x20', from: 503 });
  await last('branchEvents').answer({ events: [{ n: 504, kind: 'call', inferred: false }], next: null, reach });
  expect(await on).toBe(504);
  trace.cursor.step(505);
  const beside = trace.flow.follow('next');
  await last('branchEvents').answer({ events: [], next: null, reach });
  expect(last('branchEvents').args).toMatchObject({ source: '0x10', target: '0x20', from: 506 });
  await last('branchEvents').answer({ events: [], next: null, reach });
  expect([await beside, announced.at(-1)]).toEqual([undefined, 'There is no later call of this edge (0x10 → 0x20).']);
  // After a jump to another branch, its edge is used.
  trace.cursor.jump(600);
  const other = trace.flow.follow('next');
  await last('branchEvents').answer({
    events: [{ n: 600, kind: 'call', source: '0x30', target: '0x40', inferred: false }],
    next: null,
    reach,
  });
  expect(last('branchEvents').args).toMatchObject({ source: '0x30', target: '0x40', from: 601 });
  await last('branchEvents').answer({ events: [{ n: 700, kind: 'call', inferred: false }], next: null, reach });
  expect(await other).toBe(700);
});

test('keeps a chosen edge when the cursor moves to another branch', () => {
  const { trace, last } = play();
  trace.flow.choose({ of: 'branches', kind: 'jump', source: '0x8000', target: '0x9000' });
  trace.cursor.jump(600);
  void trace.flow.follow('next');
  expect(last('branchEvents').args).toMatchObject({ kinds: ['jump'], source: '0x8000', target: '0x9000', from: 601 });
});

test('requests calls of an edge by functions, kind and certainty', async () => {
  const { trace, last, announced } = play();
  trace.flow.choose({
    of: 'calls',
    caller: '0x10',
    callee: '0x20',
    kind: 'tail call',
    inferred: true,
    label: 'main → fib',
  });
  const next = trace.flow.follow('previous');
  expect(last('nextCall').args).toEqual({
    trace: 't1',
    caller: '0x10',
    callee: '0x20',
    kind: 'tail call',
    inferred: true,
    at: 500,
    direction: 'previous',
  });
  await last('nextCall').answer({ n: 3, reach });
  expect(await next).toBe(3);
  const none = trace.flow.follow('previous');
  await last('nextCall').answer({ n: null, reach });
  expect([await none, announced.at(-1)]).toEqual([
    undefined,
    'There is no earlier tail call of this edge (main → fib).',
  ]);
});

test('a folded call is one row, which steps skip, until a jump leads inside', async () => {
  const { trace, last } = play();
  trace.cursor.jump(105);
  const folding = trace.folds.fold(99, 101);
  expect(last('step').args).toEqual({ trace: 't1', at: 101, step: 'out' });
  await last('step').answer({ n: 120, reach });
  await folding;
  // The cursor was inside, so it moves to the call.
  expect([trace.cursor.n, trace.folds.headedBy(99)]).toEqual([99, { head: 99, from: 101, to: 120 }]);
  expect([1, 2, 3, -1].map((rows) => trace.folds.walk(99, rows))).toEqual([100, 120, 121, 98]);
  expect([trace.folds.walk(120, -1), trace.folds.walk(0, -5), trace.folds.walk(120, 5000)]).toEqual([100, 0, 999]);
  trace.folds.show(110);
  expect(trace.folds.list).toEqual([]);
});

test("folds a call that does not return in the trace to the trace's end", async () => {
  const { trace, last } = play();
  const folding = trace.folds.fold(900, 901);
  await last('step').answer({ n: null, reach });
  await folding;
  expect(trace.folds.headedBy(900)).toEqual({ head: 900, from: 901, to: 1000 });
  expect(trace.folds.walk(900, 1)).toBe(900);
});

test('does not take a message inside a running function for its call', async () => {
  const { trace, last, announced } = play();
  const message = { n: 252, offset: 0, bytes: 1, kind: 'branch', native: 'INDIRECT', flags: [] };
  const reported: (number | undefined)[] = [];
  for (const events of [[], [{ n: 252, kind: 'call', inferred: false }]]) {
    const going = trace.flow.toCall(252);
    await last('records').answer({ records: [message], reach });
    expect(last('branchEvents').args).toEqual({
      trace: 't1',
      from: 252,
      to: 253,
      count: 1,
      kinds: ['call', 'jump', 'exception', 'interrupt'],
    });
    await last('branchEvents').answer({ events, next: null, reach });
    if (events.length === 0) await last('stack').answer({ frames: [{ id: 'f', function: 'fib' }], notes: [], reach });
    reported.push(await going);
  }
  expect([reported, announced]).toEqual([[undefined, 252], ['The call of this function is not in the trace.']]);

  const folding = trace.folds.foldAround(300);
  await last('stack').answer({ frames: [{ id: 'f', function: 'fib', since: 252 }], notes: [], reach });
  await last('records').answer({ records: [message], reach });
  await last('branchEvents').answer({ events: [], next: null, reach });
  await folding;
  expect(trace.folds.list).toEqual([]);
  expect(announced.at(-1)).toBe('The call of this function is not in the trace, so it cannot be folded.');
});

test('fetches chunks once, cancels unneeded ones, and fetches incomplete ones again when the index grows', async () => {
  const requested: { from: number; count: number; signal: AbortSignal; answer: (value: string) => Promise<void> }[] =
    [];
  const chunks = createChunks<string>(
    100,
    (from, count, signal) =>
      new Promise((resolve) => {
        const answer = async (value: string): Promise<void> => {
          resolve(value === '' ? fail('beyond-index', 'not yet') : ok(value));
          await idle();
        };
        requested.push({ from, count, signal, answer });
      }),
  );
  chunks.want([{ from: 50, to: 130 }], 120);
  expect(requested.map(({ from, count }) => [from, count])).toEqual([
    [0, 100],
    [100, 20],
  ]);
  await requested[0]?.answer('first');
  await requested[1]?.answer('second, short');
  expect([chunks.at(99), chunks.at(110), chunks.at(200)]).toEqual(['first', 'second, short', undefined]);
  chunks.want([{ from: 50, to: 130 }], 120);
  expect(requested).toHaveLength(2);
  chunks.want([{ from: 50, to: 130 }], 400);
  expect(requested.slice(2).map(({ from, count }) => [from, count])).toEqual([[100, 100]]);
  chunks.want(
    [
      { from: 0, to: 10 },
      { from: 350, to: 360 },
    ],
    400,
  );
  expect([requested[2]?.signal.aborted, requested[3]?.from]).toEqual([true, 300]);
  await requested[3]?.answer('');
  chunks.want([{ from: 350, to: 360 }], 400);
  expect(requested).toHaveLength(4);
});
