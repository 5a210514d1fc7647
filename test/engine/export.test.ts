/** Exported records compared with the slow oracle: every record once, in order, for any division into parts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import type { Arguments } from '../../shared/requests/requests.ts';
import type { RecordView } from '../../shared/records/record.ts';
import { ask } from './ask.ts';
import { readAll, type OracleRecord } from './oracle.ts';
import { sharedEngine } from './shared-engine.ts';
import { nastyByu, nastyTarmac, scratch } from './traces.ts';

const place = scratch();
const text = place.file('trace.txt', nastyTarmac(30_000, 11));
const binary = place.file('trace.byu', nastyByu(60_000, 4, 2 ** 24));
let engine: Engine;

beforeAll(() => {
  engine = sharedEngine(12_000);
});
afterAll(async () => {
  await engine.close();
  place.dispose();
});

interface Exported {
  readonly content: string;
  readonly rows: number;
  readonly parts: number;
}

async function exportAll(
  trace: string,
  args: Omit<Arguments<'exportPart'>, 'trace' | 'from'>,
  from = 0,
): Promise<Exported> {
  const parts: string[] = [];
  let rows = 0;
  for (let next: number | null = from; next !== null;) {
    const part: Awaited<ReturnType<typeof ask<'exportPart'>>> = await ask(engine, 'exportPart', {
      trace,
      ...args,
      from: next,
      head: next === from,
    });
    parts.push(new TextDecoder().decode(part.bytes));
    rows += part.rows;
    expect(part.next ?? Number.POSITIVE_INFINITY).toBeGreaterThan(next);
    next = part.next;
  }
  return { content: parts.join(''), rows, parts: parts.length };
}

async function openWhole(path: string, format: string): Promise<{ trace: string; oracle: readonly OracleRecord[] }> {
  const { trace } = await ask(engine, 'open', { path, format });
  await ask(engine, 'index', { trace });
  return { trace, oracle: readAll(path, format, format === 'byu6' ? { endian: 'big' } : {}).records };
}

const LABEL: Readonly<Record<string, string>> = { read: '0', write: '1', fetch: '2', instruction: '2', skipped: '2' };

function dinOf(records: readonly OracleRecord[], kinds: readonly string[]): string {
  const taken = records.filter(({ kind, low }) => kinds.includes(kind) && low !== undefined);
  return taken.map(({ kind, low }) => `${LABEL[kind]!} ${low!.toString(16)}\n`).join('');
}

test('a Dinero export contains only fetches, reads and writes', async () => {
  const { trace, oracle } = await openWhole(binary, 'byu6');
  const all = await exportAll(trace, { as: 'din' });
  expect(all.content).toBe(dinOf(oracle, ['fetch', 'read', 'write']));
  expect(all.rows).toBe(all.content.split('\n').length - 1);
});

test('a Dinero export uses instructions as fetches if the trace has none, with 64-bit addresses', async () => {
  const { trace, oracle } = await openWhole(text, 'tarmac');
  const all = await exportAll(trace, { as: 'din' });
  expect(all.content).toBe(dinOf(oracle, ['instruction', 'skipped', 'read', 'write']));
  expect(all.content).toMatch(/^. [0-9a-f]{9,16}$/m);
  const writes = await exportAll(trace, { as: 'din', kinds: ['write'], to: 20_000 }, 777);
  expect(writes.content).toBe(dinOf(oracle.slice(777, 20_000), ['write']));
});

test('a Dinero export omits wait states and aborted accesses', async () => {
  const lines = [
    'MNR4____ 00001000 (wait)',
    'MNR4____ 00001000 00000001',
    'MNW4____ 00002000 00000002 (abort)',
    'MNW4____ 00002004 00000003',
    'IT 00008000 e28f8090 NOP',
  ];
  const { trace } = await openWhole(place.file('waits.txt', `${lines.join('\n')}\n`), 'armtracer');
  expect((await exportAll(trace, { as: 'din' })).content).toBe('0 1000\n1 2004\n2 8000\n');
});

test('a Dinero export reads back as the same references', async () => {
  const { trace, oracle } = await openWhole(binary, 'byu6');
  const file = place.file('exported', (await exportAll(trace, { as: 'din' })).content);
  const again = readAll(file, 'din', {}).records;
  const accesses = oracle.filter(({ kind, low }) => low !== undefined && ['fetch', 'read', 'write'].includes(kind));
  expect(again.map(({ kind, low }) => [kind, low])).toEqual(accesses.map(({ kind, low }) => [kind, low]));
});

test('a JSON Lines export equals the answers of `records`, in parts of any size', async () => {
  const { trace, oracle } = await openWhole(text, 'tarmac');
  const all = await exportAll(trace, { as: 'jsonl' });
  expect(all.parts).toBeGreaterThan(1);
  const lines = all.content.trimEnd().split('\n');
  expect(lines.length).toBe(oracle.length);
  for (const from of [0, 9990, oracle.length - 100]) {
    const { records } = await ask(engine, 'records', { trace, from, count: 100 });
    expect(lines.slice(from, from + 100).map((line) => JSON.parse(line) as RecordView)).toEqual(records);
  }
});

test('a CSV export has a header and one row per record, with quotes if needed', async () => {
  const trap = '0 clk 0 IT (0) 00008000 e59f0060 A svc_ns : ldr "r0", [pc]\n1 clk R r0 0000002a\nsaid "so", twice\n';
  const { trace } = await openWhole(place.file('quotes.txt', trap), 'tarmac');
  const { content, rows } = await exportAll(trace, { as: 'csv' });
  const [head, ...lines] = content.trimEnd().split('\n');
  expect(rows).toBe(3);
  expect(head).toBe(
    'n,offset,bytes,time,cpu,kind,native,address,size,register,value,registers,opcode,isa,text,target,source,flags',
  );
  expect(lines[0]).toBe('0,0,59,0,0,instruction,IT,0x8000,4,,,,0xe59f0060,A,"ldr ""r0"", [pc]",,,svc ns');
  expect(lines[2]).toBe('2,79,17,,,other,OTHER,,,,,,,,"said ""so"", twice",,,');
});

test('a CSV export has no cell that a spreadsheet computes, and no hidden character', async () => {
  const cells: readonly (readonly [line: string, cell: string])[] = [
    ["=cmd|'/C calc'!A0", `'=cmd|'/C calc'!A0`],
    ['=HYPERLINK("http://x";A1)', `"'=HYPERLINK(""http://x"";A1)"`],
    ['+1+1', `'+1+1`],
    ['-2+3', `'-2+3`],
    ['@SUM(1)', `'@SUM(1)`],
    ['\uff1d1', `'\uff1d1`],
    ['-5', '-5'],
    ['+1.5e3', '+1.5e3'],
    ['a=b', 'a=b'],
    ['a;=1+1', '"a;=1+1"'],
    ['red\u001b[31m\u202e\u009b', 'red[U+001B][31m[U+202E][U+009B]'],
  ];
  const start = '0 clk 0 IT (0) 00008000 e59f0060 A svc_ns : nop\n';
  const file = place.file('formulas.txt', `${start}${cells.map(([line]) => `${line}\n`).join('')}`);
  const { trace } = await openWhole(file, 'tarmac');
  const lines = (await exportAll(trace, { as: 'csv' })).content.trimEnd().split('\n').slice(2);
  expect(lines.map((line) => line.replace(/^.*,other,OTHER,{8}|,,,$/g, '').replace(/,,,$/, ''))).toEqual(
    cells.map(([, cell]) => cell),
  );
});
