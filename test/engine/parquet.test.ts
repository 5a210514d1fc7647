/** Parquet files of every sample of every format, read back by DuckDB and compared with the records, branches and calls of the engine. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import { MOVES, KIND, type RecordView } from '../../shared/records/record.ts';
import type { Answer } from '../../shared/requests/requests.ts';
import { findSamples } from '../laws/samples.ts';
import { ask } from './ask.ts';
import { openDuckdb, writeTable, type Row } from './parquet.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const samples = findSamples();
let engine: Engine;
let duckdb: Awaited<ReturnType<typeof openDuckdb>>;

beforeAll(async () => {
  engine = sharedEngine(1200);
  duckdb = await openDuckdb();
});

afterAll(async () => {
  duckdb.close();
  await engine.close();
  place.dispose();
});

/** Returns the fields that come from the trace. */
async function recordsOf(trace: string): Promise<readonly RecordView[]> {
  let lines = '';
  for (let from: number | null = 0; from !== null;) {
    const part: Answer<'exportPart'> = await ask(engine, 'exportPart', { trace, as: 'jsonl', from });
    lines += Buffer.from(part.bytes).toString();
    from = part.next;
  }
  return lines
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordView);
}

describe.each([...new Set(samples.map(({ format }) => format))])('%s', (format) => {
  test('gives DuckDB the records and accesses of every sample', async () => {
    const folder = path.join(path.dirname(place.file('trace', '')), format);
    const records: Row[] = [];
    const accesses: Row[] = [];
    for (const { name, bytes, options } of samples.filter((sample) => sample.format === format)) {
      const { trace } = await ask(engine, 'open', { path: place.file('trace', bytes), format, options });
      await ask(engine, 'index', { trace });
      for (const table of ['records', 'accesses'] as const)
        await writeTable(engine, trace, table, `${folder}/${table}/trace=${name}`, { fileRecords: 300 });
      const all = await recordsOf(trace);
      records.push(...all.map((record) => ({ ...recordRow(record), trace: name })));
      accesses.push(...all.filter(isAccess).map((record) => ({ ...accessRow(record), trace: name })));
      await ask(engine, 'close', { trace });
    }
    const order = (a: Row, b: Row): number =>
      a['trace'] === b['trace'] ? Number(a['n']) - Number(b['n']) : String(a['trace']) < String(b['trace']) ? -1 : 1;
    expect(await duckdb.rows(all(`${folder}/records`))).toEqual(records.sort(order));
    expect(await duckdb.rows(all(`${folder}/accesses`))).toEqual(accesses.sort(order));
  });
});

function all(folder: string): string {
  return `FROM read_parquet('${folder}/*/*.parquet', hive_partitioning = true, hive_types_autocast = false) ORDER BY trace, n`;
}

const NO_EFFECT = ['aborted', 'wait'];

function isAccess({ kind, address, flags = [] }: RecordView): boolean {
  return MOVES[KIND[kind]] === 1 && address !== undefined && !flags.some((flag) => NO_EFFECT.includes(flag));
}

function recordRow(record: RecordView): Row {
  const { time, value } = record;
  const digits = time === undefined || !/^-?\d+$/.test(String(time)) ? undefined : BigInt(time);
  const whole = digits !== undefined && BigInt.asIntN(64, digits) === digits ? digits : null;
  return {
    n: BigInt(record.n),
    offset: BigInt(record.offset),
    bytes: BigInt(record.bytes),
    time: whole,
    time_text: time !== undefined && whole === null ? String(time) : null,
    cpu: record.cpu ?? null,
    kind: record.kind,
    native: record.native,
    address: wide(record.address),
    size: record.size === undefined ? null : BigInt(record.size),
    register: record.register ?? null,
    value: value !== undefined && value.length > 18 ? null : wide(value),
    value_wide: value !== undefined && value.length > 18 ? value : null,
    registers: record.registers === undefined ? null : JSON.stringify(record.registers),
    opcode: record.opcode ?? null,
    isa: record.isa ?? null,
    text: record.text ?? null,
    target: wide(record.target),
    source: wide(record.source),
    flags: record.flags?.join(' ') ?? null,
  };
}

function accessRow(record: RecordView): Row {
  const { n, time, time_text, cpu, kind, native, address, size, value, value_wide, flags } = recordRow(record);
  const page = (address as bigint) >> 12n;
  return { n, time, time_text, cpu, kind, native, page, address, size, value, value_wide, flags };
}

function wide(hex: string | undefined): bigint | null {
  return hex === undefined ? null : BigInt(hex);
}
