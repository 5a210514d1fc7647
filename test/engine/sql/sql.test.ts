/** SQL over a trace gives what the dedicated requests give, reads only what its conditions select, and harms nobody. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Arguments } from '../../../shared/requests/requests.ts';
import { READS, WRITES, type RecordView } from '../../../shared/records/record.ts';
import type { SqlAnswer } from '../../../shared/requests/sql/sql.ts';
import { sqlTable } from '../../../shared/sql/schema.ts';
import { findSamples } from '../../laws/samples.ts';
import { createRandom } from '../../laws/random.ts';
import { ask, refusal } from '../ask.ts';
import { sharedEngine } from '../shared-engine.ts';
import { scratch } from '../traces.ts';

const place = scratch();
// Blocks of a few records, so that tables cross their borders.
const engine = sharedEngine(1200);
let trace = '';

const sample = fileURLToPath(new URL('../../samples/tarmac/fault-off-by-one/', import.meta.url));

beforeAll(async () => {
  const file = place.file('program', readFileSync(`${sample}trace.txt`));
  const images = [{ path: `${sample}program.elf` }];
  ({ trace } = await ask(engine, 'open', { path: file, format: 'tarmac', images }));
  await ask(engine, 'index', { trace });
});
afterAll(async () => {
  await engine.close();
  place.dispose();
});

type Row = SqlAnswer['rows'][number];

async function rows(sql: string, more: Partial<Arguments<'sql'>> = {}): Promise<readonly Row[]> {
  return (await ask(engine, 'sql', { trace, sql, limit: 100_000, ...more })).rows;
}

async function cell(sql: string, more: Partial<Arguments<'sql'>> = {}): Promise<Row[number] | undefined> {
  return (await rows(sql, more))[0]?.[0];
}

describe('samples of every format', () => {
  const samples = findSamples().filter(({ name }, i, all) => all.findIndex((its) => its.name === name) === i);

  test.each([...new Set(samples.map(({ format }) => format))])('%s: tables equal the records', async (format) => {
    const { bytes, options, name } = samples.filter((its) => its.format === format).at(-1)!;
    const path = place.file(`${format}-${name}`, bytes);
    const { trace: other } = await ask(engine, 'open', { path, format, options });
    const { records: count } = await ask(engine, 'index', { trace: other });
    const { records } =
      count === 0 ? { records: [] } : await ask(engine, 'records', { trace: other, from: 0, count: 10_000 });
    const columns = sqlTable('records')!.columns.map((column) => column.name);
    const all = await rows('SELECT * FROM records WHERE n < 10000', { trace: other });
    expect(all).toEqual(records.map((record) => columns.map((column) => fieldOf(record, column))));
    // Without other columns, records are not described one by one.
    const plain = ['n', 'time', 'cpu', 'kind', 'address'];
    const some = await rows(`SELECT ${plain.join(', ')} FROM records WHERE n < 10000`, { trace: other });
    expect(some).toEqual(records.map((record) => plain.map((column) => fieldOf(record, column))));
    const memory = new Set<string>([...READS, ...WRITES]);
    const moved = records.filter(({ kind }) => memory.has(kind));
    const accesses = await rows('SELECT n, address, size, value FROM accesses WHERE n < 10000', { trace: other });
    expect(accesses).toEqual(
      moved.map((record) => ['n', 'address', 'size', 'value'].map((column) => fieldOf(record, column))),
    );
    const [sets] = await rows('SELECT count(*) FROM register_sets WHERE n < 10000', { trace: other });
    const set = records.flatMap((record) =>
      record.kind === 'register' ? (record.registers ?? [[record.register!] as const]) : [],
    );
    expect(sets).toEqual([set.length]);
    await ask(engine, 'close', { trace: other });
  });
});

function fieldOf(record: RecordView, column: string): string | number | null {
  // Times with a fraction are numbers.
  if (column === 'time' && record.time !== undefined)
    return /^\d+$/.test(String(record.time)) ? record.time : Number(record.time);
  const field = column === 'flags' ? record.flags?.join(' ') : (record[column as keyof RecordView] as string | number);
  return field ?? null;
}

describe('conditions', () => {
  // A sign before the column hides the condition, so that the whole table is read.
  const random = createRandom(7);
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)]!;
  const signs = ['=', '<', '<=', '>', '>=', '=='];

  test('on records, addresses and kinds select the rows that a test of each row selects', async () => {
    for (let i = 0; i < 40; i++) {
      const table = pick(['records', 'accesses', 'instructions']);
      const column = pick(table === 'records' ? ['n'] : ['n', 'address']);
      const known: readonly (string | number)[] =
        column === 'n' ? [0, 50, 102, 189, 500] : ['0x8000', '0x81d0', '0x81d2', '0x9204', '0xfeff8'];
      const form = random.below(4);
      const [low, high] = [pick(known), pick(known)];
      const condition = (its: string): string =>
        form === 0
          ? `${its} BETWEEN ${low} AND ${high}`
          : form === 1
            ? `${high} ${pick(signs)} ${its}`
            : `${its} ${signs[form]!} ${low} AND ${its} ${signs[random.below(5)]!} ${high} AND kind <> 'fetch'`;
      const text = condition(pick([`t.${column}`, column]));
      const hidden = text.replaceAll(new RegExp(`(t\\.)?\\b${column}\\b`, 'g'), `(+t.${column})`);
      const [found, expected] = [
        await rows(`SELECT * FROM ${table} AS t WHERE ${text}`),
        await rows(`SELECT * FROM ${table} AS t WHERE ${hidden}`),
      ];
      expect([text, found]).toEqual([text, expected]);
    }
  });

  test('may have parameters that are no whole numbers', async () => {
    const find = (sql: string, n: string) => rows(sql, { set: { n } });
    expect(await find('SELECT count(*) FROM records WHERE n <= :n', '10')).toEqual([[11]]);
    // Every number is less than text.
    expect(await find('SELECT count(*) FROM records WHERE n <= :n', '0xffffffffffffffff')).toEqual([[190]]);
    expect(await find('SELECT count(*) FROM records WHERE n < CAST(:n AS REAL)', '10.5')).toEqual([[11]]);
  });

  test('of outer joins, OR and common table expressions are left alone', async () => {
    const joined = `SELECT count(*) FROM instructions AS i LEFT JOIN accesses AS a ON (i.n = a.n - 1) WHERE a.n IS NULL OR a.n < 50`;
    const hidden = joined.replace('a.n < 50', '+a.n < 50');
    expect(await rows(joined)).toEqual(await rows(hidden));
    expect(await rows('SELECT n FROM records WHERE n = 3 OR n = 5')).toEqual([[3], [5]]);
    expect(await rows('SELECT n FROM records WHERE n IN (9, 3, 0x5) AND n NOT IN (5)')).toEqual([[3], [9]]);
    expect(await rows('SELECT n FROM records WHERE NOT n > 2')).toEqual([[0], [1], [2]]);
    expect(await rows('SELECT n FROM records WHERE n < 1 UNION SELECT n FROM records WHERE n > 188')).toEqual([
      [0],
      [189],
    ]);
    expect(await rows('WITH records(n) AS (VALUES (7), (8)) SELECT n FROM records WHERE n = 7')).toEqual([[7]]);
  });

  test('of a join reach tables as arguments', async () => {
    const found = await rows(`SELECT c.function, r.kind FROM calls AS c JOIN records(c.n, c.n + 1) AS r`);
    expect(found.map(([name]) => name)).toEqual(['program', 'sum_of', 'copy', 'show']);
  });
});

test('calls have the records, callers and ends that other requests give', async () => {
  const graph = await ask(engine, 'calls', { trace });
  const counted = await rows('SELECT address, count(*), min(n), max(n) FROM calls GROUP BY address ORDER BY min(n)');
  const edges = graph.edges.map(({ callee, count, first, last }) => [callee, count, first, last]);
  expect(counted).toEqual(edges.toSorted((a, b) => Number(a[2]) - Number(b[2])));
  for (const [n, end, depth] of await rows('SELECT n, end_n, depth FROM calls')) {
    const inside = await ask(engine, 'stack', { trace, at: n as number });
    expect(inside.frames).toHaveLength((depth as number) + 1);
    if (end === null) continue;
    const after = await ask(engine, 'stack', { trace, at: end as number });
    const before = await ask(engine, 'stack', { trace, at: (end as number) - 1 });
    expect(before.frames.length).toBeGreaterThanOrEqual((depth as number) + 1);
    expect(after.frames).toHaveLength(depth as number);
  }
  // Parts of a range together are the whole.
  const parts = await Promise.all([
    rows('SELECT * FROM calls WHERE n < 60'),
    rows('SELECT * FROM calls WHERE n >= 60'),
  ]);
  expect(parts.flat()).toEqual(await rows('SELECT * FROM calls'));
});

test('functions of a statement give what the requests of the same questions give', async () => {
  const registers = await ask(engine, 'registers', { trace, at: 130 });
  for (const { name, value } of registers.files[0]!.registers)
    expect(await cell('SELECT hex(reg_at(130, :name))', { set: { name } })).toBe(value);
  const memory = await ask(engine, 'memory', { trace, at: 150, address: '0x9200', length: 24 });
  const digits = Array.from(memory.bytes, (byte, i) =>
    memory.known[i] === 0 ? '??' : byte.toString(16).padStart(2, '0'),
  );
  expect(await cell('SELECT mem_at(150, 0x9200, 24)')).toBe(digits.join(''));
  expect(await rows("SELECT int_at(189, 0x9214, 4), int_at(189, 0x9214, 4, 'big'), int_at(0, 0x9214, 4)")).toEqual([
    [9999, 0x0f27_0000, null],
  ]);
  const write = await ask(engine, 'access', {
    trace,
    way: 'last-write',
    at: 189,
    address: { low: '0x9214', high: '0x9217' },
  });
  expect(await cell('SELECT last_write(189, 0x9214, 4)')).toBe(write.record!.n);
  expect(await cell('SELECT last_write(1, 0x9214)')).toBe(null);
  expect(await cell('SELECT stack_at(120)')).toBe('copy < program < _start');
  expect(await rows("SELECT sym(0x8128), address_of('copy'), sym(0x7ffffff), line(0x815c)")).toEqual([
    ['sum_of', 0x815c, null, 'fault-off-by-one.c:19'],
  ]);
});

test('addresses of 64 bits compare and sort rightly', async () => {
  const lines = ['0 7fffffffffffffff', '1 8000000000000000', '0 ffffffffffffffff', '1 10', '0 fffffffffffffff0'];
  const path = place.file('wide.din', Buffer.from(`${lines.join('\n')}\n`));
  const { trace: wide } = await ask(engine, 'open', { path, format: 'din' });
  await ask(engine, 'index', { trace: wide });
  const addresses = async (rest: string): Promise<readonly unknown[]> =>
    (await rows(`SELECT address FROM accesses ${rest}`, { trace: wide })).map(([address]) => address);
  const sorted = ['0x10', '0x7fffffffffffffff', '0x8000000000000000', '0xfffffffffffffff0', '0xffffffffffffffff'];
  expect(await addresses('ORDER BY address')).toEqual(sorted);
  expect(await addresses('WHERE address >= 0x8000000000000000 ORDER BY address')).toEqual(sorted.slice(2));
  expect(await addresses('WHERE address < 9223372036854775808 ORDER BY address')).toEqual(sorted.slice(0, 2));
  expect(await addresses('WHERE address BETWEEN 0x11 AND 0xfffffffffffffff0 ORDER BY 1')).toEqual(sorted.slice(1, 4));
  expect(await addresses('WHERE +address = 0xffffffffffffffff')).toEqual(sorted.slice(4));
  const [row] = await rows(
    'SELECT hex(plus(address, 0x11)), hex(align(address, 4096)), minus(address, 0x10) FROM records WHERE n = 4',
    { trace: wide },
  );
  expect(row).toEqual(['0x1', '0xfffffffffffff000', -32]);
  expect(await cell('SELECT hex(unsigned(-1))')).toBe('0xffffffffffffffff');
  await ask(engine, 'close', { trace: wide });
});

describe('a statement', () => {
  test.each([
    ["ATTACH '/etc/passwd' AS x", 'begins with SELECT'],
    ['/* x */ PRAGMA journal_mode = off', 'begins with SELECT'],
    ['EXPLAIN PRAGMA temp_store = 1', 'begins with SELECT'],
    ["VACUUM INTO '/tmp/x'", 'begins with SELECT'],
    ['CREATE TABLE t(x)', 'begins with SELECT'],
    ['INSERT INTO records(n) VALUES (1) RETURNING n', 'begins with SELECT'],
    ['WITH a AS (SELECT 1) DELETE FROM records', 'may not be modified'],
    ['SELECT 1; DROP TABLE x', 'one statement'],
    ['SELECT 1; ', undefined],
    ["SELECT load_extension('/tmp/x')", 'not authorized'],
    ["SELECT readfile('/etc/passwd')", 'no such function'],
    ['SELECT * FROM records(NULL, 5)', 'NULL as an argument'],
    ["SELECT * FROM accesses WHERE address = '0x9214'", 'write 0x9214 without quotes'],
    ["SELECT * FROM accesses AS a WHERE '0x9214' >= a.value", 'write 0x9214 without quotes'],
    ['SELECT (1', 'is not closed'],
    ['SELECT 1)', 'closes nothing'],
    ['SELECT #', 'is not SQL'],
    [' -- nothing', 'is empty'],
    ['SELECT mem_at(5000, 0, 1)', 'there is no record 5,000'],
    ["SELECT mem_at('x', 0, 1)", 'must be a record number'],
    ["SELECT * FROM accesses WHERE of_kind = 'write5'", "there is no kind 'write5'"],
    ['SELECT zeroblob(2000000000)', 'too big'],
  ])('%s', async (sql, problem) => {
    if (problem === undefined) expect(await cell(sql)).toBe(1);
    else expect((await refusal(engine, 'sql', { trace, sql })).message).toContain(problem);
    expect(await cell('SELECT count(*) FROM records')).toBe(190);
  });

  const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';

  test('that does not end is stopped by a cancellation, and others are answered meanwhile', async () => {
    const cancel = new AbortController();
    // More than run at the same time.
    const running = Array.from({ length: 4 }, () =>
      refusal(engine, 'sql', { trace, sql: endless }, { signal: cancel.signal }),
    );
    expect((await ask(engine, 'records', { trace, from: 0, count: 1 })).records).toHaveLength(1);
    cancel.abort();
    for (const { code } of await Promise.all(running)) expect(code).toBe('cancelled');
    expect(await cell('SELECT 1')).toBe(1);
  });

  test('that does not end is stopped when its time is up', async () => {
    const { code, message } = await refusal(engine, 'sql', { trace, sql: endless, seconds: 1 });
    expect([code, message]).toEqual(['sql-time', expect.stringContaining('stopped after 1 second;')]);
  });

  test('that wants much memory is stopped', async () => {
    const sql = `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 20)
      SELECT length(y) FROM (SELECT zeroblob(90000000) AS y FROM c ORDER BY random())`;
    const { code } = await refusal(engine, 'sql', { trace, sql });
    expect(code).toBe('sql-memory');
  });

  test('has no more rows than its limit, and says so', async () => {
    const { rows: found, more } = await ask(engine, 'sql', { trace, sql: 'SELECT n FROM records', limit: 3 });
    expect([found, more]).toEqual([[[0], [1], [2]], true]);
    expect((await ask(engine, 'sql', { trace, sql: 'SELECT n FROM records LIMIT 3', limit: 3 })).more).toBe(false);
  });
});
