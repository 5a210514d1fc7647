/** Hit testing in a drawn call graph, keyboard navigation between its boxes, and the rows of its table. */
import { expect, test } from 'vitest';
import { indexCallGraph } from '../../present/call-graph/call-graph.ts';
import { choosePart } from '../../present/call-graph/call-part.ts';
import { boxAt, drawingOf, lineAt, shortName, wholeOf } from '../../present/call-graph/call-shapes.ts';
import { percent } from '../../present/base/percent.ts';
import { edgeRows, endName, functionRows } from '../../renderer/features/call-graph/call-table.ts';
import { calledText, edgesTo, firstCall, nextBox, spokenBox } from '../../renderer/features/call-graph/call-walk.ts';
import type { CallEdge, CallFunction } from '../../shared/requests/flow.ts';

function fn(
  name: string,
  address: `0x${string}`,
  self: number,
  total: number,
  ...aliases: readonly string[]
): CallFunction {
  return { id: address, name, address, aliases, calls: 1, self, total };
}

function edge(caller: string, callee: string, count: number, first: number): CallEdge {
  return { caller, callee, count, inferred: false, kind: 'call', first, last: first + 100 };
}

const graph = indexCallGraph({
  functions: [fn('main', '0x10', 10, 100), fn('sort', '0x20', 60, 60, 'qsort'), fn('Print', '0x30', 30, 30)],
  edges: [edge('0x10', '0x20', 1, 70), edge('0x10', '0x30', 1000, 50)],
});
const part = choosePart(graph, { centre: 0, steps: 1, most: 9, collapse: true, opened: new Set() });
// main in the middle on the left; Print and sort on the right, one above the other.
const at = new Map([
  ['main', { x: 60, y: 100 }],
  ['Print', { x: 300, y: 40 }],
  ['sort', { x: 300, y: 160 }],
]);
const middles = part.nodes.map(({ functions }) => at.get(graph.functions[functions[0]!]!.name)!);
const drawing = drawingOf(
  part,
  graph,
  wholeOf(graph.functions),
  part.nodes.map(() => 100),
  {
    width: 400,
    height: 200,
    nodes: middles,
    links: part.links.map(({ from, to }) => [middles[from]!, { x: 180, y: middles[to]!.y }, middles[to]!]),
  },
);
const named = (title: string) => drawing.boxes.find((box) => box.title === title)!;

test('finds the box under the pointer, or else the nearest line in reach', () => {
  expect(boxAt(drawing, { x: 20, y: 90 })?.title).toBe('main');
  expect(boxAt(drawing, { x: 180, y: 100 })).toBeUndefined();
  expect(lineAt(drawing, { x: 230, y: 163 }, 6)?.link.count).toBe(1);
  expect(lineAt(drawing, { x: 230, y: 37 }, 6)?.link.count).toBe(1000);
  expect(lineAt(drawing, { x: 230, y: 100 }, 6)).toBeUndefined();
});

test('draws wider lines for more calls, from box side to box side', () => {
  const [most, least] = drawing.lines;
  expect(most!.width).toBeGreaterThan(least!.width + 3);
  expect(most!.path).toMatch(/^M110,100/);
  // The tip of the arrow is at the middle of the left side.
  expect(most!.head.split(' ')[0]).toBe('250,40');
});

test('arrow keys follow the most frequent calls and move up and down', () => {
  const main = named('main');
  expect(nextBox(part, drawing, main, 'callees')?.title).toBe('Print');
  expect(nextBox(part, drawing, named('sort'), 'callers')?.title).toBe('main');
  expect(nextBox(part, drawing, named('sort'), 'up')?.title).toBe('Print');
  expect(nextBox(part, drawing, named('sort'), 'down')).toBeUndefined();
  expect(spokenBox(part, graph, main, 'instructions')).toBe(
    'main, called once, self 10 of total 100 instructions; shown: 0 callers and 2 callees',
  );
});

