/**
 * For every block size and number of workers, the engine's answers equal a walk over all records: on hostile traces, during indexing,
 * and after closing and opening again.
 */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import { pageRows } from '../../shared/requests/addresses.ts';
import { READ_CONTRADICTS, type Arguments, type HeatGrid } from '../../shared/requests/requests.ts';
import type { Kind } from '../../shared/records/record.ts';
import type { Hex } from '../../shared/base/units.ts';
import { createRandom, type Random } from '../laws/random.ts';
import { NIGHTLY, rounds } from '../short-form.ts';
import { ask } from './ask.ts';
import { matches, pagesOf, readAll, type OracleAnswers, type OracleQuestion, type OracleRecord } from './oracle.ts';
import { sharedEngine } from './shared-engine.ts';
import { nastyByu, nastyTarmac, scratch } from './traces.ts';

const place = scratch();
const text = place.file('nasty.txt', nastyTarmac(30_000, 7));
const binary = place.file('nasty.byu', nastyByu(60_000, 8));
// Its blocks have no locality: too many different lines for find rows of their own.
const scattered = place.file('scattered.byu', nastyByu(rounds(170_000, 400_000), 9));

afterAll(() => {
  place.dispose();
});

const tarmac = { format: 'tarmac', settings: { dialect: 'qemu4v' } } as const;
const byu6 = { format: 'byu6', settings: { endian: 'big' } } as const;
const cases = [
  { file: text, ...tarmac, blockBytes: 12_000, jobs: 2 },
  // Its blocks have parts.
  { file: text, ...tarmac, blockBytes: 240_000, jobs: 2 },
  { file: binary, ...byu6, blockBytes: 6000, jobs: 2 },
  { file: scattered, ...byu6, blockBytes: 960_000, jobs: 2 },
  ...(NIGHTLY
    ? [
        { file: text, ...tarmac, blockBytes: 1200, jobs: 1 },
        { file: binary, ...byu6, blockBytes: 120_000, jobs: 3 },
      ]
    : []),
];

