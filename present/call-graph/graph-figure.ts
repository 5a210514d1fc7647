/** The functions around a centre as a figure: callers to the left, callees to the right, line width by number of calls. */
import { figureName } from '../text/part-names.ts';
import type { CallGraph } from '../../shared/requests/flow.ts';
import type { CallGraphIndex } from './call-graph.ts';
import type { Part } from './call-part.ts';
import { drawingOf, layoutRequest, partText, wholeOf, type Drawing } from './call-shapes.ts';
import { graphShapes, isHandled, MOST_LABELS, NAME, totalFill } from './graph-shapes.ts';
import { arrange } from './arrange.ts';
import { group, recordSpan } from '../../shared/base/numbers.ts';
import { percent } from '../base/percent.ts';
import type { Figure } from '../svg/figure.ts';
import type { Look } from '../svg/look.ts';
import { fittedEnds, widthOf } from '../svg/measure.ts';
import { drawn } from '../svg/shape.ts';
import { onSheet, SHEET_MARGIN, SHEET_WIDTH, text } from '../svg/sheet.ts';
import { element } from '../svg/svg.ts';
import { swatches, type Swatch } from '../svg/swatches.ts';
import { CHART_COLOURS, type ChartColours } from '../base/theme.ts';

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

/** Width of the longest function name in the title, in pixels. */
const TITLE_ROOM = 375;
const EMPTY = 160;

export function graphFigure(data: GraphFigureData, look: Look): Figure {
  const { name, answer, graph, part, from, to } = data;
  const colours = CHART_COLOURS[look.theme];
  const shown = [
    ...(look.title === undefined ? [] : [name]),
    'callers to the left, callees to the right',
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
      title: `${figureName({ figure: 'graph' })} of ${name}`,
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
  const shapes = graphShapes(drawing, graph, colours);
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
      ...shapes.lines.toReversed().map(drawn),
      // Each box is a group, so that an editor of the figure moves it as one.
      ...shapes.boxes.map((box) => element('g', {}, drawn(box))),
      ...shapes.labels.slice(0, MOST_LABELS).map(drawn),
    ),
  ].join('\n');
  return onSheet({
    look,
    title: `${figureName({ figure: 'graph' })} around ${fittedEnds(around, TITLE_ROOM, 17, 'bold')} in ${name}`,
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
  const wanted = layoutRequest(part, graph, whole, (its) => widthOf(its, NAME, 'mono'));
  const widths = wanted.nodes.map(({ width }) => width);
  return drawingOf(part, graph, whole, widths, arrange(wanted));
}

function meanings(part: Part, whole: number, graph: CallGraphIndex, colours: ChartColours): readonly Swatch[] {
  const hasHandlers = part.links.some((link) => isHandled(link, graph));
  const isInferred = part.links.some(({ inferred }) => inferred !== 'none');
  const all: readonly (Swatch | false)[] = [
    whole > 0 && { label: 'Self', detail: '', fill: colours.hues.fetch, shape: 'square' },
    whole > 0 && {
      label: 'Total',
      detail: '',
      fill: totalFill(colours.raised, colours),
      shape: 'square',
    },
    part.links.length > 0 && { label: 'Calls, wider for more', detail: '', fill: colours.text3, shape: 'line' },
    isInferred && { label: 'Inferred', detail: '', fill: colours.text3, shape: 'dashes' },
    hasHandlers && { label: 'Interrupt or exception', detail: '', fill: colours.hues.control, shape: 'line' },
  ];
  return all.filter((one) => one !== false);
}

function notesOf({ answer, part }: GraphFigureData): readonly string[] {
  const cycles = part?.nodes.some(({ inner }) => inner > 0) ? ' ↻: calls of itself, or within the cycle.' : '';
  const hidden = part?.nodes.some(({ moreCallers, moreCallees }) => moreCallers + moreCallees > 0)
    ? ' +1: number of callers or callees that are not shown.'
    : '';
  return [
    ...(part
      ? [
          `${partText(part, answer.functions.length)} Known from ${answer.evidence}; shares are of ${answer.unit}.${cycles}${hidden}`,
        ]
      : []),
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
    .map(
      ({ from: caller, to: callee, count }) =>
        `${nameOf(caller)} calls ${nameOf(callee)} ${count === 1 ? 'once' : `${group(count)} times`}`,
    );
  const took = whole > 0 ? `Totals in ${answer.unit}: ${shares.join('; ')}. ` : '';
  const strongest =
    calls.length === 0 ? 'No calls between them are known.' : `Most frequent calls: ${calls.join('; ')}.`;
  return `${figureName({ figure: 'graph' })} around ${around} in ${name}, ${recordSpan(from, to)}. ${took}${strongest}`;
}

const MOST_TOLD = 12;
