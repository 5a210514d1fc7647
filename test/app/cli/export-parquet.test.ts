// `export --to parquet` as jobs use it: parts together are the whole, and what was interrupted has no file that looks complete.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { sample } from '../../../electron/sample/sample.ts';
import { CLI, startCli } from '../run-cli.ts';
import { BYU, cli, folder, json, own, TARMAC } from './driver.ts';

const TRACE = join(folder, 'three-blocks.log');
const SMALL_FILES = ['--file-records', '10000'];

beforeAll(async () => {
  // Three blocks of one mebibyte.
  const made = await sample({ format: 'tarmac', size: 2_300_000, path: TRACE, seed: 3, locality: 'local' });
  expect(made.ok).toBe(true);
  await cli(['index', TRACE]);
});

function filesIn(place: string): Record<string, string> {
  const table = join(place, 'records', 'trace=three-blocks.log');
  const names = readdirSync(table).filter((name) => name.endsWith('.parquet'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(table, name)).toString('base64')]));
}

test('parts that know nothing of each other are together the whole', async () => {
  const [whole, parts] = [join(folder, 'whole'), join(folder, 'parts')];
  const answer = await json(['export', TRACE, '--to', 'parquet', '-o', whole, ...SMALL_FILES]);
  const rows: unknown[] = [];
  for (const part of ['2/4', '4/4', '1/4', '3/4'])
    rows.push(await json(['export', TRACE, '--to', 'parquet', '-o', parts, ...SMALL_FILES, '--part', part]));
  const files = filesIn(whole);
  expect(Object.keys(files)).toHaveLength(3);
  expect(filesIn(parts)).toEqual(files);
  const sum = rows.reduce<number>((all, row) => all + (row as { rows: number }).rows, 0);
  expect(answer).toMatchObject({ path: whole, table: 'records', part: 1, parts: 1, files: 3, rows: sum });
  const manifests = readdirSync(join(parts, 'records', 'trace=three-blocks.log')).filter((name) =>
    name.startsWith('_'),
  );
  expect(manifests).toHaveLength(4);
  for (const engine of ['duckdb', 'spark', 'trino'])
    expect(existsSync(join(parts, `records.${engine}.sql`))).toBe(true);
});

test('with more parts than files, the parts without files say so, and all parts are the whole', async () => {
  const [whole, parts] = [join(folder, 'whole-of-five'), join(folder, 'five-parts')];
  await json(['export', TRACE, '--to', 'parquet', '-o', whole, ...SMALL_FILES]);
  const said: string[] = [];
  for (const part of ['1/5', '2/5', '3/5', '4/5', '5/5']) {
    const { code, stdout, stderr } = await cli([
      'export',
      TRACE,
      '--to',
      'parquet',
      '-o',
      parts,
      ...SMALL_FILES,
      '--part',
      part,
    ]);
    expect([code, stderr]).toEqual([0, '']);
    said.push(stdout);
  }
  expect(filesIn(parts)).toEqual(filesIn(whole));
  const empty = said.filter((line) => line.includes('no files'));
  // Three files, five parts.
  expect(empty).toHaveLength(2);
  expect(empty[0]).toBe(`${parts}: part 1 of 5 has no files, because the table has 3 files in all\n`);
  const table = join(parts, 'records', 'trace=three-blocks.log');
  const manifests = readdirSync(table).filter((name) => name.startsWith('_'));
  expect(manifests).toHaveLength(5);
  const manifest: unknown = JSON.parse(readFileSync(join(table, '_manifest.1-of-5.json'), 'utf8'));
  expect(manifest).toMatchObject({ part: 1, parts: 5, filesOfAll: '3', files: [] });
});

test('refuses a folder with another trace of the same name or other settings', async () => {
  const place = join(folder, 'same-name');
  const to = ['--to', 'parquet', '-o', place, '--name', 'one'];
  expect((await cli(['export', TARMAC, ...to])).code).toBe(0);
  expect((await cli(['export', TARMAC, ...to])).code).toBe(0);
  const other = await cli(['export', BYU, ...to]);
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringMatching(/this folder holds an export with another trace/),
  ]);
  const signed = await cli(['export', TARMAC, ...to, '--signed']);
  expect([signed.code, signed.stderr]).toEqual([
    1,
    expect.stringMatching(/another choice of --signed; remove the folder/),
  ]);
});

test.each([
  [['--to', 'parquet', '-o', 'x', '--part', '3/2'], /--part must be a part such as 1\/8/],
  [['--to', 'parquet', '-o', 'x', '--from', '3'], /parquet writes whole tables/],
  [['--to', 'csv', '-o', 'x', '--part', '1/2'], /--part is only for --to parquet/],
  [['--to', 'csv', '-o', 'x', '--depth'], /--depth is only for --to vcd/],
  [['--to', 'parquet', '-o', 'x', '--name', 'a/b'], /--name must be a name without/],
])('%j is refused in one line and writes nothing', async (args, message) => {
  const { code, stdout, stderr } = await cli(['export', BYU, ...args]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
  expect(existsSync('x')).toBe(false);
});

test('leaves no file when it is interrupted', async () => {
  const place = join(folder, 'interrupted');
  const child = startCli(['export', TRACE, '--to', 'parquet', '-o', place, ...SMALL_FILES, ...own(), '--quiet']);
  const ended = once(child, 'exit');
  const table = join(place, 'records', 'trace=three-blocks.log');
  while (!existsSync(table) || readdirSync(table).length === 0) await delay(5);
  child.kill('SIGINT');
  expect((await ended)[0]).toBe(130);
  expect(readdirSync(table)).toEqual([]);
  expect(readdirSync(place)).toEqual(['records']);
});

test('says in one sentence that the disk is full', async () => {
  const place = join(folder, 'full');
  const args = ['export', TRACE, '--to', 'parquet', '-o', place, ...own(), '--quiet'];
  const child = spawn('bash', ['-c', 'ulimit -f 40; trap "" XFSZ; exec "$0" "$@"', process.execPath, CLI, ...args]);
  let stderr = '';
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  const [code] = await once(child, 'close');
  expect([code, stderr]).toEqual([
    1,
    `tracebench: ${place}: the file would become larger than it may be; ask for less\n`,
  ]);
  expect(readdirSync(join(place, 'records', 'trace=three-blocks.log'))).toEqual([]);
});
