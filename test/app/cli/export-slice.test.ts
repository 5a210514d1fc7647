// `export --to slice`: a part of a trace in its own format opens again, with the same records and the state before them.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BTM, BYU, cli, folder, json, lines, TARMAC, traceOf } from './driver.ts';

interface Answer {
  readonly path: string;
  readonly state: string;
  readonly records: number;
  readonly stateRecords: number;
  readonly differing: number;
  readonly format: string;
  readonly options: Readonly<Record<string, string>>;
}

async function slice(trace: string, from: number, to: number): Promise<Answer> {
  const output = join(folder, 'slice.bin');
  const args = ['export', trace, '--to', 'slice', '-o', output, '--from', String(from), '--to', String(to)];
  return (await json(args)) as Answer;
}

test.each([
  ['tarmac', TARMAC, 60, 140, 0],
  ['byu6', BYU, 3, 9, 0],
  // A message whose other half is before the slice has no pair in it.
  ['btm with a header', BTM, 4, 8, 1],
  ['btm, binary', traceOf('btm/binary'), 2, 8, 3],
  ['lackey', traceOf('lackey/large-accesses'), 1, 3, 0],
  ['armtracer', traceOf('armtracer/amba'), 2, 9, 0],
])('%s: has the records of its range', async (_name, trace, from, to, differing) => {
  const answer = await slice(trace, from, to);
  const how = [
    '--format',
    answer.format,
    ...Object.entries(answer.options).flatMap(([name, value]) =>
      value === '' ? [] : ['--option', `${name}=${value}`],
    ),
  ];
  const theirs = await lines(['records', trace, ...how, '--from', String(from), '--count', String(to - from)]);
  const mine = await lines(['records', answer.path, ...how, '--from', String(answer.stateRecords), '--count', '1000']);
  const content = ({ kind, native, address, size, value, text }: Record<string, unknown>): unknown => [
    kind,
    native,
    address,
    size,
    value,
    text,
  ];
  expect(mine.map(content)).toEqual(theirs.map(content));
  expect(answer).toMatchObject({ records: to - from, differing });
});

test('has the registers and memory that are known before its first record', async () => {
  const [from, to] = [60, 140];
  const answer = await slice(TARMAC, from, to);
  const before = (await json(['registers', TARMAC, '--at', String(from - 1)])) as {
    registers: Record<string, { value: string }>;
  };
  const mine = (await json(['registers', answer.path, '--at', String(answer.stateRecords - 1)])) as typeof before;
  const values = (file: typeof before): object =>
    Object.fromEntries(Object.entries(file.registers).map(([name, { value }]) => [name, value]));
  expect(values(mine)).toEqual(values(before));
  expect(answer.stateRecords).toBe(Object.keys(before.registers).length);
  const state = JSON.parse(readFileSync(answer.state, 'utf8')) as {
    registers: { values: object }[];
    memory: { address: string; bytes: string }[];
  };
  expect(state.registers[0]?.values).toEqual(values(before));
  expect(state.memory.length).toBeGreaterThan(0);
  for (const { address, bytes } of state.memory) {
    const length = String(bytes.length / 2);
    expect(
      await json(['memory', TARMAC, '--at', String(from - 1), '--address', address, '--length', length]),
    ).toMatchObject({ bytes });
  }
});

test('refuses a trace buffer, and leaves nothing', async () => {
  const output = join(folder, 'buffer.bin');
  const { code, stderr } = await cli(['export', traceOf('xscale/real-part'), '--to', 'slice', '-o', output]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/read as a whole/)]);
  expect(existsSync(output)).toBe(false);
  expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
});
