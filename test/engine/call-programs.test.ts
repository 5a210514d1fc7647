/** Calls, trees, stacks and steps of programs that know theirs: every one of them is exact, however the trace is cut. */
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import { STEPS, type CallTreeNode, type StepKind } from '../../shared/flow-answers.ts';
import { createRandom } from '../laws/random.ts';
import { ask } from './ask.ts';
import { asQemu, asTracer, runProgram, type Run } from './flow-programs.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engines = [48, 480, 1_200_000].map((blockBytes) =>
  startEngine({ blockBytes, jobs: 2, indexDirectory: path.join(place.folder, `cut-${blockBytes}`) }),
);
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

/** Where the functions of the programs lie, and what their exceptions go to. */
const BASE = 0x8000;
const SIZE = 0x100;
const HANDLER = 'handler';
const symbols = place.file(
  'symbols.txt',
  [`00000008 00000004 T ${HANDLER}`, ...Array.from({ length: 6 }, (_, i) => nmLine(BASE + i * SIZE, `f${i}`))].join(
    '\n',
  ),
);

function nmLine(address: number, name: string): string {
  return `${address.toString(16).padStart(8, '0')} ${SIZE.toString(16).padStart(8, '0')} T ${name}`;
}

interface Truth {
  /** By record, outermost first: the functions that are open while it executes. */
  readonly stacks: readonly (readonly string[])[];
  /** `caller callee kind` -> count, of the calls whose targets are reached in [from, to). */
  edges(from: number, to: number): Record<string, number>;
  /** Every stay in a function within records [from, to): `function depth from to`. */
  spans(from: number, to: number): readonly string[];
}

/** From what the program says of its branches; `records` of the steps, one each. */
function truthOf({ steps, taken }: Run): Truth {
  const stacks: string[][] = [];
  const calls: { readonly edge: string; readonly at: number }[] = [];
  const spans: { readonly fn: string; readonly depth: number; readonly from: number; to: number }[] = [];
  /** Those of the open functions, outermost first. */
  const staying = [enter('f0', 0, 0)];
  let open = ['f0'];
  let [branch, since] = [0, 0];
  steps.forEach((_, n) => {
    stacks.push(open);
    since++;
    const next = taken[branch];
    if (next?.instructions !== since) return;
    [branch, since] = [branch + 1, 0];
    const [caller, callee] = [open.at(-1)!, nameAt(next.target)];
    const isEntry = next.target === 8 || (next.target - BASE) % SIZE === 0;
    if (next.kind === 'return') {
      open = open.slice(0, -1);
      staying.pop()!.to = n + 1;
    } else if (next.kind === 'call' || next.kind === 'exception') {
      calls.push({ edge: `${caller} ${callee} ${next.kind}`, at: n + 1 });
      open = [...open, callee];
      staying.push(enter(callee, open.length - 1, n + 1));
    } else if (isEntry && callee !== caller) {
      calls.push({ edge: `${caller} ${callee} tail call`, at: n + 1 });
      open = [...open.slice(0, -1), callee];
      staying.pop()!.to = n + 1;
      staying.push(enter(callee, open.length - 1, n + 1));
    }
  });
  for (const stay of staying) stay.to = steps.length;
  return {
    stacks,
    spans: (from, to) =>
      spans
        .map((span) => ({ ...span, from: Math.max(from, span.from), to: Math.min(to, span.to) }))
        .filter((span) => span.from < span.to)
        .map((span) => `${span.fn} ${span.depth} ${span.from} ${span.to}`)
        .sort(),
    edges: (from, to) => counted(calls.filter(({ at }) => at >= from && at < to).map(({ edge }) => edge)),
  };

  function enter(fn: string, depth: number, from: number): (typeof spans)[number] {
    const span = { fn, depth, from, to: from };
    spans.push(span);
    return span;
  }
}

function nameAt(address: number): string {
  return address === 8 ? HANDLER : `f${Math.floor((address - BASE) / SIZE)}`;
}

function counted(keys: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of keys.toSorted()) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

const PROGRAMS = [
  { name: 'QEMU4V', thumb: false, format: 'tarmac', write: asQemu },
  { name: 'QEMU4V, Thumb', thumb: true, format: 'tarmac', write: asQemu },
  { name: 'Tracer', thumb: false, format: 'armtracer', write: asTracer },
];

