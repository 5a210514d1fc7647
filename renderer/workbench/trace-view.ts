/**
 * The view of a trace as JSON: cursor, range, address, zoom, search and panes. It may come from someone else's file, so every field is
 * checked when it is read.
 */
import { readingOf } from '../../shared/requests/notes.ts';
import {
  anything,
  check,
  cpu,
  flag,
  functionId,
  hex,
  hexEnd,
  kind,
  lenient,
  list,
  oneOf,
  partOfFile,
  record,
  rule,
  span,
  text,
  validItems,
  where,
  whole,
} from '../../shared/requests/schema.ts';
import type { Checked, WordedSchema } from '../../shared/requests/schema.ts';
import { toHex } from '../../shared/base/units.ts';
import type { AddressSpan } from '../trace/cursor.svelte.ts';
import { EMPTY_FORM, type SearchForm } from '../trace/search/criteria.ts';
import { PIN_COLOURS } from '../trace/search/highlights.svelte.ts';
import { FIRST_TRACKS, MOST_TRACKS, trackOf } from '../../shared/report/time-tracks.ts';
import type { Trace } from '../trace/trace.svelte.ts';
import { savedWatches } from '../trace/watches/saved-watch.ts';
import { OWN_COLUMNS, type ColumnChoice } from '../trace/view.svelte.ts';
import { COLUMNS, NARROWEST, WIDEST } from '../widgets/record-columns.ts';

const VERSION = 1;
const TEXT_MOST = 10_000;
/** Largest number of folded calls and of opened instructions that are kept: the newest. */
const MOST_FOLDS = 200;
const MOST_OPENED = 200;

export const words = lenient(text(TEXT_MOST, 0));
const fraction = lenient(
  rule<number>((value) => typeof value === 'number' && value >= 0 && value <= 1, 'must be from 0 to 1'),
);

const track = rule<string>((value) => typeof value === 'string' && trackOf(value) !== undefined, 'must be a track');

const range = where(
  partOfFile({ from: record, to: record }),
  check('from', ({ from, to }) => from < to, 'must be less than to'),
);

const fold = where(
  partOfFile({ head: record, from: record, to: record }),
  check('from', ({ head, from, to }) => head < from && from < to, 'must be between head and to'),
);

const searchForm = partOfFile({
  text: words,
  kind: lenient(kind),
  address: words,
  value: words,
  width: words,
  register: words,
  inRange: lenient(flag),
});

/** An object with a field for each column of the list of records. */
function perColumn<T>(value: WordedSchema<T>) {
  return partOfFile(Object.fromEntries(COLUMNS.map((column) => [column, lenient(value)])));
}

export const VIEW_FIELDS = {
  version: oneOf([VERSION]),
  /** The format settings with which the trace was read; see `readingOf`. */
  reading: words,
  n: lenient(record),
  address: lenient(hex),
  length: lenient(whole(1, Number.MAX_SAFE_INTEGER)),
  register: lenient(partOfFile({ name: text(200), cpu: lenient(cpu) })),
  about: words,
  range: lenient(range),
  /** The part of the address axis that is shown, as fractions from its bottom. */
  stretch: lenient(partOfFile({ bottom: fraction, top: fraction })),
  folded: lenient(flag),
  /** Addresses [low, high) that the axis magnifies. */
  lens: lenient(where(partOfFile({ low: hex, high: hexEnd }), span)),
  disassembly: lenient(flag),
  kinds: lenient(validItems(kind)),
  tracks: lenient(validItems(track)),
  /** The list shows the records of all instructions. */
  details: lenient(flag),
  /** Columns of the list of records. */
  columns: lenient(
    partOfFile({
      order: lenient(validItems(oneOf(COLUMNS))),
      shown: lenient(perColumn(flag)),
      widths: lenient(perColumn(whole(NARROWEST, WIDEST))),
    }),
  ),
  watches: lenient(savedWatches),
  search: lenient(searchForm),
  /** Searches that a person pinned. */
  pins: lenient(
    list(partOfFile({ form: searchForm, colour: oneOf(PIN_COLOURS), shown: lenient(flag) }), PIN_COLOURS.length, 0),
  ),
  /** Function in the centre of the call graph. */
  centre: lenient(functionId),
  /** CPU whose calls are shown over time. */
  callsCpu: lenient(cpu),
  /** Calls that are folded in the list of records. */
  folds: lenient(list(fold, MOST_FOLDS)),
  /** Instructions whose records the list shows. */
  opened: lenient(list(record, MOST_OPENED)),
  /** Options of panes, which each pane checks. */
  options: lenient(anything),
  /** Checked by the layout. */
  panes: lenient(anything),
} as const;

