/**
 * The ten recipes of docs/beyond-one-machine.md, as they stand there, run by DuckDB over exported tables and compared with the requests of
 * the dedicated commands.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import { sample } from '../../electron/sample/sample.ts';
import type { RecordView } from '../../shared/records/record.ts';
import { EXPORT_TABLES } from '../../shared/requests/tables/export.ts';
import { findSamples } from '../laws/samples.ts';
import { ask } from './ask.ts';
import { openDuckdb, writeTable, type Row } from './parquet.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const PAGE = fs.readFileSync(fileURLToPath(new URL('../../docs/beyond-one-machine.md', import.meta.url)), 'utf8');
const place = scratch();
let engine: Engine;
let duckdb: Awaited<ReturnType<typeof openDuckdb>>;
let trace: string;
let records: readonly RecordView[];
let calls: readonly Row[];
/** A function that is called often, and an address that is written often. */
let callee: string;
let written: bigint;

beforeAll(async () => {
  engine = sharedEngine(12_000);
  duckdb = await openDuckdb();
  const file = place.file('trace.log', '');
  const made = await sample({ format: 'tarmac', size: 500_000, path: file, seed: 5, locality: 'local' });
  if (!made.ok) throw new Error(made.error.message);
  ({ trace } = await ask(engine, 'open', { path: file }));
  await ask(engine, 'index', { trace });
  for (const table of EXPORT_TABLES) {
    const folder = `${path.dirname(file)}/${table}/trace=one`;
    await writeTable(engine, trace, table, folder, { fileRecords: 1500 });
    await duckdb.rows(`CREATE VIEW ${table} AS FROM read_parquet('${path.dirname(file)}/${table}/*/*.parquet')`);
  }
  const all: RecordView[] = [];
  for (let from = 0; ; from += 10_000) {
    const { records } = await ask(engine, 'records', { trace, from, count: 10_000 });
    all.push(...records);
    if (records.length < 10_000) break;
  }
  records = all;
  calls = await duckdb.rows('FROM calls ORDER BY n');
  callee = String(mostCommon(calls.map(({ callee }) => callee)));
  written = BigInt(mostCommon(records.filter(({ kind }) => kind === 'write').map(({ address }) => address)) as string);
});

afterAll(async () => {
  duckdb.close();
  await engine.close();
  place.dispose();
});

test('exports each branch and each call once', async () => {
  const { events } = await ask(engine, 'branchEvents', { trace, count: 10_000 });
  const read = await duckdb.rows(`FROM branches WHERE trace = 'one' ORDER BY n`);
  expect(read.map(({ n, kind, source, target }) => ({ n, kind, source, target }))).toEqual(
    events.map(({ n, kind, source, target }) => ({ n: BigInt(n), kind, source: wide(source), target: wide(target) })),
  );
  const { edges } = await ask(engine, 'calls', { trace });
  const counts = await duckdb.rows(
    'SELECT caller, callee, kind, inferred, count(*) AS times FROM calls GROUP BY ALL ORDER BY ALL',
  );
  const { functions } = await ask(engine, 'calls', { trace });
  const name = new Map(functions.map(({ id, name }) => [id, name]));
  const expected = edges
    .filter(({ kind }) => kind !== 'unseen')
    .map(({ caller, callee, kind, inferred, count }) =>
      [name.get(caller), name.get(callee), kind, inferred, BigInt(count)].join(),
    );
  expect(counts.map((row) => Object.values(row).join()).sort()).toEqual(expected.sort());
  expect(calls.length).toBeGreaterThan(50);
});

test('1: exceptions', async () => {
  const sample = findSamples().find(({ format, name }) => format === 'xscale' && name === 'every-exception');
  const file = place.file('two.log', sample!.bytes);
  const { trace: two } = await ask(engine, 'open', { path: file, format: 'xscale', options: sample!.options });
  await ask(engine, 'index', { trace: two });
  await writeTable(engine, two, 'branches', `${path.dirname(file)}/branches/trace=two`, {});
  const kinds = ['exception', 'interrupt'] as const;
  const { events } = await ask(engine, 'branchEvents', { trace: two, count: 10_000, kinds });
  const rows = await recipe(1, { TRACE: 'two' });
  expect(rows.map(({ n, kind }) => [n, kind])).toEqual(events.map(({ n, kind }) => [BigInt(n), kind]));
  expect(events.length).toBeGreaterThan(0);
});

test('2: calls with arguments and results', async () => {
  const rows = await recipe(2, { F: callee });
  expect(rows.map(({ n }) => n)).toEqual(calls.filter((row) => row['callee'] === callee).map(({ n }) => n));
  for (const { n, end_n, argument, result } of rows.filter((_, i) => i % 7 === 0)) {
    expect(argument).toBe(await r0At((n as bigint) - 1n));
    expect(result).toBe(end_n === null ? null : await r0At((end_n as bigint) - 1n));
  }
});

test('3: failing calls by result', async () => {
  const counts = new Map<bigint, number>();
  for (const { end_n } of calls.filter((row) => row['callee'] === callee && row['end_n'] !== null)) {
    const result = await r0At((end_n as bigint) - 1n);
    if (result !== null && result !== 0n) counts.set(result, (counts.get(result) ?? 0) + 1);
  }
  const rows = await recipe(3, { F: callee });
  expect(new Map(rows.map(({ result, times }) => [result, Number(times)]))).toEqual(counts);
});

