/**
 * Searches give the matches of testing each record alone, for samples of every format, several block sizes and numbers of workers,
 * and during indexing.
 */
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import type { Criteria } from '../../shared/requests/requests.ts';
import { formatById } from '../../shared/formats/index.ts';
import { KINDS, READS, WRITES, type RecordView } from '../../shared/records/record.ts';
import { assert } from '../../shared/base/result.ts';
import type { Hex } from '../../shared/base/units.ts';
import { createRandom, type Random } from '../laws/random.ts';
import { findSamples, openSample } from '../laws/samples.ts';
import { few, rounds } from '../short-form.ts';
import { ask } from './ask.ts';
import { askAll, isMatch, valuesOf, type QueriedRecord } from './find-oracle.ts';
import { sharedEngine } from './shared-engine.ts';
import { nastyTarmac, scratch } from './traces.ts';

const place = scratch();
const engines = [
  { blockBytes: 1200, questions: rounds(4, 14) },
  { blockBytes: 24, questions: rounds(2, 4) },
  { blockBytes: 12_000, questions: rounds(3, 6) },
].map(({ questions, blockBytes }) => ({ questions, engine: sharedEngine(blockBytes) }));
afterAll(async () => {
  await Promise.all(engines.map(({ engine }) => engine.close()));
  place.dispose();
});

describe.each([...new Set(findSamples().map(({ format }) => format))])('samples of %s', (format) => {
  const samples = findSamples().filter((sample) => sample.format === format);

  test('answers random searches as the oracle does', async () => {
    for (const [k, { engine, questions }] of engines.entries()) {
      for (const sample of few(samples, 2)) {
        const opener = formatById(format);
        assert(opener !== undefined, 'the format exists');
        const decoder = openSample(opener, sample);
        const records = askAll(decoder, sample.bytes);
        if (records.length === 0) continue;
        const file = place.file(`${format}-${sample.name}-${String(k)}`, sample.bytes);
        const options = decoder.settings;
        const { trace } = await ask(engine, 'open', { path: file, format, options });
        await ask(engine, 'index', { trace });
        const random = createRandom(k + 1);
        for (let i = 0; i < questions; i++)
          await agree(engine, trace, records, randomCriteria(random, records), random);
        await ask(engine, 'close', { trace });
      }
    }
  });
});

describe('a hostile trace', () => {
  const content = nastyTarmac(6000, 21).replaceAll('\nIN: main\n', '\r\nIN: mäin\r\n');
  const file = place.file('nasty.txt', content);
  const opened = formatById('tarmac')?.open({ dialect: 'qemu4v' });
  assert(opened?.ok === true, 'the format opens');
  const records = askAll(opened.value, new TextEncoder().encode(content));
  const open = { path: file, format: 'tarmac', options: { dialect: 'qemu4v' } };

  test.each([1200, 12_000])('gives the same matches in blocks of %i', async (blockBytes) => {
    const engine = sharedEngine(blockBytes);
    const { trace } = await ask(engine, 'open', open);
    await ask(engine, 'index', { trace });
    const random = createRandom(5);
    for (let i = 0; i < rounds(15, 100); i++)
      await agree(engine, trace, records, randomCriteria(random, records), random);
    await engine.close();
  });

  test('gives the same matches during indexing', async () => {
    const indexDirectory = path.join(place.folder, 'growing');
    const engine = startEngine({ blockBytes: 1200, jobs: 2, indexDirectory });
    const { trace } = await ask(engine, 'open', open);
    const building = ask(engine, 'index', { trace });
    const random = createRandom(6);
    const reached = new Set<number>();
    for (let complete = false; !complete;) {
      const criteria = randomCriteria(random, records);
      const all = await ask(engine, 'findAll', { trace, ...criteria, columns: 7, most: 1_000_000 });
      const known = records.slice(0, all.reach.records).filter((record) => isMatch(record, criteria));
      expect([...all.numbers], show(criteria)).toEqual(known.map(({ n }) => n));
      const { records: found, reach } = await ask(engine, 'find', {
        trace,
        ...criteria,
        before: records.length,
        limit: 3,
      });
      const last = records
        .slice(0, reach.records)
        .filter((record) => isMatch(record, criteria))
        .slice(-3);
      expect(found.map(({ n }) => n)).toEqual(last.map(({ n }) => n).reverse());
      reached.add(reach.records);
      complete = all.reach.complete;
    }
    await building;
    await engine.close();
    expect(reached.size).toBeGreaterThan(1);
  });
});