export const traceView = partOfFile(VIEW_FIELDS);
export type TraceView = Checked<typeof traceView>;

/** @param panes the layout, as `Layout.saved` */
export function captureTraceView(trace: Trace, panes: unknown): object {
  const { calls, cursor, details, folds, view, search } = trace;
  const options = trace.paneOptions.saved;
  const { address, register, range } = cursor;
  return {
    version: VERSION,
    reading: readingOf(trace.opened.format),
    n: cursor.n,
    ...(address && { address: toHex(address.low), length: address.bytes }),
    ...(register && { register }),
    about: cursor.about,
    ...(range && { range: { from: Math.floor(range.from), to: Math.ceil(range.to) } }),
    stretch: view.stretch,
    folded: view.folded,
    ...(view.lens && { lens: { low: toHex(view.lens.low), high: toHex(view.lens.high) } }),
    disassembly: view.disassembly,
    ...(view.kinds && { kinds: view.kinds }),
    ...(details.all && { details: true }),
    ...(view.columns !== OWN_COLUMNS && { columns: view.columns }),
    tracks: view.tracks,
    search: search.form,
    watches: trace.watches.saved,
    ...(search.highlights.pins.length > 0 && { pins: search.highlights.pins }),
    ...(calls.centre !== null && { centre: calls.centre }),
    ...(calls.cpu !== undefined && { callsCpu: calls.cpu }),
    ...(folds.list.length > 0 && { folds: folds.list.slice(-MOST_FOLDS) }),
    ...(details.opened.length > 0 && { opened: details.opened.slice(-MOST_OPENED) }),
    ...(Object.keys(options).length > 0 && { options }),
    panes,
  };
}

/**
 * Restores a view, except its panes. Returns `elsewhere` if the trace is read with other format settings than the view: its record
 * numbers would mean other records, so record, range, folded calls and options of panes stay.
 *
 * @param move moves the cursor
 */
export function showTraceView(
  saved: TraceView,
  trace: Trace,
  move: (n: number, address?: AddressSpan) => void,
): 'all' | 'elsewhere' {
  const { calls, cursor, details, folds, view, search, last } = trace;
  const isHere = hasSameReading(trace, saved);
  const n = Math.min((isHere ? saved.n : undefined) ?? cursor.n, last);
  if (saved.address === undefined) move(n);
  else move(n, { low: BigInt(saved.address), bytes: saved.length ?? 1 });
  if (saved.about === 'register' && saved.register) cursor.setRegister(present(saved.register));
  view.folded = saved.folded ?? true;
  view.lens = saved.lens ? { low: BigInt(saved.lens.low), high: BigInt(saved.lens.high) } : null;
  view.disassembly = saved.disassembly ?? true;
  view.kinds = saved.kinds ?? null;
  details.all = saved.details ?? false;
  view.columns = saved.columns ? columnsOf(saved.columns) : OWN_COLUMNS;
  view.tracks = (saved.tracks ?? FIRST_TRACKS).slice(0, MOST_TRACKS);
  if (isHere) {
    if (saved.range) view.showRecords(saved.range.from, saved.range.to);
    else cursor.range = null;
    calls.restoreCentre(saved.centre ?? null);
    calls.cpu = saved.callsCpu;
    folds.restore((saved.folds ?? []).filter(({ to }) => to <= last + 1));
    details.restore(saved.opened ?? []);
    trace.paneOptions.restore(saved.options);
  }
  view.showStretch({ bottom: saved.stretch?.bottom ?? 0, top: saved.stretch?.top ?? 1 });
  if (saved.watches) trace.watches.restore(saved.watches);
  search.form = formOf(saved.search);
  search.highlights.restore(
    (saved.pins ?? []).map(({ form, colour, shown = true }) => ({ form: formOf(form), colour, shown })),
  );
  return isHere ? 'all' : 'elsewhere';
}

function formOf(saved: TraceView['search']): SearchForm {
  return { ...EMPTY_FORM, ...present(saved ?? {}) };
}

function columnsOf({ order = [], shown = {}, widths = {} }: NonNullable<TraceView['columns']>): ColumnChoice {
  return { order, shown: present(shown), widths: present(widths) };
}

/** Returns true if a view numbers records as the open trace does. */
export function hasSameReading({ opened }: Trace, { reading }: TraceView): boolean {
  return reading === undefined || reading === readingOf(opened.format);
}

/** Returns the fields that are not undefined. */
export function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
