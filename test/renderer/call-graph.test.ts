/** The drawn part of a call graph and its layout: small graphs by hand, and one as large as a program's. */
import { expect, test } from 'vitest';
import { defaultCentre, indexCallGraph, neighbours, type CallGraphIndex } from '../../present/call-graph/call-graph.ts';
import { choosePart, type PartRequest } from '../../present/call-graph/call-part.ts';
import { cyclesOf } from '../../present/call-graph/cycles.ts';
import { arrange } from '../../present/call-graph/arrange.ts';
import type { CallEdge, CallFunction } from '../../shared/requests/flow.ts';

/** `main>a 3` is three calls of a by main; `~` before the count: inferred. */
function graphOf(...lines: readonly string[]): CallGraphIndex {
  const edges = lines.map((line): CallEdge => {
    const [, caller = '', callee = '', inferred, count] = /^(\w+)>(\w+) (~?)(\d+)$/.exec(line) ?? [];
    return { caller, callee, count: Number(count), inferred: inferred === '~', kind: 'call', first: 0, last: 1 };
  });
  const ids = [...new Set(edges.flatMap(({ caller, callee }) => [caller, callee]))];
  return indexCallGraph({ functions: ids.map(functionOf), edges });
}

function functionOf(id: string): CallFunction {
  return { id, name: id, aliases: [], calls: 1, self: 1, total: 1 };
}

function part(graph: CallGraphIndex, centre: string, wanted: Partial<PartRequest> = {}) {
  const options = { steps: 2, most: 60, collapse: true, opened: new Set<number>(), ...wanted };
  return choosePart(graph, { centre: graph.place(centre)!, ...options });
}

/** Nodes as `name(callers not shown,callees not shown)`, links as `a>b count`. */
function textOf(graph: CallGraphIndex, shown: ReturnType<typeof part>): string {
  const names = shown.nodes.map(({ functions }) => functions.map((place) => graph.functions[place]!.id).join('+'));
  const nodes = shown.nodes.map(
    ({ moreCallers, moreCallees, inner, isCentre }, at) =>
      `${isCentre ? '*' : ''}${names[at]}(${moreCallers},${moreCallees}${inner > 0 ? `,${inner}` : ''})`,
  );
  const links = shown.links.map(({ from, to, count, inferred }) => {
    const mark = inferred === 'none' ? '' : inferred === 'some' ? '?' : '~';
    return `${names[from]}>${names[to]} ${mark}${count}`;
  });
  return [...nodes, '-', ...links].join(' ').concat(` beyond ${shown.beyond} undrawn ${shown.undrawn}`);
}

test('centres by default on the most expensive function with an address and an edge', () => {
  const known = (id: string): CallFunction => ({ ...functionOf(id), address: `0x${id}` });
  const edge = { caller: '3', callee: '4', count: 1, inferred: false, kind: 'call', first: 0, last: 0 };
  const centre = (functions: readonly CallFunction[], edges: readonly CallEdge[]): number =>
    defaultCentre(indexCallGraph({ functions, edges }));
  // A function that was open during the whole range calls nothing in it and has the highest cost.
  const functions = [functionOf('1'), known('2'), known('3'), known('4')];
  expect(centre(functions, [edge])).toBe(2);
  expect(centre(functions, [{ ...edge, caller: '1', callee: '4' }])).toBe(3);
  expect(centre(functions, [])).toBe(1);
  expect(centre([functionOf('1'), functionOf('2')], [])).toBe(0);
});

const PROGRAM = ['main>a 1', 'main>b 2', 'a>c 10', 'b>c 20', 'c>d 30', 'd>e 5', 'c>f 3', 'start>main 1'];

test('shows functions within the given number of steps and counts the others', () => {
  const graph = graphOf(...PROGRAM);
  expect(textOf(graph, part(graph, 'c', { steps: 1 }))).toBe(
    '*c(0,0) b(1,0) a(1,0) d(0,1) f(0,0) - c>d 30 b>c 20 a>c 10 c>f 3 beyond 2 undrawn 0',
  );
  expect(textOf(graph, part(graph, 'c'))).toBe(
    '*c(0,0) b(0,0) a(0,0) d(0,0) f(0,0) main(1,0) e(0,0) - c>d 30 b>c 20 a>c 10 d>e 5 c>f 3 main>b 2 main>a 1 beyond 1 undrawn 0',
  );
});

test('limits the nodes to the most frequent calls, half callers and half callees', () => {
  const graph = graphOf(...PROGRAM, 'g>c 40', 'c>h 1');
  expect(textOf(graph, part(graph, 'c', { most: 4 }))).toBe(
    '*c(2,1) g(0,0) d(0,1) f(0,0) - g>c 40 c>d 30 c>f 3 beyond 4 undrawn 0',
  );
  const fan = graphOf(...Array.from({ length: 50 }, (_, at) => `f${at}>sink ${at + 1}`));
  const shown = part(fan, 'sink', { most: 10 });
  expect(shown.nodes.map(({ functions }) => fan.functions[functions[0]!]!.id).sort()).toEqual(
    ['sink', 'f41', 'f42', 'f43', 'f44', 'f45', 'f46', 'f47', 'f48', 'f49'].sort(),
  );
  expect([shown.nodes[0]!.moreCallers, shown.beyond]).toEqual([41, 41]);
});

