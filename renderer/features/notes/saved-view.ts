/**
 * A saved view: cursor, range, address and panes as JSON. A view may come from someone else's file, so every field is checked when
 * it is read.
 */
import type { Kind } from '../../../shared/records/record.ts';
import { NOTE_COLOURS, readingOf } from '../../../shared/requests/notes.ts';
import { toHex } from '../../../shared/base/units.ts';
import { KIND_LOOKS } from '../../../present/base/kinds.ts';
import { EMPTY_FORM, type SearchForm } from '../../trace/search/criteria.ts';
import type { Layout } from '../../workbench/layout.svelte.ts';
import { NO_FILTER, type NoteFilter } from './note-filter.ts';
import type { Trace } from '../../trace/trace.svelte.ts';

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
  const saved = parse(content);
  if (!saved) return 'nothing';
  const { cursor, view, search, last } = trace;
  const isHere = hasSameReading(trace, saved);
  const n = Math.min((isHere ? whole(saved['n']) : undefined) ?? cursor.n, last);
  const low = hex(saved['address']);
  if (low === undefined) cursor.jump(n);
  else cursor.jump(n, { low, bytes: Math.max(1, whole(saved['length']) ?? 1) });
  const register = isObject(saved['register']) ? saved['register'] : {};
  if (saved['about'] === 'register' && typeof register['name'] === 'string') {
    const cpu = whole(register['cpu']);
    cursor.setRegister({ name: register['name'], ...(cpu === undefined ? {} : { cpu }) });
  }
  view.folded = saved['folded'] !== false;
  view.disassembly = saved['disassembly'] !== false;
  view.kinds = Array.isArray(saved['kinds']) ? saved['kinds'].filter(isKind) : null;
  const range = isObject(saved['range']) ? saved['range'] : {};
  const [from, to] = [whole(range['from']), whole(range['to'])];
  if (isHere) {
    if (from === undefined || to === undefined || to <= from) cursor.range = null;
    else view.showRecords(from, to);
  }
  const stretch = isObject(saved['stretch']) ? saved['stretch'] : {};
  view.showStretch({ bottom: fraction(stretch['bottom']) ?? 0, top: fraction(stretch['top']) ?? 1 });
  search.form = formOf(saved['search']);
  list.filter = filterOf(saved['filter']);
  layout.restore(saved['panes']);
  return isHere ? 'all' : 'elsewhere';
}

/** Returns true if a view numbers records as the open trace does. */
function hasSameReading({ opened }: Trace, { reading }: Fields): boolean {
  return typeof reading !== 'string' || reading === readingOf(opened.format);
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
  const saved = parse(content);
  if (!saved) return undefined;
  const range = isObject(saved['range']) ? saved['range'] : {};
  const [from, to] = [whole(range['from']), whole(range['to'])];
  const low = hex(saved['address']);
  return {
    n: whole(saved['n']) ?? 0,
    range: from === undefined || to === undefined ? null : { from, to },
    address: low === undefined ? '' : toHex(low),
    isElsewhere: !hasSameReading(trace, saved),
  };
}

const VERSION = 1;

type Fields = Readonly<Record<string, unknown>>;

function parse(content: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return isObject(value) && value['version'] === VERSION ? value : undefined;
  } catch (problem) {
    if (problem instanceof SyntaxError) return undefined;
    throw problem;
  }
}

function formOf(value: unknown): SearchForm {
  const form = isObject(value) ? value : {};
  const text = (name: string): string => (typeof form[name] === 'string' ? form[name] : '');
  return {
    ...EMPTY_FORM,
    text: text('text'),
    kind: isKind(form['kind']) ? form['kind'] : '',
    address: text('address'),
    value: text('value'),
    width: text('width'),
    register: text('register'),
    inRange: form['inRange'] === true,
  };
}

function filterOf(value: unknown): NoteFilter {
  const filter = isObject(value) ? value : {};
  const colour = NOTE_COLOURS.find((one) => one === filter['colour']) ?? '';
  const text = (name: string): string => (typeof filter[name] === 'string' ? filter[name] : '');
  return { ...NO_FILTER, text: text('text'), tag: text('tag'), colour };
}

function isKind(value: unknown): value is Kind {
  return typeof value === 'string' && Object.hasOwn(KIND_LOOKS, value);
}

function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function fraction(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined;
}

function hex(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,16}$/.test(value) ? BigInt(value) : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
