/**
 * A saved view: cursor, range, address and panes as JSON. A view may come from someone else's file, so every field is checked when
 * it is read.
 */
import { NOTE_COLOURS, readingOf } from '../../../shared/requests/notes.ts';
import {
  anything,
  check,
  cpu,
  flag,
  hex,
  kind,
  lenient,
  oneOf,
  parse,
  partOfFile,
  record,
  rule,
  text,
  validItems,
  where,
  whole,
} from '../../../shared/requests/schema.ts';
import type { Checked } from '../../../shared/requests/schema.ts';
import { toHex } from '../../../shared/base/units.ts';
import { EMPTY_FORM } from '../../trace/search/criteria.ts';
import type { Layout } from '../../workbench/layout.svelte.ts';
import { NO_FILTER, type NoteFilter } from './note-filter.ts';
import type { Trace } from '../../trace/trace.svelte.ts';

const VERSION = 1;
const TEXT_MOST = 10_000;

const words = lenient(text(TEXT_MOST, 0));
const fraction = lenient(
  rule<number>((value) => typeof value === 'number' && value >= 0 && value <= 1, 'must be from 0 to 1'),
);

const range = where(
  partOfFile({ from: record, to: record }),
  check('from', ({ from, to }) => from < to, 'must be less than to'),
);

const savedView = partOfFile({
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
  disassembly: lenient(flag),
  kinds: lenient(validItems(kind)),
  search: lenient(
    partOfFile({
      text: words,
      kind: lenient(kind),
      address: words,
      value: words,
      width: words,
      register: words,
      inRange: lenient(flag),
    }),
  ),
  filter: lenient(partOfFile({ text: words, tag: words, colour: lenient(oneOf(NOTE_COLOURS)) })),
  /** Checked by `Layout.restore`. */
  panes: lenient(anything),
});

type SavedView = Checked<typeof savedView>;

/** The list of notes, whose filter belongs to a view. */
export interface NoteList {
  filter: NoteFilter;
}

export function captureView(trace: Trace, list: NoteList, layout: Layout): string {
  const { cursor, view, search } = trace;
  const { address, register, range } = cursor;
  return JSON.stringify({
    version: VERSION,
    reading: readingOf(trace.opened.format),
    n: cursor.n,
    ...(address && { address: toHex(address.low), length: address.bytes }),
    ...(register && { register }),
    about: cursor.about,
    ...(range && { range: { from: Math.floor(range.from), to: Math.ceil(range.to) } }),
    stretch: view.stretch,
    folded: view.folded,
    disassembly: view.disassembly,
    ...(view.kinds && { kinds: view.kinds }),
    search: search.form,
    filter: list.filter,
    panes: layout.saved,
  });
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
  const { cursor, view, search, last } = trace;
  const isHere = hasSameReading(trace, saved);
  const n = Math.min((isHere ? saved.n : undefined) ?? cursor.n, last);
  if (saved.address === undefined) cursor.jump(n);
  else cursor.jump(n, { low: BigInt(saved.address), bytes: saved.length ?? 1 });
  if (saved.about === 'register' && saved.register) cursor.setRegister(present(saved.register));
  view.folded = saved.folded ?? true;
  view.disassembly = saved.disassembly ?? true;
  view.kinds = saved.kinds ?? null;
  if (isHere) {
    if (saved.range) view.showRecords(saved.range.from, saved.range.to);
    else cursor.range = null;
  }
  view.showStretch({ bottom: saved.stretch?.bottom ?? 0, top: saved.stretch?.top ?? 1 });
  search.form = { ...EMPTY_FORM, ...present(saved.search ?? {}) };
  list.filter = { ...NO_FILTER, ...present(saved.filter ?? {}) };
  layout.restore(saved.panes);
  return isHere ? 'all' : 'elsewhere';
}

/** Returns true if a view numbers records as the open trace does. */
function hasSameReading({ opened }: Trace, { reading }: SavedView): boolean {
  return reading === undefined || reading === readingOf(opened.format);
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
  try {
    const checked = parse(savedView, JSON.parse(content));
    return checked.ok ? checked.value : undefined;
  } catch (problem) {
    if (problem instanceof SyntaxError) return undefined;
    throw problem;
  }
}

/** Returns the fields that are not undefined. */
function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
