// `sql` and `recipes`: each recipe gives what the command for its question gives. The sample's source is short enough to follow by hand:
// test/engine/compiled/programs/fault-off-by-one.c.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { RECIPES } from '../../../shared/sql/recipes.ts';
import { SQL_FUNCTIONS, SQL_TABLES } from '../../../shared/sql/schema.ts';
import { runInside } from '../run-cli.ts';
import { openDuckdb } from '../../engine/parquet.ts';
import { cli, folder, json, lines, own, traceOf } from './driver.ts';

const trace = traceOf('tarmac/fault-off-by-one');
const ARGUMENTS = [trace, '--image', join(dirname(trace), 'program.elf')];

type Row = Readonly<Record<string, string | number | null>>;

/** Rows of a statement or a recipe, by the names of their columns. */
async function rows(args: readonly string[], on: readonly string[] = ARGUMENTS): Promise<readonly Row[]> {
  const found = (await json(['sql', ...on, ...args])) as {
    readonly columns: readonly { readonly name: string }[];
    readonly rows: readonly (readonly (string | number | null)[])[];
  };
  const names = found.columns.map(({ name }) => name);
  return found.rows.map((row) => Object.fromEntries(row.map((cell, c) => [names[c]!, cell])));
}

async function recipe(name: string, set: Readonly<Record<string, string | number>> = {}, on = ARGUMENTS) {
  const values = Object.entries(set).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  return rows(['--recipe', name, ...values], on);
}

interface Record_ {
  readonly n: number;
  readonly kind: string;
  readonly address?: string;
  readonly value?: string;
}

async function found(...args: readonly string[]): Promise<readonly Record_[]> {
  return (await lines(['find', ...ARGUMENTS, ...args, '--limit', '1000'])) as unknown as Record_[];
}

test('the recipe exceptions gives the exceptions that find gives', async () => {
  const other = traceOf('tarmac/es-program');
  const records = await lines(['find', other, '--kind', 'exception', '--limit', '1000']);
  const given = await recipe('exceptions', {}, [other]);
  expect(given.map(({ n, address }) => [n, address ?? undefined])).toEqual(
    records.map(({ n, address }) => [n, address]),
  );
});

test('the recipe calls-of gives each call with the registers before and after it', async () => {
  const calls = await recipe('calls-of', { function: 'sum_of' });
  const { edges, functions } = (await json(['calls', ...ARGUMENTS])) as {
    readonly edges: readonly { readonly callee: string; readonly first: number; readonly count: number }[];
    readonly functions: readonly { readonly id: string; readonly name: string }[];
  };
  const id = functions.find(({ name }) => name === 'sum_of')!.id;
  const edge = edges.find(({ callee }) => callee === id)!;
  expect(calls.map(({ n }) => n)).toEqual([edge.first]);
  const register = async (n: Row[string] | undefined, name: string): Promise<string> => {
    const { registers } = (await json(['registers', ...ARGUMENTS, '--at', String(n)])) as Registers;
    return registers[name]!.value;
  };
  expect(calls[0]).toMatchObject({
    caller: 'program',
    argument1: await register(calls[0]!['n'], 'r0'),
    argument2: await register(calls[0]!['n'], 'r1'),
    result: await register(calls[0]!['end_n'], 'r0'),
  });
  // 120 + 80 + 45 + 5.
  expect(calls[0]).toMatchObject({ argument2: '0x4', result: '0xfa' });
});

interface Registers {
  readonly registers: Readonly<Record<string, { readonly value: string }>>;
}

test('the recipe failing-calls groups calls by results other than that of success', async () => {
  const [call] = await recipe('calls-of', { function: 'sum_of' });
  expect(await recipe('failing-calls', { function: 'sum_of' })).toEqual([
    { result: call!['result'], calls: 1, first_n: call!['n'], last_n: call!['n'] },
  ]);
  expect(await recipe('failing-calls', { function: 'sum_of', success: '0xfa' })).toEqual([]);
});

