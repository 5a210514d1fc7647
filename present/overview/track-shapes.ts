/** Tracks below an overview as shapes, for its figure and for the page: phases, functions, depths, counts and values on one axis of records. */
import { NO_FLOW_RECORDS, type FunctionTimeline, type Phase } from '../../shared/requests/flow.ts';
import type { Overview, SampledValues } from '../../shared/requests/requests.ts';
import { group } from '../../shared/base/numbers.ts';
import type { TimeTrack } from '../../shared/report/time-tracks.ts';
import type { ChartColours } from '../base/theme.ts';
import { flameFills, PALE } from '../flame/flame-marks.ts';
import { createHues } from '../flame/flame.ts';
import { fitted } from '../svg/measure.ts';
import { label, type Shape } from '../svg/shape.ts';
import { fixed } from '../svg/svg.ts';
import { interruptsOf, phaseName, ratesOf, scaled } from './track-words.ts';

export type TrackData =
  | { readonly kind: 'phases' | 'functions' | 'depth'; readonly timeline: FunctionTimeline }
  | { readonly kind: 'interrupts' | 'accesses'; readonly overview: Overview }
  | { readonly kind: 'values'; readonly values: SampledValues };

export interface TrackPlot {
  /** Records from the left edge to the right edge. */
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** True if boxes start and end at whole pixels, for renderers that would blur their edges. */
  readonly snaps: boolean;
}

/** Heights on the page, in CSS pixels. */
export const TRACK_HEIGHTS: Readonly<Record<TimeTrack['kind'], number>> = {
  phases: 17,
  functions: 14,
  depth: 22,
  interrupts: 12,
  accesses: 22,
  register: 22,
  memory: 22,
};
/** Font size of the names of phases. */
export const TRACK_TEXT = 10.5;
/** Least height of a mark, and thickness of a curve. */
const LEAST = 2;
const CURVE = 1.5;

/** @param isChosen true for a phase that has an outline */
export function trackShapes(
  data: TrackData,
  plot: TrackPlot,
  colours: ChartColours,
  isChosen: (phase: Phase) => boolean = () => false,
): readonly Shape[] {
  const ground = createGround(plot);
  switch (data.kind) {
    case 'phases':
      return phaseShapes(ground, data.timeline, colours, isChosen);
    case 'functions':
      addFunctions(ground, data.timeline, colours);
      break;
    case 'depth':
      addDepths(ground, data.timeline, colours);
      break;
    case 'interrupts':
      addCounts(ground, data.overview, colours);
      break;
    case 'accesses':
      addAccesses(ground, data.overview, colours);
      break;
    case 'values':
      addCurve(ground, data.values, colours);
      break;
  }
  return ground.shapes();
}

/** Sentence instead of a chart without marks; empty if there are marks. `format`: name of the format of the trace. */
export function emptyTrack(data: TrackData, format: string): string {
  switch (data.kind) {
    case 'interrupts': {
      const count = interruptsOf(data.overview);
      const isEmpty = range(data.overview.columns).every((column) => count(column) === 0);
      return isEmpty && data.overview.columns > 0 ? 'No interrupt or exception is recorded.' : '';
    }
    case 'accesses':
      return ratesOf(data.overview).most === 0 ? 'No read or write is recorded.' : '';
    case 'values':
      return scaled(data.values.values).least === undefined ? 'The value is unknown everywhere.' : '';
    default: {
      const { of, notes, functions } = data.timeline;
      if (of === 'addresses' && data.kind === 'phases') return functions.length === 0 ? (notes[0] ?? '') : '';
      if (of === 'addresses')
        return notes.includes(NO_FLOW_RECORDS)
          ? `Unknown. ${NO_FLOW_RECORDS}`
          : `Unknown: the format ${format} does not record program flow.`;
      return notes[0] ?? (functions.length === 0 ? 'No calls are known.' : '');
    }
  }
}

/** Meaning of the height of a track; empty if it has none. */
export function trackScale(data: TrackData): string {
  if (data.kind === 'depth') return `0 to ${group(deepestOf(data.timeline))}`;
  if (data.kind === 'accesses') return `to ${(100 * ratesOf(data.overview).most).toFixed(0)} in 100 records`;
  if (data.kind !== 'values') return '';
  const { least, most } = scaled(data.values.values);
  return least === undefined ? '' : `${least} to ${most ?? ''}`;
}

/** Directions of the bars of a track; empty if all start at the bottom. */
export function trackDirections({ kind }: TrackData): string {
  return kind === 'accesses' ? 'up reads, down writes' : '';
}

interface Ground {
  readonly plot: TrackPlot;
  readonly x: (n: number) => number;
  /** Adds a box that covers the records [from, to), from `y` below the top edge. */
  readonly column: (fill: string, from: number, to: number, y: number, height: number, least?: number) => void;
  readonly box: (fill: string, left: number, top: number, width: number, height: number) => void;
  /** Returns a path for each colour, in the order of their first boxes. */
  readonly shapes: () => readonly Shape[];
}

function createGround(plot: TrackPlot): Ground {
  const paths = new Map<string, string[]>();
  const x = (n: number): number => plot.left + ((n - plot.from) / Math.max(1, plot.to - plot.from)) * plot.width;

  function box(fill: string, left: number, top: number, width: number, height: number): void {
    const path = paths.get(fill) ?? [];
    paths.set(fill, path);
    path.push(`M${fixed(left)} ${fixed(plot.top + top)}h${fixed(width)}v${fixed(height)}h${fixed(-width)}z`);
  }

  return {
    plot,
    x,
    box,
    column(fill, from, to, y, height, least = 1) {
      const [start, end] = plot.snaps ? [Math.round(x(from)), Math.round(x(to))] : [x(from), x(to)];
      box(fill, start, y, Math.max(least, end - start), height);
    },
    shapes: () => [...paths].map(([fill, d]) => ({ name: 'path', attributes: { fill, d: d.join('') } })),
  };
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at);
}

