// Call graphs and flame graphs as figures: positions, description in words, and escaped names.
import { expect, test } from 'vitest';
import { framesOf } from '../../present/flame/call-frames.ts';
import { indexCallGraph } from '../../present/call-graph/call-graph.ts';
import { choosePart } from '../../present/call-graph/call-part.ts';
import { flameFigure, FLAME_WIDTH, type FlameFigureData } from '../../present/flame/flame-figure.ts';
import { graphFigure, type GraphFigureData } from '../../present/call-graph/graph-figure.ts';
import { createHues, frameBoxes } from '../../present/flame/flame.ts';
import type { CallEdge, CallFunction, CallTreeNode } from '../../shared/requests/flow.ts';
import { assertWellFormed, textsOf } from './figure-texts.ts';

const light = { theme: 'light' } as const;

function fn(name: string, self: number, total: number, calls = 1): CallFunction {
  return { id: name, name, address: '0x8000', aliases: [], calls, self, total };
}

function edge(caller: string, callee: string, count: number, inferred = false): CallEdge {
  return { caller, callee, count, inferred, kind: 'call', first: 1, last: 9 };
}

/** main calls sort, and fill more often; the call from sort to swap is only inferred; swap's callee is too far away. */
const answer = {
  evidence: 'instructions',
  unit: 'instructions',
  functions: [fn('main', 10, 100), fn('sort', 50, 60), fn('fill', 30, 30, 5), fn('swap', 8, 10), fn('far', 2, 2)],
  edges: [edge('main', 'fill', 5), edge('main', 'sort', 1), edge('sort', 'swap', 3, true), edge('swap', 'far', 2)],
  notes: ['The stack was lost once.'],
  reach: { records: 200, bytes: 2000, complete: true },
} as const;

function graphData(of: Pick<GraphFigureData, 'answer'> = { answer }, name = 'a.txt'): GraphFigureData {
  const graph = indexCallGraph(of.answer);
  const part = choosePart(graph, { centre: 0, steps: 2, most: 10, collapse: true, opened: new Set() });
  return { name, ...of, graph, part, from: 0, to: 200 };
}

test('draws callers left of callees and describes the graph in words', () => {
  const { svg, title, description } = graphFigure(graphData(), light);
  assertWellFormed(svg);
  expect(title).toBe('Call graph around main in a.txt');
  const at = new Map(textsOf(svg).map((one) => [one.text, one]));
  expect(at.get('main')!.x).toBeLessThan(at.get('sort')!.x);
  expect(at.get('sort')!.x).toBeLessThan(at.get('swap')!.x);
  expect(at.has('far')).toBe(false);
  expect(at.has('+1')).toBe(true);
  expect(at.has('60 % · self 50 %')).toBe(true);
  expect([...at.keys()].slice(-2)).toEqual([
    '4 of 5 functions are shown, 1 more next to them. Known from instructions; shares are of instructions. +1: number of callers or callees that are not shown.',
    'The stack was lost once.',
  ]);
  expect(description).toBe(
    'Call graph around main in a.txt, records 0 to 199. Totals in instructions: main 100 %; fill 30 %; sort 60 %; swap 10 %. ' +
      'Most frequent calls: main calls fill 5 times; sort calls swap 3 times; main calls sort once.',
  );
});

test('draws wider lines for more calls and dashed lines for inferred calls', () => {
  const { svg } = graphFigure(graphData(), light);
  const lines = Array.from(
    svg.matchAll(/stroke-opacity="0.75" stroke-width="([\d.]+)"( stroke-dasharray="5 4")?/g),
    (found) => ({
      width: Number(found[1]),
      isDashed: found[2] !== undefined,
    }),
  ).sort((a, b) => a.width - b.width);
  expect(lines.map(({ isDashed }) => isDashed)).toEqual([false, true, false]);
  expect(new Set(lines.map(({ width }) => width)).size).toBe(3);
  expect(textsOf(svg).map(({ text }) => text)).toContain('Inferred');
});

