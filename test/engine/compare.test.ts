/** The requests of a comparison, against the records of both runs one by one and a replay of their effects. */
import { afterAll, describe, expect, test } from 'vitest';
import type { AlignedRows } from '../../shared/requests/compare.ts';
import type { DiffRegion } from '../../shared/requests/diff.ts';
import type { RecordView } from '../../shared/records/record.ts';
import type { Engine } from '../../electron/engine/engine.ts';
import { createRandom, type Random } from '../laws/random.ts';
import { rounds } from '../short-form.ts';
import { ask } from './ask.ts';
import { asQemu, runProgram, type Step } from './flow-programs.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engines = [600, 1_200_000].map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

interface Opened {
  readonly trace: string;
  readonly records: readonly RecordView[];
}

/** Two runs of a program, the second one edited: other paths, and other values of registers and memory. */
function runs(random: Random, shift: number): readonly [string, string] {
  const steps: Step[] = [];
  while (steps.length < 300) steps.push(...runProgram(random, false, 300).steps);
  const seed = random.below(1000);
  const other = [...steps];
  for (let edit = 0; edit < 4; edit++) {
    const at = random.below(other.length - 40);
    other.splice(at, random.below(30), ...other.slice(at, at + random.below(30)));
  }
  return [
    withEffects(steps, seed, 0),
    withEffects(
      other.map((step) => ({ ...step, address: step.address + shift })),
      seed,
      20,
    ),
  ];
}

/** Text of a run whose instructions set registers and write memory; of 100 values, `wrong` are other ones. */
function withEffects(steps: readonly Step[], seed: number, wrong: number): string {
  const random = createRandom(seed);
  const lines = asQemu({ steps, taken: [], rest: 0 }).trimEnd().split('\n');
  return lines
    .flatMap((line, at) => {
      const [which, value, fate, what] = [random.below(6), random.below(2 ** 16), random.below(100), random.below(4)];
      const own = (fate < wrong ? value ^ 1 : value).toString(16).padStart(8, '0');
      const time = `${at + 1} clk`;
      if (what === 0) return [line, `${time} R r${which} ${own}`];
      if (what === 1) return [line, `${time} MW4 ${(0x20ffc + 2 * which).toString(16).padStart(8, '0')} ${own}`];
      if (what === 2) return [line, `${time} MR4 ${(0x40000 + 4 * which).toString(16).padStart(8, '0')} ${own}`];
      return [line];
    })
    .join('\n')
    .concat('\n');
}

async function open(engine: Engine, name: string, text: string): Promise<Opened> {
  const { trace } = await ask(engine, 'open', { path: place.file(name, text) });
  const { records } = await ask(engine, 'index', { trace });
  return { trace, records: (await ask(engine, 'records', { trace, from: 0, count: records })).records };
}

/**
 * Rows as pairs of records, written out from the regions.
 * @param ignores returns true for addresses of the first program that do not count
 */
function rowsOf(
  regions: readonly DiffRegion[],
  own: readonly RecordView[],
  others: readonly RecordView[],
  shift: number,
  ignores: (address: number) => boolean,
) {
  const inRange = (records: readonly RecordView[], [from, to]: readonly [number, number], by: number) =>
    records
      .slice(from, to)
      .filter(({ kind, address }) => (kind === 'instruction' || kind === 'skipped') && !ignores(Number(address) - by))
      .map(({ n }) => n);
  return regions.flatMap((region) => {
    const [a, b] = [inRange(own, region.a, 0), inRange(others, region.b, shift)];
    return Array.from({ length: Math.max(a.length, b.length) }, (_, k) => ({
      kind: region.kind,
      a: a[k] ?? -1,
      b: b[k] ?? -1,
    }));
  });
}

/** Registers and bytes that are known after a record, with the records that set and wrote them. */
function stateAfter(records: readonly RecordView[], at: number) {
  const registers = new Map<string, { readonly value: string; readonly since: number }>();
  const memory = new Map<number, { readonly value: string; readonly writer: number | null }>();
  for (const { n, kind, register, value, address, size = 0 } of records.slice(0, at + 1)) {
    if (kind === 'register' && register !== undefined && value !== undefined)
      registers.set(register, { value, since: n });
    if ((kind !== 'read' && kind !== 'write') || value === undefined) continue;
    const bytes = Buffer.from(value.slice(2).padStart(2 * size, '0'), 'hex').reverse();
    for (let k = 0; k < size; k++) {
      const place = Number(address) + k;
      const writer = kind === 'write' ? n : (memory.get(place)?.writer ?? null);
      memory.set(place, { value: bytes.subarray(k, k + 1).toString('hex'), writer });
    }
  }
  return { registers, memory };
}

