/** The instruction set that questions about origins need is kept in the index: no later program disassembles to find it. */
import { afterAll, expect, test } from 'vitest';
import { createWholeTraceResult } from '../../../electron/engine/flow/whole-trace.ts';
import { createOpenTraces, type OpenTraces } from '../../../electron/engine/open/open-traces.ts';
import { whyAhead } from '../../../electron/engine/queries/why/ahead.ts';
import { instructionSetOf } from '../../../electron/engine/queries/why/instruction-set.ts';
import { createPool } from '../../../electron/engine/threads/pool.ts';
import { createTask } from '../../../electron/engine/threads/task.ts';
import type { Trace } from '../../../electron/engine/trace.ts';
import type { Result } from '../../../shared/base/result.ts';
import { findSamples } from '../../laws/samples.ts';
import { scratch } from '../traces.ts';

/** The entry of the index, which a test replaces to see whether it is used. */
const kept = createWholeTraceResult<{ isa?: string }, { isa?: string }>({
  name: 'instruction-set',
  toTable: (made) => made,
  fromTable: (made) => made,
});

const samples = findSamples();
const place = scratch();
const pool = createPool(1);
const task = createTask<unknown>(
  () => false,
  () => undefined,
);
afterAll(async () => {
  await pool.close();
  place.dispose();
});

test.each([
  ['mips', 'mips32'],
  ['riscv-values', 'riscv64'],
  ['arm-sort', 'arm'],
] as const)('the instruction set of %s is kept in the index', async (name, isa) => {
  const file = place.file(`${name}.log`, bytesOf(name));
  const first = createOpenTraces(pool, { indexDirectory: place.folder });
  await whyAhead(await openIndexed(first, file), task);
  first.close();

  const second = createOpenTraces(pool, { indexDirectory: place.folder });
  expect(kept.get(await openIndexed(second, file))).toEqual({ isa });
  second.close();
});

test('a later program takes the instruction set from the index', async () => {
  const file = place.file('later.log', bytesOf('mips'));
  const first = createOpenTraces(pool, { indexDirectory: place.folder });
  const trace = await openIndexed(first, file);
  // Disassembling would give mips32.
  kept.set(trace, trace.blocks.records, { isa: 'riscv32' });
  first.close();

  const second = createOpenTraces(pool, { indexDirectory: place.folder });
  expect(await instructionSetOf(await openIndexed(second, file))).toBe('riscv32');
  second.close();
});

test('the instruction set is found without preparation', async () => {
  const file = place.file('unprepared.log', bytesOf('mips'));
  const traces = createOpenTraces(pool, { indexDirectory: place.folder });
  const trace = await openIndexed(traces, file);
  expect(kept.get(trace)).toBeUndefined();
  expect(await instructionSetOf(trace)).toBe('mips32');
  traces.close();
});

function bytesOf(sample: string): Uint8Array {
  return samples.find(({ format, name }) => format === 'tarmac' && name === sample)!.bytes;
}

async function openIndexed(traces: OpenTraces, file: string): Promise<Trace> {
  const trace = value(await traces.open({ path: file, format: 'tarmac' }, task));
  value(await traces.build(trace, () => true));
  return trace;
}

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