test('stops an endless regular expression when the request is cancelled', async () => {
  const content = Array.from({ length: 200 }, (_, n) => `${String(n + 1)} clk R r0 ${'a'.repeat(40)}!\n`).join('');
  const file = place.file('endless.txt', content);
  const engine = startEngine({ jobs: 1, indexDirectory: path.join(place.folder, 'endless') });
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
  await ask(engine, 'index', { trace });
  const stop = new AbortController();
  const endless = engine.request('find', { trace, text: '(?=a)(a|aa)+$' }, { signal: stop.signal });
  // The engine's own thread continues to answer, and the pool does after the search is cancelled.
  expect((await ask(engine, 'records', { trace, from: 0, count: 1 })).records).toHaveLength(1);
  stop.abort();
  expect(await endless).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  expect((await ask(engine, 'find', { trace, text: '^200 ' })).records).toMatchObject([{ n: 199 }]);
  await engine.close();
});

test('finds a byte with one digit in the line, the highest of an odd number of digits', async () => {
  const content = [
    'ES EXC [0x51b] Reset',
    'R cpsr 1220023cd',
    'R cpsr 911111107',
    'R spsr 91111_11ab',
    'R FPCR 312345678:123456789',
  ];
  const file = place.file('odd-digits.txt', content.map((line, n) => `${String(n)} clk ${line}\n`).join(''));
  const engine = sharedEngine();
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', options: { dialect: 'es' } });
  await ask(engine, 'index', { trace });
  const find = async (value: Hex, width: number): Promise<readonly number[]> =>
    (await ask(engine, 'find', { trace, value, width, limit: 10 })).records.map(({ n }) => n);
  expect(await find('0x5', 1)).toEqual([0]);
  expect(await find('0x1', 1)).toEqual([1]);
  expect(await find('0x7', 1)).toEqual([2]);
  expect(await find('0x0', 1)).toEqual([1]);
  expect(await find('0x51b', 2)).toEqual([0]);
  expect(await find('0x122', 2)).toEqual([1]);
  expect(await find('0xab', 1)).toEqual([3]);
  expect(await find('0x31', 1)).toEqual([4]);
  await engine.close();
});

test('finds part of a bus value in reserved cycles too', async () => {
  const header = 'M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]';
  const file = place.file('reserved.csv', `${header}\n1,0,1,F0,00100000,1122334455667788\n`);
  const engine = sharedEngine();
  const { trace } = await ask(engine, 'open', { path: file, format: 'btm', options: { header } });
  await ask(engine, 'index', { trace });
  expect((await ask(engine, 'find', { trace, value: '0x55667788' })).records).toMatchObject([
    { n: 0, kind: 'other', native: 'RESERVED', size: 4, value: '0x55667788' },
  ]);
  await engine.close();
});

async function agree(
  engine: Engine,
  trace: string,
  records: readonly QueriedRecord[],
  criteria: Criteria,
  random: Random,
): Promise<void> {
  const expected = records.filter((record) => isMatch(record, criteria)).map(({ n }) => n);
  await agreeOnAll(engine, trace, expected, criteria, random);
  // Later searches know matches of blocks from earlier ones, of some their number only.
  for (let k = 0; k < 3; k++) {
    const from = random.below(records.length + 1);
    const to = from + random.below(records.length + 5 - from);
    const inside = expected.filter((n) => n >= from && n < to);
    if (criteria.from === undefined) await agreeOnAll(engine, trace, inside, { ...criteria, from, to }, random);
  }

  const n = random.below(records.length);
  const limit = random.below(3) === 0 ? 1000 : 1 + random.below(3);
  const after = await ask(engine, 'find', { trace, ...criteria, after: n, limit });
  const later = expected.filter((one) => one > n).slice(0, limit);
  expect(
    after.records.map((record) => record.n),
    `after ${String(n)}: ${show(criteria)}`,
  ).toEqual(later);
  const before = await ask(engine, 'find', { trace, ...criteria, before: n, limit });
  const earlier = expected
    .filter((one) => one < n)
    .slice(-limit)
    .reverse();
  expect(
    before.records.map((record) => record.n),
    `before ${String(n)}: ${show(criteria)}`,
  ).toEqual(earlier);
  for (const found of after.records) expect(asTraced(found)).toMatchObject(records[found.n]!.fields);
  const some = expected.filter(() => random.below(4) === 0).slice(0, 50);
  const requested = await ask(engine, 'recordsAt', { trace, numbers: some });
  expect(requested.records.map((record) => record.n)).toEqual(some);
}

