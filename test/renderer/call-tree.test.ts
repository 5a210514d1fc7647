/** The calling-context tree as columns and as boxes: top-down and bottom-up, at any zoom, with any number of frames. */
import { expect, test } from 'vitest';
import {
  bottomUp,
  frameAt,
  frameOf,
  framesOf,
  pathTo,
  weightOf,
  type Frames,
} from '../../present/flame/call-frames.ts';
import {
  createHues,
  flameAt,
  frameBoxes,
  nextFlame,
  rowsOf,
  spanAt,
  spanBoxes,
  type FlameBox,
} from '../../present/flame/flame.ts';
import type { CallTreeNode } from '../../shared/requests/flow.ts';

const HUES = createHues([]);

function node(name: string, self: number, ...children: readonly CallTreeNode[]): CallTreeNode {
  const total = children.reduce((sum, child) => sum + child.total, self);
  return { function: name, id: name, calls: 1, self, total, first: self, children };
}

/** Three calls in each call, `depth` deep, with random functions and weights. */
function grown(depth: number): CallTreeNode {
  let state = 9;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const grow = (left: number): CallTreeNode =>
    node(
      `f${Math.floor(random() * 500)}`,
      Math.floor(random() * 9),
      ...(left === 0 ? [] : Array.from({ length: 3 }, () => grow(left - 1))),
    );
  return grow(depth);
}

// main has a self cost of 20; sort is called by main and by check; cmp by sort.
const PROGRAM = [
  node('main', 20, node('sort', 30, node('cmp', 20)), node('check', 5, node('sort', 15, node('cmp', 10)))),
  node('irq', 10),
];

/** Frames as `main(100/10) sort(50/30)`, with a dot per depth. */
function textOf(frames: Frames): string {
  return Array.from(
    { length: frames.count },
    (_, at) =>
      `${'.'.repeat(frames.depth[at]!)}${frames.functions[frames.fn[at]!]!.name}(${frames.total[at]!}/${frames.self[at]!})`,
  ).join(' ');
}

/** Boxes as `main 0+100`: left edge and width. */
function boxText(boxes: readonly FlameBox[]): string {
  return boxes
    .map(({ name, x, width, depth }) => `${'.'.repeat(depth)}${name || '…'} ${Math.round(x)}+${Math.round(width)}`)
    .join(', ');
}

test('lists frames with callers before callees', () => {
  const frames = framesOf(PROGRAM);
  expect(textOf(frames)).toBe(
    'main(100/20) .sort(50/30) ..cmp(20/20) .check(30/5) ..sort(25/15) ...cmp(10/10) irq(10/10)',
  );
  expect([...frames.end]).toEqual([6, 3, 3, 6, 6, 6, 7]);
  expect([...frames.parent]).toEqual([-1, 0, 1, 0, 3, 4, -1]);
  expect(frames.whole).toBe(110);
});

test('turned bottom-up, lists each function with self cost and its callers below', () => {
  expect(textOf(bottomUp(framesOf(PROGRAM)))).toBe(
    'sort(45/0) .main(30/30) .check(15/0) ..main(15/15) ' +
      'cmp(30/0) .sort(30/0) ..main(20/20) ..check(10/0) ...main(10/10) ' +
      'main(20/20) irq(10/10) check(5/0) .main(5/5)',
  );
});

test('turned bottom-up, counts the cost of recursion once', () => {
  const frames = framesOf([node('fib', 4, node('fib', 3, node('fib', 2)))]);
  expect(textOf(bottomUp(frames))).toBe('fib(9/4) .fib(5/3) ..fib(2/2)');
  expect(weightOf(frames, () => true)).toEqual({ frames: 3, total: 9 });
});

test('turned bottom-up, keeps all cost and puts callers below callees', () => {
  const frames = framesOf([grown(8)]);
  const turned = bottomUp(frames);
  const selfs = new Map<number, number>();
  for (let at = 0; at < frames.count; at += 1)
    selfs.set(frames.fn[at]!, (selfs.get(frames.fn[at]!) ?? 0) + frames.self[at]!);
  const roots = new Map<number, number>();
  const below = Array.from(turned.self);
  for (let at = 0; at < turned.count; at += 1) {
    const parent = turned.parent[at]!;
    if (parent < 0) roots.set(turned.fn[at]!, turned.total[at]!);
    else below[parent]! += turned.total[at]!;
  }
  expect(roots).toEqual(new Map([...selfs].filter(([, self]) => self > 0)));
  expect(below).toEqual(Array.from(turned.total));
  // Each frame with self cost is a path upwards in the bottom-up tree.
  for (let at = 0; at < frames.count; at += 97) {
    if (frames.self[at] === 0) continue;
    const path = pathTo(frames, at).toReversed();
    expect(pathTo(turned, frameAt(turned, path))).toEqual(path);
  }
});

test('finds a frame by its path, or its deepest existing ancestor', () => {
  const frames = framesOf(PROGRAM);
  expect(pathTo(frames, 5)).toEqual(['main', 'check', 'sort', 'cmp']);
  expect(frameAt(frames, ['main', 'check', 'sort', 'cmp'])).toBe(5);
  expect(frameAt(frames, ['main', 'check', 'gone', 'cmp'])).toBe(3);
  expect(frameAt(frames, ['gone'])).toBe(-1);
});

