/** The functions around a centre as a figure: callers to the left, callees to the right, line width by number of calls. */
import type { CallGraph } from '../../shared/requests/flow.ts';
import type { CallGraphIndex } from './call-graph.ts';
import type { Part, PartLink } from './call-part.ts';
import {
  BOX_HEIGHT,
  drawingOf,
  widthOf as boxWidth,
  wholeOf,
  type Box,
  type Drawing,
  type Line,
} from './call-shapes.ts';
import { arrange } from './arrange.ts';
import { group } from '../../shared/base/numbers.ts';
import { percent } from '../base/percent.ts';
import { recordSpan } from '../base/spans.ts';
import { mixed } from '../svg/colour.ts';
import type { Figure } from '../svg/figure.ts';
import type { Look } from '../svg/look.ts';
import { fittedEnds, widthOf } from '../svg/measure.ts';
import { MONO, onSheet, SHEET_MARGIN, SHEET_WIDTH, text } from '../svg/sheet.ts';
import { element } from '../svg/svg.ts';
import { swatches, type Swatch } from '../svg/swatches.ts';
import { FIGURE_COLOURS, type FigureColours } from '../svg/theme.ts';

export interface GraphFigureData {
  /** Name of the trace. */
  readonly name: string;
  readonly answer: Pick<CallGraph, 'evidence' | 'unit' | 'functions' | 'edges' | 'notes' | 'reach'>;
  readonly graph: CallGraphIndex;
  /** Absent if there are no functions. */
  readonly part?: Part;
  readonly from: number;
  readonly to: number;
}

const NAME = 12;
const WORDS = 11;
const SMALL = 10;
/** Longest function name in the title, in characters. */
const TITLE_ROOM = 420;
const EMPTY = 160;
/** Above this number of lines, only the strongest lines have numbers. */
const MOST_LABELS = 60;

export function graphFigure(data: GraphFigureData, look: Look): Figure {
  const { name, answer, graph, part, from, to } = data;
  const colours = FIGURE_COLOURS[look.theme];
  const shown = [
    ...(look.title === undefined ? [] : [name]),
    'callers to the left, what they call to the right',
    recordSpan(from, to),
  ];
  const notes = notesOf(data);
  if (!part) {
    const body = text('no calls are known here', {
      x: SHEET_WIDTH / 2,
      y: EMPTY / 2,
      'text-anchor': 'middle',
      'font-size': 13,
      fill: colours.text2,
    });
    const description = `Call graph of ${name}, ${recordSpan(from, to)}: no calls are known here.`;
    return onSheet({
      look,
      title: `Call graph of ${name}`,
      shown,
      notes,
      description,
      width: SHEET_WIDTH,
      height: EMPTY,
      body,
    });
  }
  const whole = wholeOf(answer.functions);
  const drawing = laidOut(part, graph, whole);
  const width = Math.max(SHEET_WIDTH, Math.ceil(drawing.width) + 2 * INSET);
  const legend = swatches(meanings(part, whole, graph, colours), width - 2 * SHEET_MARGIN, colours);
  const centre = part.nodes.find(({ isCentre }) => isCentre);
  const around = graph.functions[centre?.functions[0] ?? 0]?.name ?? '';
  const top = legend.height + 4;
  const body = [
    element('g', { transform: `translate(${SHEET_MARGIN} 4)` }, legend.svg),
    element(
      'g',
      { transform: `translate(${Math.round((width - drawing.width) / 2)} ${top})` },
      ...drawing.lines.toReversed().map((line) => lineSvg(line, graph, colours)),
      ...drawing.boxes.map((box) => boxSvg(box, colours)),
      ...drawing.lines.slice(0, MOST_LABELS).map((line) => labelSvg(line, graph, colours)),
    ),
  ].join('\n');
  return onSheet({
    look,
    title: `Calls around ${fittedEnds(around, TITLE_ROOM, 17, 'bold')} in ${name}`,
    shown,
    notes,
    description: describe(data, part, whole, around),
    width,
    height: top + Math.ceil(drawing.height),
    body,
  });
}