test('collapses a call cycle into one node with its internal calls until it is opened', () => {
  const graph = graphOf('main>even 1', 'even>odd 10', 'odd>even 9', 'odd>odd 2', 'odd>leaf 1', 'main>leaf ~4');
  const closed = part(graph, 'even');
  expect(textOf(graph, closed)).toBe(
    '*even+odd(0,0,21) main(0,0) leaf(0,0) - main>leaf ~4 even+odd>leaf 1 main>even+odd 1 beyond 0 undrawn 0',
  );
  const opened = part(graph, 'even', { opened: new Set([graph.place('odd')!]) });
  expect(textOf(graph, opened)).toBe(
    '*even(0,0) odd(0,0,2) main(0,0) leaf(0,0) - even>odd 10 odd>even 9 main>leaf ~4 odd>leaf 1 main>even 1 beyond 0 undrawn 0',
  );
  expect(part(graph, 'even', { collapse: false }).nodes).toHaveLength(4);
});

test('draws edges with the same ends as one line, which shows whether they are inferred', () => {
  const graph = graphOf('a>b 3', 'a>b ~4', 'a>c ~1');
  expect(textOf(graph, part(graph, 'a'))).toBe('*a(0,0) b(0,0) c(0,0) - a>b ?7 a>c ~1 beyond 0 undrawn 0');
  expect(neighbours(graph, graph.place('a')!, 'callees').map(({ count }) => count)).toEqual([7, 1]);
});

test('drops edges of functions that are not in the answer', () => {
  const edges = [{ caller: 'a', callee: 'gone', count: 1, inferred: false, kind: 'call', first: 0, last: 0 }];
  const graph = indexCallGraph({ functions: [functionOf('a')], edges });
  expect(textOf(graph, part(graph, 'a'))).toBe('*a(0,0) - beyond 0 undrawn 0');
});

test('finds cycles that share functions', () => {
  // 0 > 1 > 2 > 0, 2 > 3, 3 <> 4, 5 alone with itself, 6 > 5.
  const parts = cyclesOf([[1], [2], [0, 3], [4], [3], [5], [5]]);
  expect(new Set([parts[0], parts[1], parts[2]]).size).toBe(1);
  expect(parts[3]).toBe(parts[4]);
  expect(new Set(parts).size).toBe(4);
});

/** A graph as large as a program's: most calls go from lower to higher numbers, and every function calls a few shared ones. */
function largeGraph(): CallGraphIndex {
  let state = 12345;
  const random = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const functions = Array.from({ length: 20_000 }, (_, at) => functionOf(`f${at}`));
  const edges = Array.from({ length: 100_000 }, (_, at): CallEdge => {
    const caller = random(20_000);
    const far = at % 4 === 0 ? random(40) : caller + 1 + random(60) - (at % 50 === 0 ? 80 : 0);
    const callee = Math.min(19_999, Math.max(0, far));
    const count = 1 + random(1000);
    return {
      caller: `f${caller}`,
      callee: `f${callee}`,
      count,
      inferred: at % 3 === 0,
      kind: 'call',
      first: at,
      last: at,
    };
  });
  return indexCallGraph({ functions, edges });
}

test('draws a readable part of 20,000 functions and 100,000 edges', () => {
  const graph = largeGraph();
  for (const centre of ['f0', 'f777', 'f19999']) {
    for (const most of [30, 100]) {
      const shown = part(graph, centre, { steps: 4, most });
      const functions = shown.nodes.flatMap((node) => node.functions);
      expect(functions).toHaveLength(most);
      expect(new Set(functions).size).toBe(most);
      expect(shown.links.length).toBeLessThanOrEqual(2 * most);
      const reached = new Set([shown.nodes.findIndex(({ isCentre }) => isCentre)]);
      for (let before = -1; before !== reached.size;) {
        before = reached.size;
        for (const { from, to } of shown.links) {
          if (reached.has(from)) reached.add(to);
          else if (reached.has(to)) reached.add(from);
        }
      }
      expect(reached.size).toBe(shown.nodes.length);
    }
  }
});

test('separates boxes, places callers left of callees, and connects box borders', () => {
  const graph = largeGraph();
  const shown = part(graph, 'f777', { steps: 3, most: 60 });
  const size = { width: 120, height: 36 };
  const { nodes, links, width, height } = arrange({
    nodes: shown.nodes.map(() => size),
    links: shown.links.map(({ from, to, count }) => ({ from, to, weight: count })),
  });
  for (const [at, a] of nodes.entries()) {
    expect(a.x >= 60 && a.x <= width - 60 && a.y >= 18 && a.y <= height - 18).toBe(true);
    for (const b of nodes.slice(at + 1)) expect(Math.abs(a.x - b.x) >= 120 || Math.abs(a.y - b.y) >= 36).toBe(true);
  }
  for (const [at, points] of links.entries()) {
    const { from, to } = shown.links[at]!;
    // Without cycles every call goes to the right.
    expect(nodes[from]!.x).toBeLessThan(nodes[to]!.x);
    expect(onBorder(points[0]!, nodes[from]!)).toBe(true);
    expect(onBorder(points.at(-1)!, nodes[to]!)).toBe(true);
  }

  function onBorder(point: { x: number; y: number }, node: { x: number; y: number }): boolean {
    const x = Math.abs(point.x - node.x);
    const y = Math.abs(point.y - node.y);
    return (Math.abs(x - 60) < 0.01 && y < 18.01) || (Math.abs(y - 18) < 0.01 && x < 60.01);
  }
});