/** Returns the hue of the function that ran longest in a column, or that names a phase. */
function huesOf(timeline: FunctionTimeline): (fn: number) => number {
  const hueOf = createHues(timeline.prominent);
  return (fn) => hueOf(timeline.functions[fn]?.id ?? 'unknown');
}

function phaseShapes(
  ground: Ground,
  timeline: FunctionTimeline,
  colours: ChartColours,
  isChosen: (phase: Phase) => boolean,
): readonly Shape[] {
  const { plot, x, box } = ground;
  const [hueOf, fill] = [huesOf(timeline), flameFills(colours)];
  const names: Shape[] = [];
  for (const phase of timeline.phases) {
    const left = plot.snaps ? Math.round(x(phase.from)) : x(phase.from);
    const right = plot.snaps ? Math.round(x(phase.to)) : x(phase.to);
    const width = Math.max(1, right - left - 1);
    box(fill(hueOf(phase.functions[0]?.function ?? -1)), left, 0, width, plot.height);
    if (width >= 24) {
      const words = fitted(phaseName(timeline, phase), width - 8, TRACK_TEXT, 'mono');
      names.push(...label(words, { x: left + 4, y: plot.top + plot.height / 2 + 3.5, fill: colours.text }));
    }
    if (!isChosen(phase)) continue;
    box(colours.text, left, 0, width, 2);
    box(colours.text, left, plot.height - 2, width, 2);
    box(colours.text, left, 0, Math.min(2, width), plot.height);
    box(colours.text, left + Math.max(0, width - 2), 0, Math.min(2, width), plot.height);
  }
  return [...ground.shapes(), ...names];
}

/** Boxes that hang from the top, as high as the share of the function. */
function addFunctions({ plot, column }: Ground, timeline: FunctionTimeline, colours: ChartColours): void {
  const { edges, top, share } = timeline;
  const hueOf = huesOf(timeline);
  const [fill, pale] = [flameFills(colours, 1.35), flameFills(colours, PALE)];
  for (const at of range(top.length)) {
    const its = share[at] ?? 0;
    if (its <= 0) continue;
    const hue = hueOf(top[at] ?? -1);
    const [from, to] = [edges[at] ?? 0, edges[at + 1] ?? 0];
    column(pale(hue), from, to, 0, plot.height);
    column(fill(hue), from, to, 0, Math.max(LEAST, Math.round(its * plot.height)));
  }
}

function deepestOf({ high }: FunctionTimeline): number {
  return high.reduce((most, its) => (its > most ? its : most), 0);
}

/** A band from the least to the greatest depth of each column. */
function addDepths({ plot, column }: Ground, timeline: FunctionTimeline, colours: ChartColours): void {
  const { edges, low, high } = timeline;
  const deepest = Math.max(1, deepestOf(timeline));
  const y = (value: number): number => (1 - value / deepest) * (plot.height - LEAST);
  for (const at of range(low.length)) {
    const [least, greatest] = [low[at] ?? Number.NaN, high[at] ?? Number.NaN];
    if (Number.isNaN(least) || Number.isNaN(greatest)) continue;
    column(colours.hues.fetch, edges[at] ?? 0, edges[at + 1] ?? 0, y(greatest), y(least) - y(greatest) + LEAST);
  }
}

/** Bars from the bottom, on a logarithmic scale. */
function addCounts({ plot, column }: Ground, overview: Overview, colours: ChartColours): void {
  const count = interruptsOf(overview);
  const columns = range(overview.columns);
  const most = columns.reduce((all, at) => Math.max(all, count(at)), 1);
  for (const at of columns) {
    if (count(at) === 0) continue;
    const high = Math.max(LEAST, Math.round(plot.height * (Math.log1p(count(at)) / Math.log1p(most))));
    const [from, to] = [overview.edges[at] ?? 0, overview.edges[at + 1] ?? 0];
    column(colours.hues.control, from, to, plot.height - high, high, 2);
  }
}

/** Bars from the middle: reads up, writes down. */
function addAccesses({ plot, box, column }: Ground, overview: Overview, colours: ChartColours): void {
  const { reads, writes, most } = ratesOf(overview);
  const middle = Math.round(plot.height / 2);
  const high = (value: number): number => (value <= 0 ? 0 : Math.max(1, Math.round((value / most) * (middle - 1))));
  for (const at of range(overview.columns)) {
    const [from, to] = [overview.edges[at] ?? 0, overview.edges[at + 1] ?? 0];
    const [up, down] = [high(reads(at)), high(writes(at))];
    if (up > 0) column(colours.hues.read, from, to, middle - up, up);
    if (down > 0) column(colours.hues.write, from, to, middle, down);
  }
  box(colours.lineStrong, plot.left, middle, plot.width, 1);
}

/** A curve through known values, which hold until the next column. An unknown value is a gap. */
function addCurve({ plot, x, box }: Ground, { edges, values }: SampledValues, colours: ChartColours): void {
  const { shares } = scaled(values);
  let before = Number.NaN;
  for (const at of range(values.length)) {
    const share = shares[at] ?? Number.NaN;
    const y = (1 - share) * (plot.height - 2 * CURVE) + CURVE / 2;
    const [start, end] = [x(edges[at] ?? 0), x(edges[at + 1] ?? 0)];
    if (!Number.isNaN(y)) {
      box(colours.accent, start, y, end - start, CURVE);
      if (!Number.isNaN(before) && before !== y)
        box(colours.accent, start - CURVE / 2, Math.min(before, y), CURVE, Math.abs(y - before) + CURVE);
    }
    before = y;
  }
}
