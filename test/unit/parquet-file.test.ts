/** Parquet columns with extreme values, read back by DuckDB. */
import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  codeOfHalves,
  dictionaryColumn,
  differenceColumn,
  setCode,
  setInteger,
  setValue,
} from '../../electron/parquet/column.ts';
import { encodeGroup } from '../../electron/parquet/encode-group.ts';
import { footer, MAGIC } from '../../electron/parquet/footer.ts';
import { parquetFile } from '../../electron/parquet/table-file.ts';
import type { Column } from '../../electron/parquet/column.ts';
import { openDuckdb } from '../engine/parquet.ts';
import { scratch } from '../engine/traces.ts';

const place = scratch();
let duckdb: Awaited<ReturnType<typeof openDuckdb>>;

beforeAll(async () => {
  duckdb = await openDuckdb();
});
afterAll(() => {
  duckdb.close();
  place.dispose();
});

const TOP = 0xffff_ffff;

function fileOf(columns: readonly Column[], rows: number): string {
  const { bytes, chunks } = encodeGroup(columns, rows);
  const groups = [{ offset: MAGIC.length, rows, chunks }];
  const end = footer({ columns: columns.map(({ spec }) => spec), groups, about: { key: 'ä' }, createdBy: 'test' });
  return place.file('one.parquet', Buffer.concat([MAGIC, bytes, end]));
}

test('stores unsigned and signed extremes of 64 bits with their bounds', async () => {
  const halves = [
    [0, 0],
    [TOP, TOP],
    [0, 0x8000_0000],
    [TOP, 0x7fff_ffff],
    [1, 0],
  ] as const;
  const unsigned = dictionaryColumn('u', 'uint64');
  const signed = dictionaryColumn('s', 'int64');
  for (const [row, [low, high]] of halves.entries()) {
    setCode(unsigned, 2 * row, codeOfHalves(unsigned, low, high));
    setCode(signed, 2 * row, codeOfHalves(signed, low, high));
  }
  const file = fileOf([unsigned, signed], 10);
  const values = halves.map(([low, high]) => (BigInt(high) << 32n) | BigInt(low));
  const rows = values.flatMap((u) => [
    { u, s: BigInt.asIntN(64, u) },
    { u: null, s: null },
  ]);
  expect(await duckdb.rows(`FROM '${file}'`)).toEqual(rows);
  const [, { stats_min_value: low, stats_max_value: high, stats_null_count: nulls } = {}] = await duckdb.rows(
    `SELECT * FROM parquet_metadata('${file}') ORDER BY column_id`,
  );
  expect([low, high, nulls]).toEqual([String(-(2n ** 63n)), String(2n ** 63n - 1n), 5n]);
  expect(await duckdb.rows(`SELECT u FROM '${file}' WHERE u > 9223372036854775808`)).toEqual([{ u: 2n ** 64n - 1n }]);
});

test.each([
  ['ascending by one', [5e15, 5e15 + 1, 5e15 + 2]],
  ['far apart', [-(2 ** 53) + 1, 2 ** 53 - 1, 0, -7]],
  ['extremes of 64 bits', [-(2n ** 63n), 2n ** 63n - 1n, 0n, 3]],
  ['a run longer than a block, with a jump', [...Array.from({ length: 1000 }, (_, i) => 3 * i), 2 ** 31, 2 ** 31 + 1]],
  ['one', [42]],
  ['none', []],
])('stores integers as differences: %s', async (_name, values: readonly (number | bigint)[]) => {
  const column = differenceColumn('t', true);
  // Every third row is null.
  for (const [i, value] of values.entries()) setInteger(column, i + Math.floor(i / 2), value);
  const rows = values.length + Math.floor(values.length / 2);
  const file = fileOf([column], rows);
  const read = (await duckdb.rows(`FROM '${file}'`)).map(({ t }) => t);
  expect(read).toEqual(
    Array.from({ length: rows }, (_, row) => (row % 3 === 2 ? null : BigInt(values[row - Math.floor(row / 3)]!))),
  );
});

