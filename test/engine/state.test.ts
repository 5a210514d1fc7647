/**
 * Registers, memory, access search and find: the engine agrees with a replay of all records, for every block size and number of
 * workers, during indexing, after killed builds, and after reopening.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import { sample } from '../../electron/sample/sample.ts';
import type { Settings } from '../../shared/format/format.ts';
import { createRandom } from '../laws/random.ts';
import { findSamples } from '../laws/samples.ts';
import { few, NIGHTLY, rounds } from '../short-form.ts';
import { ask } from './ask.ts';
import { stepsOf, type Step } from './state-oracle.ts';
import { allRecords, codeQuestion, firstDifference, randomQuestion } from './state-questions.ts';
import { stateTarmac } from './state-traces.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();

afterAll(() => {
  place.dispose();
});

/** Sends `count` requests about the first `steps.length` records. */
async function expectAgreement(
  engine: Engine,
  trace: string,
  steps: readonly Step[],
  { seed, count, ask = randomQuestion }: { readonly seed: number; readonly count: number; readonly ask?: AskSome },
): Promise<void> {
  const random = createRandom(seed);
  for (let i = 0; i < count; i++) {
    const question = ask(random, steps);
    const said = await question.ofEngine(engine, trace);
    const difference = firstDifference(said, question.ofOracle(steps, said));
    expect(difference, `question ${i} of seed ${seed}: ${question.text}`).toBeUndefined();
  }
}

type AskSome = typeof randomQuestion;

/** Effects of all records, as listed by an engine with one block. */
async function readSteps(file: string, format: string, options: Settings = {}): Promise<Step[]> {
  const engine = sharedEngine();
  const opened = await ask(engine, 'open', { path: file, format, options });
  await ask(engine, 'index', { trace: opened.trace });
  const records = await allRecords(engine, opened.trace);
  await engine.close();
  return stepsOf(records, format, opened.format.options);
}

const hostile = (lines: number, seed: number, cpus: number) =>
  stateTarmac(lines, seed, { cpus, contradicting: 100, damaged: 60 });

describe('hostile text', () => {
  const cases = [
    {
      seed: 1,
      cpus: 1,
      lines: 1500,
      shapes: [
        { blockBytes: 600, jobs: 1 },
        { blockBytes: 3600, jobs: 2 },
        { blockBytes: 1_200_000, jobs: 1 },
      ],
    },
    {
      seed: 2,
      cpus: 3,
      lines: 4000,
      shapes: [
        { blockBytes: 1200, jobs: 2 },
        { blockBytes: 12_000, jobs: 3 },
      ],
    },
    {
      seed: 3,
      cpus: 2,
      lines: 4000,
      shapes: [
        { blockBytes: 2400, jobs: 1 },
        { blockBytes: 48_000, jobs: 2 },
      ],
    },
  ];

  describe.each(few(cases, 2))('seed $seed', ({ seed, cpus, lines, shapes }) => {
    const file = place.file(`hostile-${seed}.txt`, hostile(lines, seed, cpus));
    let steps: readonly Step[];

    beforeAll(async () => {
      steps = await readSteps(file, 'tarmac');
    });

    test.each(few(shapes, 1))(
      'agrees with a replay in blocks of $blockBytes bytes by $jobs workers',
      async ({ blockBytes, jobs }) => {
        const indexDirectory = path.join(place.folder, `hostile-${seed}-${blockBytes}`);
        const engine = startEngine({ indexDirectory, jobs, blockBytes });
        const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
        expect((await ask(engine, 'index', { trace })).records).toBe(steps.length);
        await expectAgreement(engine, trace, steps, { seed: seed * 1000 + jobs, count: rounds(60, 300) });
        await engine.close();
      },
    );
  });
});

test('agrees with a replay if opcodes prove the same code repeatedly, forwards and backwards', async () => {
  const file = place.file('code.txt', hostile(5000, 7, 2));
  const steps = await readSteps(file, 'tarmac');
  const engine = sharedEngine(1200);
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
  await ask(engine, 'index', { trace });
  const code: AskSome = (random, all) => codeQuestion(random, all, 0x8000n);
  await expectAgreement(engine, trace, steps, { seed: 7, count: rounds(60, 400), ask: code });
  await engine.close();
});

const PROGRAMS = [
  { format: 'tarmac', damaged: false, size: 100_000, blockBytes: 6000 },
  { format: 'tarmac', damaged: true, size: 100_000, blockBytes: 1200 },
  { format: 'armtracer', damaged: false, size: 100_000, blockBytes: 1200 },
  { format: 'armtracer', damaged: true, size: 60_000, blockBytes: 12_000 },
  { format: 'byu6', damaged: false, size: 30_000, blockBytes: 1200 },
  { format: 'byu12', damaged: true, size: 60_000, blockBytes: 6000 },
  { format: 'btm', damaged: false, size: 60_000, blockBytes: 3600 },
  { format: 'lackey', damaged: false, size: 60_000, blockBytes: 2400 },
];

