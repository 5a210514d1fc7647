/**
 * The change from one run to another as a call graph: the functions that changed most with their callers and callees, the costs and the
 * numbers of calls of both runs. Red is more in B, blue is less, grey is as before, and what only one run executed is dashed.
 */
import { change, isSame, type CallChanges, type Cost, type FunctionChange } from '../../shared/against/call-changes.ts';
import { group, signed } from '../../shared/base/numbers.ts';
import type { CallEdge, CallFunction } from '../../shared/requests/flow.ts';
import { CHART_COLOURS, type ChartColours } from '../base/theme.ts';
import { less, more } from '../flame/change-figure.ts';
import { mixed } from '../svg/colour.ts';
import type { Figure } from '../svg/figure.ts';
import type { Look } from '../svg/look.ts';
import { widthOf } from '../svg/measure.ts';
import { drawn, haloed, label, type Shape } from '../svg/shape.ts';
import { MONO, onSheet, SHEET_MARGIN, SHEET_WIDTH, text } from '../svg/sheet.ts';
import { element } from '../svg/svg.ts';
import { swatches, type Swatch } from '../svg/swatches.ts';
import { arrange } from './arrange.ts';
import { indexCallGraph, neighbours, type CallGraphIndex } from './call-graph.ts';
import type { Part, PartLink } from './call-part.ts';
import { drawingOf, partText, shortName, type Box, type Line } from './call-shapes.ts';
import { MOST_LABELS, NAME } from './graph-shapes.ts';

export interface ChangeGraphData {
  /** Names of the traces. */
  readonly a: string;
  readonly b: string;
  readonly unit: string;
  readonly changes: CallChanges;
  /** Sentences that the reader must know. */
  readonly notes: readonly string[];
}

const EMPTY = 120;
/** Functions that are drawn. */
const MOST = 24;
const MOST_TOLD = 10;
const WORDS = 10.5;
const SMALL = 10;
const PADDING = 10;
const LEAST_WIDTH = 96;
const BOX_HEIGHT = 40;
const INSET = 4;

export function changeGraphFigure({ a, b, unit, changes, notes }: ChangeGraphData, look: Look): Figure {
  const { functions } = changes;
  const colours = CHART_COLOURS[look.theme];
  const net = functions.reduce((sum, one) => sum + change(one, 'self'), 0);
  const changed = functions.filter((one) => !isSame(one));
  const title = `Change of the call graph from ${a} to ${b}`;
  const description = `${title}: ${signed(net)} ${unit}. ${greatestChanges(changed, unit)}`;
  if (changed.length === 0) {
    const body = text('every function cost the same in both runs', {
      x: SHEET_WIDTH / 2,
      y: EMPTY / 2,
      'text-anchor': 'middle',
      'font-size': 13,
      fill: colours.text2,
    });
    return onSheet({
      look,
      title,
      shown: [`${signed(net)} ${unit} in all`],
      notes,
      description,
      width: SHEET_WIDTH,
      height: EMPTY,
      body,
    });
  }
  const graph = joined(changes);
  const part = changedPart(changes, graph);
  const { width: wide, height: high, boxes, lines } = laidOut(part, graph, changes);
  const width = Math.max(SHEET_WIDTH, Math.ceil(wide) + 2 * INSET);
  const legend = swatches(KEY(colours), width - 2 * SHEET_MARGIN, colours);
  const top = legend.height + 4;
  const edgesOf = ({ link }: Line) => link.edges.map((edge) => changes.edges[edge]!);
  const body = [
    element('g', { transform: `translate(${SHEET_MARGIN} 4)` }, legend.svg),
    element(
      'g',
      { transform: `translate(${Math.round((width - wide) / 2)} ${top})` },
      ...lines.toReversed().map((line) => drawn(lineShapes(line, edgesOf(line), colours))),
      ...boxes.map((box) => element('g', {}, drawn(boxShapes(box, functions[box.node.functions[0]!]!, colours)))),
      ...lines.slice(0, MOST_LABELS).map((line) => drawn(lineLabel(line, edgesOf(line), colours))),
    ),
  ].join('\n');
  return onSheet({
    look,
    title,
    shown: ['callers to the left, callees to the right', `${signed(net)} ${unit} in all`],
    notes: [
      `${partText(part, functions.length)} ${group(changed.length)} changed. Self and total costs are in ${unit}; - is a run that did not execute the function.`,
      ...notes,
    ],
    description,
    width,
    height: top + Math.ceil(high),
    body,
  });
}

