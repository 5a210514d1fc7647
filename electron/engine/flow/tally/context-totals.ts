/**
 * Computes total times from a calling-context tree. The tree is not cut, and each node follows its parent, as in a tree into which
 * others were joined.
 */
import { NOBODY, type ContextTree } from './contexts.ts';

/** Returns by function the time in it and in everything that it called; recursion counts once. `functions`: number of functions. */
export function contextTotals(tree: ContextTree, functions: number): Float64Array {
  return totalsByKey(tree, tree.columns.fn, functions);
}

/** Time by caller and callee. */
export interface PairTotals {
  readonly count: number;
  readonly caller: readonly number[];
  readonly callee: readonly number[];
  readonly total: Float64Array;
}

/**
 * Returns for each pair of functions the time while the second one was open directly above the first one, with everything that it
 * called. A pair that is open several times counts once.
 */
export function pairTotals(tree: ContextTree): PairTotals {
  const { parent, fn } = tree.columns;
  const [caller, callee]: [number[], number[]] = [[], []];
  const pairs = new Map<number, number>();
  const keys = new Int32Array(tree.count).fill(NO_KEY);
  for (let node = 0; node < tree.count; node++) {
    const above = parent[node]! < 0 ? NOBODY : fn[parent[node]!]!;
    if (above === NOBODY) continue;
    const pair = above * MOST_FUNCTIONS + fn[node]!;
    let key = pairs.get(pair);
    if (key === undefined) {
      key = pairs.size;
      pairs.set(pair, key);
      caller.push(above);
      callee.push(fn[node]!);
    }
    keys[node] = key;
  }
  return { count: pairs.size, caller, callee, total: totalsByKey(tree, keys, pairs.size) };
}

/** Function numbers are below this. */
const MOST_FUNCTIONS = 2 ** 24;
/** The key of nodes that count for no key themselves. Equals NOBODY, so that functions are keys. */
const NO_KEY = NOBODY;

/** Sums the times of all nodes that have a key, or are below a node with it. `keys`: by node; all are below `many`. */
function totalsByKey({ columns, count }: ContextTree, keys: Int32Array, many: number): Float64Array {
  const { parent } = columns;
  const totals = new Float64Array(many);
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
  /** By key: number of its nodes on the path from the top. */
  const open = new Int32Array(many);
  for (let top = 0; top < count; top++) if (parent[top]! < 0) descend(top);
  return totals;

  function descend(top: number): void {
    let node = top;
    for (let isNew = true; ;) {
      const own = keys[node]!;
      if (isNew) {
        if (own !== NO_KEY && open[own]!++ === 0) totals[own]! += below[node]!;
        if (firstChild[node]! >= 0) {
          node = firstChild[node]!;
          continue;
        }
      }
      if (own !== NO_KEY) open[own]!--;
      if (node === top) return;
      isNew = nextSibling[node]! >= 0;
      node = isNew ? nextSibling[node]! : parent[node]!;
    }
  }
}
