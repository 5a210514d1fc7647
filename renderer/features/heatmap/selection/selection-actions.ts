/** Actions with the heatmap's selection in other panes: searches, a note, a part of a report. */
import type { Kind } from '../../../../shared/records/record.ts';
import type { ReportPart } from '../../../../shared/report/plan.ts';
import { toHex } from '../../../../shared/base/units.ts';
import type { App } from '../../../workbench/app.ts';
import { EMPTY_FORM } from '../../../trace/search/criteria.ts';
import type { Trace } from '../../../trace/trace.svelte.ts';
import type { Selection } from '../../../trace/view.svelte.ts';

/**
 * Lists the records of the selection in the search pane. The charts then show its records, because a search is within their range.
 * @param kind lists only records of this kind
 */
export function listRecords(app: App, trace: Trace, selection: Selection, kind?: Kind): void {
  searchInside(app, trace, selection, kind);
  trace.search.list();
}

/** Fills in the addresses and the range of the selection, so that a person adds what to search for. */
export function searchInside(
  app: App,
  { search, view, say }: Trace,
  { from, to, low, high }: Selection,
  kind?: Kind,
): void {
  const kinds = kind ? [kind] : view.kinds;
  view.showRecords(from, to);
  search.form = {
    ...EMPTY_FORM,
    address: `${toHex(low)}-${toHex(high - 1n)}`,
    kind: kinds?.length === 1 ? (kinds[0] ?? '') : '',
    inRange: true,
  };
  app.run('search');
  if (kinds && kinds.length > 1)
    say('The search is for records of every kind, because it can be for one kind or for all.');
}

export function writeNote(app: App, { from, to, low, high }: Selection): void {
  app.run('note', {
    name: 'Selection',
    range: { from, to },
    address: { low, bytes: Number(high - low) },
  });
}

/** Returns the heatmap of the selection alone. */
export function selectionPart({ view }: Trace, { from, to, low, high }: Selection): ReportPart {
  const { folded, kinds } = view;
  const figure = { figure: 'heat', folded, from, to, low: toHex(low), high: toHex(high) } as const;
  return { kind: 'figure', figure: { ...figure, ...(kinds && kinds.length > 0 ? { kinds } : {}) } };
}
