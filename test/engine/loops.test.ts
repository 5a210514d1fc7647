/** Loops of programs with known branches; the oracle looks at each executed instruction, and passes over exceptions. */
import { afterAll, describe, expect, test } from 'vitest';
import type { Loop } from '../../shared/requests/profile.ts';
import { createRandom } from '../laws/random.ts';
import { ask } from './ask.ts';
import { asQemu, asTracer, runProgram, type Run } from './flow-programs.ts';
import { sharedEngine } from './shared-engine.ts';
import { few } from '../short-form.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engines = [48, 1_200_000].map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

const [BASE, SIZE, HANDLER] = [0x8000, 0x100, 8];
const symbols = place.file(
  'symbols.txt',
  Array.from({ length: 6 }, (_, i) => `0000${(BASE + i * SIZE).toString(16)} 00000100 T f${i}\n`).join(''),
);

interface Truth {
  end: number;
  iterations: number;
  entries: number;
  first: number;
  instructions: number;
}

/** By header; everything but the bodies is counted within [from, to). */
function truthOf({ steps, taken }: Run, from = 0, to = Infinity): ReadonlyMap<number, Truth> {
  const code = steps.map(({ address }, n) => ({ address, n })).filter(({ address }) => address !== HANDLER);
  const jumps = new Set(taken.filter(({ kind }) => kind === 'jump').map(({ source, target }) => `${source} ${target}`));
  const isSequel = (from: number, to: number): boolean => to > from && to - from <= 4;
  const isBack = (from: number, to: number): boolean =>
    to <= from && Math.floor(to / SIZE) === Math.floor(from / SIZE) && jumps.has(`${from} ${to}`);
  const loops = new Map<number, Truth>();
  for (let i = 1; i < code.length; i++) {
    const [source, header] = [code[i - 1]!.address, code[i]!.address];
    if (!isBack(source, header)) continue;
    const loop = loops.get(header) ?? { end: source, iterations: 0, entries: 0, first: -1, instructions: 0 };
    loop.end = Math.max(loop.end, source);
    loops.set(header, loop);
  }
  let straight = 0;
  for (const [i, { address, n }] of code.entries()) {
    const before = code[i - 1]?.address ?? -1;
    if (!isSequel(before, address)) straight = n;
    const loop = loops.get(address);
    // A branch arrives at the record after it, which may be one of a handler that interrupts the header.
    const arrived = isSequel(before, address) ? n : (code[i - 1]?.n ?? -1) + 1;
    if (loop !== undefined && arrived >= from && arrived < to) {
      if (loop.first < 0) loop.first = Math.max(straight, from);
      if (isBack(before, address)) loop.iterations++;
      else loop.entries++;
    }
    if (n < from || n >= to) continue;
    for (const [header, each] of loops) if (address >= header && address <= each.end) each.instructions++;
  }
  return loops;
}

/** Returns what the engine should answer, by header; loops that did not run are left out. */
function expectedOf(run: Run, from?: number, to?: number): unknown {
  const ran = [...truthOf(run, from, to)].filter(([, loop]) => loop.first >= 0 || loop.instructions > 0);
  return Object.fromEntries(
    ran.map(([header, { end, iterations, entries, first }]) => [
      header,
      { end, iterations, entries, ...(first >= 0 && { first }) },
    ]),
  );
}

function answeredOf(loops: readonly Loop[]): unknown {
  return Object.fromEntries(
    loops.map(({ header, end, iterations, entries, first }) => [
      Number(header),
      { end: Number(end), iterations, entries, ...(first !== undefined && { first }) },
    ]),
  );
}

const PROGRAMS = [
  { name: 'QEMU4V', thumb: false, format: 'tarmac', write: asQemu },
  { name: 'QEMU4V, Thumb', thumb: true, format: 'tarmac', write: asQemu },
  { name: 'Tracer', thumb: false, format: 'armtracer', write: asTracer },
];

describe.each(PROGRAMS)('loops of programs traced as $name', ({ name, thumb, format, write }) => {
  test.each(few([1, 2, 3, 4, 5, 6, 7, 8], 4))('are exact for every block size, with the seed %i', async (seed) => {
    const run = runProgram(createRandom(seed), thumb, 600);
    const file = place.file(`${name}-${seed}.txt`, write(run));
    const truth = truthOf(run);
    for (const engine of engines) {
      const { trace } = await ask(engine, 'open', { path: file, format, images: [{ path: symbols }] });
      await ask(engine, 'index', { trace });
      const { loops, cost } = await ask(engine, 'loops', { trace });
      expect(cost).toBe(run.steps.length);
      expect(answeredOf(loops)).toEqual(expectedOf(run));
      for (const { header, least = -1, most = -1, depth, outer, end, function: name } of loops) {
        const { instructions } = truth.get(Number(header))!;
        expect(least <= instructions && instructions <= most, `${header}: ${least} ${instructions} ${most}`).toBe(true);
        const around = loops.filter(
          (one) => one.header !== header && Number(one.header) <= Number(header) && Number(one.end) >= Number(end),
        );
        expect(outer).toBe(around.toSorted((a, b) => Number(b.header) - Number(a.header))[0]?.header);
        if (outer === undefined) expect(depth).toBe(0);
        expect(name).toBe(`f${Math.floor((Number(header) - BASE) / SIZE)}`);
      }
      await ask(engine, 'close', { trace });
    }
  });
});

