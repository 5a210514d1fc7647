/** The instruction set that questions about origins need is kept in the index: no later program disassembles to find it. */
import { afterAll, expect, test, vi } from 'vitest';
import { loadDisassembler } from '../../../electron/engine/image/disassembler.ts';
import { createOpenTraces, type OpenTraces } from '../../../electron/engine/open/open-traces.ts';
import { whyAhead } from '../../../electron/engine/queries/why/ahead.ts';
import { instructionSetOf } from '../../../electron/engine/queries/why/instruction-set.ts';
import { createPool } from '../../../electron/engine/threads/pool.ts';
import { createTask } from '../../../electron/engine/threads/task.ts';
import type { Trace } from '../../../electron/engine/trace.ts';
import type { Result } from '../../../shared/base/result.ts';
import { findSamples } from '../../laws/samples.ts';
import { scratch } from '../traces.ts';

vi.mock(import('../../../electron/engine/image/disassembler.ts'), async (original) => {
  const actual = await original();
  return { ...actual, loadDisassembler: vi.fn(actual.loadDisassembler) };
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
] as const)('the instruction set of %s is found once', async (name, isa) => {
  const file = place.file(`${name}.log`, bytesOf(name));
  const first = createOpenTraces(pool, { indexDirectory: place.folder });
  await whyAhead(await openIndexed(first, file), task);
  first.close();
  vi.mocked(loadDisassembler).mockClear();

  const second = createOpenTraces(pool, { indexDirectory: place.folder });
  expect(await instructionSetOf(await openIndexed(second, file))).toBe(isa);
  expect(loadDisassembler).not.toHaveBeenCalled();
  second.close();
});

test('the instruction set is found without preparation', async () => {
  const file = place.file('unprepared.log', bytesOf('mips'));
  const traces = createOpenTraces(pool, { indexDirectory: place.folder });
  expect(await instructionSetOf(await openIndexed(traces, file))).toBe('mips32');
  expect(loadDisassembler).toHaveBeenCalled();
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