test('describes a function as called if only its return is recorded', () => {
  const seen = indexCallGraph({
    functions: [
      { ...fn('main', '0x10', 1, 2), calls: 0 },
      { ...fn('leaf', '0x20', 1, 1), calls: 0 },
    ],
    edges: [edge('0x10', '0x20', 1, 7)],
  });
  expect([0, 1].map((place) => calledText(seen, place, 'in the range'))).toEqual([
    'called by nothing in the range',
    'its call known from its return alone',
  ]);
  expect(calledText(graph, 1)).toBe('called once');
});

test('takes the first call from recorded calls only, not from returns alone', () => {
  const unseen = { ...edge('0x10', '0x30', 1, 2), unseen: true } as const;
  const graphs = [[unseen], [unseen, edge('0x20', '0x30', 1, 9), edge('0x20', '0x30', 2, 7)]].map((edges) =>
    indexCallGraph({ functions: [fn('f', '0x10', 1, 1), fn('g', '0x20', 1, 1), fn('h', '0x30', 1, 1)], edges }),
  );
  expect(graphs.map((one) => firstCall(edgesTo(one, 2)))).toEqual([undefined, 7]);
  expect(graphs.map((one) => firstCall(edgesTo(one, 0)))).toEqual([undefined, undefined]);
  // An edge without a first call follows edges that have one.
  expect([...edgeRows(graphs[1]!, '', 'first')].map((at) => graphs[1]!.edges[at]!.first)).toEqual([7, 9, 2]);
});

test("boxes show the functions' share of the cost", () => {
  expect([named('sort').self, named('main').total]).toEqual([0.6, 1]);
  expect(named('main').words).toBe('100 % · self 10 %');
  expect([percent(0), percent(0.0004), percent(0.0123), percent(0.99)]).toEqual(['0 %', '< 0.1 %', '1.2 %', '99 %']);
  expect(shortName('std::vector<int, std::allocator<int> >::push_back(int&&)')).toBe(
    'std::vector<int, …push_back(int&&)',
  );
});

test('sorts edges by the names at their ends, and equal ones by count', () => {
  const named = indexCallGraph({
    functions: [fn('zeta', '0x10', 1, 1), fn('Alpha', '0x20', 1, 1), fn('beta', '0x30', 1, 1)],
    edges: [
      edge('0x10', '0x30', 5, 3),
      edge('0x30', '0x20', 9, 2),
      edge('0x10', '0x20', 7, 1),
      edge('0x99', '0x30', 1, 0),
    ],
  });
  const rows = (order: Parameters<typeof edgeRows>[2]): readonly string[] =>
    [...edgeRows(named, '', order)].map(
      (place) => `${endName(named, place, 'caller')}-${endName(named, place, 'callee')}`,
    );
  expect(rows('caller')).toEqual(['0x99-beta', 'beta-Alpha', 'zeta-Alpha', 'zeta-beta']);
  expect(rows('callee')).toEqual(['beta-Alpha', 'zeta-Alpha', 'zeta-beta', '0x99-beta']);
  expect(rows('first')).toEqual(['0x99-beta', 'zeta-Alpha', 'beta-Alpha', 'zeta-beta']);
});

test('tables find functions by any name or address and sort them', () => {
  const names = (rows: Int32Array): readonly string[] => [...rows].map((place) => graph.functions[place]!.name);
  expect(names(functionRows(graph, '', 'name'))).toEqual(['Print', 'main', 'sort']);
  expect(names(functionRows(graph, '', 'self'))).toEqual(['sort', 'Print', 'main']);
  expect(names(functionRows(graph, 'QSORT'))).toEqual(['sort']);
  expect(names(functionRows(graph, ' 0x30'))).toEqual(['Print']);
  // Names that begin with the text come first.
  expect(names(functionRows(graph, 'p'))).toEqual(['Print']);
  expect(names(functionRows(graph, 'nothing'))).toEqual([]);
  const counts = (rows: Int32Array): readonly number[] => [...rows].map((place) => graph.edges[place]!.count);
  expect(counts(edgeRows(graph, '', 'count'))).toEqual([1000, 1]);
  expect(counts(edgeRows(graph, '', 'callee'))).toEqual([1000, 1]);
  expect(counts(edgeRows(graph, '', 'first'))).toEqual([1000, 1]);
  expect(counts(edgeRows(graph, 'sort', 'count'))).toEqual([1]);
});