test('lets engines leave out groups by their statistics', async () => {
  const pieces: Uint8Array[] = [MAGIC];
  const groups = [];
  let offset = MAGIC.length;
  let columns: readonly Column[] = [];
  for (const group of [0, 1, 2]) {
    const n = differenceColumn('n');
    const text = dictionaryColumn('text', 'text', false);
    for (let row = 0; row < 10; row++) {
      setInteger(n, row, 100 + 10 * group + row);
      setValue(text, row, `row ${String(100 + 10 * group + row)}`);
    }
    columns = [n, text];
    const { bytes, chunks } = encodeGroup(columns, 10);
    // Only the middle group can be read.
    pieces.push(group === 1 ? bytes : new Uint8Array(bytes.length).fill(0xff));
    groups.push({ offset, rows: 10, chunks });
    offset += bytes.length;
  }
  const specs = columns.map(({ spec }) => spec);
  const end = footer({ columns: specs, groups, about: {}, createdBy: 'test' });
  const file = place.file('groups.parquet', Buffer.concat([...pieces, end]));
  const textOf = (condition: string) => duckdb.rows(`SELECT text FROM '${file}' WHERE ${condition}`);
  expect(await textOf('n BETWEEN 112 AND 113')).toEqual([{ text: 'row 112' }, { text: 'row 113' }]);
  expect(await textOf(`text = 'row 117'`)).toEqual([{ text: 'row 117' }]);
  await expect(textOf('n >= 112')).rejects.toThrow();
});

test('stores rare values of a group that grows beyond the usual size', async () => {
  const rows = 600_010;
  const set = [0, 4095, 4096, 299_999, 300_000, 600_001];
  const code = dictionaryColumn('code', 'int64');
  const difference = differenceColumn('difference', true);
  for (const row of set) {
    setCode(code, row, codeOfHalves(code, row, 0));
    setInteger(difference, row, row);
  }
  const file = fileOf([code, difference], rows);
  const numbered = `SELECT row_number() OVER () - 1 AS row, code, difference FROM '${file}'`;
  expect(await duckdb.rows(`FROM (${numbered}) WHERE code IS NOT NULL OR difference IS NOT NULL ORDER BY row`)).toEqual(
    set.map((row) => ({ row: BigInt(row), code: BigInt(row), difference: BigInt(row) })),
  );
  expect(await duckdb.rows(`SELECT count(*) AS rows FROM '${file}'`)).toEqual([{ rows: BigInt(rows) }]);
});

test('stores many distinct values, few, one and none', async () => {
  const rows = 70_000;
  const spread = dictionaryColumn('spread', 'uint64');
  const few = dictionaryColumn('few', 'text', false);
  const none = dictionaryColumn('none', 'int32');
  for (let row = 0; row < rows; row++) {
    setCode(spread, row, codeOfHalves(spread, Math.imul(row, 0x9e3779b1) >>> 0, row & 3));
    setValue(few, row, `text ${String(row % 300)} ü`);
  }
  const file = fileOf([spread, few, none], rows);
  const [sums] = await duckdb.rows(
    `SELECT count(DISTINCT spread) AS spread, count(DISTINCT few) AS few, count(none) AS none, max(few) AS last FROM '${file}'`,
  );
  expect(sums).toEqual({ spread: 70_000n, few: 300n, none: 0n, last: 'text 99 ü' });
  const [row] = await duckdb.rows(`SELECT spread, few FROM '${file}' OFFSET 65431 LIMIT 1`);
  expect(row).toEqual({
    spread: (BigInt(65_431 & 3) << 32n) | BigInt(Math.imul(65_431, 0x9e3779b1) >>> 0),
    few: `text ${String(65_431 % 300)} ü`,
  });
});

test('writes the result of a query', async () => {
  const file = place.file(
    'table.parquet',
    parquetFile(
      [
        { name: 'whole', values: [1, -(2n ** 63n), null] },
        { name: 'real', values: [1.5, null, 2n] },
        { name: 'text', values: ['', 'é', null] },
        { name: 'mixed', values: [1, 'a', null] },
        { name: 'bytes', values: [new Uint8Array([0, 255]), null, new Uint8Array(0)] },
        { name: 'yes', values: [true, false, null] },
        { name: 'nothing', values: [null, null, null] },
      ],
      'test',
    ),
  );
  const [first, second, third] = await duckdb.rows(`SELECT * REPLACE (hex(bytes) AS bytes) FROM '${file}'`);
  expect(first).toEqual({ whole: 1n, real: 1.5, text: '', mixed: '1', bytes: '00FF', yes: true, nothing: null });
  expect(second).toMatchObject({ whole: -(2n ** 63n), real: null, text: 'é', mixed: 'a', yes: false });
  expect(third).toEqual({ whole: null, real: 2, text: null, mixed: null, bytes: '', yes: null, nothing: null });
  const empty = place.file('empty.parquet', parquetFile([{ name: 'a', values: [] }], 'test'));
  expect(await duckdb.rows(`FROM '${empty}'`)).toEqual([]);
  expect(fs.statSync(empty).size).toBeGreaterThan(8);
});