/** Seed of programs that run long. */
const LONG = 163;

describe.each(PROGRAMS)('loops of ranges of programs traced as $name', ({ name, thumb, format, write }) => {
  // In a long block, only the last records before the end of the range are read.
  test.each([...few([11, 12, 13, 14, 15, 16], 3).map((seed) => [seed, 600] as const), [LONG, 2500] as const])(
    'are exact wherever the range begins and ends, with the seed %i and %i instructions',
    async (seed, most) => {
      const random = createRandom(seed);
      const run = runProgram(random, thumb, most);
      if (seed === LONG) expect(run.steps).toHaveLength(most);
      const { steps } = run;
      const file = place.file(`ranges-${name}-${seed}.txt`, write(run));
      const handled = steps.flatMap(({ address }, n) => (address === HANDLER ? [n, n + 1] : [])).slice(0, 8);
      const cuts = [0, 1, ...handled, ...Array.from({ length: 6 }, () => random.below(steps.length)), steps.length];
      cuts.sort((a, b) => a - b);
      for (const engine of engines) {
        const { trace } = await ask(engine, 'open', { path: file, format, images: [{ path: symbols }] });
        await ask(engine, 'index', { trace });
        for (const [i, from] of cuts.entries()) {
          const to = cuts[Math.min(cuts.length - 1, i + 1 + random.below(5))]!;
          const { loops, cost } = await ask(engine, 'loops', { trace, from, to });
          const where = `records ${from} to ${to}`;
          expect(cost, where).toBe(to - from);
          expect(answeredOf(loops), where).toEqual(expectedOf(run, from, to));
          for (const { header, least = -1, most = -1, end, begunBefore } of loops) {
            const body = steps.flatMap(({ address }, n) =>
              address >= Number(header) && address <= Number(end) ? [n] : [],
            );
            if (begunBefore) expect(body[0], where).toBeLessThan(from);
            const { instructions } = truthOf(run, from, to).get(Number(header))!;
            expect(
              least <= instructions && instructions <= most,
              `${where}, ${header}: ${least} ${instructions} ${most}`,
            ).toBe(true);
          }
        }
        await ask(engine, 'close', { trace });
      }
    },
  );
});

const NEXT = '8000 e3a00000 A svc : mov r0, #0';
const HEADER = '8004 e2511001 A svc : subs r1, r1, #1';
const BACK = '8008 1afffffd A svc : bne #0x8004';
const IRQ = '0018 e25ef004 A irq : subs pc, lr, #4';
const AFTER = '800c e1a00000 A svc : nop';

test.each([
  ['right after the back edge', [NEXT, HEADER, BACK, IRQ, HEADER, BACK, AFTER]],
  ['before the header is entered', [NEXT, IRQ, HEADER, BACK, HEADER, BACK, AFTER]],
  ['within the body', [NEXT, HEADER, IRQ, BACK, HEADER, IRQ, BACK, AFTER]],
  ['twice at the header', [NEXT, HEADER, BACK, IRQ, IRQ, HEADER, BACK, AFTER]],
])('an interrupt %s is neither an entry nor an iteration', async (name, lines) => {
  const text = lines.map((line, n) => `${n + 1} clk 0 IT (${n + 1}) 0000${line}\n`).join('');
  const path = place.file(`${name}.txt`, text);
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', { path, format: 'tarmac', images: [{ path: symbols }] });
    await ask(engine, 'index', { trace });
    const { loops } = await ask(engine, 'loops', { trace });
    expect(loops).toMatchObject([
      { header: '0x8004', end: '0x8008', iterations: 1, entries: 1, first: 0, backEdges: 1 },
    ]);
    expect(loops[0]!.least).toBeLessThanOrEqual(4);
    expect(loops[0]!.most).toBeGreaterThanOrEqual(4);
    await ask(engine, 'close', { trace });
  }
});

