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
  hex,
  hexEnd,
  kind,
  lenient,
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
import type { Checked } from '../../shared/requests/schema.ts';
import { toHex } from '../../shared/base/units.ts';
import type { AddressSpan } from '../trace/cursor.svelte.ts';
import { EMPTY_FORM } from '../trace/search/criteria.ts';
import type { Trace } from '../trace/trace.svelte.ts';

const VERSION = 1;
const TEXT_MOST = 10_000;

export const words = lenient(text(TEXT_MOST, 0));
const fraction = lenient(
  rule<number>((value) => typeof value === 'number' && value >= 0 && value <= 1, 'must be from 0 to 1'),
);

const range = where(
  partOfFile({ from: record, to: record }),
  check('from', ({ from, to }) => from < to, 'must be less than to'),
);

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
  /** Checked by the layout. */
  panes: lenient(anything),
} as const;

export const traceView = partOfFile(VIEW_FIELDS);
export type TraceView = Checked<typeof traceView>;

/** @param panes the layout, as `Layout.saved` */
export function captureTraceView(trace: Trace, panes: unknown): object {
  const { cursor, view, search } = trace;
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
    search: search.form,
    panes,
  };
}

/**
 * Restores a view, except its panes. Returns `elsewhere` if the trace is read with other format settings than the view: its record
 * numbers would mean other records, so record and range stay.
 *
 * @param move moves the cursor
 */
export function showTraceView(
  saved: TraceView,
  trace: Trace,
  move: (n: number, address?: AddressSpan) => void,
): 'all' | 'elsewhere' {
  const { cursor, view, search, last } = trace;
  const isHere = hasSameReading(trace, saved);
  const n = Math.min((isHere ? saved.n : undefined) ?? cursor.n, last);
  if (saved.address === undefined) move(n);
  else move(n, { low: BigInt(saved.address), bytes: saved.length ?? 1 });
  if (saved.about === 'register' && saved.register) cursor.setRegister(present(saved.register));
  view.folded = saved.folded ?? true;
  view.lens = saved.lens ? { low: BigInt(saved.lens.low), high: BigInt(saved.lens.high) } : null;
  view.disassembly = saved.disassembly ?? true;
  view.kinds = saved.kinds ?? null;
  if (isHere) {
    if (saved.range) view.showRecords(saved.range.from, saved.range.to);
    else cursor.range = null;
  }
  view.showStretch({ bottom: saved.stretch?.bottom ?? 0, top: saved.stretch?.top ?? 1 });
  search.form = { ...EMPTY_FORM, ...present(saved.search ?? {}) };
  return isHere ? 'all' : 'elsewhere';
}

/** Returns true if a view numbers records as the open trace does. */
export function hasSameReading({ opened }: Trace, { reading }: TraceView): boolean {
  return reading === undefined || reading === readingOf(opened.format);
}

/** Returns the fields that are not undefined. */
export function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
