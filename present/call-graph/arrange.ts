/** Where nodes stand and lines run so that callers are to the left of what they call: layers by dagre. */
import { Graph, layout, type EdgeLabel, type GraphLabel, type NodeLabel } from '@dagrejs/dagre';

/** Sizes in CSS pixels. */
export interface Wanted {
  readonly nodes: readonly { readonly width: number; readonly height: number }[];
  /** From one place in `nodes` to another; no two have the same ends. Lines of greater weight are kept shorter and straighter. */
  readonly links: readonly { readonly from: number; readonly to: number; readonly weight: number }[];
}

export interface Arranged {
  readonly width: number;
  readonly height: number;
  /** Middles of the nodes. */
  readonly nodes: readonly Point[];
  /** Where each line bends, from the border of one node to that of the other. */
  readonly links: readonly (readonly Point[])[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

const MARGIN = 24;
/** Beyond so many lines untangling them takes longer than a person waits; the order in which they were found is fair. */
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
