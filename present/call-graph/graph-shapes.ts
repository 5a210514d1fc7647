/** A laid-out call graph as shapes, for its figure and for the page: callers to the left, line width by number of calls, boxes with costs. */
import type { CallGraphIndex } from './call-graph.ts';
import type { PartLink } from './call-part.ts';
import type { Box, Drawing, Line } from './call-shapes.ts';
import type { ChartColours } from '../base/theme.ts';
import { mixed } from '../svg/colour.ts';
import { MONO } from '../svg/sheet.ts';
import { haloed, label, type Shape } from '../svg/shape.ts';
import type { Attributes } from '../svg/svg.ts';

/** Each list is in the order of the drawing's lines or boxes. Lines are below boxes, their labels above. */
export interface GraphShapes {
  readonly lines: readonly (readonly Shape[])[];
  readonly boxes: readonly (readonly Shape[])[];
  readonly labels: readonly (readonly Shape[])[];
}

/** Above this number of lines, only the strongest lines have labels. */
export const MOST_LABELS = 60;
/** Font size of function names. */
export const NAME = 12;
const WORDS = 10.5;
const SMALL = 10;

export function graphShapes({ lines, boxes }: Drawing, graph: CallGraphIndex, colours: ChartColours): GraphShapes {
  return {
    lines: lines.map((line) => lineShapes(line, graph, colours)),
    boxes: boxes.map((box) => boxShapes(box, colours)),
    labels: lines.map((line) => lineLabel(line, graph, colours)),
  };
}

function lineShapes({ link, path, width, head }: Line, graph: CallGraphIndex, colours: ChartColours): readonly Shape[] {
  const colour = isHandled(link, graph) ? colours.hues.control : colours.text3;
  const stroke = { stroke: colour, 'stroke-opacity': 0.75, 'stroke-width': width };
  const dashes = link.inferred === 'all' ? '5 4' : link.inferred === 'some' ? '14 4' : undefined;
  return [
    { name: 'path', attributes: { d: path, fill: 'none', ...stroke, 'stroke-dasharray': dashes } },
    { name: 'polygon', attributes: { points: head, fill: colour } },
  ];
}

/** Returns true if only interrupts and exceptions lead along a line. */
export function isHandled({ edges }: PartLink, graph: CallGraphIndex): boolean {
  return edges.every((edge) => ['interrupt', 'exception'].includes(graph.edges[edge]?.kind ?? ''));
}

function boxShapes(box: Box, colours: ChartColours): readonly Shape[] {
  const { node, left, top, width, height } = box;
  const place = { x: left, y: top, width, height, rx: 6 };
  const bar = { x: left + 8, y: top + height - 5, height: 3, rx: 1.5 };
  const { fetch } = colours.hues;
  const fill = node.isCentre ? colours.accentSoft : colours.raised;
  const border = { stroke: node.isCentre ? colours.accent : colours.lineStrong, 'stroke-width': node.isCentre ? 2 : 1 };
  const weight = node.isCentre ? 'bold' : undefined;
  const title = { 'font-family': MONO, 'font-size': NAME, 'font-weight': weight, fill: colours.text };
  const behind = { ...place, x: left + 4, y: top + 4, fill: colours.raised, stroke: colours.lineStrong };
  const rectangles: readonly (Attributes | false)[] = [
    node.functions.length > 1 && behind,
    { ...place, fill, ...border },
    box.total > 0 && { ...bar, width: (width - 16) * box.total, fill: totalFill(fill, colours) },
    box.self > 0 && { ...bar, width: (width - 16) * box.self, fill: fetch },
  ];
  return [
    ...rectangles.flatMap((attributes) => (attributes ? [{ name: 'rect', attributes } as const] : [])),
    ...label(box.title, { x: left + 10, y: top + 16, ...title }),
    ...label(box.words, { x: left + 10, y: top + 29, 'font-size': WORDS, fill: colours.text2 }),
    ...more(node.moreCallers, { x: left + 3, y: top - 3 }, colours),
    ...more(node.moreCallees, { x: left + width - 3, y: top - 3, 'text-anchor': 'end' }, colours),
  ];
}

/** Colour of the bar of a function's total cost on a background. */
export function totalFill(background: string, { hues }: ChartColours): string {
  return mixed(background, hues.fetch, 0.45);
}

/** Number of callers or callees that are not shown. */
function more(count: number, place: Attributes, { text3, ground }: ChartColours): readonly Shape[] {
  return count === 0 ? [] : haloed(`+${count}`, { ...place, fill: text3, 'font-size': SMALL }, ground);
}

const SIGNS: Readonly<Record<string, string>> = { 'tail call': ' tail', interrupt: ' irq', exception: ' exc' };

function lineLabel(
  { link, label: count, middle }: Line,
  graph: CallGraphIndex,
  { text2, ground }: ChartColours,
): readonly Shape[] {
  const place = { x: middle.x, y: middle.y + 3, 'text-anchor': 'middle', fill: text2, 'font-size': SMALL };
  return haloed(`${count}${signOf(link, graph)}`, place, ground);
}

/** Common kind of all calls of a line, if they are not plain calls. */
function signOf({ edges }: PartLink, graph: CallGraphIndex): string {
  const [sign = '', ...others] = new Set(edges.map((edge) => SIGNS[graph.edges[edge]?.kind ?? ''] ?? ''));
  return others.length > 0 ? '' : sign;
}