describe.each([0, 0x20000])('with the second program %i bytes elsewhere', (by) => {
  test('rows, partners and states are those of the records', async () => {
    let differences = 0;
    for (let seed = 1; seed <= rounds(2, 20); seed++) {
      const random = createRandom(seed);
      const [one, other] = runs(random, by);
      for (const engine of engines) {
        const [a, b] = [await open(engine, 'a.txt', one), await open(engine, 'b.txt', other)];
        const { left, ...question } = seed % 2 === 0 ? ignoring(a.records, random) : NOTHING;
        const pair = { trace: a.trace, other: b.trace, shift: String(by), ...question };
        const { regions, ignored } = await ask(engine, 'diff', { ...pair, most: 100_000 });
        expect(ignored?.instructionsA ?? 0).toBe(
          a.records.filter(({ kind, address }) => kind === 'instruction' && left(Number(address))).length,
        );
        const rows = rowsOf(regions, a.records, b.records, by, left);
        const answered = await allRows(engine, pair, random);
        expect(answered.map((row) => [row.a, row.b])).toEqual(rows.map((row) => [row.a, row.b]));
        expectDiffering(regions, answered);
        for (const { kind, a: own, b: its } of rows)
          if (kind === 'same')
            expect(BigInt(b.records[its]!.address!) - BigInt(a.records[own]!.address!)).toBe(BigInt(by));
        await expectPartners(engine, pair, rows, random);
        await expectStart(engine, pair, [a.records, b.records], left);
        for (let round = 0; round < 5; round++) {
          const [at, otherAt] = [random.below(a.records.length), random.below(b.records.length)];
          const states = [stateAfter(a.records, at), stateAfter(b.records, otherAt)] as const;
          differences += await expectState(engine, { ...pair, at, otherAt }, states);
        }
        for (const { trace } of [a, b]) await ask(engine, 'close', { trace });
      }
    }
    expect(differences).toBeGreaterThan(40);
  });
});

const NOTHING = { left: () => false };

/** A question without a register and an address that the run executes, and a function that returns true for the address. */
function ignoring(records: readonly RecordView[], random: Random) {
  const places = records.flatMap(({ kind, address }) => (kind === 'instruction' && address ? [address] : []));
  const place = places[random.below(places.length)]!;
  return {
    ignore: ['R0'],
    ignoreRanges: [{ low: place, high: place }],
    left: (address: number): boolean => address === Number(place),
  };
}

/** Checks that as many rows differ in each region as `diff` counts, and that regions with other values begin and end with such rows. */
function expectDiffering(regions: readonly DiffRegion[], rows: readonly { readonly differs: boolean }[]): void {
  let from = 0;
  for (const { kind, instructionsA, instructionsB, differing = 0 } of regions) {
    const own = rows.slice(from, (from += Math.max(instructionsA, instructionsB))).map(({ differs }) => differs);
    expect(own.filter(Boolean)).toHaveLength(differing);
    if (kind === 'values') expect([own[0], own.at(-1)]).toEqual([true, true]);
  }
}

