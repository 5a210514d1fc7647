/** The calling-context tree merges the counts of finished stacks, whenever their callers became known. */
import { expect, test } from 'vitest';
import { createContexts, NOBODY, type Contexts } from '../../electron/engine/flow/tally/contexts.ts';

const [MAIN, F, G] = [2, 3, 4];

function count(tree: Contexts, node: number, calls: number, self: number): number {
  tree.columns.calls[node]! += calls;
  tree.columns.self[node]! += self;
  return node;
}

/** Each node as its path from the root, with calls, self and first record. */
function listed({ count, columns }: Contexts): string[] {
  const pathOf = (node: number): string => {
    const above = columns.parent[node]!;
    return columns.fn[node] === NOBODY ? '' : `${above < 0 ? '?' : pathOf(above)}/${columns.fn[node]}`;
  };
  return Array.from({ length: count }, (_, node) => node)
    .filter((node) => columns.fn[node] !== NOBODY)
    .map((node) => `${pathOf(node)} ${columns.calls[node]} ${columns.self[node]} ${columns.first[node]}`)
    .sort();
}

test('merges trees by call path', () => {
  const all = createContexts();
  const one = all.beside();
  const main = count(one, one.child(one.top(), MAIN, 10), 0, 5);
  const f = count(one, one.child(main, F, 12), 2, 7);
  count(one, one.child(f, G, 13), 1, 1);
  // The second stack began in F; its caller MAIN became known later.
  const two = all.beside();
  const top = two.top();
  const inF = count(two, two.child(top, F, 3), 0, 4);
  count(two, two.child(inF, G, 4), 3, 6);
  const above = two.name(top, MAIN, 8);
  count(two, two.child(two.child(above, MAIN, 8), G, 9), 1, 2);
  all.join(two);
  all.join(one);
  expect(listed(all)).toEqual(['/2 0 5 8', '/2/3 2 11 3', '/2/3/4 4 7 4', '/2/4 1 2 9']);
  expect([one.count, two.count]).toEqual([0, 0]);
});

test('reuses a merged tree for another stack', () => {
  const all = createContexts();
  const tree = all.beside();
  for (let time = 0; time < 1000; time++) {
    let node = tree.top();
    for (let depth = 0; depth < 100; depth++) node = count(tree, tree.child(node, F, 1000 - time), 1, 2);
    all.join(tree);
  }
  expect(all.count).toBe(101);
  expect(listed(all)[0]).toBe('/3 1000 2000 1');
  expect(all.cut).toBe(false);
});

test('truncates the tree when outer callers become known a hundred thousand times', () => {
  const all = createContexts();
  const tree = all.beside();
  const first = tree.child(tree.top(), G, 0);
  let top = tree.columns.parent[first]!;
  for (let time = 1; time <= 100_000; time++) top = tree.name(top, F, time);
  all.join(tree);
  expect(all.cut).toBe(true);
  expect(listed(all).at(0)).toMatch(/^\/3 0 0 /);
});

test('limits the total number of nodes over several trees', () => {
  const all = createContexts();
  const trees = [all.beside(), all.beside(), all.beside()];
  for (const tree of trees) {
    const top = tree.top();
    for (let fn = 2; fn < 400_000; fn++) tree.child(top, fn, 0);
  }
  const made = trees.map((tree) => tree.count);
  expect(made[0]! + made[1]! + made[2]!).toBeLessThan(1_000_010);
  for (const tree of trees) all.join(tree);
  expect(all.cut).toBe(true);
  expect(all.count).toBeLessThan(1_000_010);
});