test('finds a frame in another range by the same call path', () => {
  const others = framesOf([node('irq', 1), node('main', 0, node('check', 1, node('sort', 3)))]);
  expect([frameOf(others, ['main', 'check', 'sort']), frameOf(others, ['irq'])]).toEqual([3, 0]);
  // main does not call sort there, and cmp is not called.
  expect([frameOf(others, ['main', 'sort']), frameOf(others, ['main', 'check', 'sort', 'cmp'])]).toEqual([null, null]);
});

const span = (name: string, depth: number, from: number, to: number) => ({ function: name, id: name, depth, from, to });

test('finds a call in another range by an overlapping call of the same function and depth', () => {
  const inside = [span('leaf', 2, 14, 16), span('sort', 1, 12, 20), span('sort', 1, 20, 24), span('main', 0, 12, 24)];
  expect(spanAt(inside, span('main', 0, 0, 100))).toBe(3);
  expect(spanAt(inside, span('sort', 1, 5, 20))).toBe(1);
  expect(spanAt(inside, span('sort', 1, 20, 40))).toBe(2);
  expect(spanAt(inside, span('sort', 1, 40, 50))).toBe(null);
  expect(spanAt(inside, span('sort', 2, 12, 20))).toBe(null);
});

test('draws frames as wide as their cost, and callers of a zoomed frame over the whole width', () => {
  const frames = framesOf(PROGRAM);
  expect(boxText(frameBoxes(frames, -1, 110, HUES))).toBe(
    'main 0+100, .sort 0+50, ..cmp 0+20, .check 50+30, ..sort 50+25, ...cmp 50+10, irq 100+10',
  );
  expect(boxText(frameBoxes(frames, 3, 300, HUES))).toBe('main 0+300, .check 0+300, ..sort 0+250, ...cmp 0+100');
});

test('draws frames too narrow to see as one box, including their callees', () => {
  const many = Array.from({ length: 1000 }, (_, at) => node(`f${at}`, 1, node('leaf', 1)));
  const frames = framesOf([node('main', 0, node('big', 2000), ...many)]);
  const boxes = frameBoxes(frames, -1, 400, HUES);
  expect(boxText(boxes)).toBe('main 0+400, .big 0+200, .… 200+200');
  expect(rowsOf(boxes)).toBe(2);
});

test('boxes never overlap, stay inside their callers and are few, even in a tree of the maximum size', () => {
  const frames = framesOf([grown(10)]);
  expect(frames.count).toBe((3 ** 11 - 1) / 2);
  const boxes = frameBoxes(frames, -1, 800, HUES);
  expect(boxes.length).toBeLessThan((rowsOf(boxes) * 2 * 800) / 1.5);
  const rows = Map.groupBy(boxes, ({ depth }) => depth);
  for (const [depth, row] of rows) {
    const sorted = row.toSorted((a, b) => a.x - b.x);
    for (const [at, box] of sorted.entries()) {
      const before = sorted[at - 1];
      if (before) expect(box.x - before.x - before.width).toBeGreaterThan(-0.01);
      if (depth > 0) {
        const caller = rows
          .get(depth - 1)
          ?.find((above) => box.x >= above.x - 0.01 && box.x + box.width <= above.x + above.width + 0.01);
        expect(caller?.at ?? -1).toBeGreaterThanOrEqual(0);
      }
    }
  }
});

test('places calls over time at their records and clips them to the window', () => {
  const boxes = spanBoxes(
    [span('a', 1, 10, 20), span('gone', 1, 500, 600), span('main', 0, 0, 1000)],
    0,
    100,
    200,
    HUES,
  );
  expect(boxText(boxes)).toBe('.a 20+20, main 0+200');
});

test('gives the most prominent functions different colours, the same in each range, order and zoom', () => {
  const prominent = Array.from({ length: 8 }, (_, at) => `0x${(0x8000 + 16 * at).toString(16)}`);
  const hueOf = createHues(prominent);
  expect(new Set(prominent.map(hueOf)).size).toBe(8);
  // An unknown function does not look like a known one.
  expect(['unknown', 'deeper'].map(hueOf)).toEqual([-1, -1]);
  const tree = framesOf([node(prominent[0]!, 1, node(prominent[5]!, 2, node('rare', 1)), node(prominent[3]!, 4))]);
  const part = framesOf([node(prominent[3]!, 1), node('rare', 9)]);
  const hues = [tree, bottomUp(tree), part].flatMap((frames) => frameBoxes(frames, -1, 500, hueOf));
  const zoomed = frameBoxes(tree, 1, 500, hueOf);
  const times = spanBoxes([span(prominent[5]!, 0, 0, 10), span('rare', 1, 2, 8)], 0, 10, 500, hueOf);
  for (const { name, hue } of [...hues, ...zoomed, ...times]) expect([name, hue]).toEqual([name, hueOf(name)]);
});

test('arrow keys lead to the widest callee, back to the caller and to the neighbours', () => {
  const boxes = frameBoxes(framesOf(PROGRAM), -1, 110, HUES);
  const main = flameAt(boxes, 50, 0)!;
  const walk = (from: FlameBox, ...ways: readonly Parameters<typeof nextFlame>[2][]): string =>
    ways.reduce<FlameBox | undefined>((at, way) => at && nextFlame(boxes, at, way), from)?.name ?? 'nowhere';
  expect(main.name).toBe('main');
  expect(walk(main, 'in')).toBe('sort');
  expect(walk(main, 'in', 'right')).toBe('check');
  expect(walk(main, 'in', 'right', 'in', 'out', 'left')).toBe('sort');
  expect(walk(main, 'right')).toBe('irq');
  expect(walk(main, 'out')).toBe('nowhere');
});