describe.each(cases)(
  '$format in blocks of $blockBytes with $jobs workers',
  ({ file, format, settings, blockBytes, jobs }) => {
    const indexDirectory = path.join(place.folder, `index-${String(blockBytes)}`);
    let engine: Engine;
    let trace: string;
    let oracle: OracleAnswers;

    beforeAll(async () => {
      oracle = readAll(file, format, settings);
      engine = startEngine({ indexDirectory, jobs, blockBytes });
      trace = (await ask(engine, 'open', { path: file, format, options: settings })).trace;
      const report = await ask(engine, 'index', { trace });
      expect({ complete: report.complete, built: report.built }).toEqual({ complete: true, built: true });
    });

    afterAll(async () => {
      await engine.close();
    });

    test('info counts every record, kind and diagnostic', async () => {
      const info = await ask(engine, 'info', { trace });
      expect(info.records).toBe(oracle.records.length);
      expect(info.kinds).toEqual(countBy(oracle.records, ({ kind }) => kind));
      expect(info.native).toEqual(countBy(oracle.records, ({ native }) => native));
      // Tests of the machine's state count contradicting reads.
      const found = info.diagnostics.filter(({ code }) => code !== READ_CONTRADICTS);
      expect(Object.fromEntries(found.map(({ code, count }) => [code, count]))).toEqual(oracle.diagnostics);
      const addresses = oracle.records.flatMap(({ low, high }) =>
        low === undefined || high === undefined ? [] : [low, high],
      );
      expect(info.address?.lowest).toBe(hex(addresses.reduce((a, b) => (a < b ? a : b))));
      expect(info.address?.highest).toBe(hex(addresses.reduce((a, b) => (a > b ? a : b))));
      expect(info.address?.pages).toBe(pagesOf(oracle.records, 4096n).length);
    });

    test('lists pages of every size', async () => {
      for (const size of [4096, 65536, 2 ** 32]) {
        const pages = await ask(engine, 'pages', { trace, size });
        expect(pageRows(pages)).toEqual(pagesOf(oracle.records, BigInt(size)));
      }
    });

    test('returns records from any position', async () => {
      const random = createRandom(1);
      for (let i = 0; i < rounds(15, 60); i++) {
        const from = random.below(oracle.records.length + 3);
        const count = random.below(40);
        const { records } = await ask(engine, 'records', { trace, from, count });
        expect(records.map(({ n, offset, kind, native }) => [n, offset, kind, native])).toEqual(
          oracle.records.slice(from, from + count).map(({ n, offset, kind, native }) => [n, offset, kind, native]),
        );
      }
    });

    test('finds the record of a byte', async () => {
      const random = createRandom(2);
      for (let i = 0; i < rounds(25, 100); i++) {
        const wanted = oracle.records[random.below(oracle.records.length)]!;
        const { n } = await ask(engine, 'recordAt', { trace, offset: wanted.offset });
        expect(n).toBe(wanted.n);
      }
    });

    test('finds the next and previous access', async () => {
      const random = createRandom(3);
      for (let i = 0; i < rounds(75, 300); i++) {
        const question = randomQuestion(random, oracle.records);
        const n = random.below(oracle.records.length);
        const limit = random.below(4) === 0 ? 5 : 1;
        const common = { trace, limit, ...asArguments(question) };
        const after = await ask(engine, 'find', { ...common, after: n });
        expect(
          after.records.map((record) => record.n),
          `after ${String(n)}: ${show(question)}`,
        ).toEqual(first(oracle.records.slice(n + 1), question, limit));
        const before = await ask(engine, 'find', { ...common, before: n });
        expect(
          before.records.map((record) => record.n),
          `before ${String(n)}: ${show(question)}`,
        ).toEqual(first(oracle.records.slice(0, n).reverse(), question, limit));
      }
    });

    test('heat counts of any rectangle are right in every cell', async () => {
      const random = createRandom(4);
      for (let i = 0; i < rounds(10, 40); i++) {
        const from = random.below(oracle.records.length);
        const to = from + 1 + random.below(oracle.records.length - from);
        const kinds = random.below(2) === 0 ? undefined : (['read', 'write'] satisfies Kind[]);
        const columns = 1 + random.below(30);
        const precision = (['even', 'quick', 'fine'] as const)[random.below(3)]!;
        const grid = await ask(engine, 'heat', {
          trace,
          from,
          to,
          columns,
          bands: randomBands(random, oracle.records),
          precision,
          ...(kinds === undefined ? {} : { kinds }),
        });
        expect(grid.columns).toBeGreaterThan(0);
        if (precision === 'fine') {
          const widths = [...grid.edges].slice(1).map((edge, column) => edge - grid.edges[column]!);
          expect([grid.edges[0], grid.edges.at(-1)]).toEqual([from, to]);
          expect(Math.max(...widths)).toBeLessThanOrEqual(Math.ceil((to - from) / columns));
          expect(grid.columns).toBeLessThanOrEqual(2 * columns);
        }
        expect(cellsOf(grid)).toEqual(oracleCells(grid, oracle.records, kinds));
      }
    });

    test('heat without bands shows every access', async () => {
      for (const precision of ['even', 'quick', 'fine'] as const) {
        const grid = await ask(engine, 'heat', { trace, columns: 40, rows: 20, precision });
        expect(grid.counts.reduce((a, b) => a + b, 0)).toBe(
          oracle.records.filter(({ low }) => low !== undefined).length,
        );
        expect(cellsOf(grid)).toEqual(oracleCells(grid, oracle.records, undefined));
      }
    });

    test('counts kinds in a rectangle', async () => {
      const random = createRandom(5);
      for (let i = 0; i < rounds(10, 30); i++) {
        const from = random.below(oracle.records.length);
        const to = from + 1 + random.below(oracle.records.length - from);
        const { low, high } = randomSpan(random, oracle.records);
        const { kinds } = await ask(engine, 'tally', { trace, from, to, low: hex(low), high: hex(high + 1n) });
        const inside = oracle.records
          .slice(from, to)
          .filter((record) => record.low !== undefined && record.low >= low && record.low <= high);
        expect(kinds).toEqual(countBy(inside, ({ kind }) => kind));
      }
    });

    test('counts pages in a rectangle, the hottest first', async () => {
      const random = createRandom(6);
      for (let i = 0; i < rounds(12, 40); i++) {
        const isAll = i < 2;
        const from = isAll ? 0 : random.below(oracle.records.length);
        const to = isAll ? oracle.records.length : from + 1 + random.below(oracle.records.length - from);
        const span = randomSpan(random, oracle.records);
        const { low, high } = isAll ? { low: 0n, high: (1n << 64n) - 1n } : span;
        const kinds = i % 2 === 0 ? undefined : (['write'] satisfies Kind[]);
        const inside = oracle.records
          .slice(from, to)
          .filter((record) => record.low !== undefined && record.low >= low && record.low <= high)
          .filter(({ kind }) => kinds === undefined || kind === 'write');
        const pages = countBy(inside, (record) => hex((record.low! / 4096n) * 4096n));
        const area = { from, to, low: hex(low), high: hex(high + 1n), ...(kinds ? { kinds } : {}) };
        const answer = await ask(engine, 'hottest', { trace, ...area, by: 'page', most: 50 });
        expect(answer.total).toBe(inside.length);
        expect(answer.left).toBe(Math.max(0, Object.keys(pages).length - 50));
        expect(answer.spots.map(({ count }) => count)).toEqual(
          Object.values(pages)
            .sort((a, b) => b - a)
            .slice(0, 50),
        );
        for (const { low: start, high: end, count } of answer.spots) {
          expect(pages[hex((BigInt(start) / 4096n) * 4096n)], start).toBe(count);
          expect(BigInt(start) >= low && BigInt(end) <= high + 1n && BigInt(end) - BigInt(start) <= 4096n).toBe(true);
        }
      }
    });

    test('bands contain every access and leave out the widest gaps', async () => {
      const { bands } = await ask(engine, 'bands', { trace, most: 5 });
      expect(bands.length).toBeGreaterThan(0);
      expect(bands.length).toBeLessThanOrEqual(5);
      for (const { low } of oracle.records) {
        if (low !== undefined && !bands.some((band) => low >= BigInt(band.low) && low < BigInt(band.high))) {
          expect.fail(`${hex(low)} lies in no band`);
        }
      }
    });

    test('the overview counts every record in each column', async () => {
      for (const [from, to] of [
        [0, oracle.records.length],
        [1234, 4321],
      ]) {
        const strip = await ask(engine, 'overview', { trace, columns: 50, from: from!, to: to! });
        for (let c = 0; c < strip.columns; c++) {
          const kinds = Object.fromEntries(
            strip.kinds.flatMap((kind, k) => {
              const count = strip.counts[c * strip.kinds.length + k]!;
              return count > 0 ? [[kind, count]] : [];
            }),
          );
          const records = oracle.records.slice(strip.edges[c], strip.edges[c + 1]);
          expect(kinds, `column ${String(c)}`).toEqual(countBy(records, ({ kind }) => kind));
        }
        expect([strip.edges[0]! <= from!, strip.edges.at(-1)! >= to!]).toEqual([true, true]);
      }
      const { bad } = await ask(engine, 'overview', { trace, columns: 50 });
      expect(bad.reduce((a, b) => a + b, 0)).toBe(Object.values(oracle.diagnostics).reduce((a, b) => a + b, 0));
    });

    // The short form opens two indexes in another engine.
    if (NIGHTLY || file === text) {
      test('opens an existing index without building', async () => {
        const again = startEngine({ indexDirectory, jobs, blockBytes });
        const opened = await ask(again, 'open', { path: file, format, options: settings });
        expect(opened.reach).toEqual({ records: oracle.records.length, bytes: opened.file.bytes, complete: true });
        expect((await ask(again, 'index', { trace: opened.trace })).built).toBe(false);
        const pages = await ask(again, 'pages', { trace: opened.trace, size: 4096 });
        expect(pageRows(pages)).toEqual(pagesOf(oracle.records, 4096n));
        // Its pool was never started, so the engine thread counts the blocks that columns cut.
        for (const columns of [2, 3, 7, 16, 45]) {
          const grid = await ask(again, 'heat', { trace: opened.trace, columns, rows: 20, precision: 'even' });
          expect(cellsOf(grid), `${String(columns)} columns`).toEqual(oracleCells(grid, oracle.records, undefined));
        }
        await again.close();
      });
    }
  },
);

