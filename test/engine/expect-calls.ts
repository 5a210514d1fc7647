/** Checks the calls, trees, stacks and steps of an engine against the truth. */
import { expect } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import type { Arguments } from '../../shared/requests/requests.ts';
import { STEPS, type CallTreeNode, type StepKind } from '../../shared/requests/flow.ts';
import { spansByRecord, type OracleSpan, type Stay } from '../span-oracle.ts';
import { ask } from './ask.ts';

/** Truth about a trace with one record per instruction. */
export interface CallTruth {
  /** Per record: functions that are open while it executes, outermost first. */
  readonly stacks: readonly (readonly string[])[];
  /** `caller callee kind` -> count, for calls whose targets are reached in [from, to). */
  edges(from: number, to: number): Record<string, number>;
  /** Every activation of a function within records [from, to): `function depth from to`. */
  spans(from: number, to: number): readonly string[];
}

export interface CallOptions {
  /** Stacks and steps are compared at every `every`th record, starting at `first`. */
  readonly every: number;
  readonly first: number;
  /** The canonical name of a function with several names. */
  readonly nameOf?: (name: string) => string;
  /** Kinds of edges that only a vector address proves. */
  readonly inferred?: readonly string[];
}

/** Record range for spans. */
const SPANS = 5000;

export async function expectCalls(
  engine: Engine,
  opening: Arguments<'open'>,
  { stacks, ...truth }: CallTruth,
  { every, first, nameOf = (name) => name, inferred = [] }: CallOptions,
): Promise<void> {
  const { trace } = await ask(engine, 'open', opening);
  await ask(engine, 'index', { trace });
  const all = stacks.length;

  const graph = await ask(engine, 'calls', { trace });
  const names = new Map(graph.functions.map(({ id, name }) => [id, nameOf(name)]));
  const edgesOf = (edges: typeof graph.edges): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { caller, callee, kind, count } of edges) {
      const key = `${names.get(caller)!} ${names.get(callee)!} ${kind}`;
      counts[key] = (counts[key] ?? 0) + count;
    }
    return sorted(counts);
  };
  expect(edgesOf(graph.edges)).toEqual(sorted(truth.edges(0, all)));
  expect(graph.edges.filter((edge) => edge.inferred && !inferred.includes(edge.kind))).toEqual([]);
  expect(graph.unit).toBe('instructions');
  expect(graph.depth.max).toBe(Math.max(...stacks.map(({ length }) => length)) - 1);
  const byName = (of: 'self' | 'total'): Record<string, number> =>
    Object.fromEntries(graph.functions.map((fn) => [nameOf(fn.name), fn[of]] as const).sort());
  expect(byName('self')).toEqual(counted(stacks.map((stack) => stack.at(-1)!)));
  expect(byName('total')).toEqual(counted(stacks.flatMap((stack) => [...new Set(stack)])));

  await expectProfile(engine, trace, { stacks, ...truth }, nameOf);

  const { roots } = await ask(engine, 'tree', { trace });
  const paths = Object.fromEntries(pathsOf(roots, '', nameOf).sort());
  expect(paths).toEqual(counted(stacks.map((stack) => stack.join(';'))));

  const [from, to] = [Math.floor(all / 3), Math.floor((2 * all) / 3)];
  const part = await ask(engine, 'calls', { trace, from, to });
  expect(edgesOf(part.edges)).toEqual(sorted(truth.edges(from, to)));
  // Calls open at the start of the range are known.
  const inPart = stacks.slice(from - 1, to);
  expect(part.depth.max).toBe(Math.max(...inPart.map(({ length }) => length)) - 1);

  for (const range of [
    { from: 0, to: Math.min(all, SPANS) },
    { from, to: Math.min(to, from + SPANS) },
  ]) {
    const { spans, coarse } = await ask(engine, 'spans', { trace, ...range, columns: 10_000 });
    expect(coarse).toBe(false);
    const found = spans.map((span) => `${nameOf(span.function)} ${span.depth} ${span.from} ${span.to}`);
    expect(found.sort()).toEqual(truth.spans(range.from, range.to));
  }

  // Spans of the whole trace come from the index.
  const stays = truth.spans(0, all).map((span): Stay => {
    const [fn, depth, since, until] = span.split(' ');
    return { fn: fn!, depth: Number(depth), from: Number(since), to: Number(until) };
  });
  const whole = await ask(engine, 'spans', { trace, columns: 512 });
  const found = whole.spans.map((span) =>
    lineOf({ calls: 1, open: span.to - span.from, ...span, fn: nameOf(span.function) }),
  );
  expect(found.sort()).toEqual(spansByRecord(stays, 0, all, 512).map(lineOf).sort());

  for (const range of [{}, { from, to }])
    await expectTimeline(engine, { trace, columns: 16, ...range }, stacks, nameOf);

  for (let at = first; at < all; at += every) {
    const { frames } = await ask(engine, 'stack', { trace, at });
    expect(frames.map((frame) => nameOf(frame.function)).reverse(), `stack at ${at}`).toEqual(stacks[at]);
    for (const step of STEPS) {
      const { n } = await ask(engine, 'step', { trace, at, step });
      expect(n, `${step} at ${at}`).toBe(stepOf(stacks, at, step));
    }
  }
  await ask(engine, 'close', { trace });
}