describe('program-like traces', () => {
  test.each(few(PROGRAMS, 3))(
    'agrees with a replay of $format, damaged: $damaged',
    async ({ format, damaged, size, blockBytes }) => {
      const file = path.join(place.folder, `program-${format}-${damaged}`);
      expect((await sample({ format, size, path: file, seed: 5, locality: 'spread', damaged })).ok).toBe(true);
      const steps = await readSteps(file, format);
      const engine = sharedEngine(blockBytes);
      const { trace } = await ask(engine, 'open', { path: file, format });
      await ask(engine, 'index', { trace });
      await expectAgreement(engine, trace, steps, { seed: size + blockBytes, count: rounds(50, 120) });
      await engine.close();
    },
  );
});

describe('samples', () => {
  const samples = findSamples();
  let engine: Engine;

  beforeAll(() => {
    engine = sharedEngine(1200);
  });

  afterAll(async () => {
    await engine.close();
  });

  test.each([...new Set(samples.map(({ format }) => format))])('agrees with a replay of %s', async (format) => {
    const requested: string[] = [];
    for (const { name, bytes, options } of few(
      samples.filter((sample) => sample.format === format),
      4,
    )) {
      const file = place.file('sample', bytes);
      const opened = await ask(engine, 'open', { path: file, format, options });
      await ask(engine, 'index', { trace: opened.trace });
      const steps = stepsOf(await allRecords(engine, opened.trace), format, opened.format.options);
      if (steps.length > 0) {
        await expectAgreement(engine, opened.trace, steps, {
          seed: name.length * 31 + steps.length,
          count: rounds(15, 25),
        });
        requested.push(name);
      }
      await ask(engine, 'close', { trace: opened.trace });
    }
    expect(requested).not.toEqual([]);
  });
});

describe('an incomplete index', () => {
  const file = place.file('growing.txt', hostile(6000, 11, 2));
  const blockBytes = 1200;
  let steps: readonly Step[];

  beforeAll(async () => {
    steps = await readSteps(file, 'tarmac');
  });

  test('answers for its prefix, with closing in between', async () => {
    const indexDirectory = path.join(place.folder, 'growing');
    const reached = new Set<number>();
    for (const records of few([1, 700, 1500, 3000, 5000], 3)) {
      const engine = startEngine({ indexDirectory, jobs: 2, blockBytes });
      const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
      const report = await ask(engine, 'index', { trace, until: { records } });
      expect(report.records).toBeGreaterThanOrEqual(records);
      reached.add(report.records);
      const prefix = steps.slice(0, report.records);
      await expectAgreement(engine, trace, prefix, { seed: records, count: rounds(30, 80) });
      await engine.close();
    }
    expect(reached.size, 'the index grew in steps').toBeGreaterThan(2);
    const engine = startEngine({ indexDirectory, jobs: 1, blockBytes });
    const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
    expect((await ask(engine, 'index', { trace })).complete).toBe(true);
    await expectAgreement(engine, trace, steps, { seed: 77, count: rounds(50, 150) });
    await engine.close();

    const again = startEngine({ indexDirectory, jobs: 1, blockBytes });
    const opened = await ask(again, 'open', { path: file, format: 'tarmac' });
    expect(opened.reach.complete).toBe(true);
    await expectAgreement(again, opened.trace, steps, { seed: 78, count: rounds(50, 150) });
    await again.close();
  });

  test('answers during indexing', async () => {
    const indexDirectory = path.join(place.folder, 'busy');
    const engine = startEngine({ indexDirectory, jobs: 2, blockBytes });
    const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
    await ask(engine, 'index', { trace, until: { records: 1 } });
    const building = ask(engine, 'index', { trace });
    const random = createRandom(5);
    for (let i = 0; i < rounds(10, 40); i++) {
      const { reach } = await ask(engine, 'records', { trace, from: 0, count: 1 });
      // Looks backwards only: the result of a forward search depends on the progress of the index.
      const at = random.below(reach.records);
      const question = randomQuestion(random, steps.slice(0, at + 1));
      const looksAhead = /"way":"next|"after"/.test(question.text);
      if (looksAhead) continue;
      const said = await question.ofEngine(engine, trace);
      const difference = firstDifference(said, question.ofOracle(steps, said));
      expect(difference, question.text).toBeUndefined();
    }
    expect((await building).complete).toBe(true);
    await engine.close();
  });

  if (NIGHTLY) {
    test('continues after killed builds', async () => {
      const indexDirectory = path.join(place.folder, 'killed');
      for (let kills = 0; kills < 3; kills++) await buildAndKill(file, indexDirectory, blockBytes);
      const engine = startEngine({ indexDirectory, jobs: 2, blockBytes });
      const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
      await ask(engine, 'index', { trace });
      await expectAgreement(engine, trace, steps, { seed: 99, count: 150 });
      await engine.close();
    });
  }
});

/** A build in its own process, killed as soon as it reports progress. */
async function buildAndKill(file: string, indexDirectory: string, blockBytes: number): Promise<void> {
  const program = path.join(import.meta.dirname, 'fixtures', 'build-index.ts');
  const child = spawn(process.execPath, [program, file, 'tarmac', indexDirectory, String(blockBytes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  for await (const line of createInterface(child.stdout)) if (!line.startsWith('opened')) break;
  child.kill('SIGKILL');
  await ended;
}
