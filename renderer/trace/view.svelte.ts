/**
 * View options of a trace, most of them for the heatmap: the visible part of the address axis, the counted kinds, folding, the
 * lens, and the selection. The visible part of the time axis is the cursor's range, which all charts share.
 */
import type { Span } from '../../present/base/axis.ts';
import type { Kind } from '../../shared/records/record.ts';
import type { Cursor, Range } from './cursor.svelte.ts';
import { FIRST_TRACKS } from '../../shared/report/time-tracks.ts';

/** Positions on the address axis: 0 = lowest address, 1 = highest. */
export interface Stretch {
  readonly bottom: number;
  readonly top: number;
}

export interface Selection extends Range {
  readonly low: bigint;
  readonly high: bigint;
  readonly stretch: Stretch;
}

/** Changes that a person makes to the columns of the list of records, by their names. */
export interface ColumnChoice {
  readonly order: readonly string[];
  readonly shown: Readonly<Record<string, boolean>>;
  /** Widths in characters. */
  readonly widths: Readonly<Record<string, number>>;
}

export interface View {
  readonly stretch: Stretch;
  /** Kinds that are counted; null = every kind that has an address. */
  kinds: readonly Kind[] | null;
  folded: boolean;
  /** Span of addresses that the axis magnifies. A change shows the whole axis, as positions on it have other addresses. */
  lens: Span | null;
  selecting: boolean;
  /** Lists show the instructions that ran below each branch message. */
  disassembly: boolean;
  columns: ColumnChoice;
  /** Tracks below the overview, from the top; names as in time-tracks.ts. */
  tracks: readonly string[];
  /** Number of records that Page Up and Page Down move by: the number of visible rows. */
  page: number;
  selection: Selection | null;
  /** Zooms around a point, given as fractions of the width (from the left) and height (from the bottom). Factors above 1 zoom in. */
  zoom(
    factor: { readonly time: number; readonly address: number },
    at: { readonly x: number; readonly y: number },
  ): void;
  /** Moves the view by fractions of its size. */
  readonly pan: (time: number, address: number) => void;
  readonly showsAll: boolean;
  readonly showAll: () => void;
  readonly showSelection: () => void;
  /** Shows the records [from, to), widened to the smallest range that can be shown. */
  readonly showRecords: (from: number, to: number) => void;
  readonly showStretch: (stretch: Stretch) => void;
  /** Moves the range so that it contains a record, if it does not yet. */
  readonly reveal: (n: number) => void;
}

export const OWN_COLUMNS: ColumnChoice = { order: [], shown: {}, widths: {} };

/** Smallest range in records, so that each mark is wide enough to be drawn. */
export const LEAST_RECORDS = 12;
const LEAST_STRETCH = 1e-9;

export function createView(cursor: Cursor, extent: () => number): View {
  let stretch = $state.raw<Stretch>({ bottom: 0, top: 1 });
  let kinds = $state.raw<readonly Kind[] | null>(null);
  let folded = $state(true);
  let lens = $state.raw<Span | null>(null);
  let selecting = $state(false);
  let page = $state(20);
  let disassembly = $state(true);
  let columns = $state.raw(OWN_COLUMNS);
  let tracks = $state.raw<readonly string[]>(FIRST_TRACKS);
  let selection = $state.raw<Selection | null>(null);

  function range(): Range {
    return cursor.range ?? { from: 0, to: extent() };
  }

  function setRange(from: number, to: number): void {
    const end = extent();
    const width = Math.min(end, Math.max(Math.min(LEAST_RECORDS, end), to - from));
    const start = Math.min(end - width, Math.max(0, from));
    cursor.range = width >= end ? null : { from: start, to: start + width };
  }

  function setStretch(bottom: number, top: number): void {
    const height = Math.min(1, Math.max(LEAST_STRETCH, top - bottom));
    const start = Math.min(1 - height, Math.max(0, bottom));
    stretch = { bottom: start, top: start + height };
  }

  return {
    get stretch() {
      return stretch;
    },
    get kinds() {
      return kinds;
    },
    set kinds(next) {
      kinds = next;
    },
    get folded() {
      return folded;
    },
    set folded(next) {
      folded = next;
      stretch = { bottom: 0, top: 1 };
      selection = null;
    },
    get lens() {
      return lens;
    },
    set lens(next) {
      lens = next;
      stretch = { bottom: 0, top: 1 };
      selection = null;
    },
    get page() {
      return page;
    },
    set page(next) {
      page = next;
    },
    get tracks() {
      return tracks;
    },
    set tracks(next) {
      tracks = next;
    },
    get disassembly() {
      return disassembly;
    },
    set disassembly(next) {
      disassembly = next;
    },
    get columns() {
      return columns;
    },
    set columns(next) {
      columns = next;
    },
    get selecting() {
      return selecting;
    },
    set selecting(next) {
      selecting = next;
    },
    get selection() {
      return selection;
    },
    set selection(next) {
      selection = next;
    },
    zoom(factor, at) {
      if (factor.time !== 1) {
        const { from, to } = range();
        const fixed = from + (to - from) * at.x;
        const width = (to - from) / factor.time;
        setRange(fixed - width * at.x, fixed + width * (1 - at.x));
      }
      if (factor.address !== 1) {
        const fixed = stretch.bottom + (stretch.top - stretch.bottom) * at.y;
        const height = (stretch.top - stretch.bottom) / factor.address;
        setStretch(fixed - height * at.y, fixed + height * (1 - at.y));
      }
    },
    pan(time, address) {
      const { from, to } = range();
      if (time !== 0 && cursor.range) {
        const moved = Math.min(extent() - to, Math.max(0 - from, time * (to - from)));
        setRange(from + moved, to + moved);
      }
      const up = address * (stretch.top - stretch.bottom);
      if (up !== 0) {
        const moved = Math.min(1 - stretch.top, Math.max(-stretch.bottom, up));
        setStretch(stretch.bottom + moved, stretch.top + moved);
      }
    },
    get showsAll() {
      return cursor.range === null && stretch.bottom === 0 && stretch.top === 1;
    },
    showAll() {
      cursor.range = null;
      stretch = { bottom: 0, top: 1 };
    },
    showSelection() {
      if (!selection) return;
      setRange(selection.from, selection.to);
      setStretch(selection.stretch.bottom, selection.stretch.top);
      selection = null;
    },
    showRecords: setRange,
    showStretch: ({ bottom, top }) => setStretch(bottom, top),
    reveal(n) {
      const { from, to } = range();
      if (n >= from && n < to) return;
      setRange(n - (to - from) / 2, n + (to - from) / 2);
    },
  };
}
