/**
 * Line numbers that are missing give gaps, without claims about the missing code, unless execution continues at the next address or at the
 * target of the branch. Everything else stays exact.
 */
import { afterAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import { createRandom, type Random } from '../laws/random.ts';
import { ask } from './ask.ts';
import { asTracer, runProgram, type Run, type Step } from './flow-programs.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';
import { few, NIGHTLY } from '../short-form.ts';

const place = scratch();
afterAll(() => {
  place.dispose();
});

const CUTS = NIGHTLY ? [240, 1200, 1_200_000] : [240, 1_200_000];
const engines = CUTS.map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
});

/** A step in a trace of several processors. */
interface Line {
  readonly cpu: number;
  /** Index in the run of its processor. */
  readonly at: number;
  readonly step: Step;
  readonly number: number;
}

/** Runs alternate in strides of a few steps. */
function interleave(runs: readonly Run[], random: Random, each: boolean): readonly Line[] {
  const lines: Line[] = [];
  const next = runs.map(() => 0);
  while (runs.some(({ steps }, cpu) => next[cpu]! < steps.length)) {
    const cpu = random.below(runs.length);
    for (let stride = 1 + random.below(5); stride > 0 && next[cpu]! < runs[cpu]!.steps.length; stride--) {
      const at = next[cpu]!++;
      lines.push({ cpu, at, step: runs[cpu]!.steps[at]!, number: each ? at : lines.length });
    }
  }
  return lines;
}

function asText(lines: readonly Line[], timeOf: (line: Line) => number = ({ number }) => number): string {
  return lines
    .map((line) => {
      const { cpu, number, step } = line;
      const code = step.opcode.toString(16).padStart(2 * step.size, '0');
      const address = step.address.toString(16).padStart(8, '0');
      return `${timeOf(line)} clk ${cpu} ${step.executed ? 'IT' : 'IS'} (${number}) ${address} ${code} A svc : ${step.text}\n`;
    })
    .join('');
}

/**
 * Provable facts about lines: branches between consecutive lines of one processor, and gaps between others if the first one does not lead
 * to the second. If processors are numbered together, a missing number may be a gap for all of them.
 */
function reported(lines: readonly Line[], runs: readonly Run[], each = true): readonly string[] {
  const branches = runs.map(({ taken }) => {
    const bySource = new Map<number, Run['taken'][number]>();
    let at = -1;
    for (const branch of taken) bySource.set((at += branch.instructions), branch);
    return bySource;
  });
  const last = new Map<number, Line & { readonly place: number }>();
  const events: string[] = [];
  for (const [place, line] of lines.entries()) {
    const { cpu, at, step, number } = line;
    const before = last.get(cpu);
    last.set(cpu, { ...line, place });
    if (before === undefined) continue;
    const branch = branches[cpu]!.get(before.at);
    const isWhole = each || number - before.number === place - before.place;
    const isDirect = branch !== undefined && ['call', 'jump'].includes(branch.kind);
    const isNext = branch === undefined && before.step.address + before.step.size === step.address;
    const leads = isNext || (isDirect && branch.target === step.address);
    if ((before.at !== at - 1 || !isWhole) && !leads) events.push(`${cpu} gap 0x${step.address.toString(16)}`);
    else if (branch !== undefined)
      events.push(`${cpu} ${branch.kind} 0x${branch.source.toString(16)} 0x${branch.target.toString(16)}`);
  }
  return events;
}

async function eventsOf(
  engine: Engine,
  file: string,
  options: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const { trace } = await ask(engine, 'open', { path: file, options });
  await ask(engine, 'index', { trace });
  const { events } = await ask(engine, 'branchEvents', { trace, count: 10_000 });
  await ask(engine, 'close', { trace });
  return events.map(({ cpu, source, target, kind, flags = [], inferred }) =>
    flags.includes('gap-before') && kind === 'unknown' && source === undefined
      ? `${cpu ?? 0} gap ${target!}`
      : [cpu ?? 0, kind, source, target, ...(inferred ? ['inferred'] : []), ...flags].join(' '),
  );
}

