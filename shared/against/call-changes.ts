/** The call graphs of two runs as one: what each function and each call cost in both. */
import type { CallEdge, CallFunction, CallGraph, FunctionId } from '../requests/flow.ts';
import { pairFunctions } from './function-pairs.ts';

export interface Cost {
  readonly calls: number;
  readonly self: number;
  readonly total: number;
}

/** Null in the run that did not execute it. */
export interface Costs {
  readonly a: Cost | null;
  readonly b: Cost | null;
}

export interface FunctionChange extends Costs {
  readonly name: string;
}

/** Calls of one kind between two functions, with their number in both runs. */
export interface EdgeChange {
  /** Indexes in `functions`. */
  readonly caller: number;
  readonly callee: number;
  readonly kind: string;
  readonly a: number;
  readonly b: number;
}

export interface CallChanges {
  /** The greatest change of the self cost first. */
  readonly functions: readonly FunctionChange[];
  /** The greatest change of the number first. */
  readonly edges: readonly EdgeChange[];
}

type Graph = Pick<CallGraph, 'functions' | 'edges'>;

/** @param shift addresses of B minus those of A */
export function callChanges(a: Graph, b: Graph, shift: bigint): CallChanges {
  const { pairs, ofA, ofB } = pairFunctions(a.functions, b.functions, shift);
  const costs = [costsOf(a.functions), costsOf(b.functions)] as const;
  const cost = (side: 0 | 1, id: FunctionId | undefined): Cost | null =>
    (id === undefined ? undefined : costs[side].get(id)) ?? null;
  const functions = pairs.map((pair): FunctionChange => ({
    name: pair.name,
    a: cost(0, pair.a),
    b: cost(1, pair.b),
  }));
  const order = [...functions.keys()].sort((one, other) => weight(functions[other]!) - weight(functions[one]!));
  const places = new Map(order.map((pair, place) => [pair, place]));
  const edges = new Map<string, EdgeChange>();
  const add = (all: readonly CallEdge[], of: ReadonlyMap<FunctionId, number>, side: 'a' | 'b'): void => {
    for (const { caller, callee, kind, count } of all) {
      const [from, to] = [places.get(of.get(caller)!)!, places.get(of.get(callee)!)!];
      const key = `${from} ${to} ${kind}`;
      const known = edges.get(key) ?? { caller: from, callee: to, kind, a: 0, b: 0 };
      edges.set(key, { ...known, [side]: known[side] + count });
    }
  };
  add(a.edges, ofA, 'a');
  add(b.edges, ofB, 'b');
  return {
    functions: order.map((at) => functions[at]!),
    edges: [...edges.values()].sort((one, other) => Math.abs(other.b - other.a) - Math.abs(one.b - one.a)),
  };
}

/** Returns the change of a cost; a run without the function spent nothing on it. */
export function change({ a, b }: Costs, of: keyof Cost): number {
  return (b?.[of] ?? 0) - (a?.[of] ?? 0);
}

/** Returns true if both runs executed it as often and at the same cost. */
export function isSame({ a, b }: Costs): boolean {
  return a !== null && b !== null && a.calls === b.calls && a.self === b.self && a.total === b.total;
}

function weight(costs: Costs): number {
  return Math.abs(change(costs, 'self'));
}

function costsOf(functions: readonly CallFunction[]): ReadonlyMap<FunctionId, Cost> {
  return new Map(functions.map(({ id, calls, self, total }) => [id, { calls, self, total }]));
}
