/**
 * Values of two runs, compared with a slow comparison of the records that were written: it replays every register from the beginning, and
 * knows neither fingerprints nor blocks.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { CLOSE_VALUES, type Diff, type DiffRegion } from '../../shared/requests/diff.ts';
import { createRandom, type Random } from '../laws/random.ts';
import { rounds } from '../short-form.ts';
import { ask } from './ask.ts';
import { asQemu, asTracer, runProgram, type Step } from './flow-programs.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engines = [600, 60_000, 1_200_000].map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

interface Access {
  readonly word: 'MR' | 'MW';
  readonly size: 1 | 4;
  readonly address: number;
  readonly value: number;
}

/** An instruction with the values that it leaves in registers, and its accesses. */
interface Executed {
  readonly step: Step;
  readonly leaves: readonly (readonly [register: string, value: number])[];
  readonly accesses: readonly Access[];
}

/** An instruction as the trace shows it. */
interface Written extends Executed {
  readonly record: number;
  readonly settings: readonly (readonly [register: string, value: number])[];
}

const REGISTERS = ['r0', 'r1', 'r2', 'r3', 'r12', 'cpsr'];

function randomRun(random: Random, least: number): readonly Executed[] {
  const run: Executed[] = [];
  while (run.length < least)
    for (const step of runProgram(random, false, least).steps)
      run.push({ step, ...(step.executed ? randomEffects(random) : { leaves: [], accesses: [] }) });
  return run;
}

/** Few values, so that instructions often leave a register as it is. */
function randomEffects(random: Random): Omit<Executed, 'step'> {
  const leaves = Array.from({ length: Math.max(0, random.below(5) - 2) }, () => random.below(REGISTERS.length));
  const accesses = Array.from({ length: Math.max(0, random.below(5) - 2) }, (): Access => {
    const size = random.below(3) === 0 ? 1 : 4;
    const value = size === 1 ? random.below(256) : random.below(5) * 0x1000;
    return { word: random.below(2) === 0 ? 'MR' : 'MW', size, address: 0x100000 + 4 * random.below(64), value };
  });
  return { leaves: [...new Set(leaves)].map((at) => [REGISTERS[at]!, random.below(4)] as const), accesses };
}

/** Changes values, and removes, inserts and repeats instructions. */
function edited(random: Random, run: readonly Executed[], values: number, edits: number): readonly Executed[] {
  const result = [...run];
  for (let edit = 0; edit < values; edit++) {
    const at = random.below(result.length);
    const { step, leaves, accesses } = result[at]!;
    const way = random.below(4);
    if (way === 0 && step.text.startsWith('bne')) continue;
    result[at] = {
      step: way === 3 && step.text.startsWith('add') ? { ...step, executed: !step.executed } : step,
      leaves: leaves.map(([name, value]) => [name, way === 0 ? random.below(4) : value]),
      accesses:
        way === 1 ? accesses.slice(1) : accesses.map((one) => (way === 2 ? { ...one, value: random.below(200) } : one)),
    };
  }
  for (let edit = 0; edit < edits; edit++) {
    const [at, length] = [random.below(result.length), 1 + random.below(30)];
    if (random.below(2) === 0) result.splice(at, length);
    else result.splice(at, 0, ...result.slice(at, at + length));
  }
  return result;
}

type Writer = (
  run: readonly Executed[],
  lost: (line: number) => boolean,
) => { text: string; written: readonly Written[] };

/** Writes one line a record. Registers are written if they change. `lost`: true for lines of registers that are left out. */
const write =
  (
    head: string,
    instruction: (step: Step) => string,
    effect: { register: (name: string, value: number) => string; access?: (access: Access) => string },
  ): Writer =>
  (run, lost) => {
    const lines: string[] = [];
    const registers = new Map<string, number>();
    const written = run.map(({ step, leaves, accesses }): Written => {
      const record = lines.length;
      lines.push(instruction(step));
      const shown = effect.access === undefined ? [] : accesses;
      for (const access of shown) lines.push(effect.access!(access));
      const settings = leaves.filter(([name, value]) => {
        if (registers.get(name) === value) return false;
        registers.set(name, value);
        return !lost(lines.length);
      });
      for (const [name, value] of settings) lines.push(effect.register(name, value));
      return { step, leaves, accesses: shown, record, settings };
    });
    return { text: head + lines.join(''), written };
  };

const hex = (value: number, digits = 8): string => value.toString(16).padStart(digits, '0');
const qemu = write('', (step) => asQemu({ steps: [step], taken: [], rest: 0 }), {
  register: (name, value) => `1 clk R ${name} ${hex(value)}\n`,
  access: ({ word, size, address, value }) => `1 clk ${word}${String(size)} ${hex(address)} ${hex(value, 2 * size)}\n`,
});
const [tracerHead = '', tracerLine = ''] = asTracer({ steps: [], taken: [], rest: 0 }).split('\n\n');
const tracer = write(
  `${tracerHead}\n\n${tracerLine}`,
  (step) => asTracer({ steps: [step], taken: [], rest: 0 }).split('\n\n')[1]!,
  { register: (name, value) => `R ${name}=${hex(value)}\n` },
);

