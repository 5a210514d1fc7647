// Registers and accesses that a sample records for each instruction agree with the instruction's declared effects. Samples with invented or
// damaged lines are left out. effects-conformance.ts states the exceptions: registers of another bank.
import { expect, it } from 'vitest';
import type { Isa } from '../../electron/engine/image/machine.ts';
import { formatById } from '../../shared/formats/index.ts';
import type { RecordFields } from '../../shared/records/record.ts';
import { decodeAll } from '../laws/drive.ts';
import { findSamples, openSample } from '../laws/samples.ts';
import { conformanceOf } from './effects-conformance.ts';

/** Samples from executions, with the number of instructions whose effects are known. */
const EXECUTIONS: readonly (readonly [sample: string, instructions: number, wordSet: Isa])[] = [
  ['tarmac/a64-values', 349, 'aarch64'],
  ['tarmac/arm-matrix', 68, 'arm'],
  ['tarmac/arm-sort', 100, 'arm'],
  ['tarmac/es-program', 7, 'arm'],
  ['tarmac/fastmodels-program', 11, 'arm'],
  ['tarmac/fault-off-by-one', 80, 'arm'],
  ['tarmac/fault-stray-write', 135, 'arm'],
  ['tarmac/fault-uninitialised', 160, 'arm'],
  ['tarmac/gem5-program', 4, 'aarch64'],
  ['tarmac/log', 5, 'arm'],
  ['tarmac/mips', 50, 'mips32'],
  ['tarmac/riscv-values', 494, 'riscv64'],
  ['armtracer/log-between', 4, 'arm'],
  ['armtracer/real-matrix', 18, 'arm'],
  ['armtracer/real-swi', 21, 'arm'],
  ['armtracer/thumb', 8, 'arm'],
];

const samples = new Map(findSamples().map((sample) => [`${sample.format}/${sample.name}`, sample]));

it.each(EXECUTIONS)('%s records only declared effects', (name, instructions, wordSet) => {
  const sample = samples.get(name)!;
  const { records } = decodeAll(openSample(formatById(sample.format)!, sample), sample.bytes, { describe: () => true });
  const isaOf = ({ isa }: RecordFields): Isa | undefined =>
    ({ A: wordSet, T: 'thumb' as const, O: 'aarch64' as const })[isa ?? ''];
  const result = conformanceOf(
    records.map((record) => record.fields!),
    isaOf,
  );
  expect(result.problems).toEqual([]);
  expect(result.instructions).toBe(instructions);
});