function without(lines: readonly Line[], random: Random): readonly Line[] {
  let lost = 0;
  return lines.filter(() => {
    if (lost === 0 && random.below(25) === 0) lost = 1 + random.below(6);
    if (lost > 0) lost--;
    else return true;
    return false;
  });
}

describe.each([
  { name: 'one processor', cpus: 1, each: false },
  { name: 'processors numbered together', cpus: 3, each: false },
  { name: 'processors numbered each for itself', cpus: 3, each: true },
])('$name', ({ name, cpus, each }) => {
  test.each(few([1, 3, 8], 1))('reports branches and gaps exactly, with the seed %i', async (seed) => {
    const random = createRandom(seed);
    const runs = Array.from({ length: cpus }, () => runProgram(random, seed === 3, 300));
    const whole = interleave(runs, random, each);
    const some = without(whole, random);
    for (const [part, lines] of [whole, some].entries()) {
      const file = place.file(`${name}-${seed}-${part}.txt`, asText(lines));
      const expected = reported(lines, runs, each);
      expect(expected.some((event) => event.includes('gap'))).toBe(part === 1);
      for (const engine of engines) expect(await eventsOf(engine, file)).toEqual(expected);
    }
  });
});

test('uses line numbers even if times do not count lines', async () => {
  const random = createRandom(5);
  const runs = [runProgram(random, false, 300), runProgram(random, false, 300)];
  const lines = without(interleave(runs, random, false), random);
  const file = place.file(
    'ticks.txt',
    asText(lines, ({ number }) => number * 3 + 7),
  );
  for (const engine of engines) expect(await eventsOf(engine, file)).toEqual(reported(lines, runs, false));
});

test.each([
  ['that stand still', () => 0],
  ['that go down', ({ number }: Line) => 1000 - number],
])('ignores line numbers %s', async (name, numberOf) => {
  const run = runProgram(createRandom(6), false, 300);
  const lines = interleave([run], createRandom(6), false).map((line) => ({ ...line, number: numberOf(line) }));
  const file = place.file(`${name}.txt`, asText(lines));
  for (const engine of engines) expect(await eventsOf(engine, file)).toEqual(reported(lines, [run]));
});

test('accepts line numbers that also count exceptions, if the option says so', async () => {
  const run = runProgram(createRandom(9), false, 300);
  let exceptions = 0;
  const lines = interleave([run], createRandom(9), false).map((line) => {
    if (line.step.address === 8) exceptions++;
    return { ...line, number: line.number + exceptions };
  });
  expect(exceptions).toBeGreaterThan(3);
  const file = place.file('exceptions.txt', asText(lines));
  const gaps = (events: readonly string[]): number => events.filter((event) => event.includes('gap')).length;
  for (const engine of engines) {
    expect(await eventsOf(engine, file, { numbers: 'exceptions' })).toEqual(reported(lines, [run]));
    expect(gaps(await eventsOf(engine, file))).toBe(exceptions);
    expect(await eventsOf(engine, file, { numbers: 'any' })).toEqual(reported(lines, [run]));
  }
});

test('starts again at a second run in the same file', async () => {
  const [one, other] = [runProgram(createRandom(8), false, 100), runProgram(createRandom(9), false, 100)];
  const parts = [one, other].map((run) => interleave([run], createRandom(8), false));
  const expected = [...reported(parts[0]!, [one]), '0 gap 0x8000', ...reported(parts[1]!, [other])];
  const qemu = place.file('two-runs.txt', parts.map((lines) => asText(lines)).join(''));
  const tracer = place.file('two-tracer-runs.txt', asTracer(one) + asTracer(other));
  for (const engine of engines) {
    expect(await eventsOf(engine, qemu)).toEqual(expected);
    expect(await eventsOf(engine, tracer)).toEqual(expected);
  }
});