/** Margin around the drawing, in addition to the margins of the layout. */
const INSET = 4;

function laidOut(part: Part, graph: CallGraphIndex, whole: number): Drawing {
  const measure = (its: string): number => widthOf(its, NAME, 'mono');
  const widths = part.nodes.map((node) => boxWidth(node, graph, whole, measure));
  const arranged = arrange({
    nodes: widths.map((width) => ({ width, height: BOX_HEIGHT })),
    links: part.links.map(({ from, to, count }) => ({ from, to, weight: 1 + Math.round(Math.log2(count)) })),
  });
  return drawingOf(part, graph, whole, widths, arranged);
}

function lineSvg({ link, path, width, head }: Line, graph: CallGraphIndex, colours: FigureColours): string {
  const isHandled = link.edges.every((edge) => ['interrupt', 'exception'].includes(graph.edges[edge]?.kind ?? ''));
  const colour = isHandled ? colours.hues.control : colours.text3;
  const dashes = link.inferred === 'all' ? '5 4' : link.inferred === 'some' ? '14 4' : undefined;
  return [
    element('path', {
      d: path,
      fill: 'none',
      stroke: colour,
      'stroke-opacity': 0.75,
      'stroke-width': width,
      'stroke-dasharray': dashes,
    }),
    element('polygon', { points: head, fill: colour }),
  ].join('');
}

function boxSvg(box: Box, colours: FigureColours): string {
  const { node, left, top, width, height } = box;
  const place = { x: left, y: top, width, height, rx: 6 };
  const bar = { x: left + 8, y: top + height - 5, height: 3, rx: 1.5 };
  const raised = node.isCentre ? colours.accentSoft : colours.raised;
  return element(
    'g',
    {},
    node.functions.length > 1
      ? element('rect', { ...place, x: left + 4, y: top + 4, fill: colours.raised, stroke: colours.lineStrong })
      : '',
    element('rect', {
      ...place,
      fill: raised,
      stroke: node.isCentre ? colours.accent : colours.lineStrong,
      'stroke-width': node.isCentre ? 2 : 1,
    }),
    box.total > 0
      ? element('rect', { ...bar, width: (width - 16) * box.total, fill: mixed(raised, colours.hues.fetch, TOTAL) })
      : '',
    box.self > 0 ? element('rect', { ...bar, width: (width - 16) * box.self, fill: colours.hues.fetch }) : '',
    text(box.title, {
      x: left + 10,
      y: top + 16,
      'font-family': MONO,
      'font-size': NAME,
      'font-weight': node.isCentre ? 'bold' : undefined,
      fill: colours.text,
    }),
    text(box.words, { x: left + 10, y: top + 29, 'font-size': WORDS - 0.5, fill: colours.text2 }),
    more(node.moreCallers, { x: left + 3, y: top - 3 }, colours),
    more(node.moreCallees, { x: left + width - 3, y: top - 3, 'text-anchor': 'end' }, colours),
  );
}

const TOTAL = 0.45;

/** Number of callers or callees that are not shown. */
function more(count: number, place: Parameters<typeof text>[1], colours: FigureColours): string {
  return count === 0 ? '' : haloed(`+${count}`, { ...place, fill: colours.text3 }, colours);
}

const SIGNS: Readonly<Record<string, string>> = { 'tail call': ' tail', interrupt: ' irq', exception: ' exc' };

function labelSvg({ link, label, middle }: Line, graph: CallGraphIndex, colours: FigureColours): string {
  const place = { x: middle.x, y: middle.y + 3, 'text-anchor': 'middle', fill: colours.text2 };
  return haloed(`${label}${signOf(link, graph)}`, place, colours);
}

/** Common kind of all calls of a line, if they are not plain calls. */
function signOf({ edges }: PartLink, graph: CallGraphIndex): string {
  const [sign = '', ...others] = new Set(edges.map((edge) => SIGNS[graph.edges[edge]?.kind ?? ''] ?? ''));
  return others.length > 0 ? '' : sign;
}

