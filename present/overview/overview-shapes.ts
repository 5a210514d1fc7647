/** The strip of a trace as shapes, for its figure and for the page: the share of each kind in each column, and marks in a lane above. */
import type { Overview } from '../../shared/requests/requests.ts';
import type { Kind } from '../../shared/records/record.ts';
import { interrupts, KIND_LOOKS, stacked } from '../base/kinds.ts';
import type { ChartColours } from '../base/theme.ts';
import type { Shape } from '../svg/shape.ts';
import { fixed } from '../svg/svg.ts';

export interface OverviewShapes {
  /** One path per kind, in the order in which they are stacked. */
  readonly areas: readonly Shape[];
  /** Marks of columns with interrupts or exceptions, and with bad input; empty without any. */
  readonly interrupts: readonly Shape[];
  readonly bad: readonly Shape[];
}

export interface OverviewPlot {
  /** Records from the left edge to the right edge. */
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly lane: { readonly top: number; readonly height: number };
  /** True if columns start and end at whole pixels, for renderers that would blur their edges. */
  readonly snaps: boolean;
}

/** Returns the kinds that occur, with their counts. */
export function totalsOf({ kinds, counts }: Overview): ReadonlyMap<Kind, number> {
  const sums = new Float64Array(kinds.length);
  for (let at = 0; at < counts.length; at += 1) sums[at % kinds.length]! += counts[at]!;
  return new Map(kinds.flatMap((kind, at) => (sums[at]! > 0 ? [[kind, sums[at]!] as const] : [])));
}

/** Returns the columns with interrupts or exceptions, and those with bad input. */
export function markedColumns({ columns, kinds, counts, bad }: Overview): {
  readonly interrupts: readonly number[];
  readonly bad: readonly number[];
} {
  const marked = kinds.flatMap((kind, at) => (interrupts(kind) ? [at] : []));
  const all = Array.from({ length: columns }, (_, column) => column);
  return {
    interrupts: all.filter((column) => marked.some((at) => counts[column * kinds.length + at]! > 0)),
    bad: all.filter((column) => bad[column]! > 0),
  };
}

export function overviewShapes(overview: Overview, plot: OverviewPlot, colours: ChartColours): OverviewShapes {
  const marked = markedColumns(overview);
  const { top, height } = plot.lane;
  const mark = (columns: readonly number[], fill: string, d: (x: number) => string): readonly Shape[] => {
    const path = columns.map((column) => d(middleOf(overview, plot, column))).join('');
    return path === '' ? [] : [{ name: 'path', attributes: { fill, d: path } }];
  };
  return {
    areas: areasOf(overview, plot, colours),
    interrupts: mark(marked.interrupts, colours.hues.control, (x) => `M${fixed(x - 1)} ${top}h2v${height}h-2z`),
    bad: mark(marked.bad, colours.bad, (x) => `M${fixed(x - 4)} ${top}h8l-4 ${height}z`),
  };
}

/** Boxes of each kind, column by column, stacked on those of the previous kinds. */
function areasOf(overview: Overview, plot: OverviewPlot, colours: ChartColours): readonly Shape[] {
  const { columns, edges, kinds, counts } = overview;
  const order = stacked([...totalsOf(overview).keys()]);
  const places = order.map((kind) => kinds.indexOf(kind));
  const paths = order.map((): string[] => []);
  const bottom = plot.top + plot.height;
  for (let column = 0; column < columns; column += 1) {
    const base = column * kinds.length;
    let total = 0;
    for (const place of places) total += counts[base + place]!;
    const [left, right] = spanOf(plot, edges[column]!, edges[column + 1]!);
    let below = 0;
    for (const [at, place] of places.entries()) {
      const count = counts[base + place]!;
      if (count === 0) continue;
      const high = bottom - ((below + count) / total) * plot.height;
      const low = bottom - (below / total) * plot.height;
      paths[at]!.push(`M${fixed(left)} ${fixed(high)}H${fixed(right)}V${fixed(low)}H${fixed(left)}z`);
      below += count;
    }
  }
  return order.map((kind, at) => ({
    name: 'path',
    attributes: { fill: colours.hues[KIND_LOOKS[kind].hue], 'shape-rendering': 'crispEdges', d: paths[at]!.join('') },
  }));
}

function spanOf(plot: OverviewPlot, from: number, to: number): readonly [left: number, right: number] {
  const left = acrossOf(plot, from);
  const right = acrossOf(plot, to);
  if (!plot.snaps) return [left, right];
  return [Math.round(left), Math.max(Math.round(left) + 1, Math.round(right))];
}

function middleOf({ edges }: Overview, plot: OverviewPlot, column: number): number {
  const middle = (acrossOf(plot, edges[column]!) + acrossOf(plot, edges[column + 1]!)) / 2;
  return plot.snaps ? Math.round(middle) : middle;
}

function acrossOf({ from, to, left, width }: OverviewPlot, n: number): number {
  return left + ((n - from) / Math.max(1, to - from)) * width;
}
