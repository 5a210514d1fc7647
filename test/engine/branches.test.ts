/**
 * Branches of the samples do not depend on block size, number of workers and kind of request; branches of messages equal the recorded
 * messages.
 */
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import type { BranchEdge, BranchEvent } from '../../shared/requests/flow.ts';
import type { Events } from '../../shared/flow/events.ts';
import { FORMATS } from '../../shared/formats/index.ts';
import type { RecordView } from '../../shared/records/record.ts';
import { assert } from '../../shared/base/result.ts';
import { findSamples, openSample, type Sample } from '../laws/samples.ts';
import { few, NIGHTLY } from '../short-form.ts';
import { runCode } from '../unit/code-model.ts';
import { ask, refusal } from './ask.ts';
import { asCapture } from './btm-programs.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engines = [
  { blockBytes: 24, count: 40 },
  { blockBytes: 1200, count: 7 },
  { blockBytes: 1_200_000, count: 10_000 },
].map(({ blockBytes, count }) => ({ count, engine: sharedEngine(blockBytes) }));
afterAll(async () => {
  await Promise.all(engines.map(({ engine }) => engine.close()));
  place.dispose();
});

describe.each(FORMATS.map((format) => [format.id, format] as const))('samples of %s', (id, format) => {
  const samples = findSamples().filter((sample) => sample.format === id);
  const withFlow = samples.filter((sample) => openSample(format, sample).flow !== undefined);

  test('lists the same branches for every block size, number of workers and request', async () => {
    for (const [i, sample] of few(withFlow, 2).entries()) {
      const answers = [];
      // The short form compares each sample read in one block with one of the divisions.
      const compared = NIGHTLY ? engines : engines.filter((_, way) => way === 2 || way === i % 2);
      for (const way of compared) answers.push(await askAll(sample, way.engine, way.count));
      const [small, ...others] = answers;
      assert(small !== undefined, 'the list of settings is not empty');
      for (const other of others) expect(other, sample.name).toEqual(small);
      expect(countedBy(small.events), sample.name).toEqual(small.edges);
      for (const { n } of small.events) expect(n, sample.name).toBeLessThan(small.records);
    }
  });

  test('refuses formats without branch information', async () => {
    const { engine } = engines[2]!;
    for (const sample of samples.filter((one) => !withFlow.includes(one))) {
      const trace = await open(engine, sample);
      const { code, message } = await refusal(engine, 'branches', { trace });
      expect(code, sample.name).toBe('no-flow');
      expect(message).toContain('do not show where a program branched');
    }
  });
});

test('ends a cancelled request', async () => {
  const file = place.file('long.txt', longTrace(40_000));
  const engine = startEngine({ blockBytes: 12_000, jobs: 2, indexDirectory: path.join(place.folder, 'cancelled') });
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
  await ask(engine, 'index', { trace });
  for (const name of ['branches', 'branchEvents'] as const) {
    const abort = new AbortController();
    const answer = engine.request(name, { trace, count: 10_000, kinds: ['return'] }, { signal: abort.signal });
    setImmediate(() => abort.abort());
    expect(await answer).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  }
  const { edges } = await ask(engine, 'branches', { trace });
  expect(edges.map(({ count, first, last }) => ({ count, first, last }))).toEqual([
    { count: 39_999, first: 1, last: 39_999 },
  ]);
  // Each part of the range is counted separately.
  const part = await ask(engine, 'branches', { trace, from: 10_000, to: 20_001 });
  expect(part.edges.map(({ count, first, last }) => ({ count, first, last }))).toEqual([
    { count: 10_001, first: 10_000, last: 20_000 },
  ]);
  await engine.close();
});

test('stops the search at the last branch of an edge if all branches were counted', async () => {
  const lines = ['eafffffe A svc : b #0x8000', ...Array.from({ length: 20_000 }, () => 'e1a00000 A svc : nop')];
  const address = (i: number): string => (0x8000 + 4 * Math.max(0, i - 1)).toString(16).padStart(8, '0');
  const text = lines.map((line, i) => `${i} clk 0 IT (${i}) ${address(i)} ${line}\n`).join('');
  const file = place.file('early.txt', text);
  const engine = sharedEngine(12_000);
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
  await ask(engine, 'index', { trace });
  const wanted = { trace, count: 1, source: '0x8000', target: '0x8000', from: 2 } as const;
  const steps = async (): Promise<number> => {
    let reported = 0;
    const answer = await engine.request('branchEvents', wanted, { onEvent: () => reported++ });
    assert(answer.ok, 'the request is answered');
    expect(answer.value.events).toEqual([]);
    return reported;
  };
  expect(await steps()).toBeGreaterThan(10);
  const { edges } = await ask(engine, 'branches', { trace });
  expect(edges).toMatchObject([{ source: '0x8000', target: '0x8000', count: 1, last: 1 }]);
  expect(await steps()).toBe(0);
  await engine.close();
});

/** Jumps of an instruction to itself. */
function longTrace(lines: number): string {
  return Array.from({ length: lines }, (_, i) => `${i} clk 0 IT (${i}) 00008000 eafffffe A svc : b #0x8000\n`).join('');
}