/** Returns both runs as one graph: functions and calls as often as in the run that has more of them. */
function joined({ functions, edges }: CallChanges): CallGraphIndex {
  const most = ({ a, b }: FunctionChange, of: keyof Cost): number => Math.max(a?.[of] ?? 0, b?.[of] ?? 0);
  return indexCallGraph({
    functions: functions.map((one, place): CallFunction => ({
      id: String(place),
      name: one.name,
      aliases: [],
      calls: most(one, 'calls'),
      self: most(one, 'self'),
      total: most(one, 'total'),
    })),
    edges: edges.map((edge): CallEdge => ({
      caller: String(edge.caller),
      callee: String(edge.callee),
      kind: edge.kind,
      count: Math.max(edge.a, edge.b),
      inferred: false,
      first: 0,
      last: 0,
    })),
  });
}

/** Chooses the functions that changed, those at the ends of calls whose number changed, and what is next to them, as far as there is room. */
function changedPart({ functions, edges }: CallChanges, graph: CallGraphIndex): Part {
  const chosen = new Set<number>();
  const take = (places: Iterable<number>): void => {
    for (const place of places) if (chosen.size < MOST) chosen.add(place);
  };
  take([...functions.keys()].filter((place) => !isSame(functions[place]!)));
  take(edges.filter(({ a, b }) => a !== b).flatMap(({ caller, callee }) => [caller, callee]));
  for (const side of SIDES)
    take([...chosen].flatMap((place) => neighbours(graph, place, side).map((other) => other.place)));
  const places = [...chosen];
  const hidden = (place: number, side: (typeof SIDES)[number]): number =>
    neighbours(graph, place, side).filter((other) => !chosen.has(other.place)).length;
  const nodes = places.map((place) => ({
    key: String(place),
    functions: [place],
    isCentre: false,
    moreCallers: hidden(place, 'callers'),
    moreCallees: hidden(place, 'callees'),
    inner: 0,
  }));
  const numbers = new Map(places.map((place, node) => [place, node]));
  const links = new Map<string, PartLink>();
  for (const [at, { caller, callee, a, b }] of edges.entries()) {
    const [from, to] = [numbers.get(caller), numbers.get(callee)];
    if (from === undefined || to === undefined || from === to) continue;
    const key = `${from}>${to}`;
    const known = links.get(key) ?? { key, from, to, edges: [], count: 0, inferred: 'none' };
    links.set(key, { ...known, edges: [...known.edges, at], count: known.count + Math.max(a, b) });
  }
  // Those whose number changed come first in `edges`.
  const shown = [...links.values()].slice(0, MOST_LINKS);
  const beyond = new Set(
    places
      .flatMap((place) => SIDES.flatMap((side) => neighbours(graph, place, side)))
      .flatMap(({ place }) => (chosen.has(place) ? [] : [place])),
  );
  return { nodes, links: shown, beyond: beyond.size, undrawn: links.size - shown.length };
}

const SIDES = ['callers', 'callees'] as const;
/** A denser drawing is unreadable. */
const MOST_LINKS = 2 * MOST;

function laidOut(part: Part, graph: CallGraphIndex, { functions }: CallChanges) {
  const words = part.nodes.map((node) => {
    const one = functions[node.functions[0]!]!;
    return { title: shortName(one.name), words: wordsOf(one) };
  });
  const nodes = words.map(({ title, words: own }) => {
    const needed = Math.max(widthOf(title, NAME, 'mono'), widthOf(own, WORDS, 'sans'));
    return { width: Math.max(LEAST_WIDTH, Math.ceil(needed) + 2 * PADDING), height: BOX_HEIGHT };
  });
  const links = part.links.map(({ from, to, count }) => ({ from, to, weight: 1 + Math.round(Math.log2(count)) }));
  const widths = nodes.map(({ width }) => width);
  const drawing = drawingOf(part, graph, 0, widths, arrange({ nodes, links }));
  return { ...drawing, boxes: drawing.boxes.map((box, at) => ({ ...box, ...words[at]! })) };
}

