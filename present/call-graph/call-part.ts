/**
 * Chooses the part of a call graph to draw: functions around a centre, nearest and most called first, with cycles of calls collapsed
 * into one node. Omitted functions are counted, per node and in total.
 */
import type { CallGraphIndex } from './call-graph.ts';
import { neighbours } from './call-graph.ts';
import { cyclesOf } from './cycles.ts';

export interface PartRequest {
  /** Index of the central function. */
  readonly centre: number;
  /** Greatest distance from the centre, in calls. */
  readonly steps: number;
  /** Upper bound on shown functions. */
  readonly most: number;
  /** True to collapse cycles of calls into one node, except cycles with a function of `opened`. */
  readonly collapse: boolean;
  readonly opened: ReadonlySet<number>;
}

export interface Part {
  readonly nodes: readonly PartNode[];
  readonly links: readonly PartLink[];
  /** Functions that call, or are called by, a shown one but are not shown. */
  readonly beyond: number;
  /** Number of links between shown nodes that are not drawn: the rarest ones. */
  readonly undrawn: number;
}

export interface PartNode {
  /** Stable key, also when other parts of the graph are shown. */
  readonly key: string;
  /** Indexes of its functions, highest cost first; several for a collapsed cycle. */
  readonly functions: readonly number[];
  readonly isCentre: boolean;
  /** Callers and callees that are not shown. */
  readonly moreCallers: number;
  readonly moreCallees: number;
  /** Calls of the function to itself, or within the cycle. */
  readonly inner: number;
}

export interface PartLink {
  readonly key: string;
  /** Indexes in `nodes`; always different. */
  readonly from: number;
  readonly to: number;
  /** Indexes of the graph's edges, the most frequent first. */
  readonly edges: readonly number[];
  readonly count: number;
  readonly inferred: 'none' | 'some' | 'all';
}

/** Upper bound on lines per function. A denser drawing is unreadable and takes too long to lay out. */
const LINKS_PER_FUNCTION = 2;

export function choosePart(graph: CallGraphIndex, request: PartRequest): Part {
  const { chosen, brought } = around(graph, request);
  const group = groupsOf(graph, chosen, request);
  const nodes = nodesOf(graph, chosen, group, request.centre);
  const all = linksOf(graph, chosen, group);
  const kept = new Set(brought.map(([caller, callee]) => `${group.get(caller)!}>${group.get(callee)!}`));
  let room = Math.max(0, LINKS_PER_FUNCTION * chosen.length - kept.size);
  const links = all.filter(({ from, to }) => kept.has(`${from}>${to}`) || room-- > 0);
  const isShown = new Set(chosen);
  const outside = new Set<number>();
  for (const place of chosen) {
    for (const side of SIDES) {
      for (const other of neighbours(graph, place, side)) if (!isShown.has(other.place)) outside.add(other.place);
    }
  }
  return { nodes, links, beyond: outside.size, undrawn: all.length - links.length };
}

const SIDES = ['callers', 'callees'] as const;

interface Around {
  readonly chosen: readonly number[];
  /** Caller and callee of the edges through which functions were reached: these edges are always drawn. */
  readonly brought: readonly (readonly [number, number])[];
}

/** Walks away from the centre step by step, taking callers and callees in equal numbers while both last. */
function around(graph: CallGraphIndex, { centre, steps, most }: PartRequest): Around {
  const chosen = [centre];
  const isChosen = new Set(chosen);
  const brought: (readonly [number, number])[] = [];
  const fronts = { callers: [centre], callees: [centre] };
  /** Functions of cycles: one function can be on both sides. */
  const visited = { callers: new Set(chosen), callees: new Set(chosen) };
  for (let step = 0; step < steps; step += 1) {
    const found = { callers: candidates('callers'), callees: candidates('callees') };
    const room = most - chosen.length;
    const forCallers = Math.max(Math.floor(room / 2), room - found.callees.length);
    take('callers', found.callers, forCallers);
    take('callees', found.callees, most - chosen.length);
  }
  return { chosen, brought };

  function candidates(side: 'callers' | 'callees'): readonly Candidate[] {
    const strongest = new Map<number, Candidate>();
    for (const by of fronts[side]) {
      for (const { place, count } of neighbours(graph, by, side)) {
        if (visited[side].has(place) || count <= (strongest.get(place)?.count ?? -1)) continue;
        strongest.set(place, { place, count, by });
      }
    }
    return [...strongest.values()].sort((a, b) => b.count - a.count || a.place - b.place);
  }

  function take(side: 'callers' | 'callees', from: readonly Candidate[], room: number): void {
    fronts[side] = [];
    let left = room;
    for (const { place, by } of from) {
      if (!isChosen.has(place)) {
        if (left <= 0) continue;
        left -= 1;
        isChosen.add(place);
        chosen.push(place);
        brought.push(side === 'callers' ? [place, by] : [by, place]);
      }
      visited[side].add(place);
      fronts[side].push(place);
    }
  }
}