describe.each(PROGRAMS)('programs as $name', ({ name, thumb, format, write }) => {
  test.each([1, 2])('with the seed %i', async (seed) => {
    const run = runProgram(createRandom(seed), thumb, 300);
    const file = place.file(`${name}-${seed}.txt`, write(run));
    const truth = truthOf(run);
    for (const engine of engines) await expectAll(engine, file, format, run, truth);
  });
});

async function expectAll(engine: Engine, file: string, format: string, run: Run, truth: Truth): Promise<void> {
  const { trace } = await ask(engine, 'open', { path: file, format, images: [{ path: symbols }] });
  await ask(engine, 'index', { trace });
  const { steps } = run;
  const { stacks } = truth;

  const graph = await ask(engine, 'calls', { trace });
  const names = new Map(graph.functions.map(({ id, name }) => [id, name]));
  const edgesOf = (edges: typeof graph.edges): Record<string, number> =>
    Object.fromEntries(
      edges
        .map(
          ({ caller, callee, kind, count }) => [`${names.get(caller)!} ${names.get(callee)!} ${kind}`, count] as const,
        )
        .sort(),
    );
  expect(edgesOf(graph.edges)).toEqual(truth.edges(0, steps.length));
  expect(graph.edges.every(({ inferred }) => !inferred)).toBe(true);
  expect(graph.unit).toBe('instructions');
  expect(graph.depth.max).toBe(Math.max(...stacks.map(({ length }) => length)) - 1);
  expect(Object.fromEntries(graph.functions.map(({ name, self }) => [name, self]).sort())).toEqual(
    counted(stacks.map((stack) => stack.at(-1)!)),
  );
  expect(Object.fromEntries(graph.functions.map(({ name, total }) => [name, total]).sort())).toEqual(
    counted(stacks.flatMap((stack) => [...new Set(stack)])),
  );

  const { roots } = await ask(engine, 'tree', { trace });
  expect(Object.fromEntries(pathsOf(roots, '').sort())).toEqual(counted(stacks.map((stack) => stack.join(';'))));

  const [from, to] = [Math.floor(steps.length / 3), Math.floor((2 * steps.length) / 3)];
  const part = await ask(engine, 'calls', { trace, from, to });
  expect(edgesOf(part.edges)).toEqual(truth.edges(from, to));
  // What is open where the range begins is known.
  const inPart = stacks.slice(from - 1, to);
  expect(part.depth.max).toBe(Math.max(...inPart.map(({ length }) => length)) - 1);

  for (const range of [
    { from: 0, to: steps.length },
    { from, to },
  ]) {
    const { spans, coarse } = await ask(engine, 'spans', { trace, ...range, columns: 10_000 });
    expect(coarse).toBe(false);
    const said = spans.map((span) => `${span.function} ${span.depth} ${span.from} ${span.to}`);
    expect(said.sort()).toEqual(truth.spans(range.from, range.to));
  }

  for (let at = seedOf(file); at < steps.length; at += 41) {
    const { frames } = await ask(engine, 'stack', { trace, at });
    expect(frames.map((frame) => frame.function).reverse(), `stack at ${at}`).toEqual(stacks[at]);
    for (const step of STEPS) {
      const { n } = await ask(engine, 'step', { trace, at, step });
      expect(n, `${step} at ${at}`).toBe(stepOf(stacks, at, step));
    }
  }
  await ask(engine, 'close', { trace });
}

function seedOf(file: string): number {
  return Number(/(\d)\.txt$/.exec(file)?.[1]);
}

function pathsOf(nodes: readonly CallTreeNode[], above: string): [string, number][] {
  return nodes.flatMap(({ function: name, self, children }) => {
    const chain = above === '' ? name : `${above};${name}`;
    return [...(self > 0 ? [[chain, self] as [string, number]] : []), ...pathsOf(children, chain)];
  });
}

/** Slowly, from the depths of all records. */
function stepOf(stacks: readonly (readonly string[])[], at: number, step: StepKind): number | null {
  const most = stacks[at]!.length - (step.endsWith('out') ? 1 : 0);
  const fits = ({ length }: readonly string[]): boolean => length <= most;
  const found = step.startsWith('back')
    ? stacks.slice(0, at).findLastIndex(fits)
    : stacks.findIndex((stack, n) => n > at && fits(stack));
  return found < 0 ? null : found;
}
