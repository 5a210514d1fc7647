/**
 * Reads that contradict known memory contents are counted byte by byte as in a replay, for every block size and number of workers, and
 * after an interrupted build.
 */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import { findSamples } from '../laws/samples.ts';
import { few, NIGHTLY } from '../short-form.ts';
import { ask } from './ask.ts';
import { contradictionsIn, stepsOf, type Step } from './state-oracle.ts';
import { allRecords } from './state-questions.ts';
import { stateTarmac } from './state-traces.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();

afterAll(() => {
  place.dispose();
});

/** Expected contradictions in `info`; undefined if no read contradicts. */
function expected(steps: readonly Step[]) {
  const all = contradictionsIn(steps);
  const [first] = all;
  if (first === undefined) return undefined;
  const count = all.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    count,
    firstRecord: first.n,
    firstOffset: first.offset,
    earlier: expect.toBeOneOf(first.knownBy) as unknown,
  };
}

async function counted(engine: Engine, trace: string) {
  const { diagnostics } = await ask(engine, 'info', { trace });
  const row = diagnostics.find(({ code }) => code === 'read-contradicts');
  if (row === undefined) return undefined;
  const { count, firstRecord, firstOffset, earlier } = row;
  return { count, firstRecord, firstOffset, earlier };
}

async function stepsIn(engine: Engine, trace: string, format: string): Promise<Step[]> {
  const { format: facts } = await ask(engine, 'info', { trace });
  return stepsOf(await allRecords(engine, trace), format, facts.options);
}

const SHAPES = [1200, 6000, 48_000, 1_200_000];

const CASES = [
  { seed: 1, cpus: 1, contradicting: 300 },
  { seed: 2, cpus: 3, contradicting: 20 },
  // One or two in all: the first may be anywhere, even if only distant nodes meet.
  { seed: 3, cpus: 1, contradicting: 1 },
  { seed: 6, cpus: 2, contradicting: 0 },
];

describe.each(few(CASES, 2))('hostile text, $contradicting of 1000 reads', ({ seed, cpus, contradicting }) => {
  const text = stateTarmac(6000, seed, { cpus, contradicting, damaged: contradicting > 1 ? 60 : 0 });
  const file = place.file(`contradicting-${seed}.txt`, text);

  test.each(few(SHAPES, 1))('counts the same in blocks of %i bytes', async (blockBytes) => {
    const engine = sharedEngine(blockBytes);
    const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
    await ask(engine, 'index', { trace });
    const wanted = expected(await stepsIn(engine, trace, 'tarmac'));
    expect(wanted === undefined, 'reads contradict only if requested').toBe(contradicting === 0);
    expect(await counted(engine, trace)).toEqual(wanted);
    await engine.close();
  });

  // The short form interrupts the build of one trace.
  if (NIGHTLY || seed === 1) {
    test('counts the same after an interrupted build and reopening', async () => {
      const settings = { indexDirectory: path.join(place.folder, `resumed-${seed}`), jobs: 2, blockBytes: 1200 };
      const engine = startEngine(settings);
      const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
      expect((await ask(engine, 'index', { trace, until: { records: 2000 } })).complete).toBe(false);
      await engine.close();
      for (let round = 0; round < 2; round++) {
        const again = startEngine(settings);
        const opened = await ask(again, 'open', { path: file, format: 'tarmac' });
        await ask(again, 'index', { trace: opened.trace });
        const wanted = expected(await stepsIn(again, opened.trace, 'tarmac'));
        expect(await counted(again, opened.trace)).toEqual(wanted);
        await again.close();
      }
    });
  }
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

  test.each([...new Set(samples.map(({ format }) => format))])('counts the contradictions of %s', async (format) => {
    for (const { name, bytes, options } of few(
      samples.filter((sample) => sample.format === format),
      3,
    )) {
      const { trace } = await ask(engine, 'open', { path: place.file('sample', bytes), format, options });
      await ask(engine, 'index', { trace });
      expect(await counted(engine, trace), name).toEqual(expected(await stepsIn(engine, trace, format)));
      await ask(engine, 'close', { trace });
    }
  });
});
