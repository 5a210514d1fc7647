/** Function totals from a calling-context tree; the oracle climbs from every node to the root. */
import { expect, test } from 'vitest';
import { contextTotals, pairTotals } from '../../electron/engine/flow/tally/context-totals.ts';
import { createContexts, NOBODY } from '../../electron/engine/flow/tally/contexts.ts';
import { createRandom } from '../laws/random.ts';

test.each([1, 2, 3, 4])('counts a recursive function and a recursive pair once per path, seed %i', (seed) => {
  const random = createRandom(seed);
  const contexts = createContexts();
  const FUNCTIONS = 6;
  const stack = contexts.beside();
  const nodes = [stack.top()];
  for (let i = 0; i < 300; i++) {
    const node = stack.child(nodes[random.below(nodes.length)]!, random.below(FUNCTIONS), i);
    stack.columns.self[node]! += random.below(5);
    nodes.push(node);
  }
  contexts.join(stack);

  const expected = new Float64Array(FUNCTIONS + 1);
  const { fn, parent, self } = contexts.columns;
  for (let node = 0; node < contexts.count; node++) {
    const open = new Set<number>();
    for (let up = node; up >= 0; up = parent[up]!) if (fn[up] !== NOBODY) open.add(fn[up]!);
    for (const each of open) expected[each]! += self[node]!;
  }
  expect(contextTotals(contexts, FUNCTIONS + 1)).toEqual(expected);

  const expectedPairs: Record<string, number> = {};
  for (let node = 0; node < contexts.count; node++) {
    const open = new Set<string>();
    for (let up = node; up >= 0; up = parent[up]!) {
      const above = parent[up]! < 0 ? NOBODY : fn[parent[up]!]!;
      if (above !== NOBODY) open.add(`${above} ${fn[up]!}`);
    }
    for (const each of open) expectedPairs[each] = (expectedPairs[each] ?? 0) + self[node]!;
  }
  const { count, caller, callee, total } = pairTotals(contexts);
  const found = Array.from({ length: count }, (_, i) => [`${caller[i]!} ${callee[i]!}`, total[i]!]);
  expect(found).toHaveLength(Object.keys(expectedPairs).length);
  expect(Object.fromEntries(found)).toEqual(expectedPairs);
});

test('returns zeros for an empty tree', () => {
  expect(contextTotals(createContexts(), 2)).toEqual(new Float64Array(2));
  expect(pairTotals(createContexts()).count).toBe(0);
});