test('a loop whose back edge has an unknown kind is no loop, and a header that such a branch reaches is inferred', async () => {
  // The text of the branch from 8010 is no instruction.
  const steps = [NEXT, HEADER, BACK, HEADER, BACK, AFTER, '8010 1afffffb A svc : x', HEADER, BACK, AFTER];
  const path = place.file('unknown.txt', steps.map((line, n) => `${n + 1} clk 0 IT (${n + 1}) 0000${line}\n`).join(''));
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', { path, format: 'tarmac', images: [{ path: symbols }] });
    await ask(engine, 'index', { trace });
    const { loops } = await ask(engine, 'loops', { trace });
    expect(loops).toMatchObject([{ header: '0x8004', end: '0x8008', iterations: 1, entries: 2, inferred: true }]);
    await ask(engine, 'close', { trace });
  }
});

describe('a range of a trace of two processors', () => {
  /** Two nested loops: the outer one is the code from 8000 to 8010, the inner one that from 8004 to 8008. */
  const CODE: Readonly<Record<number, string>> = {
    0x8000: 'e1a00000 A svc : nop',
    0x8004: 'e2511001 A svc : subs r1, r1, #1',
    0x8008: '1afffffd A svc : bne #0x8004',
    0x800c: 'e2522001 A svc : subs r2, r2, #1',
    0x8010: '1afffffa A svc : bne #0x8000',
    0x8014: 'ea000039 A svc : b #0x8100',
    // In another function.
    0x8100: '1afffffe A svc : bne #0x8100',
    0x8104: 'eaffffbd A svc : b #0x8000',
  };
  const LOOPS = [
    { header: 0x8000, end: 0x8010 },
    { header: 0x8004, end: 0x8008 },
  ];

  interface Step {
    readonly cpu: number;
    readonly address: number;
  }

  /** Random iterations of both loops, then code after them, again and again. */
  function* addresses(random: ReturnType<typeof createRandom>): Generator<number, undefined> {
    for (;;) {
      for (let outer = 1 + random.below(3); outer > 0; outer--) {
        yield 0x8000;
        for (let inner = 1 + random.below(3); inner > 0; inner--) yield* [0x8004, 0x8008];
        yield* [0x800c, 0x8010];
      }
      yield 0x8014;
      for (let after = 1 + random.below(8); after > 0; after--) yield 0x8100;
      yield 0x8104;
    }
  }

  function lineOf({ cpu, address }: Step, n: number): string {
    return `${n} clk ${cpu} IT (${n}) 0000${address.toString(16)} ${CODE[address]}\n`;
  }

  /** True if a processor was in the body before `from`, and in the range is in it again before it enters the header. */
  function isBegunBefore(steps: readonly Step[], { header, end }: (typeof LOOPS)[number], from: number, to: number) {
    const isInside = (address = -1): boolean => address >= header && address <= end;
    return [0, 1].some((cpu) => {
      const last = steps.slice(0, from).findLast((step) => step.cpu === cpu)?.address;
      if (!isInside(last)) return false;
      const own = steps.slice(from, to).filter((step) => step.cpu === cpu);
      const at = own.findIndex(({ address }) => isInside(address));
      const before = at > 0 ? own[at - 1]!.address : last;
      return at >= 0 && (own[at]!.address > header || isInside(before));
    });
  }

  test.each(few([1, 2, 3, 4], 2))('marks loops that one of them entered before, with the seed %i', async (seed) => {
    const random = createRandom(seed);
    const programs = [addresses(createRandom(10 + seed)), addresses(createRandom(20 + seed))];
    const steps: Step[] = [];
    for (let cpu = 0; steps.length < 400; cpu = random.below(3) === 0 ? 1 - cpu : cpu)
      steps.push({ cpu, address: programs[cpu]!.next().value! });
    const path = place.file(`two-${seed}.txt`, steps.map(lineOf).join(''));
    const ranges = Array.from({ length: 40 }, () => {
      const from = 1 + random.below(steps.length - 20);
      return { from, to: from + 1 + random.below(19) };
    });
    for (const engine of engines) {
      const { trace } = await ask(engine, 'open', { path, format: 'tarmac', images: [{ path: symbols }] });
      await ask(engine, 'index', { trace });
      const marks = { given: 0, absent: 0 };
      for (const { from, to } of ranges) {
        const { loops } = await ask(engine, 'loops', { trace, from, to });
        for (const loop of LOOPS) {
          const found = loops.find(({ header }) => Number(header) === loop.header);
          const expected = isBegunBefore(steps, loop, from, to);
          expect(found?.begunBefore === true, `${loop.header} in records ${from} to ${to}`).toBe(expected);
          marks[expected ? 'given' : 'absent']++;
        }
      }
      expect(marks.given).toBeGreaterThan(10);
      expect(marks.absent).toBeGreaterThan(10);
      await ask(engine, 'close', { trace });
    }
  });
});
