/**
 * Runs with values, written as traces, and a slow comparison of the records that were written: it replays every register from the beginning,
 * and knows neither fingerprints nor blocks.
 */
import { expect } from 'vitest';
import { CLOSE_VALUES, type Diff, type DiffRegion } from '../../shared/requests/diff.ts';
import type { Random } from '../laws/random.ts';
import { asQemu, asTracer, runProgram, type Step } from './flow-programs.ts';

export interface Access {
  readonly word: 'MR' | 'MW';
  readonly size: 1 | 4;
  readonly address: number;
  readonly value: number;
}

/** An instruction with the values that it leaves in registers, and its accesses. */
export interface Executed {
  readonly step: Step;
  readonly leaves: readonly (readonly [register: string, value: number])[];
  readonly accesses: readonly Access[];
}

/** An instruction as the trace shows it. */
export interface Written extends Executed {
  readonly record: number;
  readonly settings: readonly (readonly [register: string, value: number])[];
}

const REGISTERS = ['r0', 'r1', 'r2', 'r3', 'r12', 'cpsr'];

export function randomRun(random: Random, least: number): readonly Executed[] {
  const run: Executed[] = [];
  while (run.length < least)
    for (const step of runProgram(random, false, least).steps)
      run.push({ step, ...(step.executed ? randomEffects(random) : { leaves: [], accesses: [] }) });
  return run;
}

/** Few values, so that instructions often leave a register as it is. */
export function randomEffects(random: Random): Omit<Executed, 'step'> {
  const leaves = Array.from({ length: Math.max(0, random.below(5) - 2) }, () => random.below(REGISTERS.length));
  const accesses = Array.from({ length: Math.max(0, random.below(5) - 2) }, (): Access => {
    const size = random.below(3) === 0 ? 1 : 4;
    const value = size === 1 ? random.below(256) : random.below(5) * 0x1000;
    return { word: random.below(2) === 0 ? 'MR' : 'MW', size, address: 0x100000 + 4 * random.below(64), value };
  });
  return { leaves: [...new Set(leaves)].map((at) => [REGISTERS[at]!, random.below(4)] as const), accesses };
}

export type Writer = (
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

export const hex = (value: number, digits = 8): string => value.toString(16).padStart(digits, '0');
export const qemu = write('', (step) => asQemu({ steps: [step], taken: [], rest: 0 }), {
  register: (name, value) => `1 clk R ${name} ${hex(value)}\n`,
  access: ({ word, size, address, value }) => `1 clk ${word}${String(size)} ${hex(address)} ${hex(value, 2 * size)}\n`,
});
const [tracerHead = '', tracerLine = ''] = asTracer({ steps: [], taken: [], rest: 0 }).split('\n\n');
export const tracer = write(
  `${tracerHead}\n\n${tracerLine}`,
  (step) => asTracer({ steps: [step], taken: [], rest: 0 }).split('\n\n')[1]!,
  { register: (name, value) => `R ${name}=${hex(value)}\n` },
);

/** Returns the registers that a trace proves after each instruction. */
function replayed(run: readonly Written[]): ReadonlyMap<Written, ReadonlyMap<string, number>> {
  let known = new Map<string, number>();
  return new Map(
    run.map((one) => {
      if (one.settings.length > 0) known = new Map([...known, ...one.settings]);
      return [one, known] as const;
    }),
  );
}

/** Returns a function that returns true for instructions whose effects differ, given how far the second program was moved. */
function slowComparison(a: readonly Written[], b: readonly Written[], shift: number, ignored: readonly string[]) {
  const [knownA, knownB] = [replayed(a), replayed(b)];
  const isEqual = (one: number, other: number): boolean => one === other || one + shift === other;
  return (x: Written, y: Written): boolean => {
    if (x.step.opcode !== y.step.opcode) return true;
    if (x.step.executed !== y.step.executed || x.accesses.length !== y.accesses.length) return true;
    const names = [...x.settings, ...y.settings].map(([name]) => name).filter((name) => !ignored.includes(name));
    const registers = names.some((name) => {
      const [one, other] = [knownA.get(x)!.get(name), knownB.get(y)!.get(name)];
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
export function expectExact(
  found: Diff,
  allOfA: readonly Written[],
  allOfB: readonly Written[],
  {
    shift = 0,
    ignored = [],
    counts = () => true,
  }: {
    readonly shift?: number;
    readonly ignored?: readonly string[];
    /** Returns false for instructions that are ignored. */
    readonly counts?: (one: Written) => boolean;
  } = {},
): void {
  const differs = slowComparison(allOfA, allOfB, shift, ignored);
  const [a, b] = [allOfA.filter(counts), allOfB.filter(counts)];
  const record = (run: readonly Written[], at: number): number => {
    const last = (run === a ? allOfA : allOfB).at(-1)!;
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
    const addresses = (run: readonly Written[], from: number, by: number): readonly number[] =>
      run.slice(from, from + length).map(({ step }) => step.address - by);
    expect(addresses(a, startA, 0)).toEqual(addresses(b, startB, shift));
    const differing = Array.from({ length }, (_, k) => k).filter((k) => differs(a[startA + k]!, b[startB + k]!));
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

/** Loses no line. */
export const all = (): boolean => false;
