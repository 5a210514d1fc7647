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
import type { TimeTrack } from '../../shared/report/time-tracks.ts';
import {
  TRACK_HEIGHTS,
  TRACK_TEXT,
  trackDirections,
  trackScale,
  trackShapes,
  type TrackData,
  type TrackPlot,
} from './track-shapes.ts';
import { phaseName } from './track-words.ts';
import { fitted } from '../svg/measure.ts';
import { percent } from '../base/percent.ts';
import type { Figure } from '../svg/figure.ts';
import type { Look } from '../svg/look.ts';
import { recordAxis, RECORD_AXIS_HEIGHT } from '../svg/record-axis.ts';
import { drawn } from '../svg/shape.ts';
import { MONO, onSheet, SHEET_MARGIN, SHEET_WIDTH, text } from '../svg/sheet.ts';
import { element, fixed } from '../svg/svg.ts';
import { swatches, type Swatch } from '../svg/swatches.ts';
import { CHART_COLOURS, type ChartColours } from '../base/theme.ts';

export interface OverviewFigureData {
  /** Name of the trace. */
  readonly name: string;
  readonly overview: Overview;
  readonly tracks?: readonly FigureTrack[];
}

/** A track below the strip. `missing`: sentence instead of a chart, or empty. */
export interface FigureTrack {
  readonly title: string;
  readonly kind: TimeTrack['kind'];
  readonly data: TrackData;
  readonly missing: string;
}

const STRIP = 150;
/** Height of the lane for marks above the strip. */
const LANE = 14;
const LEFT = SHEET_MARGIN + 42;
/** Left edge of the charts beside names of tracks. */
const NAMED_LEFT = SHEET_MARGIN + 150;
/** Distance between tracks, least height of one with a scale, and font sizes of names and scales. */
const TRACK_GAP = 5;
const SCALED_HEIGHT = 28;
const NAME = 11;
const SCALE = 9.5;
const SHARES = [0, 0.25, 0.5, 0.75, 1];

export function overviewFigure({ name, overview, tracks = [] }: OverviewFigureData, look: Look): Figure {
  const colours = CHART_COLOURS[look.theme];
  const left = tracks.length > 0 ? NAMED_LEFT : LEFT;
  const width = SHEET_WIDTH - SHEET_MARGIN - left;
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
    width,
    colours,
  );
  const top = legend.height + 6 + LANE;
  const bottom = top + STRIP;
  const { from, to } = overview;
  const lane = { top: top - LANE + 2, height: LANE - 4 };
  const plot = { from, to, left, top, width, height: STRIP, lane, snaps: false };
  let end = bottom;
  const placed = tracks.map((track) => {
    const height = trackScale(track.data) === '' ? TRACK_HEIGHTS[track.kind] : SCALED_HEIGHT;
    const at = end + TRACK_GAP;
    end = at + height;
    return { track, top: at, height };
  });
  const shapes = overviewShapes(overview, plot, colours);
  const body = [
    element('g', { transform: `translate(${left} 4)` }, legend.svg),
    element('rect', { x: left, y: top, width, height: STRIP, fill: colours.chart }),
    ...shapes.areas.map((area) => drawn([area])),
    element('rect', {
      x: left - 0.5,
      y: top - 0.5,
      width: width + 1,
      height: STRIP + 1,
      fill: 'none',
      stroke: colours.lineStrong,
    }),
    drawn(shapes.interrupts),
    drawn(shapes.bad),
    shareAxis(top, left, colours),
    ...placed.map(({ track, top: at, height }) => trackSvg(track, { ...plot, top: at, height }, colours)),
    recordAxis(overview, { left, width, bottom: end }, colours),
  ].join('\n');
  return onSheet({
    look,
    title: `${figureName({ figure: 'overview' })} of ${name}`,
    shown: [
      ...(look.title === undefined ? [] : [name]),
      'shares of kinds over the trace',
      recordSpan(overview.from, overview.to),
    ],
    notes: [
      ...notesOf(overview),
      ...tracks.flatMap(({ title, data, missing }) =>
        missing === '' && trackDirections(data) !== '' ? [`${title}: ${trackDirections(data)}.`] : [],
      ),
    ],
    description: [describe(name, overview, totals, all), ...tracks.map(describeTrack)].join(' '),
    width: SHEET_WIDTH,
    height: end + RECORD_AXIS_HEIGHT,
    body,
  });
}

function shareAxis(top: number, left: number, colours: ChartColours): string {
  const y = (share: number): number => top + STRIP - share * STRIP;
  return [
    element('path', {
      d: SHARES.map((share) => `M${left - 5} ${fixed(y(share))}h5`).join(''),
      stroke: colours.lineStrong,
      fill: 'none',
    }),
    ...SHARES.map((share) =>
      text(`${100 * share} %`, { x: left - 9, y: y(share) + 4, 'text-anchor': 'end', fill: colours.text2 }),
    ),
  ].join('');
}

/** Draws a track with its name and the meaning of its height at the left. */
function trackSvg({ title, data, missing }: FigureTrack, plot: TrackPlot, colours: ChartColours): string {
  const { left, top, width, height } = plot;
  const scale = missing === '' ? trackScale(data) : '';
  const room = left - SHEET_MARGIN - 12;
  const middle = top + height / 2;
  const beside = { x: left - 9, 'text-anchor': 'end' } as const;
  return [
    element('rect', { x: left, y: top, width, height, fill: colours.chart }),
    text(fitted(title, room, NAME, 'sans'), {
      ...beside,
      y: scale === '' ? middle + 4 : middle - 2,
      'font-size': NAME,
      fill: colours.text2,
    }),
    scale === ''
      ? ''
      : text(fitted(scale, room, SCALE, 'sans'), {
          ...beside,
          y: middle + 10,
          'font-size': SCALE,
          fill: colours.text3,
        }),
    missing === ''
      ? element('g', { 'font-family': MONO, 'font-size': TRACK_TEXT }, drawn(trackShapes(data, plot, colours)))
      : text(missing, { x: left + 6, y: middle + 4, 'font-size': NAME, fill: colours.text2 }),
  ].join('');
}

/** Largest number of phases that a description lists. */
const MOST_PHASES = 12;

function describeTrack({ title, data, missing }: FigureTrack): string {
  if (missing !== '') return `${title}: ${missing}`;
  if (data.kind !== 'phases') {
    const words = [title, trackDirections(data), trackScale(data)].filter((word) => word !== '');
    return `Track: ${words.join(', ')}.`;
  }
  const { timeline } = data;
  const { phases } = timeline;
  const listed = phases
    .slice(0, MOST_PHASES)
    .map((phase) => `${recordSpan(phase.from, phase.to)} ${phaseName(timeline, phase)}`);
  const left = phases.length > MOST_PHASES ? `; and ${counted(phases.length - MOST_PHASES, 'more phase')}` : '';
  return `${title}: ${listed.join('; ')}${left}.`;
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
