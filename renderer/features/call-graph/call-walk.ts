/** Walking a drawn call graph box by box, and what is said of each. */
import type { CallEdge } from '../../../shared/requests/flow.ts';
import type { CallGraphIndex } from '../../../present/call-graph/call-graph.ts';
import type { Part } from '../../../present/call-graph/call-part.ts';
import type { Box, Drawing } from '../../../present/call-graph/call-shapes.ts';
import { counted, group } from '../../../shared/base/numbers.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { IN_TRACE, times } from '../../widgets/call-words.ts';

/** `callers`, `callees`: along the most frequent line; `up`, `down`: to the nearest box there. */
export type Way = 'callers' | 'callees' | 'up' | 'down';

export function nextBox(part: Part, drawing: Drawing, from: Box, way: Way): Box | undefined {
  const here = drawing.boxes.indexOf(from);
  if (way === 'callers') return drawing.boxes[part.links.find(({ to }) => to === here)?.from ?? -1];
  if (way === 'callees') return drawing.boxes[part.links.find((link) => link.from === here)?.to ?? -1];
  const ahead = way === 'down' ? 1 : -1;
  let nearest: Box | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const box of drawing.boxes) {
    const down = (box.top - from.top) * ahead;
    if (box === from || down < from.height / 2) continue;
    const sideways = Math.abs(box.left + box.width / 2 - from.left - from.width / 2);
    const distance = down + 3 * sideways;
    if (distance >= least) continue;
    least = distance;
    nearest = box;
  }
  return nearest;
}

/** `sort, called 12 times, self 1,234 of total 5,678 instructions; shown: 3 callers and 2 callees; not shown: 4 more callers`. */
export function spokenBox(part: Part, graph: CallGraphIndex, { node }: Box, unit: string, where = IN_TRACE): string {
  const functions = node.functions.map((place) => graph.functions[place]!);
  const here = part.nodes.indexOf(node);
  const callers = part.links.filter(({ to }) => to === here).length;
  const callees = part.links.filter(({ from }) => from === here).length;
  const [first] = functions;
  const what =
    functions.length > 1
      ? `${functions.length} functions that call one another in a cycle: ${functions.map(({ name }) => name).join(', ')}`
      : `${first?.name ?? ''}, ${calledText(graph, node.functions[0] ?? 0, where)}, self ${group(first?.self ?? 0)} of total ${group(first?.total ?? 0)} ${unit}`;
  const beyond = [
    ...(node.moreCallers > 0 ? [counted(node.moreCallers, 'more caller')] : []),
    ...(node.moreCallees > 0 ? [counted(node.moreCallees, 'more callee')] : []),
  ].join(' and ');
  return `${what}; shown: ${counted(callers, 'caller')} and ${counted(callees, 'callee')}${beyond === '' ? '' : `; not shown: ${beyond}`}`;
}

/** The record of the first call along edges; undefined if none is in the trace: of those that returns alone report records are returns. */
export function firstCall(edges: readonly CallEdge[]): RecordNumber | undefined {
  return edges.reduce<number | undefined>(
    (least, { first, unseen }) => (unseen || (least !== undefined && least <= first) ? least : first),
    undefined,
  );
}

/** The edges that lead to the function at a place. */
export function edgesTo({ edges, incoming }: CallGraphIndex, place: number): readonly CallEdge[] {
  return Array.from(incoming.edges.subarray(incoming.starts[place], incoming.starts[place + 1]), (at) => edges[at]!);
}

/** `called 12 times`. A call before the trace, or in a gap of it, may be known from its return alone: it is drawn, but is no record. */
export function calledText({ functions, incoming }: CallGraphIndex, place: number, where = IN_TRACE): string {
  const calls = functions[place]?.calls ?? 0;
  const isDrawn = incoming.starts[place + 1]! > incoming.starts[place]!;
  return calls === 0 && isDrawn ? 'its call known from its return alone' : `called ${times(calls, where)}`;
}
