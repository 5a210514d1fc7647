/** Two runs that differ by known edits, compared with a table of longest common subsequences, and with the edits themselves. */
import { afterAll, describe, expect, test } from 'vitest';
import { createSearch } from '../../electron/engine/queries/diff/paths/fewest-differences.ts';
import type { Diff, DiffQuestion } from '../../shared/requests/diff.ts';
import { createRandom, type Random } from '../laws/random.ts';
import { rounds } from '../short-form.ts';
import { ask, refusal } from './ask.ts';
import { asQemu, asTracer, runProgram, type Run, type Step } from './flow-programs.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engines = [600, 1_200_000].map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

/** Runs of one program, one after the other. */
function stepsOf(random: Random, least: number): readonly Step[] {
  const steps: Step[] = [];
  while (steps.length < least) steps.push(...runProgram(random, false, least).steps);
  return steps;
}

interface Edited {
  readonly steps: readonly Step[];
  /** Instructions that only one of the runs has, at most. */
  readonly removed: number;
  readonly inserted: number;
}

/** Removes, repeats, inserts and replaces stretches. */
function edited(random: Random, steps: readonly Step[], edits: number): Edited {
  const result = [...steps];
  let [removed, inserted] = [0, 0];
  for (let edit = 0; edit < edits; edit++) {
    const [at, from, length] = [
      random.below(result.length - 60),
      random.below(steps.length - 60),
      1 + random.below(50),
    ];
    const kind = random.below(4);
    const taken = kind === 0 || kind === 3 ? length : 0;
    const put =
      kind === 0 ? [] : kind === 1 ? result.slice(at, at + length) : steps.slice(from, from + 1 + random.below(50));
    result.splice(at, taken, ...put);
    removed += taken;
    inserted += put.length;
  }
  return { steps: result, removed, inserted };
}

/** The same program, loaded elsewhere. */
function moved(steps: readonly Step[], by: number): readonly Step[] {
  return steps.map((step) => ({ ...step, address: step.address + by }));
}

function longestCommon(a: readonly number[], b: readonly number[]): number {
  let row = new Uint32Array(b.length + 1);
  for (const one of a) {
    const next = new Uint32Array(b.length + 1);
    for (let j = 1; j <= b.length; j++) next[j] = one === b[j - 1] ? row[j - 1]! + 1 : Math.max(row[j]!, next[j - 1]!);
    row = next;
  }
  return row[b.length]!;
}

interface ComparedHow {
  readonly own?: typeof engines;
  readonly shift?: number;
  readonly ignoreRanges?: DiffQuestion['ignoreRanges'];
}

/** Compares the two runs in all sizes of blocks; the answers must be the same. */
async function compared(
  a: readonly Step[],
  b: readonly Step[],
  write: (steps: readonly Step[]) => string,
  { own = engines, shift, ignoreRanges }: ComparedHow = {},
): Promise<Diff> {
  const [one, other] = [place.file('a.txt', write(a)), place.file('b.txt', write(b))];
  const answers: Diff[] = [];
  for (const engine of own) {
    const ids = [];
    for (const path of [one, other]) {
      const { trace } = await ask(engine, 'open', { path });
      await ask(engine, 'index', { trace });
      ids.push(trace);
    }
    const more = {
      most: 100_000,
      ...(shift !== undefined && { shift: String(shift) }),
      ...(ignoreRanges && { ignoreRanges }),
    };
    const args = { trace: ids[0]!, other: ids[1]!, ...more };
    const answer = await ask(engine, 'diff', args);
    answers.push(answer);
    // The first difference is found without an alignment, too.
    const first = await ask(engine, 'diff', { ...args, only: 'first' });
    expect(first).toEqual({ ...answer, regions: [], left: 0, functions: [], functionsLeft: 0, matched: undefined });
    for (const trace of ids) await ask(engine, 'close', { trace });
  }
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  return answers[0]!;
}

/** The addresses of executed and skipped instructions of a range; one record an instruction. */
const addresses = (steps: readonly Step[], by = 0): readonly number[] => steps.map(({ address }) => address - by);