interface Candidate {
  readonly place: number;
  readonly count: number;
  /** The function from which it was reached. */
  readonly by: number;
}

/** Maps each function to the index of its node. Nodes are numbered in the order in which their first functions were chosen. */
function groupsOf(graph: CallGraphIndex, chosen: readonly number[], request: PartRequest): ReadonlyMap<number, number> {
  const at = new Map(chosen.map((place, index) => [place, index]));
  const targets = chosen.map((place) =>
    neighbours(graph, place, 'callees').flatMap(({ place: other }) => at.get(other) ?? []),
  );
  const cycles = request.collapse ? cyclesOf(targets) : chosen.map((_, index) => index);
  const isOpened = new Set(cycles.filter((_, index) => request.opened.has(chosen[index]!)));
  const numbers = new Map<string, number>();
  const group = new Map<number, number>();
  for (const [index, place] of chosen.entries()) {
    const cycle = cycles[index]!;
    const name = isOpened.has(cycle) ? `function ${place}` : `cycle ${cycle}`;
    if (!numbers.has(name)) numbers.set(name, numbers.size);
    group.set(place, numbers.get(name)!);
  }
  return group;
}

function nodesOf(
  graph: CallGraphIndex,
  chosen: readonly number[],
  group: ReadonlyMap<number, number>,
  centre: number,
): readonly PartNode[] {
  const members: number[][] = [];
  for (const place of chosen) (members[group.get(place)!] ??= []).push(place);
  return members.map((functions) => {
    const sorted = [...functions].sort((a, b) => graph.functions[b]!.total - graph.functions[a]!.total || a - b);
    return {
      key: functions
        .map((place) => graph.functions[place]!.id)
        .sort()
        .join(' '),
      functions: sorted,
      isCentre: functions.includes(centre),
      moreCallers: unseen(functions, 'callers'),
      moreCallees: unseen(functions, 'callees'),
      inner: innerOf(functions),
    };
  });

  function unseen(functions: readonly number[], side: 'callers' | 'callees'): number {
    const others = functions.flatMap((place) => neighbours(graph, place, side).map((other) => other.place));
    return new Set(others.filter((other) => !group.has(other))).size;
  }

  function innerOf(functions: readonly number[]): number {
    const own = new Set(functions);
    return functions
      .flatMap((place) => neighbours(graph, place, 'callees'))
      .reduce((sum, { place, count }) => sum + (own.has(place) ? count : 0), 0);
  }
}

/** The most frequent first. */
function linksOf(
  graph: CallGraphIndex,
  chosen: readonly number[],
  group: ReadonlyMap<number, number>,
): readonly PartLink[] {
  const edgesOf = new Map<string, { readonly from: number; readonly to: number; readonly edges: number[] }>();
  for (const place of chosen) {
    const from = group.get(place)!;
    const { starts, edges } = graph.outgoing;
    for (let at = starts[place]!; at < starts[place + 1]!; at += 1) {
      const edge = edges[at]!;
      const to = group.get(graph.callees[edge]!);
      if (to === undefined || to === from) continue;
      const key = `${from}>${to}`;
      const link = edgesOf.get(key) ?? { from, to, edges: [] };
      link.edges.push(edge);
      edgesOf.set(key, link);
    }
  }
  const links = [...edgesOf].map(([key, { from, to, edges }]): PartLink => {
    const its = edges.map((edge) => graph.edges[edge]!);
    const guessed = its.filter(({ inferred }) => inferred).length;
    return {
      key,
      from,
      to,
      edges: [...edges].sort((a, b) => graph.edges[b]!.count - graph.edges[a]!.count || a - b),
      count: its.reduce((sum, { count }) => sum + count, 0),
      inferred: guessed === 0 ? 'none' : guessed === its.length ? 'all' : 'some',
    };
  });
  return links.sort((a, b) => b.count - a.count || a.from - b.from || a.to - b.to);
}