describe('messages', () => {
  test.each(['btm', 'brstack'])('of %s are reported as recorded', async (id) => {
    const engine = sharedEngine(240);
    for (const sample of few(
      findSamples().filter(({ format }) => format === id),
      12,
    )) {
      const trace = await open(engine, sample);
      const { records } = await ask(engine, 'records', { trace, from: 0, count: 10_000 });
      const { events } = await ask(engine, 'branchEvents', { trace, count: 10_000 });
      const recorded = records.filter(isBranch).map(({ n, source, target }) => ({ n, source, target }));
      // A first cycle without a second one is a branch with one end; the diagnostics count these.
      const whole = events.filter(({ n }) => records[n]?.native !== 'BTM_FIRST');
      expect(
        whole.map(({ n, source, target }) => ({ n, source, target })),
        sample.name,
      ).toEqual(recorded);
    }
    await engine.close();
  });

  test('of a program whose behaviour changes late are classified by its later behaviour too', async () => {
    const [early, late] = [runCode(1, 140_000), runCode(2, 20_000)];
    const there = 0x0100_0000;
    const taken = [...pairs(early.events, 0), ...pairs(late.events, there)];
    const file = place.file('late.csv', asCapture({ taken }, 'normal'));
    const engine = sharedEngine();
    const options = { mode: 'normal', header: 'M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]' };
    const { trace } = await ask(engine, 'open', { path: file, format: 'btm', options });
    await ask(engine, 'index', { trace });
    const { edges } = await ask(engine, 'branches', { trace });
    await engine.close();
    const kinds = new Map(edges.map(({ source, kind }) => [Number(source) - there, kind]));
    const found = (sources: ReadonlySet<number>): readonly (string | undefined)[] =>
      [...sources].map((source) => kinds.get(source)).filter((kind) => kind !== 'unknown');
    expect(new Set(found(late.calls))).toEqual(new Set(['call']));
    expect(new Set(found(late.returns))).toEqual(new Set(['return']));
    expect(found(late.calls).length).toBeGreaterThan(0.95 * late.calls.size);
    expect(found(late.returns)).toHaveLength(late.returns.size);
  });
});

function pairs(
  { count, sourceLow, targetLow }: Events,
  base: number,
): { source: number; reported: number; target: number }[] {
  return Array.from({ length: count }, (_, i) => {
    const source = base + sourceLow[i]!;
    return { source, reported: source, target: base + targetLow[i]! };
  });
}

function isBranch({ kind, flags = [] }: RecordView): boolean {
  return kind === 'branch' && !flags.includes('not-taken');
}

async function open(engine: Engine, sample: Sample): Promise<string> {
  const format = FORMATS.find(({ id }) => id === sample.format);
  assert(format !== undefined, 'the format of the sample exists');
  const file = place.file(`${sample.format}-${sample.name}`, sample.bytes);
  const options = openSample(format, sample).settings;
  const { trace } = await ask(engine, 'open', { path: file, format: format.id, options });
  await ask(engine, 'index', { trace });
  return trace;
}

async function askAll(
  sample: Sample,
  engine: Engine,
  count: number,
): Promise<{ readonly records: number; readonly events: readonly BranchEvent[]; readonly edges: readonly unknown[] }> {
  const trace = await open(engine, sample);
  const events: BranchEvent[] = [];
  for (let from: number | null = 0; from !== null;) {
    const found: { readonly events: readonly BranchEvent[]; readonly next: number | null } = await ask(
      engine,
      'branchEvents',
      { trace, from, count },
    );
    events.push(...found.events);
    from = found.next;
  }
  const backwards: BranchEvent[] = [];
  for (let to: number | null = Number.MAX_SAFE_INTEGER; to !== null;) {
    const found: { readonly events: readonly BranchEvent[]; readonly next: number | null } = await ask(
      engine,
      'branchEvents',
      { trace, to, count, backwards: true },
    );
    backwards.push(...found.events);
    to = found.next;
  }
  expect(
    backwards.toSorted((a, b) => a.n - b.n),
    sample.name,
  ).toEqual(events);
  const { edges } = await ask(engine, 'branches', { trace });
  // If all branches were counted, the search visits only places with the edge.
  for (const { source, target, kind, first, last } of edges.slice(0, 8)) {
    const ends = { kinds: [kind], source: source ?? null, target: target ?? null, count: 1 };
    const isIt = (one: BranchEvent): boolean => one.kind === kind && one.source === source && one.target === target;
    const behind = await ask(engine, 'branchEvents', { trace, ...ends, from: first + 1 });
    expect(behind.events[0]).toEqual(events.find((one) => isIt(one) && one.n > first));
    const before = await ask(engine, 'branchEvents', { trace, ...ends, to: last, backwards: true });
    expect(before.events[0]).toEqual(events.findLast((one) => isIt(one) && one.n < last));
  }
  const { reach } = await ask(engine, 'info', { trace });
  await ask(engine, 'close', { trace });
  return { records: reach.records, events, edges: edges.map(edgeKey).sort() };
}

function edgeKey({ source, target, kind, inferred, flags, count, first, last }: BranchEdge): string {
  const mark = flags?.includes('granular') === true;
  return JSON.stringify({ source, target, kind, inferred, mark, count, first, last });
}

/** Edges counted from single events. */
function countedBy(events: readonly BranchEvent[]): readonly string[] {
  const edges = new Map<string, { count: number; first: number; last: number }>();
  for (const { n, source, target, kind, inferred, flags } of events) {
    const key = JSON.stringify({ source, target, kind, inferred, mark: flags?.includes('granular') === true });
    const edge = edges.get(key) ?? { count: 0, first: n, last: n };
    edges.set(key, { count: edge.count + 1, first: Math.min(edge.first, n), last: Math.max(edge.last, n) });
  }
  return [...edges].map(([key, more]) => `${key.slice(0, -1)},${JSON.stringify(more).slice(1)}`).sort();
}