test('a part of the trace reports lines missing before an idle processor continues', async () => {
  // The instruction before the last one is missing from the common count of all processors.
  const idle = Array.from({ length: 90 }, (_, i) => ({ number: 3 + i, cpu: 0, address: 0x9000 + 4 * i }));
  const steps = [
    { number: 1, cpu: 1, address: 0x8000 },
    { number: 2, cpu: 1, address: 0x8004 },
    ...idle,
    { number: 94, cpu: 1, address: 0x800c },
  ];
  const lines = steps.map(
    ({ number, cpu, address }) =>
      `${number} clk ${cpu} IT (${number}) 0000${address.toString(16)} e1a00000 A svc : mov r0, r0\n`,
  );
  const file = place.file('idle.txt', lines.join(''));
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
    await ask(engine, 'index', { trace });
    for (const from of [0, 40, 80, 92]) {
      const { events } = await ask(engine, 'branchEvents', { trace, from, count: 10 });
      expect(
        events.map(({ n, cpu, flags }) => `${n} ${cpu} ${flags?.join()}`),
        `from ${from}`,
      ).toEqual(['92 1 gap-before']);
    }
  }
});

test.each([
  ['the beginning of the trace', '', 0],
  ['missing lines', '1 clk 0 IT (1) 00008000 e2800001 A svc : add r0, r0, #1\n', 1],
])('reports a register jump that is the first instruction after %s as a possible call', async (what, head, n) => {
  const names = place.file('two-functions.nm', '00008000 00000100 T f0\n00008100 00000100 T f1\n');
  const rest = [
    '5 clk 0 IT (5) 00008008 e12fff13 A svc : bx r3',
    '6 clk 0 IT (6) 00008100 e2800001 A svc : add r0, r0, #1',
    '7 clk 0 IT (7) 00008104 e12fff1e A svc : bx lr',
    '8 clk 0 IT (8) 0000800c e2800001 A svc : add r0, r0, #1',
  ];
  const file = place.file(`${what}.txt`, `${head}${rest.join('\n')}\n`);
  for (const engine of engines) {
    const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', images: [{ path: names }] });
    await ask(engine, 'index', { trace });
    const { events } = await ask(engine, 'branchEvents', { trace, from: n + 1, count: 10 });
    expect(events.map(({ kind, source, target }) => `${kind} ${source} ${target}`)).toEqual([
      'unknown 0x8008 0x8100',
      'return 0x8104 0x800c',
    ]);
    const { frames } = await ask(engine, 'stack', { trace, at: n + 1 });
    expect(frames.map((frame) => [frame.function, frame.inferred])).toEqual([
      ['f1', true],
      ['f0', true],
    ]);
    const { edges } = await ask(engine, 'calls', { trace });
    expect(edges).toMatchObject([{ caller: '0x8000', callee: '0x8100', count: 1, inferred: true }]);
  }
});

test('reports no calls across a gap', async () => {
  for (const seed of [11, 12, 13, 14]) {
    const random = createRandom(seed);
    const run = runProgram(random, false, 400);
    const file = place.file(`calls-${seed}.txt`, asText(without(interleave([run], random, false), random)));
    const truth = edgesOf(run);
    for (const engine of engines) {
      const { trace } = await ask(engine, 'open', { path: file });
      await ask(engine, 'index', { trace });
      const { functions, edges } = await ask(engine, 'calls', { trace });
      await ask(engine, 'close', { trace });
      const places = new Map(functions.map(({ id, address }) => [id, address]));
      const wrong = edges
        .filter(({ kind }) => kind === 'call')
        .map(({ caller, callee, count }) => ({ edge: `${places.get(caller)} ${places.get(callee)}`, count }))
        // The caller is unknown after a gap.
        .filter(({ edge }) => !edge.startsWith('undefined'))
        .filter(({ edge, count }) => count > (truth.get(edge) ?? 0));
      expect(wrong).toEqual([]);
    }
  }
});

/** Number of calls by entry points of caller and callee; a tail call replaces the open function. */
function edgesOf({ taken }: Run): ReadonlyMap<string, number> {
  const edges = new Map<string, number>();
  const open = [0x8000];
  for (const { kind, target, source } of taken) {
    if (kind === 'call') {
      const edge = `0x${open.at(-1)!.toString(16)} 0x${target.toString(16)}`;
      edges.set(edge, (edges.get(edge) ?? 0) + 1);
      open.push(target);
    } else if (kind === 'exception') open.push(target);
    else if (kind === 'return') open.pop();
    else if (target >>> 8 !== source >>> 8) open[open.length - 1] = target;
  }
  return edges;
}
