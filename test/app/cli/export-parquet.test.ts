// `export --to parquet` as jobs use it: parts together are the whole, and what was interrupted has no file that looks complete.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { sample } from '../../../electron/sample/sample.ts';
import { SAMPLE_FORMAT_IDS } from '../../../electron/sample/writers/format-ids.ts';
import { EXPORT_TABLES } from '../../../shared/requests/tables/export.ts';
import { openDuckdb } from '../../engine/parquet.ts';
import { CLI, startCli } from '../run-cli.ts';
import { few, pairs } from '../../short-form.ts';
import { BYU, cli, folder, json, own, TARMAC } from './driver.ts';

const TRACE = join(folder, 'three-blocks.log');
const SMALL_FILES = ['--file-records', '10000'];

beforeAll(async () => {
  // Three blocks of one mebibyte.
  const made = await sample({ format: 'tarmac', size: 2_300_000, path: TRACE, seed: 3, locality: 'local' });
  expect(made.ok).toBe(true);
  await cli(['index', TRACE]);
});

function filesIn(place: string, what = 'records', name = 'three-blocks.log'): Record<string, string> {
  const table = join(place, what, `trace=${name}`);
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

test.each(pairs(few(SAMPLE_FORMAT_IDS, 4), EXPORT_TABLES))(
  'parts of a trace of %s are together the whole of %s',
  async (format, what) => {
    const trace = join(folder, `${format}-${what}.trc`);
    const made = await sample({ format, size: 2_300_000, path: trace, seed: 5, locality: 'local' });
    expect(made.ok).toBe(true);
    const [whole, parts] = [join(folder, `${format}-whole`), join(folder, `${format}-parts`)];
    const written = await cli(['export', trace, '--to', 'parquet', '-o', whole, '--what', what, ...SMALL_FILES]);
    if (written.code !== 0) {
      expect(written.stderr).toMatch(/do not show where a program branched/);
      return;
    }
    for (const part of ['2/2', '1/2'])
      await json(['export', trace, '--to', 'parquet', '-o', parts, '--what', what, ...SMALL_FILES, '--part', part]);
    const files = filesIn(whole, what, basename(trace));
    expect(Object.keys(files).length).toBeGreaterThan(1);
    expect(filesIn(parts, what, basename(trace))).toEqual(files);
  },
);

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

test('signed columns have the bits of unsigned ones, and the views give the same values', async () => {
  const wide = join(folder, 'wide.log');
  const lines = [
    '1 clk IT (1) ffffffff80000000 d503201f A svc : nop',
    '1 clk R X0 ffffffffffffffff',
    '1 clk MW8 8000000000000000 7fffffffffffffff',
    '2 clk IT (2) 00000000 d503201f A svc : nop',
    '2 clk MR8 ffffffffffffffff 8000000000000000',
    '2 clk MR8 7fffffffffffffff 0000000000000000',
  ];
  writeFileSync(wide, `${lines.join('\n')}\n`);
  const [plain, signed] = [join(folder, 'unsigned'), join(folder, 'signed')];
  for (const what of ['records', 'accesses']) {
    await json(['export', wide, '--to', 'parquet', '-o', plain, '--what', what]);
    await json(['export', wide, '--to', 'parquet', '-o', signed, '--what', what, '--signed']);
  }
  const most = 2n ** 64n - 1n;
  const half = 2n ** 63n;
  const rows = [
    { n: 0n, address: 0xffffffff80000000n, value: null },
    { n: 1n, address: null, value: most },
    { n: 2n, address: half, value: half - 1n },
    { n: 3n, address: 0n, value: null },
    { n: 4n, address: most, value: half },
    { n: 5n, address: half - 1n, value: 0n },
  ];
  const accesses = [rows[2], rows[4], rows[5]];
  const duckdb = await openDuckdb();
  try {
    const read = (place: string, table: string, what = 'n, address, value') =>
      duckdb.rows(`SELECT ${what} FROM read_parquet('${place}/${table}/*/*.parquet') ORDER BY n`);
    expect(await read(plain, 'records')).toEqual(rows);
    expect(await read(plain, 'accesses')).toEqual(accesses);
    expect(await read(signed, 'records', 'address, value')).toEqual([
      { address: -(2n ** 31n), value: null },
      { address: null, value: -1n },
      { address: -half, value: half - 1n },
      { address: 0n, value: null },
      { address: -1n, value: -half },
      { address: half - 1n, value: 0n },
    ]);
    expect(await read(signed, 'records', 'DISTINCT n, typeof(address) AS a, typeof(value) AS v')).toEqual(
      rows.map(({ n }) => ({ n, a: 'BIGINT', v: 'BIGINT' })),
    );
    for (const place of [plain, signed]) {
      for (const table of ['records', 'accesses']) {
        await duckdb.rows(readFileSync(join(place, `${table}.duckdb.sql`), 'utf8'));
        expect(await duckdb.rows(`SELECT n, address, value FROM ${table} ORDER BY n`)).toEqual(
          table === 'records' ? rows : accesses,
        );
      }
      // Statistics of the files leave out no row.
      for (const [condition, expected] of [
        [`address >= ${half}`, [0n, 2n, 4n]],
        [`address = ${most}`, [4n]],
        [`value >= ${half}`, [1n, 4n]],
        [`value = ${half - 1n}`, [2n]],
        ['address IS NULL', [1n]],
      ] as const) {
        const found = await duckdb.rows(`SELECT n FROM records WHERE ${condition} ORDER BY n`);
        expect([condition, found.map(({ n }) => n)]).toEqual([condition, expected]);
      }
    }
  } finally {
    duckdb.close();
  }
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
