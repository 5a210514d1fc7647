/** Traces of one run in different formats: they agree wherever both prove anything, and every edit is found. */
import { afterAll, describe, expect, test } from 'vitest';
import type { ProvedBranch } from '../../shared/requests/compare.ts';
import type { Diff } from '../../shared/requests/diff.ts';
import type { TraceId } from '../../shared/requests/requests.ts';
import { createRandom } from '../laws/random.ts';
import { asCapture, runPentium, type TakenBranch } from './btm-programs.ts';
import { ask, refusal } from './ask.ts';
import { asQemu, asTracer, runProgram, type Step } from './flow-programs.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engine = sharedEngine(600);
afterAll(async () => {
  await engine.close();
  place.dispose();
});

interface File {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly format?: string;
  readonly images?: readonly string[];
}

async function opened({ name, content, ...how }: File): Promise<TraceId> {
  const { trace } = await ask(engine, 'open', {
    path: place.file(name, content),
    ...(how.format !== undefined && { format: how.format }),
    ...(how.images !== undefined && { images: how.images.map((path) => ({ path })) }),
  });
  await ask(engine, 'index', { trace });
  return trace;
}

async function compared(a: File, b: File, more: { readonly by?: 'path' | 'values' } = {}): Promise<Diff> {
  const [one, other] = [await opened(a), await opened(b)];
  const found = await ask(engine, 'diff', { trace: one, other, most: 100_000, ...more });
  for (const trace of [one, other]) await ask(engine, 'close', { trace });
  return found;
}

/** Regions that differ. */
function differing({ regions }: Diff): Diff['regions'] {
  return regions.filter(({ kind }) => kind !== 'same' && kind !== 'not-compared');
}

/** Checks that regions follow one another in both traces, and that their branches are those of the traces. */
function expectTiled({ regions, instructionsA, instructionsB }: Diff): void {
  for (const side of ['a', 'b'] as const)
    for (const [at, region] of regions.slice(1).entries()) expect(region[side][0]).toBe(regions[at]![side][1]);
  const sum = (of: 'instructionsA' | 'instructionsB'): number => regions.reduce((all, region) => all + region[of], 0);
  expect([sum('instructionsA'), sum('instructionsB')]).toEqual([instructionsA, instructionsB]);
  for (const { kind, instructionsA: a, instructionsB: b } of regions) {
    if (kind === 'same') expect(a).toBe(b);
    if (kind === 'a-only') expect(b).toBe(0);
    if (kind === 'b-only') expect(a).toBe(0);
  }
}

/** Bytes of the instructions that branch (Intel SDM, volume 2): their opcodes as btm-programs.ts writes them. */
const BYTES: Readonly<Record<TakenBranch['how'], number>> = {
  jcc: 2,
  call: 5,
  indirect: 2,
  table: 7,
  int: 2,
  wrmsr: 2,
  ret: 1,
  iret: 1,
  plain: 1,
  irq: 1,
};

/** A run as Lackey prints its instructions. */
function asLackey(taken: readonly TakenBranch[]): string {
  const all = taken.flatMap(({ ran }) => ran);
  const sizes = new Map<number, number>();
  for (const { ran, how } of taken) {
    const inside = how === 'irq' ? ran : ran.slice(0, -1);
    inside.forEach((address, k) => {
      const next = ran[k + 1];
      if (next !== undefined) sizes.set(address, next - address);
    });
    if (how !== 'irq') sizes.set(ran.at(-1)!, BYTES[how]);
  }
  return all
    .map((address) => `I  ${address.toString(16).padStart(8, '0')},${String(sizes.get(address) ?? 1)}\n`)
    .join('');
}

/** The run up to an interrupt in the first instructions of a handler, as no handler is interrupted before it allows that. */
function withoutReentry<T extends { readonly taken: readonly TakenBranch[] }>(run: T): T {
  const isStart = (at: number): boolean =>
    run.taken.some(({ how, target }) => how === 'irq' && at >= target && at <= target + 5);
  const end = run.taken.findIndex(({ how, source }) => how === 'irq' && isStart(source));
  return end < 0 ? run : { ...run, taken: run.taken.slice(0, end) };
}

const SEEDS = [1, 4, 10];

