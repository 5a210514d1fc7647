/**
 * Indexes a call graph for traversal: functions by their index in the answer, edges from both ends, strongest first.
 * Built once per answer. 100,000 edges take some ten milliseconds.
 */
import type { CallEdge, CallFunction, FunctionId } from '../../shared/requests/flow.ts';

export interface CallGraphIndex {
  readonly functions: readonly CallFunction[];
  readonly edges: readonly CallEdge[];
  /** Returns the index of a function in `functions`; undefined if the answer lacks it. */
  readonly place: (id: FunctionId) => number | undefined;
  /** Ends of each edge, as indexes in `functions`; -1 if the answer leaves out that function. */
  readonly callers: Int32Array;
  readonly callees: Int32Array;
  readonly outgoing: Ends;
  readonly incoming: Ends;
}

/** The edges at one end of each function f: edges[starts[f]] up to before edges[starts[f + 1]], the most frequent first. */
export interface Ends {
  readonly starts: Int32Array;
  readonly edges: Int32Array;
}

export function indexCallGraph(answer: {
  readonly functions: readonly CallFunction[];
  readonly edges: readonly CallEdge[];
}): CallGraphIndex {
  const { functions, edges } = answer;
  const places = new Map(functions.map(({ id }, place) => [id, place]));
  const callers = new Int32Array(edges.length);
  const callees = new Int32Array(edges.length);
  const order = new Int32Array(edges.length);
  let isSorted = true;
  for (let edge = 0; edge < edges.length; edge += 1) {
    const { caller, callee, count } = edges[edge]!;
    callers[edge] = places.get(caller) ?? -1;
    callees[edge] = places.get(callee) ?? -1;
    order[edge] = edge;
    if (edge > 0 && count > edges[edge - 1]!.count) isSorted = false;
  }
  if (!isSorted) order.sort((a, b) => edges[b]!.count - edges[a]!.count || a - b);
  return {
    functions,
    edges,
    place: (id) => places.get(id),
    callers,
    callees,
    outgoing: endsOf(callers, callees, order, functions.length),
    incoming: endsOf(callees, callers, order, functions.length),
  };
}

/**
 * Returns the index of the default centre: the function with the highest cost that has an address (code before the first known function
 * has none) and an edge (a function that is open during the whole range calls nothing in it). Returns 0 if there is none.
 */
export function defaultCentre({ functions, outgoing, incoming }: CallGraphIndex): number {
  const hasEdge = (place: number): boolean =>
    [outgoing, incoming].some(({ starts }) => starts[place + 1]! > starts[place]!);
  const isKnown = ({ address }: CallFunction): boolean => address !== undefined;
  const linked = functions.findIndex((fn, place) => isKnown(fn) && hasEdge(place));
  return Math.max(0, linked < 0 ? functions.findIndex(isKnown) : linked);
}

/** Returns the functions at the other ends, each once, with its summed count; the most frequent first. */
export function neighbours(
  graph: CallGraphIndex,
  place: number,
  side: 'callers' | 'callees',
): readonly { readonly place: number; readonly count: number }[] {
  const ends = side === 'callers' ? graph.incoming : graph.outgoing;
  const others = side === 'callers' ? graph.callers : graph.callees;
  const counts = new Map<number, number>();
  for (let at = ends.starts[place]!; at < ends.starts[place + 1]!; at += 1) {
    const edge = ends.edges[at]!;
    const other = others[edge]!;
    counts.set(other, (counts.get(other) ?? 0) + graph.edges[edge]!.count);
  }
  return [...counts].map(([its, count]) => ({ place: its, count })).sort((a, b) => b.count - a.count);
}

function endsOf(own: Int32Array, other: Int32Array, order: Int32Array, count: number): Ends {
  const starts = new Int32Array(count + 1);
  for (let edge = 0; edge < own.length; edge += 1) {
    if (own[edge]! >= 0 && other[edge]! >= 0) starts[own[edge]! + 1]! += 1;
  }
  for (let place = 0; place < count; place += 1) starts[place + 1]! += starts[place]!;
  const next = starts.slice();
  const edges = new Int32Array(starts[count]!);
  for (let at = 0; at < order.length; at += 1) {
    const edge = order[at]!;
    const end = own[edge]!;
    if (end < 0 || other[edge]! < 0) continue;
    const place = next[end]!;
    edges[place] = edge;
    next[end] = place + 1;
  }
  return { starts, edges };
}
