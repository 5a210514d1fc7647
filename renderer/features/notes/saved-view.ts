/** A saved view: what is on screen, and the filter of the list of notes, as JSON in the notebook. */
import { NOTE_COLOURS } from '../../../shared/requests/notes.ts';
import { lenient, oneOf, parse, partOfFile } from '../../../shared/requests/schema.ts';
import type { Checked } from '../../../shared/requests/schema.ts';
import type { Layout } from '../../workbench/layout.svelte.ts';
import {
  captureTraceView,
  hasSameReading,
  present,
  showTraceView,
  VIEW_FIELDS,
  words,
} from '../../workbench/trace-view.ts';
import { NO_FILTER, type NoteFilter } from './note-filter.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import { jsonValue } from '../../../shared/base/json-value.ts';

const savedView = partOfFile({
  ...VIEW_FIELDS,
  filter: lenient(partOfFile({ text: words, tag: words, colour: lenient(oneOf(NOTE_COLOURS)) })),
});

type SavedView = Checked<typeof savedView>;

/** The list of notes, whose filter belongs to a view. */
export interface NoteList {
  filter: NoteFilter;
}

export function captureView(trace: Trace, list: NoteList, layout: Layout): string {
  return JSON.stringify({ ...captureTraceView(trace, layout.saved), filter: list.filter });
}

/**
 * Restores a view. Returns `elsewhere` if the trace is read with other format settings than the view: its record numbers would mean
 * other records, so record and range stay. Returns `nothing` if the text is not a view.
 */
export function showView(
  content: string,
  trace: Trace,
  list: NoteList,
  layout: Layout,
): 'all' | 'elsewhere' | 'nothing' {
  const saved = read(content);
  if (!saved) return 'nothing';
  const shown = showTraceView(saved, trace, trace.cursor.jump);
  list.filter = { ...NO_FILTER, ...present(saved.filter ?? {}) };
  layout.restore(saved.panes);
  return shown;
}

/** Summary of a view for the list of views. */
export interface ViewSummary {
  readonly n: number;
  readonly range: { readonly from: number; readonly to: number } | null;
  readonly address: string;
  /** The view was saved with other format settings, so its record numbers mean other records. */
  readonly isElsewhere: boolean;
}

/** Returns undefined if the text is not a view. */
export function summarise(content: string, trace: Trace): ViewSummary | undefined {
  const saved = read(content);
  if (!saved) return undefined;
  return {
    n: saved.n ?? 0,
    range: saved.range ?? null,
    address: saved.address ?? '',
    isElsewhere: !hasSameReading(trace, saved),
  };
}

function read(content: string): SavedView | undefined {
  const checked = parse(savedView, jsonValue(content));
  return checked.ok ? checked.value : undefined;
}