async function compared(a: string, b: string, own: typeof engines, more: object): Promise<Diff> {
  const [one, other] = [place.file('a.txt', a), place.file('b.txt', b)];
  const answers: Diff[] = [];
  for (const engine of own) {
    const ids = [];
    for (const path of [one, other]) {
      const { trace } = await ask(engine, 'open', { path });
      await ask(engine, 'index', { trace });
      ids.push(trace);
    }
    answers.push(await ask(engine, 'diff', { trace: ids[0]!, other: ids[1]!, most: 100_000, ...more }));
    for (const trace of ids) await ask(engine, 'close', { trace });
  }
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  return answers[0]!;
}

/** Returns the registers that a trace proves after each instruction. */
function replayed(run: readonly Written[]): readonly ReadonlyMap<string, number>[] {
  let known = new Map<string, number>();
  return run.map(({ settings }) => {
    if (settings.length > 0) known = new Map([...known, ...settings]);
    return known;
  });
}

/** Returns true for each pair of instructions whose effects differ, given how far the second program was moved. */
function slowComparison(a: readonly Written[], b: readonly Written[], shift: number, ignored: readonly string[]) {
  const [knownA, knownB] = [replayed(a), replayed(b)];
  const isEqual = (one: number, other: number): boolean => one === other || one + shift === other;
  return (i: number, j: number): boolean => {
    const [x, y] = [a[i]!, b[j]!];
    if (x.step.executed !== y.step.executed || x.accesses.length !== y.accesses.length) return true;
    const names = [...x.settings, ...y.settings].map(([name]) => name).filter((name) => !ignored.includes(name));
    const registers = names.some((name) => {
      const [one, other] = [knownA[i]!.get(name), knownB[j]!.get(name)];
      return one !== undefined && other !== undefined && !isEqual(one, other);
    });
    return (
      registers ||
      x.accesses.some((one, k) => {
        const other = y.accesses[k]!;
        const isSame = one.word === other.word && one.size === other.size;
        return !isSame || !isEqual(one.address, other.address) || !isEqual(one.value, other.value);
      })
    );
  };
}

/** Divides the aligned parts of an answer as the slow comparison says, and checks that they are divided so. */
function expectExact(
  found: Diff,
  a: readonly Written[],
  b: readonly Written[],
  { shift = 0, ignored = [] }: { readonly shift?: number; readonly ignored?: readonly string[] } = {},
): void {
  const differs = slowComparison(a, b, shift, ignored);
  const record = (run: readonly Written[], at: number): number => {
    const last = run.at(-1)!;
    return run[at]?.record ?? last.record + 1 + last.accesses.length + last.settings.length;
  };
  const expected: DiffRegion[] = [];
  let first: readonly [number, number] | null = null;
  let [i, j] = [0, 0];
  const add = (kind: DiffRegion['kind'], its: number, others: number, differing?: number): void => {
    if (its === 0 && others === 0) return;
    expected.push({
      kind,
      a: [record(a, i), record(a, i + its)],
      b: [record(b, j), record(b, j + others)],
      instructionsA: its,
      instructionsB: others,
      ...(differing !== undefined && { differing }),
    });
    [i, j] = [i + its, j + others];
  };
  const isAligned = ({ kind }: DiffRegion): boolean => kind === 'same' || kind === 'values';
  for (let at = 0; at < found.regions.length; at++) {
    const region = found.regions[at]!;
    if (!isAligned(region)) {
      add(region.kind, region.instructionsA, region.instructionsB);
      continue;
    }
    let length = region.instructionsA;
    while (found.regions[at + 1] !== undefined && isAligned(found.regions[at + 1]!))
      length += found.regions[++at]!.instructionsA;
    const [startA, startB] = [i, j];
    const differing = Array.from({ length }, (_, k) => k).filter((k) => differs(startA + k, startB + k));
    if (differing.length > 0) first ??= [record(a, startA + differing[0]!), record(b, startB + differing[0]!)];
    let [from, done] = [0, 0];
    while (from < differing.length) {
      let to = from;
      while (to + 1 < differing.length && differing[to + 1]! - differing[to]! <= CLOSE_VALUES) to++;
      add('same', differing[from]! - done, differing[from]! - done);
      const its = differing[to]! + 1 - differing[from]!;
      add('values', its, its, to + 1 - from);
      done = differing[to]! + 1;
      from = to + 1;
    }
    add('same', length - done, length - done);
  }
  expect(found.regions).toEqual(expected);
  expect(found.first.values && [found.first.values.a, found.first.values.b]).toEqual(first);
  expect(found.same).toBe(first === null && found.first.path === null);
  expect(found).toMatchObject({ by: 'values', notCompared: 0 });
  const sum = (of: (one: Diff['functions'][number]) => number): number =>
    found.functions.reduce((all, one) => all + of(one), 0);
  const inRegions = (kind: string, of: (region: DiffRegion) => number): number =>
    found.regions.reduce((all, region) => all + (region.kind === kind ? of(region) : 0), 0);
  expect(sum(({ onlyA }) => onlyA)).toBe(inRegions('a-only', ({ instructionsA }) => instructionsA));
  expect(sum(({ onlyB }) => onlyB)).toBe(inRegions('b-only', ({ instructionsB }) => instructionsB));
  expect(sum(({ differing }) => differing)).toBe(inRegions('values', ({ differing }) => differing ?? 0));
}