async function agreeOnAll(
  engine: Engine,
  trace: string,
  expected: readonly number[],
  criteria: Criteria,
  random: Random,
): Promise<void> {
  const columns = 1 + random.below(9);
  const most = [0, 2, 1 + random.below(300), 1_000_000][random.below(4)]!;
  const all = await ask(engine, 'findAll', { trace, ...criteria, columns, most });
  expect([...all.numbers], show(criteria)).toEqual(expected.slice(0, most));
  expect(all.found).toBe(expected.length);
  const counts = [...all.counts].map(
    (_, c) => expected.filter((n) => n >= all.edges[c]! && n < all.edges[c + 1]!).length,
  );
  expect([...all.counts]).toEqual(counts);
  expect(counts.reduce((a, b) => a + b, 0)).toBe(expected.length);
}

/** Without the text that an instruction gets from its opcode. */
function asTraced(record: RecordView): object {
  if (record.flags?.includes('disassembled') !== true) return record;
  return { ...record, text: undefined, flags: record.flags.filter((flag) => flag !== 'disassembled') };
}

function randomCriteria(random: Random, records: readonly QueriedRecord[]): Criteria {
  const from = random.below(records.length + 1);
  const pick = (): QueriedRecord => records[random.below(records.length)]!;
  const maybe = <T extends object>(one: number, make: () => T | undefined): T | object =>
    random.below(one) === 0 ? (make() ?? {}) : {};
  return {
    ...maybe(3, () => ({ kinds: [READS, WRITES, [...READS, ...WRITES]][random.below(3)] })),
    ...maybe(4, () => ({ kinds: KINDS.filter((kind) => random.below(4) === 0 || kind === pick().fields.kind) })),
    ...maybe(5, () => spanNear(random, pick())),
    ...maybe(3, () => valueOf(random, pick())),
    ...maybe(4, () => registerOf(pick())),
    ...maybe(2, () => ({ text: textOf(random, pick()) })),
    ...maybe(3, () => ({ from, to: from + random.below(records.length + 5 - from) })),
  };
}

function spanNear(random: Random, { low }: QueriedRecord): Criteria | undefined {
  if (low === undefined) return undefined;
  const start = low > 8n ? low - BigInt(random.below(8)) : low;
  return { address: { low: hex(start), high: hex(start + BigInt(random.below(64))) } };
}

/** The record's whole value, some bytes of it, or the value with an additional byte. */
function valueOf(random: Random, { fields }: QueriedRecord): Criteria | undefined {
  const values = valuesOf(fields);
  const own = values[random.below(values.length)]?.[0];
  if (own === undefined) return undefined;
  const value = BigInt(own);
  if (random.below(2) === 0) return { value: hex(value) };
  const width = 1 + random.below(5);
  const part = (value >> BigInt(8 * random.below(5))) % 256n ** BigInt(width);
  return { value: hex(random.below(8) === 0 ? part ^ 1n : part), width };
}

function registerOf({ fields }: QueriedRecord): Criteria | undefined {
  const register = fields.registers?.[fields.registers.length - 1]?.[0] ?? fields.register;
  return register === undefined ? undefined : { register };
}

/** A part of the record's text as one of several kinds of expressions. */
function textOf(random: Random, { texts }: QueriedRecord): string {
  const text = texts.at(-1) ?? '';
  const start = random.below(Math.max(1, text.length));
  const part = text.slice(start, start + 1 + random.below(12)).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const ways = [part, `${part}$`, `^${part}`, `${part}|r1[0-5]`, `(?<!0)${part}`, `${part}(?=\\s|$)`, `\\b${part}`];
  return [...ways, part.replaceAll(/\d/g, '[0-9a-f]'), `${part}[^]*\\s`, '^\\S+\\s', '\\W$'][random.below(11)]!;
}

function hex(value: bigint): Hex {
  return `0x${value.toString(16)}`;
}

function show(criteria: Criteria): string {
  return JSON.stringify(criteria);
}
