// `export` as scripts use it: the file is written completely or not at all, and the answer summarises it.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BYU, cli, folder, golden } from './driver.ts';

test('--to din writes label and address of every access, and reports their number', async () => {
  const output = join(folder, 'out.din');
  const { code, stdout } = await cli(['export', BYU, '--to', 'din', '-o', output, '--json']);
  const label: Readonly<Record<string, string>> = { fetch: '2', read: '0', write: '1' };
  const lines = golden(BYU).flatMap(({ kind, address }) =>
    kind in label ? [`${label[kind]!} ${address.toString(16)}`] : [],
  );
  expect(code).toBe(0);
  expect(readFileSync(output, 'utf8')).toBe(lines.map((line) => `${line}\n`).join(''));
  expect(JSON.parse(stdout)).toEqual({ path: output, rows: lines.length, bytes: statSync(output).size });
});

test('--to takes the export form and the range end', async () => {
  const output = join(folder, 'out.jsonl');
  const { code } = await cli(['export', BYU, '--to', 'jsonl', '--from', '3', '--to', '7', '-o', output]);
  const records = await cli(['records', BYU, '--from', '3', '--count', '4', '--json']);
  expect(code).toBe(0);
  expect(readFileSync(output, 'utf8')).toBe(records.stdout);
});

test.each([
  [['--to', 'din'], 2, /name the output file with -o/],
  [['-o', 'x'], 2, /choose the form with --to \(csv, jsonl, din, parquet, vcd, slice\)/],
  [['--to', 'xlsx', '-o', 'x'], 2, /--to must be csv, jsonl, din, parquet, vcd, slice, or a record number/],
  [['--to', 'din', '--from', '5', '--to', '5', '-o', 'x'], 2, /--from must be less than/],
  [['--to', 'din', '-o', BYU], 1, /this is the trace itself/],
  [['--to', 'din', '-o', join(folder, 'missing', 'x')], 1, /the folder does not exist/],
])('%j is refused in one line and writes nothing', async (args, exit, message) => {
  const before = readFileSync(BYU);
  const { code, stdout, stderr } = await cli(['export', BYU, ...args]);
  expect([code, stdout]).toEqual([exit, '']);
  expect(stderr).toMatch(message);
  expect(readFileSync(BYU).equals(before)).toBe(true);
  expect(existsSync('x')).toBe(false);
  expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
});
