/** Origins of values in the samples: the engine agrees with a forward replay of all records. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, test } from 'vitest';
import type { Isa } from '../../../electron/engine/image/machine.ts';
import { createRandom } from '../../laws/random.ts';
import { findSamples } from '../../laws/samples.ts';
import { rounds } from '../../short-form.ts';
import { sharedEngine } from '../shared-engine.ts';
import { expectAgreement, expectForwardAgreement, openReplayed } from './questions.ts';

const SAMPLES = fileURLToPath(new URL('../../samples/', import.meta.url));

/** The set that the letter A stands for; ARM by default. */
const SETS: Readonly<Record<string, Isa>> = {
  'tarmac/gem5-program': 'aarch64',
  'tarmac/mips': 'mips32',
  'tarmac/riscv': 'riscv64',
  'tarmac/seed': 'mips32',
};

const OTHERS = [
  // Without executed instructions, or without opcodes that the engine can read.
  ...['double-words-big', 'events', 'sdt-amba'].map((name) => `armtracer/${name}`),
  ...['damaged', 'one-line', 'registers-only'].map((name) => `tarmac/${name}`),
  // With several register files.
  ...['es-forms', 'fastmodels-forms', 'rtl-forms'].map((name) => `tarmac/${name}`),
];

const engines = [600, 1_200_000].map((blockBytes) => sharedEngine(blockBytes));
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

const names = findSamples()
  .filter(({ format, name }) => ['tarmac', 'armtracer'].includes(format) && !OTHERS.includes(`${format}/${name}`))
  .map(({ format, name, options }) => ({ format, name, options }));

describe.each(names)('$format/$name', ({ format, name, options }) => {
  test('agrees with a replay in blocks of every size', async () => {
    const folder = path.join(SAMPLES, format, name);
    const file = path.join(
      folder,
      fs.readdirSync(folder).find((each) => each.startsWith('trace.'))!,
    );
    for (const [k, engine] of engines.entries()) {
      const opened = await openReplayed(engine, { path: file, format, options }, SETS[`${format}/${name}`]);
      await expectAgreement(opened, createRandom(k + 1), rounds(16, 1000));
      await expectForwardAgreement(opened, createRandom(k + 1), rounds(16, 1000));
    }
  });
});
