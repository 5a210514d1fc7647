/** Which functions call one another in a circle? The strongly connected parts of a small graph (Tarjan, SIAM J. Comput. 1, 1972). */

/**
 * The part of each node 0 .. targets.length - 1, as a number; nodes of one circle share it. `targets[n]` are the nodes that n leads to.
 * Goes as deep as the graph is long: for the part of a graph that is shown, not for a whole program.
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
