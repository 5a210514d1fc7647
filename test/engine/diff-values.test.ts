/** Values of two runs, compared with a slow comparison of the records that were written. */
import { afterAll, describe, expect, test } from 'vitest';
import type { Diff } from '../../shared/requests/diff.ts';
import { createRandom, type Random } from '../laws/random.ts';
import { rounds } from '../short-form.ts';
import { ask } from './ask.ts';
import {
  all,
  expectExact,
  hex,
  qemu,
  randomEffects,
  randomRun,
  tracer,
  type Executed,
  type Writer,
  type Written,
} from './diff-oracle.ts';
import { runProgram } from './flow-programs.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engines = [600, 60_000, 1_200_000].map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

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
    const args = { trace: ids[0]!, other: ids[1]!, most: 100_000, ...more };
    const answer = await ask(engine, 'diff', args);
    answers.push(answer);
    // All records show the same as fingerprints.
    if (answer.confirmed === 'fingerprints')
      expect(await ask(engine, 'diff', { ...args, confirm: true })).toEqual({ ...answer, confirmed: 'decoded' });
    for (const trace of ids) await ask(engine, 'close', { trace });
  }
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  return answers[0]!;
}

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
      expectExact(
        await compared(a.text, b.text, seed === 1 ? [engines[0]!, engines[2]!] : [engines[0]!], more),
        a.written,
        b.written,
        { ignored },
      );
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

/** Code of neither program: instructions one after the other. */
function foreign(start: number, length: number): readonly Executed[] {
  return Array.from({ length }, (_, k) => ({
    step: { address: start + 4 * k, opcode: 0xe1a00000, size: 4, executed: true, text: 'nop' },
    leaves: [],
    accesses: [],
  }));
}

/** An edit of both runs: so many instructions from `at` on, counted in the run before all edits, become others. */
interface Edit {
  readonly at: number;
  readonly taken: number;
  readonly a: readonly Executed[];
  readonly b: readonly Executed[];
}

/** Returns edits of each kind at random places, far apart from each other. */
function randomEdits(random: Random, run: readonly Executed[]): readonly Edit[] {
  const find = (from: number, wanted: (at: number) => boolean): number => {
    for (let at = from; at < run.length - 1; at++) if (wanted(at)) return at;
    throw new Error('the run has no such place');
  };
  const address = (at: number): number => run[at]!.step.address;
  const text = (at: number): string => run[at]!.step.text;
  const kinds: readonly ((at: number, number: number) => Edit)[] = [
    // Instructions are removed, and others inserted.
    (at) => ({ at, taken: 7, a: run.slice(at, at + 7), b: [] }),
    (at, number) => ({ at, taken: 0, a: [], b: foreign(0x4_0000 + 0x1000 * number, 9) }),
    // A loop runs once more.
    (from) => {
      const end = find(from, (at) => text(at).startsWith('bne') && address(at + 1) < address(at)) + 1;
      const body = run.slice(
        run.findLastIndex(({ step }, at) => at < end && step.address === address(end)),
        end,
      );
      return { at: end, taken: 0, a: [], b: body };
    },
    // An interrupt comes later.
    (at, number) => {
      const between = run.slice(at, at + 50);
      const handler = foreign(0x4_0000 + 0x1000 * number, 6);
      return { at, taken: 50, a: [...handler, ...between], b: [...between, ...handler] };
    },
    // A call leads to another function.
    (from, number) => {
      const call = find(from, (at) => text(at).startsWith('bl ') && address(at + 1) !== address(at) + 4);
      const back = find(call + 1, (at) => address(at) === address(call) + 4);
      const body = run.slice(call + 1, back);
      return { at: call + 1, taken: body.length, a: body, b: foreign(0x4_0000 + 0x1000 * number, 12) };
    },
  ];
  const places = Array.from({ length: 3 * kinds.length }, (_, k) => 1000 + 2000 * k + random.below(500));
  return places.map((at, k) => kinds[k % kinds.length]!(at, k));
}