test.each([1200, 240, 48])('finds a time in a trace with decreasing times, in blocks of %i', async (blockBytes) => {
  // Two runs in a row, the second shorter than a block; every seventh line has no time.
  const times = [...Array.from({ length: 50 }, (_, n) => n), ...Array.from({ length: 9 }, (_, n) => n)];
  const records = times.flatMap((time) => (time % 7 === 6 ? [time, undefined] : [time]));
  const lines = records.map((time) => (time === undefined ? 'IN:' : `${String(time)} clk R r0 ${String(time)}`));
  const file = place.file('two-runs.txt', `${lines.join('\n')}\n`);
  const engine = sharedEngine(blockBytes);
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', options: { dialect: 'qemu4v' } });
  await ask(engine, 'index', { trace });
  for (const time of [-1, 0, 3.5, 8, 20, 47, 48, 48.5, 49, 50]) {
    const n = records.findIndex((one) => one !== undefined && one >= time);
    expect((await ask(engine, 'recordAtTime', { trace, time })).n, String(time)).toBe(n < 0 ? null : n);
  }
  await engine.close();
});

function countBy<T>(items: readonly T[], key: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1;
  return counts;
}

function first(records: readonly OracleRecord[], question: OracleQuestion, limit: number): number[] {
  return records
    .filter((record) => matches(record, question))
    .slice(0, limit)
    .map(({ n }) => n);
}

function randomQuestion(random: Random, records: readonly OracleRecord[]): OracleQuestion {
  const kinds = [undefined, ['write'], ['read', 'write'], ['io-write', 'register']][random.below(4)];
  const span = random.below(5) === 0 ? {} : randomSpan(random, records);
  return { ...span, ...(kinds === undefined ? {} : { kinds }) };
}