const all = (): boolean => false;

describe.each([
  ['QEMU4V', qemu],
  ['Tracer', tracer],
] as const)('%s', (_name, writer) => {
  test('finds the pairs of a slow comparison, however often values and instructions were edited and lines lost', async () => {
    for (let seed = 1; seed <= rounds(4, 60); seed++) {
      const random = createRandom(seed);
      const run = randomRun(random, 200 + random.below(500));
      const a = writer(run, all);
      const b = writer(edited(random, run, random.below(8), random.below(3)), () => random.below(50) === 0);
      const ignored = random.below(3) === 0 ? ['r1'] : [];
      const more = ignored.length > 0 ? { ignore: ['R1'] } : {};
      expectExact(await compared(a.text, b.text, [engines[0]!, engines[2]!], more), a.written, b.written, { ignored });
    }
  });
});

test('takes values and addresses that moved with the program as equal', async () => {
  const shift = 0x20000;
  const random = createRandom(7);
  const moved = (run: readonly Executed[]): readonly Executed[] =>
    run.map(({ step, leaves, accesses }) => ({
      step: { ...step, address: step.address + shift },
      leaves: leaves.map(([name, value]) => [name, random.below(20) === 0 ? value + shift : value] as const),
      accesses: accesses.map((one) => ({
        ...one,
        address: one.address + (random.below(2) === 0 ? shift : 0),
        value: one.size === 4 && random.below(10) === 0 ? one.value + shift : one.value,
      })),
    }));
  const run = randomRun(random, 400);
  const a = qemu(run, all);
  const b = qemu(moved(edited(random, run, 4, 0)), all);
  const found = await compared(a.text, b.text, [engines[0]!], { shift: String(shift) });
  expectExact(found, a.written, b.written, { shift });
});

test('finds changed values in a long trace by fingerprints, and invents none', async () => {
  const random = createRandom(21);
  const run = randomRun(random, 35_000);
  const a = qemu(run, all);
  const b = qemu(edited(random, run, 40, 4), all);
  const found = await compared(a.text, b.text, engines.slice(1), {});
  expectExact(found, a.written, b.written);
});

/** Inserts instructions of CPU 1, which differ from run to run, between those of CPU 0. */
function withSecondCpu({ text, written }: ReturnType<Writer>, random: Random): ReturnType<Writer> {
  const lines = text.trimEnd().split('\n');
  const result: string[] = [];
  const moved = written.map((own, k): Written => {
    for (let left = random.below(20) === 0 ? 1 + random.below(30) : 0; left > 0; left--)
      result.push(
        `1 clk 1 IT (1) ${hex(0x4000 + 4 * random.below(50))} e1a00000 A svc : nop`,
        `1 clk R r1 ${hex(random.below(9))}`,
      );
    const record = result.length;
    result.push(...lines.slice(own.record, written[k + 1]?.record ?? lines.length));
    return { ...own, record };
  });
  return { text: `${result.join('\n')}\n`, written: moved };
}

test('compares one of two processors, whatever the other one does', async () => {
  const random = createRandom(33);
  const run = randomRun(random, 33_000);
  const a = withSecondCpu(qemu(run, all), random);
  const b = withSecondCpu(qemu(edited(random, run, 20, 2), all), random);
  const found = await compared(a.text, b.text, engines.slice(1, 2), { cpu: 0 });
  expectExact(found, a.written, b.written);
  expect(found.cpu).toBe(0);
});

test('names the register or the access that differs, with the values of both sides', async () => {
  const [step, next] = runProgram(createRandom(2), false, 20).steps.filter(({ executed }) => executed);
  const one = (value: number, written: number): readonly Executed[] => [
    { step: step!, leaves: [['r3', 1]], accesses: [] },
    { step: next!, leaves: [['r3', value]], accesses: [{ word: 'MW', size: 4, address: 0x2000, value: written }] },
  ];
  const what = async (b: readonly Executed[], a = one(0x10, 5)): Promise<string | undefined> =>
    (await compared(qemu(a, all).text, qemu(b, all).text, engines.slice(0, 1), {})).first.values?.what;
  expect(await what(one(0x11, 5))).toBe('r3 is 0x10 in A, 0x11 in B');
  expect(await what(one(1, 5))).toBe('r3 is 0x10 in A, still 0x1 in B');
  expect(await what(one(0x10, 6))).toBe('the write of 4 bytes to 0x2000 has 0x5 in A, 0x6 in B');
  expect(await what(one(0x10, 5))).toBeUndefined();
  const without = one(0x10, 5).map((its, k) => (k === 0 ? its : { ...its, accesses: [] }));
  const both = [{ ...without[0]!, accesses: one(0, 1)[1]!.accesses }, without[1]!];
  expect(await what(both, [both[0]!, one(0x10, 5)[1]!])).toBe('A has a write of 4 bytes to 0x2000, B does not');
});