/** Text on a line with an outline in the ground colour. Two elements, because not every renderer paints strokes before fills. */
function haloed(words: string, place: Parameters<typeof text>[1], colours: FigureColours): string {
  const both = { ...place, 'font-size': SMALL };
  const halo = { stroke: colours.ground, 'stroke-width': 6, 'stroke-linejoin': 'round', 'aria-hidden': 'true' };
  return text(words, { ...both, ...halo }) + text(words, both);
}

function meanings(part: Part, whole: number, graph: CallGraphIndex, colours: FigureColours): readonly Swatch[] {
  const isHandled = part.links.some(({ edges }) =>
    edges.every((edge) => ['interrupt', 'exception'].includes(graph.edges[edge]?.kind ?? '')),
  );
  const isInferred = part.links.some(({ inferred }) => inferred !== 'none');
  const all: readonly (Swatch | false)[] = [
    whole > 0 && { label: 'Self', detail: '', fill: colours.hues.fetch, shape: 'square' },
    whole > 0 && {
      label: 'With all it called',
      detail: '',
      fill: mixed(colours.raised, colours.hues.fetch, TOTAL),
      shape: 'square',
    },
    part.links.length > 0 && { label: 'Calls, wider for more', detail: '', fill: colours.text3, shape: 'line' },
    isInferred && { label: 'Concluded, not seen', detail: '', fill: colours.text3, shape: 'dashes' },
    isHandled && { label: 'Interrupt or exception', detail: '', fill: colours.hues.control, shape: 'line' },
  ];
  return all.filter((one) => one !== false);
}

function notesOf({ answer, part }: GraphFigureData): readonly string[] {
  const shown = part?.nodes.reduce((sum, { functions }) => sum + functions.length, 0) ?? 0;
  const beyond = (part?.beyond ?? 0) > 0 ? `, ${group(part?.beyond ?? 0)} more next to them` : '';
  const undrawn = (part?.undrawn ?? 0) > 0 ? `; ${group(part?.undrawn ?? 0)} rare lines are not drawn` : '';
  const parts = `${group(shown)} of ${group(answer.functions.length)} functions are shown${beyond}${undrawn}.`;
  const circles = part?.nodes.some(({ inner }) => inner > 0) ? ' ↻: calls of itself, or within the circle.' : '';
  const hidden = part?.nodes.some(({ moreCallers, moreCallees }) => moreCallers + moreCallees > 0)
    ? ' +1: so many callers or callees are not shown.'
    : '';
  return [
    ...(part ? [`${parts} Known from ${answer.evidence}; shares are of ${answer.unit}.${circles}${hidden}`] : []),
    ...answer.notes,
    ...(answer.reach.complete
      ? []
      : [`The trace is indexed up to record ${group(answer.reach.records)}; later records are not in this figure.`]),
  ];
}

function describe(
  { name, graph, answer, from, to }: GraphFigureData,
  part: Part,
  whole: number,
  around: string,
): string {
  const nameOf = (node: number): string =>
    part.nodes[node]!.functions.map((place) => graph.functions[place]?.name ?? '').join(', ');
  const shares = part.nodes.slice(0, MOST_TOLD).map(({ functions }, node) => {
    const total = functions.reduce((most, place) => Math.max(most, graph.functions[place]?.total ?? 0), 0);
    return whole > 0 ? `${nameOf(node)} ${percent(total / whole)}` : nameOf(node);
  });
  const calls = part.links
    .slice(0, MOST_TOLD)
    .map(({ from: caller, to: callee, count }) => `${nameOf(caller)} calls ${nameOf(callee)} ${group(count)} times`);
  const took = whole > 0 ? `Shares of ${answer.unit}, with all that was called: ${shares.join('; ')}. ` : '';
  const strongest =
    calls.length === 0 ? 'No calls between them are known.' : `Most frequent calls: ${calls.join('; ')}.`;
  return `Calls around ${around} in ${name}, ${recordSpan(from, to)}. ${took}${strongest}`;
}

const MOST_TOLD = 12;
