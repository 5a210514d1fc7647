/** Functions and edges of a call graph as rows: filtered by what a person types, in the order of a column. */
import type { CallFunction } from '../../../shared/requests/flow.ts';
import type { CallGraphIndex } from '../../../present/call-graph/call-graph.ts';

export const FUNCTION_ORDERS = ['name', 'calls', 'self', 'total'] as const;
export type FunctionOrder = (typeof FUNCTION_ORDERS)[number];

export const EDGE_ORDERS = ['caller', 'callee', 'kind', 'count', 'first'] as const;
export type EdgeOrder = (typeof EDGE_ORDERS)[number];

/** True if a function's name, one of its other names or its address has the text in it; upper and lower case are the same. */
function matchesFunction({ name, aliases, address }: CallFunction, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return (
    name.toLowerCase().includes(wanted) ||
    (address?.includes(wanted) ?? false) ||
    aliases.some((alias) => alias.toLowerCase().includes(wanted))
  );
}

/** Places of functions that match; numbers fall, names rise. Those whose names begin with the text come first where no order is asked for. */
export function functionRows({ functions }: CallGraphIndex, text: string, order?: FunctionOrder): Int32Array {
  const rows = placesWhere(functions.length, (place) => text === '' || matchesFunction(functions[place]!, text));
  if (order === 'name') return rows.sort((a, b) => compare(functions[a]!.name, functions[b]!.name) || a - b);
  if (order !== undefined) return rows.sort((a, b) => functions[b]![order] - functions[a]![order] || a - b);
  if (text === '') return rows;
  const start = text.trim().toLowerCase();
  const ranks = functions.map(({ name }) => (name.toLowerCase().startsWith(start) ? 0 : 1));
  return rows.sort((a, b) => ranks[a]! - ranks[b]! || a - b);
}

/** Places of edges with a matching end; numbers fall but for records, which unseen calls have none of, names rise; the most frequent first of those alike. */
export function edgeRows(graph: CallGraphIndex, text: string, order: EdgeOrder): Int32Array {
  const { functions, edges, callers, callees } = graph;
  const isMatch = functions.map((fn) => text === '' || matchesFunction(fn, text));
  const rows = placesWhere(
    edges.length,
    (edge) => isMatch[callers[edge]!] === true || isMatch[callees[edge]!] === true,
  );
  const counts = edges.map(({ count }) => count);
  if (order === 'count') return rows.sort((a, b) => counts[b]! - counts[a]! || a - b);
  const keys = edgeKeys(graph, order);
  return rows.sort((a, b) => keys[a]! - keys[b]! || counts[b]! - counts[a]! || a - b);
}

/** A number for each edge that rises in the order: to compare their names again and again would hold the page up. */
function edgeKeys(graph: CallGraphIndex, order: Exclude<EdgeOrder, 'count'>): readonly number[] {
  const { edges } = graph;
  if (order === 'first') return edges.map(({ first, unseen }) => (unseen ? Number.POSITIVE_INFINITY : first));
  const names = edges.map((edge, at) => (order === 'kind' ? edge.kind : endName(graph, at, order)));
  const ranks = new Map([...new Set(names)].sort(compare).map((name, rank) => [name, rank]));
  return names.map((name) => ranks.get(name)!);
}

/** The name of the function at an end of the edge at a place. */
export function endName(
  { functions, edges, callers, callees }: CallGraphIndex,
  edge: number,
  end: 'caller' | 'callee',
): string {
  const place = (end === 'caller' ? callers : callees)[edge]!;
  return functions[place]?.name ?? edges[edge]![end];
}

function placesWhere(count: number, isWanted: (place: number) => boolean): Int32Array {
  const places = new Int32Array(count);
  let found = 0;
  for (let place = 0; place < count; place += 1) {
    if (isWanted(place)) places[found++] = place;
  }
  return places.slice(0, found);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