test.each([0, 0x20000])(
  'finds random edits of a long trace by fingerprints, and invents none, if the program is loaded %i bytes further',
  async (shift) => {
    const random = createRandom(71);
    const run = randomRun(random, 34_000);
    const edits = randomEdits(random, run);
    const withEdits = (side: 'a' | 'b'): readonly Executed[] => {
      const result: Executed[] = [];
      let end = 0;
      for (const edit of edits) {
        for (const one of [...run.slice(end, edit.at), ...edit[side]]) result.push(one);
        end = edit.at + edit.taken;
      }
      return [...result, ...run.slice(end)];
    };
    const b = edited(random, withEdits('b'), 40, 0).map((one) => ({
      ...one,
      step: { ...one.step, address: one.step.address + shift },
    }));
    const [first, second] = [qemu(withEdits('a'), all), qemu(b, all)];
    const found = await compared(first.text, second.text, engines.slice(1, 2), {});
    expect(found).toMatchObject({ shift: String(shift), confirmed: 'fingerprints' });
    expectExact(found, first.written, second.written, { shift });
    const only = (kind: string, of: 'instructionsA' | 'instructionsB'): readonly number[] =>
      found.regions.filter((region) => region.kind === kind).map((region) => region[of]);
    const lengths = (of: (edit: Edit) => readonly number[]): readonly number[] =>
      edits.flatMap(of).filter((length) => length > 0);
    const isMoved = ({ a, b: other }: Edit): boolean => a.length > 50 && other.length === a.length;
    expect(only('a-only', 'instructionsA')).toEqual(lengths((edit) => [isMoved(edit) ? 6 : edit.a.length]));
    expect(only('b-only', 'instructionsB')).toEqual(lengths((edit) => [isMoved(edit) ? 6 : edit.b.length]));
    expect(only('not-aligned', 'instructionsA')).toEqual([]);
  },
);

test('leaves out the instructions at ignored addresses, but knows what they set', async () => {
  for (let seed = 1; seed <= rounds(2, 20); seed++) {
    const random = createRandom(200 + seed);
    const run = randomRun(random, 300);
    const withHandlers = (own: readonly Executed[]): readonly Executed[] => {
      const result = [...own];
      for (let k = 0; k < 6; k++) {
        const handler = foreign(0x4_0000, 1 + random.below(5)).map((one) => ({ ...one, ...randomEffects(random) }));
        result.splice(random.below(result.length), 0, ...handler);
      }
      return result;
    };
    const [a, b] = [qemu(withHandlers(run), all), qemu(withHandlers(edited(random, run, 4, 1)), all)];
    const ranges = [{ low: '0x40000', high: '0x4000f' }];
    const found = await compared(a.text, b.text, [engines[seed % 2 === 0 ? 0 : 2]!], { ignoreRanges: ranges });
    const counts = ({ step }: Written): boolean => step.address < 0x4_0000 || step.address > 0x4_000f;
    expectExact(found, a.written, b.written, { counts });
    const left = ({ written }: ReturnType<Writer>): number => written.filter((one) => !counts(one)).length;
    const words = { registers: [], functions: [], ranges, callsKnown: true };
    expect(found.ignored).toEqual({ ...words, instructionsA: left(a), instructionsB: left(b) });
  }
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
  const patched = one(0x10, 5).map((its, k) => (k === 0 ? its : { ...its, step: { ...its.step, opcode: 0xe3a03010 } }));
  expect(await what(patched)).toBe(`the instruction is 0x${hex(next!.opcode)} in A, 0xe3a03010 in B`);
  const without = one(0x10, 5).map((its, k) => (k === 0 ? its : { ...its, accesses: [] }));
  const both = [{ ...without[0]!, accesses: one(0, 1)[1]!.accesses }, without[1]!];
  expect(await what(both, [both[0]!, one(0x10, 5)[1]!])).toBe('A has a write of 4 bytes to 0x2000, B does not');
});