describe.each(SEEDS)('a run of a Pentium, seed %i', (seed) => {
  const run = withoutReentry(runPentium(createRandom(seed), 400));
  const image = (): string => place.file(`${seed}.elf`, run.elf);
  const text = (): File => ({
    name: `${seed}.lackey`,
    content: asLackey(run.taken),
    format: 'lackey',
    images: [image()],
  });

  test.each(['normal', 'fast', 'pairing'] as const)('agrees with its %s messages', async (report) => {
    for (const images of [[], [image()]]) {
      const messages = { name: `${seed}-${report}.csv`, content: asCapture(run, report), format: 'btm', images };
      for (const [a, b] of [
        [text(), messages],
        [messages, text()],
      ] as const) {
        const found = await compared(a, b);
        expect(differing(found)).toEqual([]);
        expect(found).toMatchObject({ same: true, by: 'path', of: 'branches', matched: 1 });
      }
    }
  });

  test('says that two captures may report one branch in two ways', async () => {
    const captures = (['normal', 'pairing'] as const).map((report) => ({
      name: `${seed}-${report}.csv`,
      content: asCapture(run, report),
      format: 'btm',
    }));
    const { first } = await compared(captures[0]!, captures[1]!);
    const other = run.taken.find(({ source, reported }) => source !== reported)!;
    const to = `has a branch to 0x${other.target.toString(16)}`;
    expect(first.path?.what).toBe(
      `A ${to} from 0x${other.source.toString(16)}, B ${to} from 0x${other.reported.toString(16)}: it may be one branch, because this processor can report the instruction before a branch as its source`,
    );
  });

  test('knows both ways to report a branch as one if the program is known, and no other branch', async () => {
    const capture = (taken: typeof run.taken, report: 'normal' | 'pairing'): File => ({
      name: `${report}.csv`,
      content: asCapture({ taken }, report),
      format: 'btm',
      images: [image()],
    });
    const found = await compared(capture(run.taken, 'normal'), capture(run.taken, 'pairing'));
    expect(differing(found)).toEqual([]);
    expect(found).toMatchObject({ same: true, of: 'branches', byProvedBranches: true, matched: 1 });
    // The instruction before a branch is no pair with another branch to the same target.
    const at = run.taken.findIndex(({ source, reported, how }) => source !== reported && how !== 'irq');
    const elsewhere = run.taken.map((branch, k) =>
      k === at ? { ...branch, source: branch.source + 1, reported: branch.source + 1 } : branch,
    );
    const edited = await compared(capture(run.taken, 'pairing'), capture(elsewhere, 'normal'));
    // Next to an interrupt it is not compared, and never counted as equal.
    expect(!edited.same || edited.notCompared > found.notCompared).toBe(true);
  });

  test('finds a branch that went elsewhere, and a round that is missing', async () => {
    const random = createRandom(seed);
    const { taken } = run;
    const messages = { name: 'whole.csv', content: asCapture({ taken }, 'normal'), format: 'btm', images: [image()] };
    const unedited = await compared(text(), messages);
    let missed = 0;
    const isLong = (k: number): boolean => (taken[k + 1]?.ran.length ?? 0) > 2;
    const isRound = (k: number): boolean =>
      taken[k]!.source === taken[k + 1]?.source && taken[k]!.target === taken[k + 1]?.target;
    const places = [...taken.keys()].filter((k) => k > 1 && k < taken.length - 2);
    const choice = (of: readonly number[]): number => of[random.below(of.length)]!;
    for (let times = 0; times < 3; times++) {
      const at = choice(places.filter(isLong));
      // To the second instruction that ran there.
      const elsewhere = taken.map((branch, k) => (k === at ? { ...branch, target: taken[k + 1]!.ran[1]! } : branch));
      const rounds = places.filter(isRound);
      const round = rounds.length === 0 ? undefined : choice(rounds);
      for (const edited of [elsewhere, ...(round === undefined ? [] : [taken.filter((_, k) => k !== round)])]) {
        const content = asCapture({ taken: edited }, 'normal');
        const found = await compared(text(), { name: 'edited.csv', content, format: 'btm', images: [image()] });
        // An interrupt right before the branch could explain it: then it is not compared, and never counted as equal.
        expect(!found.same || found.notCompared > unedited.notCompared).toBe(true);
        missed += Number(found.same);
        expectTiled(found);
      }
    }
    expect(missed).toBeLessThan(2);
  });
});

test('shows the branches of both traces as rows, and finds the row of a record', async () => {
  const run = withoutReentry(runPentium(createRandom(4), 400));
  const image = place.file('rows.elf', run.elf);
  // The messages end before the text does, and one branch of them goes elsewhere.
  const at = 10 + run.taken.slice(10).findIndex((_, k) => (run.taken[k + 11]?.ran.length ?? 0) > 2);
  const edited = run.taken
    .slice(0, Math.floor(0.8 * run.taken.length))
    .map((branch, k) => (k === at ? { ...branch, target: run.taken[k + 1]!.ran[1]! } : branch));
  const a = await opened({ name: 'rows.lackey', content: asLackey(run.taken), format: 'lackey', images: [image] });
  const content = asCapture({ taken: edited }, 'normal');
  const b = await opened({ name: 'rows.csv', content, format: 'btm', images: [image] });
  const pair = { trace: a, other: b };
  const found = await ask(engine, 'diff', { ...pair, by: 'path', only: 'regions', most: 100_000 });
  expect(found).toMatchObject({ same: false, byProvedBranches: true });
  const rows = await rowsOf(pair);
  const kinds = found.regions.flatMap(({ kind, instructionsA, instructionsB }) =>
    Array.from({ length: Math.max(instructionsA, instructionsB) }, () => kind),
  );
  expect(rows).toHaveLength(kinds.length);
  expect(kinds[0]).toBe('same');
  expect(kinds.at(-1)).toBe('not-compared');
  for (const [row, { a: own, b: its }] of rows.entries()) {
    if (kinds[row] !== 'same') continue;
    expect(own.branch?.target).toBe(its.branch?.target);
  }
  for (const [name, taken] of [
    ['a', run.taken],
    ['b', edited],
  ] as const) {
    const shown = rows.flatMap((row) => (row[name].n < 0 ? [] : [row[name]]));
    expect(shown.map(({ n }) => n)).toEqual(shown.map(({ n }) => n).toSorted((one, other) => one - other));
    // Each branch of a row is the next one of these ends that the program took.
    let next = 0;
    for (const { branch } of shown) {
      const is = (one: TakenBranch): boolean =>
        BigInt(branch!.target!) === BigInt(one.target) &&
        (branch!.source === undefined || one.how === 'irq' || BigInt(branch!.source) === BigInt(one.source));
      while (next < taken.length && !is(taken[next]!)) next++;
      expect(next).toBeLessThan(taken.length);
      next++;
    }
    for (const [row, { [name]: own }] of rows.entries()) {
      if (row % 7 > 0 || own.n < 0 || rows[row + 1]?.[name].n === own.n) continue;
      const partner = await ask(engine, 'counterpart', { ...pair, at: own.n, side: name });
      const other = rows[row]![name === 'a' ? 'b' : 'a'].n;
      expect(partner).toMatchObject({ row, kind: kinds[row], other: kinds[row] === 'same' ? other : null });
    }
  }
  expect(await refusal(engine, 'stateDifference', { ...pair, at: 0, otherAt: 0 })).toMatchObject({
    message: expect.stringContaining('compared by the branches that both prove'),
  });
  for (const trace of [a, b]) await ask(engine, 'close', { trace });
});