test('the recipe last-call gives the call before a record, with its stack', async () => {
  const [call] = await recipe('last-call', { function: 'copy' });
  const frames = (await json(['stack', ...ARGUMENTS, '--at', String(call!['n'])])) as readonly {
    readonly function: string;
    readonly site?: string;
  }[];
  expect(call).toMatchObject({ stack: frames.map((frame) => frame.function).join(' < '), site: frames[0]!.site });
  expect(await recipe('last-call', { function: 'copy', before: Number(call!['n']) })).toEqual([]);
});

test('the recipe last-writer gives the record of last-write', async () => {
  const record = (await json(['last-write', ...ARGUMENTS, '--address', '0x9214', '--at', '189'])) as Record_;
  const [row] = await recipe('last-writer', { address: '0x9214', at: 189 });
  expect(row).toMatchObject({ n: record.n, address: record.address, value: record.value });
  // The fault of the program: copy writes the total.
  expect(row).toMatchObject({ value: '0x270f', stack: 'copy < program < _start' });
});

test('the recipe accesses-of gives the accesses that find gives', async () => {
  const kinds = ['--kind', 'read,write,fetch,bus-read,bus-write,bus-fetch'];
  const records = await found('--address', '0x9200-0x9217', ...kinds);
  const given = await recipe('accesses-of', { low: '0x9200', high: '0x9217' });
  expect(given.map(({ n, kind, address, value }) => ({ n, kind, address, value }))).toEqual(
    records.map(({ n, kind, address, value }) => ({ n, kind, address, value })),
  );
});

test('the recipe executed counts like coverage', async () => {
  const { instructions } = (await json(['coverage', ...ARGUMENTS])) as {
    readonly instructions: readonly { readonly address: string; readonly count: number }[];
  };
  const inside = instructions.filter(({ address, count }) => count > 0 && BigInt(address) <= 0x8150n);
  const given = await recipe('executed', { low: '0x8000', high: '0x8150' });
  expect(
    given.map(({ address, executed, skipped }) => ({ address, count: Number(executed) + Number(skipped) })),
  ).toEqual(inside.map(({ address, count }) => ({ address, count })));
});

test('the recipe values-of gives the values of history', async () => {
  const given = await recipe('values-of', { address: '0x9214' });
  const writes = await found('--address', '0x9214-0x9217', '--kind', 'write');
  expect(given.map(({ n, value }) => [n, value])).toEqual(writes.map(({ n, value }) => [n, value]));
  expect(given.map(({ value }) => value)).toEqual(['0xfa', '0x270f']);
});

interface Function_ {
  readonly name: string;
  readonly calls: number;
  readonly self: number;
  readonly total: number;
}

async function functionsIn(from: number, to: number): Promise<readonly Function_[]> {
  const range = ['--from', String(from), '--to', String(to)];
  return ((await json(['calls', ...ARGUMENTS, ...range])) as { readonly functions: readonly Function_[] }).functions;
}

test('the recipe functions-in gives the costs of calls', async () => {
  const given = await recipe('functions-in', { from: 40, to: 150 });
  const expected = (await functionsIn(40, 150)).filter(({ self, calls }) => self > 0 || calls > 0);
  expect(given.map(({ self }) => self)).toEqual(given.map(({ self }) => Number(self)).sort((a, b) => b - a));
  for (const { name, calls, self, total } of expected)
    expect(given).toContainEqual(expect.objectContaining({ function: name, calls, self, total }));
  expect(given).toHaveLength(expected.length);
});

test('the recipe difference subtracts the costs of two ranges', async () => {
  const given = await recipe('difference', { from1: 0, to1: 100, from2: 100, to2: 190 });
  const [first, second] = [await functionsIn(0, 100), await functionsIn(100, 190)];
  const self = (list: readonly Function_[], name: unknown): number => list.find((its) => its.name === name)?.self ?? 0;
  expect(given.map((row) => row['difference'])).toEqual(
    given.map((row) => self(second, row['function']) - self(first, row['function'])),
  );
  expect(given[0]).toMatchObject({ function: 'copy', difference: 24 });
});

