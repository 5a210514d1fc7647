/** Calls of the samples do not depend on block size and number of workers. */
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import type { Arguments } from '../../shared/requests/requests.ts';
import { STEPS, type CallTreeNode } from '../../shared/requests/flow.ts';
import { FORMATS } from '../../shared/formats/index.ts';
import { assert } from '../../shared/base/result.ts';
import { findSamples, openSample, type Sample } from '../laws/samples.ts';
import { few } from '../short-form.ts';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engines = [240, 1_200_000].map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

const SAMPLES = FORMATS.map((format) => ({
  id: format.id,
  samples: few(
    findSamples().filter((sample) => sample.format === format.id && openSample(format, sample).flow !== undefined),
    3,
  ),
}));

test.each(SAMPLES)(
  'samples of $id give the same calls for every block size and number of workers',
  async ({ samples }) => {
    for (const sample of samples) {
      const answers = [];
      for (const engine of engines) answers.push(await askAll(sample, engine));
      for (const other of answers.slice(1)) expect(other, sample.name).toEqual(answers[0]);
    }
  },
);

test('the next process finds the calls of the samples in the index', async () => {
  const settings = { blockBytes: 2000, jobs: 1, indexDirectory: path.join(place.folder, 'kept') };
  const answers = [];
  for (let program = 0; program < 2; program++) {
    const engine = startEngine(settings);
    const own = [];
    for (const { samples } of SAMPLES) for (const sample of few(samples, 1)) own.push(await askAll(sample, engine));
    answers.push(own);
    await engine.close();
  }
  expect(answers[1]).toEqual(answers[0]);
});

test("matches a return to the end of a perf call without knowing the call's length", async () => {
  const engine = sharedEngine();
  // f is called, calls g by 5 bytes and through a table by 8, and returns; the newest branch comes first.
  const sample = [
    '0x402020/0x401105/P/-/-/1/RET',
    '0x403004/0x402018/P/-/-/1/RET',
    '0x402010/0x403000/P/-/-/1/IND_CALL',
    '0x403004/0x40200a/P/-/-/1/RET',
    '0x402005/0x403000/P/-/-/1/CALL',
    '0x401100/0x402000/P/-/-/1/CALL',
  ];
  const file = place.file('types.txt', `app 1 [000] 1.000000: cycles: ${sample.join(' ')}\n`);
  const trace = await indexed(engine, { path: file, format: 'brstack' });
  const { functions, edges, notes } = await ask(engine, 'calls', { trace });
  const nameOf = (id: string): string | undefined => functions.find((fn) => fn.id === id)?.name;
  expect(edges.map(({ caller, callee, count }) => [nameOf(caller), nameOf(callee), count]).sort()).toEqual([
    ['(unknown)', '0x402000', 1],
    ['0x402000', '0x403000', 2],
  ]);
  expect(notes).toEqual([]);
  await engine.close();
});

test('distinguishes calls known from their returns from recorded calls of the same function', async () => {
  const engine = sharedEngine();
  // The trace begins in leaf, which returns to outer; outer returns to main, which calls leaf itself.
  const lines = [
    '00009004 e12fff1e A svc : bx lr',
    '00008804 e49df004 A svc : pop {pc}',
    '00008004 eb0003fd A svc : bl #0x9000',
    '00009000 e2800001 A svc : add r0, r0, #1',
  ];
  const file = place.file('unseen.txt', lines.map((line, n) => `${n} clk 0 IT (${n}) ${line}\n`).join(''));
  const symbols = place.file('unseen.nm', '00008000 100 T main\n00008800 100 T outer\n00009000 100 T leaf\n');
  const trace = await indexed(engine, { path: file, images: [{ path: symbols }] });
  const { edges } = await ask(engine, 'calls', { trace });
  const named = { '0x8000': 'main', '0x8800': 'outer', '0x9000': 'leaf' } as Record<string, string>;
  expect(
    edges
      .map(({ caller, callee, first, unseen }) => `${named[caller]} ${named[callee]} ${first} ${unseen ?? ''}`)
      .sort(),
  ).toEqual(['main leaf 3 ', 'main outer 2 true', 'outer leaf 1 true']);
  for (const { caller, callee, kind, inferred, unseen } of edges) {
    const found = await ask(engine, 'nextCall', { trace, caller, callee, kind, inferred, at: 0, direction: 'next' });
    expect(found.n).toBe(unseen ? null : 3);
  }
  await engine.close();
});

async function indexed(engine: Engine, opening: Arguments<'open'>): Promise<string> {
  const { trace } = await ask(engine, 'open', opening);
  await ask(engine, 'index', { trace });
  return trace;
}

function open(engine: Engine, sample: Sample): Promise<string> {
  const format = FORMATS.find(({ id }) => id === sample.format);
  assert(format !== undefined, 'the format of the sample exists');
  const file = place.file(`${sample.format}-${sample.name}`, sample.bytes);
  const options = openSample(format, sample).settings;
  return indexed(engine, { path: file, format: format.id, options });
}

async function askAll(sample: Sample, engine: Engine) {
  const trace = await open(engine, sample);
  const graph = await ask(engine, 'calls', { trace });
  const { records } = graph.reach;
  const places = [0.2, 0.7, 1].map((share) => Math.floor(share * (records - 1))).filter((at) => at >= 0);
  const stacks = [];
  const steps = [];
  for (const at of places) {
    stacks.push(await ask(engine, 'stack', { trace, at }));
  }
  for (const step of STEPS) {
    for (const at of places.slice(1, 2)) steps.push(await ask(engine, 'step', { trace, at, step }));
  }
  const middle = { trace, from: places[0] ?? 0, to: places[1] ?? 0 };
  const answer = {
    graph,
    tree: await ask(engine, 'tree', { trace }),
    part: await ask(engine, 'calls', middle),
    treeOfPart: await ask(engine, 'tree', middle),
    spans: await ask(engine, 'spans', middle),
    stacks,
    steps,
  };
  expect(sumOf(answer.tree.roots), `${sample.name}: the tree contains all self cost`).toBe(
    graph.functions.reduce((sum, { self }) => sum + self, 0),
  );
  await ask(engine, 'close', { trace });
  return answer;
}

function sumOf(nodes: readonly CallTreeNode[]): number {
  return nodes.reduce((sum, { self, children }) => sum + self + sumOf(children), 0);
}
