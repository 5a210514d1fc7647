/** What functions took with all that they called, by the tree of contexts: whatever is below a node of theirs, recursion once. */
import { NOBODY, type ContextTree } from './contexts.ts';

/** By function, of `functions` of them. Of a tree that is not cut. Nodes lie behind those above them, as in a tree that others were joined with. */
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
  /** By function: its nodes on the way down. */
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
