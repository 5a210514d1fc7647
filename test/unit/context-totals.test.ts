/** Function totals from a calling-context tree; the oracle climbs from every node to the root. */
import { expect, test } from 'vitest';
import { contextTotals } from '../../electron/engine/flow/tally/context-totals.ts';
import { createContexts, NOBODY } from '../../electron/engine/flow/tally/contexts.ts';
import { createRandom } from '../laws/random.ts';

test.each([1, 2, 3, 4])('counts a recursive function once per path, seed %i', (seed) => {
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
});

test('returns zeros for an empty tree', () => {
  expect(contextTotals(createContexts(), 2)).toEqual(new Float64Array(2));
});
