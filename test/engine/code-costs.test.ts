/** Costs of the code of a program by function, line and instruction; and the parts of reports about it, which verify recomputes. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReportPlan } from '../../shared/report/plan.ts';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';

const SAMPLE = fileURLToPath(new URL('../samples/tarmac/fault-off-by-one/', import.meta.url));
const FILE = 'fault-off-by-one.c';

const engine = sharedEngine();
let trace = '';
beforeAll(async () => {
  const images = [{ path: path.join(SAMPLE, 'program.elf') }];
  ({ trace } = await ask(engine, 'open', { path: path.join(SAMPLE, 'trace.txt'), format: 'tarmac', images }));
  await ask(engine, 'index', { trace });
});
afterAll(() => engine.close());

test.each([{}, { from: 59, to: 90 }])('sums the counts of instructions by function, of %o', async (range) => {
  const { instructions, functions } = await ask(engine, 'coverage', { trace, ...range });
  const expected = functions
    .map(({ address }, at) => {
      const own = instructions.counts.filter((_, row) => instructions.functions[row] === at);
      return [address, own.reduce((sum, count) => sum + count, 0)] as const;
    })
    .filter(([, self]) => self > 0)
    .sort(([, a], [, b]) => b - a);
  const { cost, functions: found, unit } = await ask(engine, 'codeCosts', { trace, ...range });
  expect(unit).toBe('instructions');
  expect(found.map(({ address, self }) => [address, self])).toEqual(expected);
  expect(cost).toBe(instructions.counts.reduce((sum, count) => sum + count, 0));
});

test('lists the lines and instructions of functions that are opened', async () => {
  const { opened, functions } = await ask(engine, 'codeCosts', { trace, opened: ['0x8128', '0x7'] });
  expect(functions.find(({ name }) => name === 'sum_of')).toMatchObject({ self: 26, count: 1, file: FILE, line: 13 });
  // Line 15 has three instructions before its loop and one after it, and five in the loop, which ran four times.
  expect(opened.map(({ address, left }) => [address, left])).toEqual([['0x8128', 0]]);
  const lines = opened[0]!.lines.map(({ line, self, count }) => [line, self, count]);
  expect(lines).toEqual([
    [15, 24, 4],
    [13, 1, 1],
    [14, 1, 1],
  ]);
  expect(opened[0]!.lines[0]!.instructions[3]).toEqual({
    address: '0x813c',
    text: 'ldr r1, [r2], #4',
    self: 4,
    count: 4,
  });
});

test.each([{}, { from: 59, to: 90 }])('sums the times of instructions by function and line, of %o', async (range) => {
  const times = await ask(engine, 'codeTimes', { trace, ...range });
  const byCount = await ask(engine, 'codeCosts', { trace, ...range, opened: ['0x8128'] });
  const byTime = await ask(engine, 'codeCosts', { trace, ...range, by: 'time', opened: ['0x8128'] });
  expect(byTime).toMatchObject({ unit: 'clk', cost: times.cost, notes: times.notes });
  const sums = (all: typeof times.instructions) => all.reduce((sum, { time }) => sum + time, 0);
  const ofFunction = (name: string) => times.instructions.filter((one) => one.function === name);
  expect(byTime.functions.map(({ name, self }) => [name, self])).toEqual(
    byTime.functions.map(({ name }) => [name, sums(ofFunction(name))]),
  );
  // Both have the same functions, which were entered as often, and the same instructions, which ran as often.
  const plain = ({ functions }: typeof byTime) =>
    functions.map((one) => ({ ...one, self: 0 })).sort((a, b) => (a.address < b.address ? -1 : 1));
  expect(plain(byTime)).toEqual(plain(byCount));
  const counts = ({ opened }: typeof byTime) =>
    opened
      .flatMap(({ lines }) => lines.flatMap(({ instructions }) => instructions))
      .map((one) => ({ ...one, self: 0 }));
  const byAddress = (all: ReturnType<typeof counts>) => all.sort((a, b) => (a.address < b.address ? -1 : 1));
  expect(byAddress(counts(byTime))).toEqual(byAddress(counts(byCount)));
  for (const { self, instructions, line } of byTime.opened[0]?.lines ?? []) {
    expect(self).toBe(instructions.reduce((sum, one) => sum + one.self, 0));
    expect(self).toBe(sums(ofFunction('sum_of').filter((one) => one.line === line)));
  }
});

test('reports of code agree with the trace, and verify finds what was changed', async () => {
  const plan: ReportPlan = {
    title: 'Code',
    parts: [
      { kind: 'table', table: 'coverage' },
      { kind: 'table', table: 'lines', most: 2, from: 59, to: 90 },
      { kind: 'table', table: 'instructions', most: 3 },
    ],
  };
  const { files } = await ask(engine, 'report', { trace, plan, as: 'md', name: 'code' });
  const text = new TextDecoder().decode(files[0]!.bytes);
  expect(text).toContain('| `sum_of` | 75.0 % | 1 | 84.6 % |');
  expect(text).toMatch(/`0x8168` \| `ldr ip, \[r3, #4\]!` \| 5 \|/);
  expect(await ask(engine, 'verify', { trace, report: text })).toMatchObject({ checked: 3, differing: [] });
  const changed = await ask(engine, 'verify', { trace, report: text.replace('| 75.0 % |', '| 85.0 % |') });
  expect(changed.differing).toHaveLength(1);
});