/** Checks the rows up to where the paths part: the k-th instructions of both runs. */
async function expectStart(
  engine: Engine,
  pair: Pair,
  [one, other]: readonly [readonly RecordView[], readonly RecordView[]],
  ignores: (address: number) => boolean,
): Promise<void> {
  const executed = (records: readonly RecordView[], by: number) =>
    records.filter(
      ({ kind, address }) => (kind === 'instruction' || kind === 'skipped') && !ignores(Number(address) - by),
    );
  const by = Number(pair.shift);
  const [a, b] = [executed(one, 0), executed(other, by)];
  let equal = 0;
  while (equal < Math.min(a.length, b.length) && Number(a[equal]!.address) === Number(b[equal]!.address) - by) equal++;
  const { regions } = await ask(engine, 'diff', { ...pair, by: 'path', only: 'start', most: 100_000 });
  expect(regions.map(({ instructionsA, instructionsB }) => [instructionsA, instructionsB])).toEqual(
    [
      [equal, equal],
      [a.length - equal, b.length - equal],
    ].filter(([its, others]) => its! + others! > 0),
  );
  const start = { ...pair, by: 'path', only: 'start' } as const;
  const from = Math.max(0, equal - 3);
  const rows = await ask(engine, 'alignedRows', { ...start, from, count: 6 });
  expect([...rows.a]).toEqual(Array.from(rows.a, (_, k) => a[from + k]?.n ?? -1));
  expect([...rows.b]).toEqual(Array.from(rows.b, (_, k) => b[from + k]?.n ?? -1));
  const place = a[from];
  if (place !== undefined)
    expect(await ask(engine, 'counterpart', { ...start, at: place.n, side: 'a' })).toMatchObject({ row: from });
}

interface Pair {
  readonly trace: string;
  readonly other: string;
  readonly shift: string;
  readonly ignore?: readonly string[];
}

async function allRows(engine: Engine, pair: Pair, random: Random) {
  const rows: { a: number; b: number; differs: boolean }[] = [];
  for (;;) {
    const from = rows.length;
    const next: AlignedRows = await ask(engine, 'alignedRows', { ...pair, from, count: 1 + random.below(90) });
    expect(next.from).toBe(from);
    if (next.a.length === 0) return rows;
    next.a.forEach((a, k) => rows.push({ a, b: next.b[k]!, differs: next.differs[k] === 1 }));
  }
}

type Rows = ReturnType<typeof rowsOf>;

async function expectPartners(engine: Engine, pair: Pair, rows: Rows, random: Random): Promise<void> {
  for (const [side, others] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const)
    for (let round = 0; round < 20; round++) {
      const row = random.below(rows.length);
      const own = rows[row]!;
      if (own[side] < 0) continue;
      const found = await ask(engine, 'counterpart', { ...pair, at: own[side], side });
      const isPaired = own.kind === 'same' || own.kind === 'values';
      expect(found).toMatchObject({ row, kind: own.kind, other: isPaired ? own[others] : null });
      if (isPaired) continue;
      const isOutside = (at: number): boolean => rows[at]![others] >= 0 && rows[at]!.kind !== own.kind;
      const near = (way: 1 | -1): number | null => {
        for (let at = row; at >= 0 && at < rows.length; at += way) if (isOutside(at)) return rows[at]![others];
        return null;
      };
      if (own.kind !== 'not-aligned') expect([found.before, found.after]).toEqual([near(-1), near(1)]);
    }
}

type State = ReturnType<typeof stateAfter>;

/** Returns the number of differences. */
async function expectState(
  engine: Engine,
  args: Pair & { readonly at: number; readonly otherAt: number },
  [own, others]: readonly [State, State],
): Promise<number> {
  const found = await ask(engine, 'stateDifference', args);
  const registers = [...own.registers]
    .flatMap(([name, { value, since }]) => {
      const other = others.registers.get(name);
      return other === undefined || other.value === value || args.ignore?.includes(name.toUpperCase())
        ? []
        : [{ name, a: value, b: other.value, setA: since, setB: other.since }];
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  expect(found.registers).toEqual(registers.map((register) => expect.objectContaining(register) as unknown));
  const differing = new Map(
    [...own.memory].filter(([at, { value }]) => (others.memory.get(at)?.value ?? value) !== value),
  );
  const seen = new Map<number, string>();
  for (const { address, a, b, writerA, writerB } of found.memory)
    for (let k = 0; 2 * k < a.length; k++) {
      const at = Number(address) + k;
      const [its, other] = [a.slice(2 * k, 2 * k + 2), b.slice(2 * k, 2 * k + 2)];
      expect([own.memory.get(at), others.memory.get(at)]).toEqual([
        { value: its, writer: writerA },
        { value: other, writer: writerB },
      ]);
      if (its !== other) seen.set(at, its);
    }
  expect([...seen.keys()].sort()).toEqual([...differing.keys()].sort());
  expect(found.pagesLeft).toBe(0);
  return registers.length + differing.size;
}
