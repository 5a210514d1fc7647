/** What straight runs tell of the branches along them, of which only the ends are known. */
import { countBelow, type Observed } from '../infer/observed.ts';

/** Bytes from an instruction to the branch that runs beside it, at most. */
const LONGEST_BEFORE = 11;

/**
 * By source: 1 where a straight run went past, so that it is a conditional jump. A Pentium may name the instruction before a direct
 * branch in its place: one that a run went past on its way to a branch with the same target, right behind it, may be such a one.
 */
export function markPassed({ lows, highs, edges, runs }: Observed, lone: Int32Array): Uint8Array {
  const order = lows.map((low, id) => ({ id, low, high: highs[id]! }));
  order.sort((a, b) => a.high - b.high || a.low - b.low);
  const rank = new Int32Array(lows.length);
  order.forEach(({ id }, at) => (rank[id] = at));
  /** By rank: how many runs begin there, less those that end. */
  const changes = new Int32Array(lows.length + 1);
  const passed = new Uint8Array(lows.length);
  for (const [edge, end] of runs.values()) {
    const first = countBelow(order, edges[edge]!);
    let last = rank[end]!;
    for (; last > first && isNear(order[last - 1]!, end); last--) {
      const { id } = order[last - 1]!;
      if (!mayBeSame(id, end)) passed[id] = 1;
    }
    changes[first]!++;
    changes[last]!--;
  }
  let within = 0;
  order.forEach(({ id }, at) => {
    within += changes[at]!;
    if (within > 0) passed[id] = 1;
  });
  return passed;

  function isNear({ low, high }: { low: number; high: number }, end: number): boolean {
    return high === highs[end] && lows[end]! - low <= LONGEST_BEFORE;
  }

  function mayBeSame(source: number, end: number): boolean {
    const [a, b] = [lone[source]!, lone[end]!];
    return a >= 0 && b >= 0 && edges[a]!.low === edges[b]!.low && edges[a]!.high === edges[b]!.high;
  }
}

/** By edge: 1 where its target is reached as places within a function are: a straight run or a conditional jump leads there. */
export function markInner({ lows, highs, edges, runs }: Observed, passed: Uint8Array): Uint8Array {
  const order = edges.map(({ low, high }, id) => ({ id, low, high })).sort((a, b) => a.high - b.high || a.low - b.low);
  const changes = new Int32Array(edges.length + 1);
  for (const [edge, end] of runs.values()) {
    changes[countBelow(order, edges[edge]!, true)]!++;
    changes[countBelow(order, { low: lows[end]!, high: highs[end]! }, true)]!--;
  }
  const conditional = new Set<string>();
  for (const { source, low, high } of edges) if (passed[source] === 1) conditional.add(`${low} ${high}`);
  const inner = new Uint8Array(edges.length);
  let within = 0;
  order.forEach(({ id, low, high }, at) => {
    within += changes[at]!;
    inner[id] = Number(within > 0 || conditional.has(`${low} ${high}`));
  });
  return inner;
}
