/** Origins of values in the samples: the engine agrees with a forward replay of all records. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, test } from 'vitest';
import type { Engine } from '../../../electron/engine/engine.ts';
import type { Isa } from '../../../electron/engine/image/machine.ts';
import { createRandom } from '../../laws/random.ts';
import { findSamples } from '../../laws/samples.ts';
import { rounds } from '../../short-form.ts';
import { sharedEngine } from '../shared-engine.ts';
import { memoryOf } from './program-memory.ts';
import { expectAgreement, expectForwardAgreement, openAgain, openReplayed } from './questions.ts';

const SAMPLES = fileURLToPath(new URL('../../samples/', import.meta.url));

/** The set that the letter A stands for, or that of the program; ARM by default. */
const SETS: Readonly<Record<string, Isa>> = {
  'lackey/x86-values': 'x86-64',
  'tarmac/a64-values': 'aarch64',
  'tarmac/gem5-program': 'aarch64',
  'tarmac/mips': 'mips32',
  'tarmac/riscv': 'riscv64',
  'tarmac/riscv-values': 'riscv64',
  'tarmac/seed': 'mips32',
};

const OTHERS = [
  // Without executed instructions, or without opcodes that the engine can read.
  ...['double-words-big', 'events', 'sdt-amba'].map((name) => `armtracer/${name}`),
  ...['damaged', 'one-line', 'registers-only'].map((name) => `tarmac/${name}`),
  // Without a program.
  ...['large-accesses', 'odd-lines', 'program'].map((name) => `lackey/${name}`),
  // With several register files.
  ...['es-forms', 'fastmodels-forms', 'rtl-forms'].map((name) => `tarmac/${name}`),
];

/** Small blocks, so that definitions lie in others than uses. The engine searches the code of sixteen blocks for a recorded register. */
const [small, medium, large] = [600, 4000, 1_200_000].map((blockBytes) => sharedEngine(blockBytes)) as [
  Engine,
  Engine,
  Engine,
];
const LONG_BYTES = 9000;
afterAll(() => Promise.all([small, medium, large].map((engine) => engine.close())));

const names = findSamples()
  .filter(({ format }) => ['tarmac', 'armtracer', 'lackey'].includes(format))
  .filter(({ format, name }) => !OTHERS.includes(`${format}/${name}`))
  .map(({ format, name, options, bytes }) => ({ format, name, options, bytes: bytes.length }));

describe.each(names)('$format/$name', ({ format, name, options, bytes }) => {
  test('agrees with a replay in blocks of every size', async () => {
    const folder = path.join(SAMPLES, format, name);
    const file = path.join(
      folder,
      fs.readdirSync(folder).find((each) => each.startsWith('trace.'))!,
    );
    // Only lackey prints no opcodes.
    const elf = path.join(folder, 'program.elf');
    const image = format === 'lackey' ? { program: memoryOf(elf) } : {};
    const args = { path: file, format, options, ...(format === 'lackey' ? { images: [{ path: elf }] } : {}) };
    const processor = { isa: SETS[`${format}/${name}`] ?? 'arm', ...image };
    const replayed = await openReplayed(bytes < LONG_BYTES ? small : medium, args, processor);
    const again = await openAgain(replayed, large, args);
    const count = Math.min(250, 2 * replayed.records.length);
    for (const [k, opened] of [replayed, again].entries()) {
      await expectAgreement(opened, createRandom(k + 1), rounds(count, 1000));
      await expectForwardAgreement(opened, createRandom(k + 1), rounds(16, 1000));
    }
  });
});