test('draws a note if the trace has no calls', () => {
  const none = { ...answer, functions: [], edges: [], notes: ['Calls need an image.'] };
  const { svg } = graphFigure({ name: 'a.txt', answer: none, graph: indexCallGraph(none), from: 0, to: 9 }, light);
  const words = textsOf(svg).map(({ text }) => text);
  expect(words).toContain('no calls are known here');
  expect(words.at(-1)).toBe('Calls need an image.');
  const flame = flameFigure(flameData([]), light);
  expect(flame.description).toBe('Flame graph of a.txt, records 0 to 199: no calls are known here.');
});

function node(name: string, self: number, total: number, children: readonly CallTreeNode[] = []): CallTreeNode {
  return { function: name, id: name, calls: 1, self, total, first: 0, children };
}

function flameData(roots: readonly CallTreeNode[]): FlameFigureData {
  const frames = framesOf(roots);
  return {
    name: 'a.txt',
    order: 'left-heavy',
    from: 0,
    to: 200,
    boxes: frameBoxes(frames, -1, FLAME_WIDTH, createHues([])),
    unit: 'instructions',
    whole: frames.whole,
    nested: 1,
    heaviest: [
      { name: 'sort', self: 60 },
      { name: 'main', self: 40 },
    ],
    notes: [],
  };
}

test('draws callees below their callers with a width proportional to their cost', () => {
  const { svg, title, description } = flameFigure(flameData([node('main', 40, 100, [node('sort', 60, 60)])]), light);
  assertWellFormed(svg);
  expect(title).toBe('Flame graph of a.txt');
  expect(description).toBe(
    'Flame graph of a.txt, records 0 to 199. Highest self cost, of 100 instructions: sort 60 (60 %); main 40 (40 %). Calls nest up to 1 deep.',
  );
  const boxes = Array.from(svg.matchAll(/M(\d+) (\d+)h([\d.]+)v18/g), ([, x, y, width]) => [x, y, width].map(Number));
  // One pixel separates neighbours.
  expect(boxes.sort((a, b) => a[1]! - b[1]!)).toEqual([
    [0, 0, FLAME_WIDTH - 1],
    [0, 19, expect.closeTo(0.6 * FLAME_WIDTH - 1)],
  ]);
  const words = textsOf(svg).map(({ text }) => text);
  expect(words).toEqual(expect.arrayContaining(['main', 'sort', '0 %', '100 %', 'share of 100 instructions']));
});

test('draws calls over an axis of records', () => {
  const boxes = [{ at: 0, x: 0, width: 400, depth: 0, name: 'main', hue: 1 }];
  const { svg, title } = flameFigure({ ...flameData([]), order: 'time', boxes, unit: 'records', heaviest: [] }, light);
  expect(title).toBe('Calls over time in a.txt');
  expect(textsOf(svg).map(({ text }) => text)).toEqual(expect.arrayContaining(['main', 'record', '100']));
});

test('keeps the file small for a dense call graph', () => {
  const roots = Array.from({ length: 600 }, (_, at) => deep(at, 100));
  const data = flameData(roots);
  expect(data.boxes.length).toBeGreaterThan(50_000);
  const { svg } = flameFigure(data, light);
  expect(svg.length).toBeLessThan(400_000);
  const words = textsOf(svg).map(({ text }) => text);
  expect(words.at(-1)).toBe(
    'A function has the same colour everywhere; only less costly ones share one. 60 deeper rows are left out. The narrowest boxes are left out.',
  );
});

function deep(root: number, levels: number): CallTreeNode {
  let below: CallTreeNode | undefined;
  for (let level = levels; level > 0; level -= 1)
    below = node(`function_${root}_${level}`, 1, 1000, below ? [below] : []);
  return below!;
}

test('escapes markup in function names', () => {
  const name = '</text><script>alert(1)</script>"\'&\u0007\u202e';
  const hostile = { ...answer, functions: [fn(name, 100, 100), fn('b', 1, 1)], edges: [edge(name, 'b', 2)] } as const;
  for (const { svg } of [
    graphFigure(graphData({ answer: hostile }, name), { theme: 'dark', title: name }),
    flameFigure({ ...flameData([node(name, 100, 100)]), name }, { theme: 'dark' }),
  ]) {
    assertWellFormed(svg);
    for (const bad of ['<script', '\u0007', '\u202e']) expect(svg.includes(bad)).toBe(false);
  }
});

test('gives the same bytes for the same data', () => {
  expect(graphFigure(graphData(), light).svg).toBe(graphFigure(graphData(), light).svg);
});