/** Reads all rows of proved branches in pieces. */
async function rowsOf(pair: { readonly trace: TraceId; readonly other: TraceId }) {
  const rows: { a: ShownBranch; b: ShownBranch }[] = [];
  for (;;) {
    const next = await ask(engine, 'alignedRows', { ...pair, from: rows.length, count: 7 + (rows.length % 90) });
    if (next.a.length === 0) return rows;
    next.a.forEach((a, k) => {
      const branches = next.branches!;
      rows.push({ a: { n: a, branch: branches.a[k]! }, b: { n: next.b[k]!, branch: branches.b[k]! } });
    });
  }
}

interface ShownBranch {
  readonly n: number;
  readonly branch: ProvedBranch | null;
}

test('compares the instructions of text traces of different formats', async () => {
  const run = runProgram(createRandom(5), false, 400);
  const [a, b] = [
    { name: 'run.qemu', content: asQemu(run) },
    { name: 'run.tracer', content: asTracer(run) },
  ];
  expect(await compared(a, b)).toMatchObject({ same: true, of: 'instructions', instructionsA: run.steps.length });
  const steps: readonly Step[] = run.steps.toSpliced(run.steps.length >> 1, 30);
  const found = await compared(a, { name: 'shorter.tracer', content: asTracer({ ...run, steps }) });
  expect(found.same).toBe(false);
  expect(found.instructionsA - found.instructionsB).toBe(30);
  expectTiled(found);
});

test('a report counts the branches that both traces show', async () => {
  const run = runPentium(createRandom(1), 60);
  const image = place.file('reported.elf', run.elf);
  const one = await opened({ name: 'run.lackey', content: asLackey(run.taken), format: 'lackey', images: [image] });
  // A capture of the last branches only.
  const content = asCapture({ taken: run.taken.slice(-20) }, 'normal');
  const other = await opened({ name: 'end.csv', content, format: 'btm', images: [image] });
  const plan = { title: 'Both', parts: [{ kind: 'diff' as const, question: {} }] };
  const report = { trace: one, other, plan, as: 'md' as const, name: 'both' };
  const [{ bytes } = { bytes: new Uint8Array() }] = (await ask(engine, 'report', report)).files;
  const text = new TextDecoder().decode(bytes);
  expect(text).toMatch(/Both traces show the same \d+ branches where both prove any\./);
  expect(text).toMatch(/Not compared.*\d+ branches of one trace, which the other one does not show/);
  expect(text).toMatch(/Aligned.*100\.0 % of the branches that both traces show/);
  for (const trace of [one, other]) await ask(engine, 'close', { trace });
});

test('says what cannot be compared', async () => {
  const run = runPentium(createRandom(1), 40);
  const text = await opened({ name: 'none.lackey', content: asLackey(run.taken), format: 'lackey' });
  const messages = await opened({ name: 'none.csv', content: asCapture(run, 'normal'), format: 'btm' });
  expect(await refusal(engine, 'diff', { trace: text, other: messages })).toMatchObject({
    message: expect.stringMatching(/none\.lackey: .* give its image with --image$/),
  });
  const stacks = await opened({
    name: 'none.perf',
    content: 'run 1 [000] 0.000000: cycles: 0x1000/0x2000/P/-/-/1\n',
    format: 'brstack',
  });
  expect(await refusal(engine, 'diff', { trace: messages, other: stacks })).toMatchObject({
    message: expect.stringContaining('branch stacks can be compared only with branch stacks'),
  });
  for (const trace of [text, messages, stacks]) await ask(engine, 'close', { trace });
});