/** Checks that the regions tile both runs, that equal ones are equal, and that the first difference is the first. */
function expectSound(found: Diff, a: readonly number[], b: readonly number[]): void {
  let [endA, endB] = [0, 0];
  for (const { kind, a: its, b: others, instructionsA, instructionsB } of found.regions) {
    expect([its[0], others[0]]).toEqual([endA, endB]);
    [endA, endB] = [its[1], others[1]];
    expect([its[1] - its[0], others[1] - others[0]]).toEqual([instructionsA, instructionsB]);
    if (kind === 'same') expect(a.slice(...its)).toEqual(b.slice(...others));
    if (kind === 'a-only') expect(instructionsB).toBe(0);
    if (kind === 'b-only') expect(instructionsA).toBe(0);
  }
  expect([endA, endB]).toEqual([a.length, b.length]);
  const first = Array.from({ length: Math.max(a.length, b.length) }, (_, n) => n).find((n) => a[n] !== b[n]);
  expect(found.same).toBe(first === undefined);
  const at = (n: number | undefined, run: readonly number[]): number | null =>
    n === undefined || n >= run.length ? null : n;
  const pair = found.first.path;
  expect(pair && [pair.a, pair.b]).toEqual(first === undefined ? null : [at(first, a), at(first, b)]);
}

/** Writes each instruction as a fetch. */
function asDin(steps: readonly Step[]): string {
  return steps.map(({ address }) => `2 ${address.toString(16)}\n`).join('');
}

/** Writes each instruction as a branch to it from the address after it, one sample a branch. */
function asBranches(steps: readonly Step[]): string {
  return steps
    .map(({ address }, n) => `p 1 [000] ${n}.0: 0x${(address + 4).toString(16)}/0x${address.toString(16)}/P/-/-/1\n`)
    .join('');
}

const apart = ({ regions }: Diff): readonly [number, number] => {
  const differing = regions.filter(({ kind }) => kind !== 'same');
  return [
    differing.reduce((sum, { instructionsA }) => sum + instructionsA, 0),
    differing.reduce((sum, { instructionsB }) => sum + instructionsB, 0),
  ];
};

describe.each([
  ['QEMU4V', asQemu],
  ['Tracer', asTracer],
  ['din', ({ steps }: Run) => asDin(steps)],
  ['brstack', ({ steps }: Run) => asBranches(steps)],
] as const)('%s', (_name, writer) => {
  const write = (steps: readonly Step[]): string => writer({ steps, taken: [], rest: 0 });

  test('aligns short runs as well as the table does, however often they were edited', async () => {
    for (let seed = 1; seed <= rounds(3, 60); seed++) {
      const random = createRandom(seed);
      const a = stepsOf(random, 300 + random.below(900));
      const b = edited(random, a, random.below(8)).steps;
      const [its, others] = [addresses(a), addresses(b)];
      // All sizes of blocks for one seed; small blocks divide most.
      const found = await compared(a, b, write, { own: seed === 1 ? engines : engines.slice(0, 1) });
      expectSound(found, its, others);
      const [onlyA, onlyB] = apart(found);
      const common = longestCommon(its, others);
      expect([onlyA, onlyB]).toEqual([its.length - common, others.length - common]);
      expect(found.matched).toBeCloseTo((2 * common) / (its.length + others.length), 12);
    }
  });

  test('finds edits of a long run, and nothing else', async () => {
    const random = createRandom(11);
    const a = stepsOf(random, 60_000);
    const { steps: b, removed, inserted } = edited(random, a, 10);
    const found = await compared(a, b, write, { own: engines.slice(1) });
    expectSound(found, addresses(a), addresses(b));
    const [onlyA, onlyB] = apart(found);
    expect(onlyA).toBeLessThanOrEqual(removed);
    expect(onlyA - onlyB).toBe(removed - inserted);
    expect(found.regions.length).toBeLessThanOrEqual(60);
  });

  test('a program that is loaded elsewhere takes the same path', async () => {
    const random = createRandom(3);
    const a = stepsOf(random, 500);
    const found = await compared(a, moved(a, 0x20000), write);
    expect(found).toMatchObject({ same: true, shift: String(0x20000), matched: 1, first: { path: null } });
    const b = moved(edited(random, a, 2).steps, 0x20000);
    // Too few chunks to find the shift.
    const edits = await compared(a, b, write, { own: engines.slice(0, 1), shift: 0x20000 });
    expectSound(edits, addresses(a), addresses(b, 0x20000));
  });

  test('a run that ends earlier parts from the other at its end', async () => {
    const a = stepsOf(createRandom(5), 400);
    const found = await compared(a, a.slice(0, 250), write, { own: engines.slice(1) });
    expectSound(found, addresses(a), addresses(a.slice(0, 250)));
    expect(found.first.path).toMatchObject({ a: 250, b: null });
  });
});

