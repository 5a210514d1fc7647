/** Finds cycles of calls: the strongly connected components of a small graph (Tarjan, SIAM J. Comput. 1, 1972). */

/**
 * Returns the component number of each node 0 .. targets.length - 1. `targets[n]` are the successors of node n.
 * Recursion is as deep as the graph is long: use it for the shown part of a graph, not for a whole program.
 */
export function cyclesOf(targets: readonly (readonly number[])[]): readonly number[] {
  const found = new Array<number>(targets.length).fill(-1);
  const low = new Array<number>(targets.length).fill(0);
  const part = new Array<number>(targets.length).fill(-1);
  const open: number[] = [];
  let visited = 0;
  let parts = 0;

  function visit(node: number): void {
    found[node] = low[node] = visited;
    visited += 1;
    open.push(node);
    for (const target of targets[node]!) {
      if (found[target] === -1) visit(target);
      if (part[target] === -1) low[node] = Math.min(low[node], low[target]!);
    }
    if (low[node] !== found[node]) return;
    for (let member = open.pop(); member !== undefined; member = open.pop()) {
      part[member] = parts;
      if (member === node) break;
    }
    parts += 1;
  }

  for (let node = 0; node < targets.length; node += 1) if (found[node] === -1) visit(node);
  return part;
}
