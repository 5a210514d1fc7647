/** Descriptions of the figures that the charts show now, for exports and reports. */
import { visiblePieces, type Span } from '../../present/base/axis.ts';
import type { FigureRequest } from '../../shared/report/plan.ts';
import { CALL_TRACKS, trackOf } from '../../shared/report/time-tracks.ts';
import { toHex } from '../../shared/base/units.ts';
import { shownAxis } from './address-axis.ts';
import type { Calls } from './flow/calls.svelte.ts';
import type { TraceBase } from './trace-base.ts';
import type { Watches } from './watches/watches.svelte.ts';

type ChartedTrace = TraceBase & {
  readonly calls: Pick<Calls, 'centre' | 'timeline'>;
  readonly watches: Pick<Watches, 'endian'>;
};

/** Returns the range of the charts in whole records; empty if the charts show all records. */
export function shownRange({ cursor }: Pick<TraceBase, 'cursor'>): { readonly from?: number; readonly to?: number } {
  const { range } = cursor;
  return range ? { from: Math.max(0, Math.floor(range.from)), to: Math.max(1, Math.ceil(range.to)) } : {};
}

/** @param bands bands of the heatmap's address axis, needed if the heatmap shows only a part of it */
export function shownFigure(
  trace: ChartedTrace,
  figure: FigureRequest['figure'],
  bands: readonly Span[],
): FigureRequest {
  const range = shownRange(trace);
  switch (figure) {
    case 'overview':
      return { figure, ...range, ...shownTracks(trace) };
    case 'flame':
      return { figure, ...range };
    case 'graph': {
      const { centre } = trace.calls;
      return { figure, ...range, ...(centre === null ? {} : { centre }) };
    }
    case 'heat': {
      const { folded, kinds } = trace.view;
      return {
        figure,
        folded,
        ...range,
        ...shownAddresses(trace, bands),
        ...(kinds && kinds.length > 0 ? { kinds } : {}),
      };
    }
  }
}

/** Returns the tracks below the overview as the page reads them; empty if it shows none. */
export function shownTracks({
  view,
  calls,
  watches,
}: ChartedTrace): Pick<FigureRequest & { figure: 'overview' }, 'tracks' | 'cpu' | 'bigEndian'> {
  const tracks = view.tracks.flatMap((id) => trackOf(id) ?? []);
  const { cpu, cpus = [] } = calls.timeline.value ?? {};
  const isOfCpu = cpus.length > 1 && tracks.some(({ kind }) => CALL_TRACKS.includes(kind));
  const isBig = watches.endian === 'big' && tracks.some(({ kind }) => kind === 'memory');
  return {
    ...(tracks.length > 0 && { tracks: tracks.map(({ id }) => id) }),
    ...(isOfCpu && cpu !== undefined && { cpu }),
    ...(isBig && { bigEndian: true }),
  };
}

/** Returns the shown addresses; empty if all are shown. */
function shownAddresses(
  { view }: TraceBase,
  bands: readonly Span[],
): Pick<FigureRequest & { figure: 'heat' }, 'low' | 'high'> {
  const { bottom, top } = view.stretch;
  if (bottom === 0 && top === 1) return {};
  const pieces = visiblePieces(shownAxis(view, bands), bottom, top);
  const [low, high] = [pieces[0]?.low, pieces.at(-1)?.high];
  return low === undefined || high === undefined ? {} : { low: toHex(low), high: toHex(high) };
}