test('recipes lists all of them, and prints one', async () => {
  const list = await cli(['recipes']);
  expect(list.code).toBe(0);
  for (const { name } of RECIPES) expect(list.stdout).toMatch(new RegExp(`^${name} `, 'm'));
  expect((await cli(['recipes', 'last-call'])).stdout).toContain('ORDER BY n DESC');
  expect((await cli(['recipes', 'last-cal'])).stderr).toContain('perhaps last-call');
});

test('sql prints a table, CSV and its schema', async () => {
  const statement = 'SELECT n, kind, value FROM records WHERE n BETWEEN 0 AND 1';
  const run = async (...args: readonly string[]) => (await cli(['sql', ...ARGUMENTS, ...args, ...own()])).stdout;
  expect(await run(statement)).toBe('n  kind         value\n0  instruction  -\n1  register     0xd1\n');
  for (const option of ['--as', '--format'])
    expect(await run(statement, option, 'csv')).toBe('n,kind,value\n0,instruction,\n1,register,0xd1\n');
  expect(await run('SELECT 1 LIMIT 0')).toBe('No rows.\n');
  const { stdout } = await cli(['sql', '--schema']);
  for (const { name } of [...SQL_TABLES, ...SQL_FUNCTIONS]) expect(stdout).toMatch(new RegExp(`^${name}\\b`, 'm'));
});

test('sql names what is wrong', async () => {
  const problem = async (...args: readonly string[]) => (await cli(['sql', ...args, ...own()])).stderr;
  expect(await problem(trace)).toContain('give a statement such as');
  expect(await problem()).toContain('name a trace file');
  expect(await problem(trace, '--recipe', 'calls-of')).toContain('needs --set function=VALUE');
  expect(await problem(trace, '--recipe', 'calls-of', '--set', 'f=x')).toContain("has no parameter 'f'");
  expect(await problem(trace, 'SELECT x FROM records')).toContain('no such column: x');
  const cut = await runInside(['sql', trace, 'SELECT n FROM records', '--limit', '2', ...own()]);
  expect(cut.stderr).toContain('more than 2 rows; --limit K prints more');
});

const guide = readFileSync(fileURLToPath(new URL('../../../docs/sql.md', import.meta.url)), 'utf8');

test('docs/sql.md names every table, function and recipe, and its statements work', async () => {
  for (const { name, parameters } of SQL_TABLES)
    expect(guide).toContain(
      parameters.length === 0 ? `| \`${name}\` |` : `| \`${name}(${parameters.map((one) => one.name).join(', ')})\` |`,
    );
  for (const { call } of SQL_FUNCTIONS) expect(guide).toContain(`\`${call}\``);
  for (const { name } of RECIPES) expect(guide).toContain(`| \`${name}\` |`);
  const statements = [...guide.matchAll(/```sql\n(.*?)```/gs)].map(([, statement]) => statement!);
  expect(statements).toHaveLength(3);
  for (const statement of statements) expect((await rows([statement])).length).toBeGreaterThan(0);
});

test('writes the rows as a Parquet file that other engines read', async () => {
  const file = join(folder, 'rows.parquet');
  const statement = 'SELECT n, kind, address, value, n / 2.0 AS half FROM records WHERE n < 60';
  const written = await cli(['sql', ...ARGUMENTS, statement, '--as', 'parquet', '-o', file]);
  expect(written).toMatchObject({ code: 0, stderr: '' });
  const duckdb = await openDuckdb();
  const read = await duckdb.rows(`SELECT * FROM '${file}'`);
  duckdb.close();
  const hex = (cell: unknown): unknown => (typeof cell === 'bigint' ? `0x${cell.toString(16)}` : cell);
  const numbered = read.map(({ n, kind, address, value, half }) => ({
    n: Number(n),
    kind,
    address: hex(address),
    value: hex(value),
    half: Number(half),
  }));
  expect(numbered).toEqual(await rows([statement]));
  const refused = await cli(['sql', ...ARGUMENTS, statement, '--as', 'parquet']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
});
