/** What charts show now, as wishes for figures of the same. */
import { foldedAxis, trueAxis, visiblePieces, type Span } from '../../present/base/axis.ts';
import type { FigureWish } from '../../shared/report/report.ts';
import { toHex } from '../../shared/base/units.ts';
import type { Trace } from './trace.svelte.ts';

/** Whole records of the range; nothing where the charts show all. */
export function shownRange({ cursor }: Trace): { readonly from?: number; readonly to?: number } {
  const { range } = cursor;
  return range ? { from: Math.max(0, Math.floor(range.from)), to: Math.max(1, Math.ceil(range.to)) } : {};
}

/** `bands`: what the heatmap's axis is made of; needed where it does not show all of it. */
export function shownFigure(trace: Trace, figure: FigureWish['figure'], bands: readonly Span[]): FigureWish {
  const range = shownRange(trace);
  switch (figure) {
    case 'overview':
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

/** Nothing where all addresses are shown. */
function shownAddresses(
  { view }: Trace,
  bands: readonly Span[],
): Pick<FigureWish & { figure: 'heat' }, 'low' | 'high'> {
  const { bottom, top } = view.stretch;
  if (bottom === 0 && top === 1) return {};
  const pieces = visiblePieces(view.folded ? foldedAxis(bands) : trueAxis(bands), bottom, top);
  const [low, high] = [pieces[0]?.low, pieces.at(-1)?.high];
  return low === undefined || high === undefined ? {} : { low: toHex(low), high: toHex(high) };
}
