/**
 * A trace as one strip, as a figure: the share of each kind of record over time, with marks above it for interrupts and for
 * bad input.
 */
import { figureName } from '../text/part-names.ts';
import type { Overview } from '../../shared/requests/requests.ts';
import type { Kind } from '../../shared/records/record.ts';
import { KIND_LOOKS, kindWords, stacked } from '../base/kinds.ts';
import { counted, group, recordSpan } from '../../shared/base/numbers.ts';
import { markedColumns, overviewShapes, totalsOf } from './overview-shapes.ts';
import { percent } from '../base/percent.ts';
import type { Figure } from '../svg/figure.ts';
import type { Look } from '../svg/look.ts';
import { recordAxis, RECORD_AXIS_HEIGHT } from '../svg/record-axis.ts';
import { drawn } from '../svg/shape.ts';
import { onSheet, SHEET_MARGIN, SHEET_WIDTH, text } from '../svg/sheet.ts';
import { element, fixed } from '../svg/svg.ts';
import { swatches, type Swatch } from '../svg/swatches.ts';
import { CHART_COLOURS, type ChartColours } from '../base/theme.ts';

export interface OverviewFigureData {
  /** Name of the trace. */
  readonly name: string;
  readonly overview: Overview;
}

const STRIP = 150;
/** Height of the lane for marks above the strip. */
const LANE = 14;
const LEFT = SHEET_MARGIN + 42;
const WIDTH = SHEET_WIDTH - SHEET_MARGIN - LEFT;
const SHARES = [0, 0.25, 0.5, 0.75, 1];

export function overviewFigure({ name, overview }: OverviewFigureData, look: Look): Figure {
  const colours = CHART_COLOURS[look.theme];
  const totals = totalsOf(overview);
  const kinds = stacked([...totals.keys()]);
  const all = [...totals.values()].reduce((sum, count) => sum + count, 0);
  const marks = markedColumns(overview);
  const legend = swatches(
    [
      ...kinds.map((kind): Swatch => ({
        label: KIND_LOOKS[kind].label,
        detail: percent((totals.get(kind) ?? 0) / Math.max(1, all)),
        fill: colours.hues[KIND_LOOKS[kind].hue],
        shape: 'square',
      })),
      ...(marks.interrupts.length > 0
        ? [{ label: 'Interrupt or exception', detail: '', fill: colours.hues.control, shape: 'bar' } as const]
        : []),
      ...(marks.bad.length > 0
        ? [{ label: 'Problems', detail: '', fill: colours.bad, shape: 'triangle' } as const]
        : []),
    ],
    SHEET_WIDTH - LEFT - SHEET_MARGIN,
    colours,
  );
  const top = legend.height + 6 + LANE;
  const bottom = top + STRIP;
  const { from, to } = overview;
  const lane = { top: top - LANE + 2, height: LANE - 4 };
  const plot = { from, to, left: LEFT, top, width: WIDTH, height: STRIP, lane, snaps: false };
  const shapes = overviewShapes(overview, plot, colours);
  const body = [
    element('g', { transform: `translate(${LEFT} 4)` }, legend.svg),
    element('rect', { x: LEFT, y: top, width: WIDTH, height: STRIP, fill: colours.chart }),
    ...shapes.areas.map((area) => drawn([area])),
    element('rect', {
      x: LEFT - 0.5,
      y: top - 0.5,
      width: WIDTH + 1,
      height: STRIP + 1,
      fill: 'none',
      stroke: colours.lineStrong,
    }),
    drawn(shapes.interrupts),
    drawn(shapes.bad),
    shareAxis(top, colours),
    recordAxis(overview, { left: LEFT, width: WIDTH, bottom }, colours),
  ].join('\n');
  return onSheet({
    look,
    title: `${figureName({ figure: 'overview' })} of ${name}`,
    shown: [
      ...(look.title === undefined ? [] : [name]),
      'shares of kinds over the trace',
      recordSpan(overview.from, overview.to),
    ],
    notes: notesOf(overview),
    description: describe(name, overview, totals, all),
    width: SHEET_WIDTH,
    height: bottom + RECORD_AXIS_HEIGHT,
    body,
  });
}

function shareAxis(top: number, colours: ChartColours): string {
  const y = (share: number): number => top + STRIP - share * STRIP;
  return [
    element('path', {
      d: SHARES.map((share) => `M${LEFT - 5} ${fixed(y(share))}h5`).join(''),
      stroke: colours.lineStrong,
      fill: 'none',
    }),
    ...SHARES.map((share) =>
      text(`${100 * share} %`, { x: LEFT - 9, y: y(share) + 4, 'text-anchor': 'end', fill: colours.text2 }),
    ),
  ].join('');
}

function notesOf({ columns, from, to, reach }: Overview): readonly string[] {
  if (columns === 0) return [];
  const each = (to - from) / columns;
  const about = Number.isInteger(each) ? '' : 'about ';
  const column = `A column is ${about}${group(Math.max(1, Math.round(each)))} ${each <= 1 ? 'record' : 'records'} wide.`;
  return [
    column,
    ...(reach.complete
      ? []
      : [`The trace is indexed up to record ${group(reach.records)}; later records are not in this figure.`]),
  ];
}

function describe(name: string, overview: Overview, totals: ReadonlyMap<Kind, number>, all: number): string {
  const { from, to, bad } = overview;
  if (all === 0) return `Overview of ${name}: there are no records here.`;
  const shares = [...totals]
    .sort((a, b) => b[1] - a[1])
    .map(([kind, count]) => `${kindWords(kind)} ${percent(count / all)} (${group(count)})`);
  const wrong = bad.reduce((sum, count) => sum + count, 0);
  const unexpected = wrong === 0 ? '' : ` ${counted(wrong, 'problem')}.`;
  return `Overview of ${name}, ${recordSpan(from, to)}, ${group(all)} in all: ${shares.join(', ')}.${unexpected}`;
}