/** Compares the innermost functions and the depths of each column. */
async function expectTimeline(
  engine: Engine,
  args: Arguments<'timeline'>,
  stacks: CallTruth['stacks'],
  nameOf: (name: string) => string,
): Promise<void> {
  const { edges, functions, top, share, low, high } = await ask(engine, 'timeline', args);
  const found = Array.from(top, (fn, column) => ({
    fn: nameOf(functions[fn]?.name ?? ''),
    records: Math.round(share[column]! * (edges[column + 1]! - edges[column]!)),
    depths: [low[column], high[column]],
  }));
  const [from, to] = [args.from ?? 0, args.to ?? stacks.length];
  const columns = Array.from({ length: 16 }, (): number[] => []);
  for (let n = from; n < to; n++) columns[Math.floor(((n - from) * 16) / (to - from))]!.push(n);
  expect(found).toEqual(
    columns.map((records) => {
      const counts = Object.entries(counted(records.map((n) => stacks[n]!.at(-1)!)));
      const most = Math.max(...counts.map(([, count]) => count));
      const innermost = records.map((n) => stacks[n]!.at(-1)!);
      const depthsHere = records.map((n) => stacks[n]!.length - 1);
      return {
        fn: innermost.find((fn) => counts.some(([name, count]) => name === fn && count === most)),
        records: most,
        depths: [Math.min(...depthsHere), Math.max(...depthsHere)],
      };
    }),
  );
}

/** Compares the profile of the whole trace, and the first calls and longest stays of the middle third. */
async function expectProfile(
  engine: Engine,
  trace: string,
  { stacks, edges, spans }: CallTruth,
  nameOf: (name: string) => string,
): Promise<void> {
  const all = stacks.length;
  const { functions, pairs, cost } = await ask(engine, 'profile', { trace });
  const names = new Map(functions.map(({ id, name }) => [id, nameOf(name)]));
  expect(cost).toBe(all);
  expect(Object.fromEntries(functions.map(({ name, self }) => [nameOf(name), self] as const).sort())).toEqual(
    counted(stacks.map((stack) => stack.at(-1)!)),
  );
  expect(Object.fromEntries(functions.map(({ name, total }) => [nameOf(name), total] as const).sort())).toEqual(
    counted(stacks.flatMap((stack) => [...new Set(stack)])),
  );
  const pairNamed = ({ caller, callee }: (typeof pairs)[number]): string =>
    `${names.get(caller)!} ${names.get(callee)!}`;
  expect(
    sorted(
      Object.fromEntries(pairs.filter(({ total = 0 }) => total > 0).map((pair) => [pairNamed(pair), pair.total!])),
    ),
  ).toEqual(counted(stacks.flatMap((stack) => [...new Set(stack.slice(1).map((fn, i) => `${stack[i]!} ${fn}`))])));
  const calls: Record<string, number> = {};
  for (const [edge, count] of Object.entries(edges(0, all))) {
    const pair = edge.split(' ').slice(0, 2).join(' ');
    calls[pair] = (calls[pair] ?? 0) + count;
  }
  const counting = pairs.filter((pair) => pair.calls > 0);
  expect(sorted(Object.fromEntries(counting.map((pair) => [pairNamed(pair), pair.calls])))).toEqual(sorted(calls));

  for (const [from, to] of [
    [0, all],
    [Math.floor(all / 3), Math.floor((2 * all) / 3)],
  ] as const) {
    const found = from === 0 ? functions : (await ask(engine, 'profile', { trace, from, to })).functions;
    const inRange = spans(from, to).map((span) => span.split(' '));
    for (const { name, first, longest } of found) {
      const stays = inRange
        .filter(([fn]) => fn === nameOf(name))
        .map(([, , since, until]) => [Number(since), Number(until)]);
      const most = Math.max(...stays.map(([since, until]) => until! - since!));
      const [since, until] = stays
        .filter(([one, other]) => other! - one! === most)
        .reduce((one, other) => (other[0]! < one[0]! ? other : one));
      expect([name, longest?.from, longest?.to]).toEqual([name, since, until]);
      // A stay that begins with the range may be a call of its first record, or go on there.
      const entered = stays.map(([one]) => one!).filter((one) => one > from);
      if (first !== undefined && first > from) expect([name, first]).toEqual([name, Math.min(...entered)]);
      else if (first === undefined) expect([name, entered]).toEqual([name, []]);
    }
  }
}

function lineOf({ fn, depth, from, to, calls, open }: OracleSpan): string {
  return [fn, depth, from, to, calls, open].join(' ');
}

export function counted(keys: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return sorted(counts);
}

function sorted(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort());
}

/** `outermost;..;function` -> number of instructions executed in that context. */
export function pathsOf(
  nodes: readonly CallTreeNode[],
  above: string,
  nameOf: (name: string) => string,
): [string, number][] {
  return nodes.flatMap((node) => {
    const chain = above === '' ? nameOf(node.function) : `${above};${nameOf(node.function)}`;
    const own: [string, number][] = node.self > 0 ? [[chain, node.self]] : [];
    return [...own, ...pathsOf(node.children, chain, nameOf)];
  });
}

/** Slow computation from the depths of all records. */
function stepOf(stacks: readonly (readonly string[])[], at: number, step: StepKind): number | null {
  const most = stacks[at]!.length - (step.endsWith('out') ? 1 : 0);
  const fits = ({ length }: readonly string[]): boolean => length <= most;
  if (step.startsWith('back')) {
    for (let n = at - 1; n >= 0; n--) if (fits(stacks[n]!)) return n;
    return null;
  }
  for (let n = at + 1; n < stacks.length; n++) if (fits(stacks[n]!)) return n;
  return null;
}