test('4: the last call of a function', async () => {
  const { functions } = await ask(engine, 'calls', { trace });
  const id = functions.find(({ name }) => name === callee)?.id ?? '';
  const last = await ask(engine, 'nextCall', { trace, callee: id, at: records.length, direction: 'previous' });
  expect(await recipe(4, { F: callee })).toEqual([{ n: BigInt(last.n!) }]);
});

test('5: the last writer', async () => {
  const address = `0x${(written + 1n).toString(16)}` as const;
  for (const at of [10, Math.floor(records.length / 2), records.length - 1]) {
    const found = await ask(engine, 'access', {
      trace,
      way: 'last-write',
      at,
      address: { low: address, high: address },
    });
    const n = found.record === null ? null : BigInt(found.record.n);
    expect(await recipe(5, { N: String(at), A: String(written + 1n) })).toEqual([{ n }]);
  }
});

test('6: accesses of a range', async () => {
  const [low, high] = [written - 8n, written + 9n];
  const address = { low: `0x${low.toString(16)}`, high: `0x${high.toString(16)}` } as const;
  const found = await ask(engine, 'find', { trace, address, kinds: ['read', 'write', 'fetch'], limit: 10_000 });
  expect(await recipe(6, { LOW: String(low), HIGH: String(high) })).toEqual(
    found.records.map(({ n, kind, address, size, value }) => ({
      n: BigInt(n),
      kind,
      address: wide(address),
      size: BigInt(size!),
      value: wide(value),
    })),
  );
});

test('7: how often an instruction was executed', async () => {
  const address = mostCommon(records.filter(({ kind }) => kind === 'instruction').map((record) => record.address));
  const { records: found } = await ask(engine, 'find', {
    trace,
    address: { low: address!, high: address! },
    kinds: ['instruction'],
    limit: 10_000,
  });
  const starts = found.filter((record) => record.address === address);
  expect(await recipe(7, { A: String(BigInt(address!)) })).toEqual([
    { times: BigInt(starts.length), first_n: BigInt(starts[0]!.n), last_n: BigInt(starts.at(-1)!.n) },
  ]);
});

test('8: values of a variable', async () => {
  const hex = `0x${written.toString(16)}`;
  const writes = records.filter(({ kind, address, size }) => kind === 'write' && address === hex && size === 4);
  const values = new Map<string, number[]>();
  for (const { n, value } of writes) values.set(value!, [...(values.get(value!) ?? []), n]);
  expect(await recipe(8, { A: String(written), SIZE: '4' })).toEqual(
    [...values].map(([value, at]) => ({
      value: wide(value),
      times: BigInt(at.length),
      first_n: BigInt(at[0]!),
      last_n: BigInt(at.at(-1)!),
    })),
  );
});

test('9: functions by self time', async () => {
  const { functions } = await ask(engine, 'calls', { trace });
  const rows = await recipe(9, { FROM: '0', TO: String(records.length) });
  const self = new Map(rows.map(({ name, self }) => [name, Number(self)]));
  const called = new Set(calls.map((row) => row['callee']));
  for (const { name, self: own } of functions.filter(({ name }) => called.has(name)))
    expect([name, self.get(name) ?? 0]).toEqual([name, own]);
});

test('10: what differs between two ranges', async () => {
  const [a, b, c] = [0, Math.floor(records.length / 3), Math.floor(records.length / 2)];
  const count = (from: number, to: number): Map<string, number> => {
    const times = new Map<string, number>();
    for (const { kind, address } of records.slice(from, to))
      if (kind === 'instruction') times.set(address!, (times.get(address!) ?? 0) + 1);
    return times;
  };
  const [first, second] = [count(a, b), count(b, c)];
  const addresses = [...new Set([...first.keys(), ...second.keys()])].filter(
    (key) => first.get(key) !== second.get(key),
  );
  const rows = await recipe(10, { FROM1: String(a), TO1: String(b), FROM2: String(b), TO2: String(c) });
  expect(
    rows.map(({ address, first_times, second_times }) => [address, Number(first_times), Number(second_times)]),
  ).toEqual(
    addresses
      .map((key) => [BigInt(key), first.get(key) ?? 0, second.get(key) ?? 0] as const)
      .sort(([x], [y]) => Number(x - y)),
  );
});

/** Runs the statement of a recipe with its names replaced. */
async function recipe(number: number, names: Readonly<Record<string, string>> = {}): Promise<readonly Row[]> {
  const part = PAGE.split(/^### /m).find((section) => section.startsWith(`${number}. `)) ?? '';
  const sql = /```sql\n([^`]*)```/.exec(part)?.[1] ?? '';
  return duckdb.rows(
    sql.replaceAll(/\$([A-Z0-9]+)/g, (_, name: string) => ({ TRACE: 'one', ...names })[name] ?? `$${name}`),
  );
}

async function r0At(n: bigint): Promise<bigint | null> {
  const { files } = await ask(engine, 'registers', { trace, at: Number(n) });
  const value = files[0]?.registers.find(({ name }) => name === 'r0')?.value;
  return value === undefined ? null : BigInt(value);
}

function mostCommon<T>(values: readonly T[]): T {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]![0];
}

function wide(hex: string | undefined): bigint | null {
  return hex === undefined ? null : BigInt(hex);
}