/** Near an address of the trace, or anywhere. */
function randomSpan(random: Random, records: readonly OracleRecord[]): { low: bigint; high: bigint } {
  const near = records[random.below(records.length)]?.low ?? BigInt(random.below(2 ** 32));
  const low = near < 64n ? near : near - BigInt(random.below(64));
  const width = BigInt([1, 4, 64, 5000, 2 ** 33][random.below(5)]!);
  const top = (1n << 64n) - 1n;
  return { low, high: low + width - 1n > top ? top : low + width - 1n };
}

function randomBands(random: Random, records: readonly OracleRecord[]): NonNullable<Arguments<'heat'>['bands']> {
  const spans = Array.from({ length: 1 + random.below(3) }, () => randomSpan(random, records));
  let above = -1n;
  return spans
    .sort((a, b) => (a.low < b.low ? -1 : 1))
    .flatMap(({ low, high }) => {
      if (low <= above) return [];
      above = high;
      return [{ low: hex(low), high: hex(high + 1n), rows: 1 + random.below(9) }];
    });
}

function asArguments({ low, high, kinds }: OracleQuestion): Pick<Arguments<'find'>, 'address' | 'kinds'> {
  return {
    ...(low === undefined || high === undefined ? {} : { address: { low: hex(low), high: hex(high) } }),
    ...(kinds === undefined ? {} : { kinds: kinds as Kind[] }),
  };
}

function show(question: OracleQuestion): string {
  return `${String(question.low)}..${String(question.high)} ${String(question.kinds)}`;
}

function hex(value: bigint): Hex {
  return `0x${value.toString(16)}`;
}

/** Cells with counts as `column/row: count`. */
function cellsOf(grid: HeatGrid): Record<string, number> {
  const cells: Record<string, number> = {};
  grid.counts.forEach((count, cell) => {
    if (count > 0) cells[`${String(Math.floor(cell / grid.rows))}/${String(cell % grid.rows)}`] = count;
  });
  return cells;
}

/** Row r of a band contains the addresses with floor((address - low) * rows / height) = r. */
function oracleCells(
  grid: HeatGrid,
  records: readonly OracleRecord[],
  kinds: readonly string[] | undefined,
): Record<string, number> {
  const cells: Record<string, number> = {};
  const edges = [...grid.edges];
  for (const { n, low, kind } of records) {
    if (low === undefined || n < grid.from || n >= grid.to || (kinds !== undefined && !kinds.includes(kind))) continue;
    let before = 0;
    for (const band of grid.bands) {
      const start = BigInt(band.low);
      const height = BigInt(band.high) - start;
      if (low >= start && low < BigInt(band.high)) {
        // Bands taller than 2^52 are divided at whole pages; the tests' rows there are far larger, so comparing pages is enough.
        const exact = ((low - start) * BigInt(band.rows)) / height;
        const row = before + Number(exact);
        const column = edges.findIndex((edge, i) => n >= edge && n < (edges[i + 1] ?? Infinity));
        const cell = `${String(column)}/${String(row)}`;
        cells[cell] = (cells[cell] ?? 0) + 1;
      }
      before += band.rows;
    }
  }
  return cells;
}

/** Data over the whole address space, and often the first four bytes of a line. */
function wideByu(): Uint8Array {
  const often = [0x40, 0, 0, 0, 0xf0, 0x90];
  return Buffer.concat(
    Array.from({ length: rounds(400, 2000) }, (_, k) => [nastyByu(1000, k), Uint8Array.from(often)]).flat(),
  );
}

test('long requests let other requests run meanwhile', async () => {
  const file = place.file('wide.byu', wideByu());
  const untouched = { low: '0x40000005', high: '0x40000005' } as const;
  for (const name of ['memory', 'last', 'next'] as const) {
    // A question is short once an earlier one has decoded its blocks.
    const engine = startEngine({ indexDirectory: path.join(place.folder, 'index-wide'), blockBytes: 96_000 });
    const { trace } = await ask(engine, 'open', { path: file, format: 'byu6', options: { endian: 'big' } });
    const { records } = await ask(engine, 'index', { trace });
    const questions = {
      memory: () => ask(engine, 'memory', { trace, at: records - 1, address: '0x40000000', length: 65_536 }),
      last: () => ask(engine, 'access', { trace, way: 'last-access', at: records - 1, address: untouched }),
      next: () => ask(engine, 'access', { trace, way: 'next-access', at: 0, address: untouched }),
    };
    const answered: string[] = [];
    const note = (what: string) => () => answered.push(what);
    await Promise.all([
      questions[name]().then(note(name)),
      ask(engine, 'records', { trace, from: 0, count: 10 }).then(note('records')),
    ]);
    expect(answered).toEqual(['records', name]);
    await engine.close();
  }
});
