/** Computes total times of functions from a calling-context tree. */
import { NOBODY, type ContextTree } from './contexts.ts';

/**
 * Returns by function the time in it and in everything that it called; recursion counts once. `functions`: number of functions. The
 * tree is not cut, and each node follows its parent, as in a tree into which others were joined.
 */
export function contextTotals({ columns, count }: ContextTree, functions: number): Float64Array {
  const { parent, fn } = columns;
  const totals = new Float64Array(functions);
  const below = columns.self.slice(0, count);
  const firstChild = new Int32Array(count).fill(-1);
  const nextSibling = new Int32Array(count).fill(-1);
  for (let node = count - 1; node > 0; node--) {
    const above = parent[node]!;
    if (above < 0) continue;
    below[above]! += below[node]!;
    nextSibling[node] = firstChild[above]!;
    firstChild[above] = node;
  }
  /** By function: number of its nodes on the path from the top. */
  const open = new Int32Array(functions);
  for (let top = 0; top < count; top++) if (parent[top]! < 0) descend(top);
  return totals;

  function descend(top: number): void {
    let node = top;
    for (let isNew = true; ;) {
      const own = fn[node]!;
      if (isNew) {
        if (own !== NOBODY && open[own]!++ === 0) totals[own]! += below[node]!;
        if (firstChild[node]! >= 0) {
          node = firstChild[node]!;
          continue;
        }
      }
      if (own !== NOBODY) open[own]!--;
      if (node === top) return;
      isNew = nextSibling[node]! >= 0;
      node = isNew ? nextSibling[node]! : parent[node]!;
    }
  }
}