/** Rounds of a loop at an address, of a few instructions. */
function roundsOf(address: number, length: number, rounds: number): readonly Step[] {
  const round = Array.from({ length }, (_, k): Step => {
    const isLast = k === length - 1;
    const opcode = isLast ? (0x1a000000 | (-(length + 1) & 0xffffff)) >>> 0 : 0xe2800001;
    return { address: address + 4 * k, opcode, size: 4, executed: true, text: isLast ? 'bne' : 'add r0, r0, #1' };
  });
  return Array.from({ length: rounds }, () => round).flat();
}

// Chunks within a long loop are equal whatever their rounds are. A table would have 900 million cells: test/unit/align.test.ts judges the search.
test.each([2, 3])('aligns a long loop with the fewest differences if it was edited, with the seed %i', async (seed) => {
  const random = createRandom(seed);
  const [before, after] = [stepsOf(random, 200), stepsOf(random, 200)];
  const length = 2 + random.below(5);
  const loop = roundsOf(0x20000, length, Math.ceil(30_000 / length));
  const a = [...before, ...loop, ...after];
  const b = [...a];
  // Rounds more or less, and instructions of a round or before the loop that are missing.
  for (let edit = 0; edit < 3; edit++) {
    const round = before.length + length * random.below(loop.length / length - 1);
    if (random.below(2) === 0) b.splice(round, random.below(2) * length, ...loop.slice(0, random.below(2) * length));
    b.splice(random.below(2) === 0 ? round : before.length - random.below(60), 1 + random.below(4));
  }
  const [its, others] = [Int32Array.from(addresses(a)), Int32Array.from(addresses(b))];
  const whole = { a: 0, aEnd: a.length, b: 0, bEnd: b.length };
  const matches = createSearch(its, others)(whole, 1e9)!;
  const common = matches.reduce((sum, match) => sum + match.length, 0);
  for (const ignoreRanges of [[], [{ low: '0x0', high: '0x3' }] as const]) {
    const found = await compared(a, b, (steps) => asQemu({ steps, taken: [], rest: 0 }), {
      own: engines.slice(1),
      ignoreRanges,
    });
    expect(apart(found)).toEqual([a.length - common, b.length - common]);
    expectSound(found, addresses(a), addresses(b));
  }
});

test('a CPU that one of the runs lacks is refused', async () => {
  const [engine] = engines;
  const steps = stepsOf(createRandom(9), 100);
  const run = { steps, taken: [], rest: 0 };
  const { trace } = await ask(engine!, 'open', { path: place.file('qemu.txt', asQemu(run)) });
  await ask(engine!, 'index', { trace });
  const wrong = await refusal(engine!, 'diff', { trace, other: trace, cpu: 7 });
  expect(wrong.message).toMatch(/there is no CPU 7; the trace has 0$/);
});

test('a capture that shows only sources of branches is compared by these', async () => {
  const [engine] = engines;
  const head = 'time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]\n';
  const target = '100,0,0,1,DF,00100548,50BA5E1426E65FD1\n';
  const source = '130,0,0,1,DF,001001C8,9FEC8DF7BD0F76D4\n';
  const other = '160,0,0,1,DF,00100058,9FEC8DF7BD0F76D4\n';
  const ids = [];
  for (const [name, mode, text] of [
    ['normal.csv', 'normal', [target, source, target, other]],
    ['fast.csv', 'fast', [source, other]],
    ['less.csv', 'fast', [source, source]],
  ] as const) {
    const path = place.file(name, head + text.join(''));
    const { trace } = await ask(engine!, 'open', { path, format: 'btm', options: { mode, digits: 'all' } });
    await ask(engine!, 'index', { trace });
    ids.push(trace);
  }
  const [normal, fast, less] = ids as [string, string, string];
  const shared = { of: 'branches', ends: 'sources' };
  expect(await ask(engine!, 'diff', { trace: normal, other: fast })).toMatchObject({ ...shared, same: true });
  const { first } = await ask(engine!, 'diff', { trace: normal, other: less });
  expect(first.path).toMatchObject({ a: 3, b: 1 });
  expect(await ask(engine!, 'diff', { trace: normal, other: normal })).not.toHaveProperty('ends');
});