/** Returns the self cost of both runs; the total or the calls if the self cost is the same. */
function wordsOf(one: FunctionChange): string {
  const of = (['self', 'total', 'calls'] as const).find((each) => change(one, each) !== 0) ?? 'self';
  const costIn = (side: 'a' | 'b'): string => (one[side] === null ? '-' : group(one[side][of]));
  const both = isSame(one) ? costIn('a') : `${costIn('a')} to ${costIn('b')} (${signed(change(one, of))})`;
  return `${of} ${both}`;
}

function boxShapes(box: Box, one: FunctionChange, colours: ChartColours): readonly Shape[] {
  const { node, left, top, width, height } = box;
  const colour = colourOf(change(one, 'self') || change(one, 'calls') || change(one, 'total'), colours);
  const isLone = one.a === null || one.b === null;
  return [
    {
      name: 'rect',
      attributes: {
        x: left,
        y: top,
        width,
        height,
        rx: 6,
        fill: mixed(colours.raised, colour, isSame(one) ? 0 : 0.16),
        stroke: isSame(one) ? colours.lineStrong : colour,
        'stroke-width': 1,
        ...(isLone && { 'stroke-dasharray': '4 3' }),
      },
    },
    ...label(box.title, {
      x: left + PADDING,
      y: top + 17,
      'font-family': MONO,
      'font-size': NAME,
      fill: colours.text,
    }),
    ...label(box.words, { x: left + PADDING, y: top + 31, 'font-size': WORDS, fill: colours.text2 }),
    ...hiddenCount(node.moreCallers, left + 3, top - 3, 'start', colours),
    ...hiddenCount(node.moreCallees, left + width - 3, top - 3, 'end', colours),
  ];
}

/** Number of callers or callees that are not shown. */
function hiddenCount(
  count: number,
  x: number,
  y: number,
  anchor: 'start' | 'end',
  { text3, ground }: ChartColours,
): readonly Shape[] {
  if (count === 0) return [];
  return haloed(`+${count}`, { x, y, 'text-anchor': anchor, fill: text3, 'font-size': SMALL }, ground);
}

interface Counts {
  readonly a: number;
  readonly b: number;
}

function sumOf(edges: readonly Counts[]): Counts {
  return edges.reduce((sum, { a, b }) => ({ a: sum.a + a, b: sum.b + b }), { a: 0, b: 0 });
}

function lineShapes({ path, width, head }: Line, edges: readonly Counts[], colours: ChartColours): readonly Shape[] {
  const { a, b } = sumOf(edges);
  const colour = colourOf(b - a, colours);
  const dashes = a === 0 || b === 0 ? '5 4' : undefined;
  const stroke = { stroke: colour, 'stroke-opacity': 0.75, 'stroke-width': width, 'stroke-dasharray': dashes };
  return [
    { name: 'path', attributes: { d: path, fill: 'none', ...stroke } },
    { name: 'polygon', attributes: { points: head, fill: colour } },
  ];
}

function lineLabel({ middle }: Line, edges: readonly Counts[], { text2, ground }: ChartColours): readonly Shape[] {
  const { a, b } = sumOf(edges);
  const place = { x: middle.x, y: middle.y + 3, 'text-anchor': 'middle', fill: text2, 'font-size': SMALL };
  return haloed(a === b ? group(a) : `${group(a)} to ${group(b)}`, place, ground);
}

function colourOf(difference: number, colours: ChartColours): string {
  return difference > 0 ? more(colours) : difference < 0 ? less(colours) : colours.text3;
}

const KEY = (colours: ChartColours): readonly Swatch[] => [
  { label: 'More in B', detail: '', fill: more(colours), shape: 'square' },
  { label: 'Less in B', detail: '', fill: less(colours), shape: 'square' },
  { label: 'Calls, wider for more', detail: '', fill: colours.text3, shape: 'line' },
  { label: 'In one run only', detail: '', fill: colours.text3, shape: 'dashes' },
];

function greatestChanges(changed: readonly FunctionChange[], unit: string): string {
  if (changed.length === 0) return 'No function changed.';
  const most = changed.slice(0, MOST_TOLD).map((one) => `${one.name} ${signed(change(one, 'self'))}`);
  return `Greatest changes of self cost in ${unit}: ${most.join('; ')}.`;
}
