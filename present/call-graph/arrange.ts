/** Lays out a call graph with dagre: callers to the left of their callees, in layers. */
import { Graph, layout, type EdgeLabel, type GraphLabel, type NodeLabel } from '@dagrejs/dagre';

/** Sizes in CSS pixels. */
export interface Wanted {
  readonly nodes: readonly { readonly width: number; readonly height: number }[];
  /** From one index in `nodes` to another; no two edges have the same ends. Lines of greater weight are kept shorter and straighter. */
  readonly links: readonly { readonly from: number; readonly to: number; readonly weight: number }[];
}

export interface Arranged {
  readonly width: number;
  readonly height: number;
  /** Centres of the nodes. */
  readonly nodes: readonly Point[];
  /** Bends of each line, from the border of one node to the border of the other. */
  readonly links: readonly (readonly Point[])[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

const MARGIN = 24;
/** Above this number of lines, reducing crossings takes too long. The order in which the lines were found is acceptable. */
const UNTANGLED = 150;

export function arrange({ nodes, links }: Wanted): Arranged {
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>();
  graph.setGraph({
    rankdir: 'LR',
    ranker: 'tight-tree',
    nodesep: 14,
    edgesep: 10,
    ranksep: 60,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  for (const [at, { width, height }] of nodes.entries()) graph.setNode(String(at), { width, height });
  for (const { from, to, weight } of links) graph.setEdge(String(from), String(to), { width: 0, height: 0, weight });
  layout(graph, { disableOptimalOrderHeuristic: links.length > UNTANGLED });
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    nodes: nodes.map((_, at) => pointOf(graph.node(String(at)))),
    links: links.map(({ from, to }) => (graph.edge(String(from), String(to)).points ?? []).map(pointOf)),
  };
}

function pointOf({ x = 0, y = 0 }: { readonly x?: number; readonly y?: number }): Point {
  return { x, y };
}
