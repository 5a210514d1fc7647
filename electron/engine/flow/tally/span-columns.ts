/**
 * Calls over time, aggregated by columns. A call that is at least one column long is a span of its own. Shorter calls are summed for
 * each column and depth, and the function that was open longest there becomes the span. Neighbouring columns of one function are joined.
 * Memory is bounded by columns and depth, however many calls there are.
 */
import { assert } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';

export interface SpanSink {
  /**
   * Adds a stay of a frame in a function while its stack was in use. `depth` counts from the outermost frame that was known then.
   * `from` is -1 if the function was entered before the trace. Stays of one depth come in order. Where two overlap, the first counts.
   * `since`: the record at which the function was entered, also if its stack was left in between. `ended`: the frame left the function then.
   */
  add(fn: number, depth: number, from: number, to: number, since?: number, ended?: boolean): void;
}

/** Spans in the order of their ends, callees before callers. */
export interface SpanTable {
  /** Number of columns that were distinguished. */
  readonly columns: number;
  readonly fn: Int32Array;
  readonly depth: Int32Array;
  /** From the first record of the first stay to the end of the last one. */
  readonly from: Float64Array;
  readonly to: Float64Array;
  /** Number of records in [from, to) during which the function was open. */
  readonly open: Float64Array;
  /** Number of stays. */
  readonly stays: Float64Array;
  /** The record at which the first stay began, if that is before `from`: -1 if it is before the trace. Otherwise NaN. */
  readonly since: Float64Array;
  /** True if a span stands for several stays or a part of one. */
  readonly coarse: boolean;
  /** Number of depths, if deeper stays were left out. */
  readonly levels: number | undefined;
}

/** Lists of spans, one for each number of columns. */
export interface SpanColumns extends SpanSink {
  /** Returns all spans, the finest list first. Nothing may be added afterwards. */
  tables(): readonly SpanTable[];
}

/** Stays of one function within a column. */
interface Cell {
  readonly fn: number;
  readonly first: number;
  last: number;
  open: number;
  /** Number of stays that begin in the column. */
  begun: number;
  /** True if the first stay began in the previous column. */
  readonly carried: boolean;
  readonly since: number;
}

/** Stays of one depth. */
interface Row {
  /** The column that is being summed, and its end. */
  column: number;
  edge: number;
  readonly cells: Map<number, Cell>;
  /** The cell that was added to last. */
  latest: Cell | undefined;
  /** End of the latest stay. */
  end: number;
  /** Finished spans; FIELDS numbers for each. */
  readonly spans: number[];
  /** Column of the last span, if the next column may continue it; otherwise NOT_JOINABLE. */
  joinable: number;
}

/** Spans for one number of columns. */
interface SpanList extends SpanSink {
  /** Adds what a column of the finer list contains at a depth. */
  addCells(depth: number, cells: Iterable<Cell>): void;
  /** Adds a stay that is at least as long as a column of the finer list. `since` as in SpanTable. */
  addStay(fn: number, depth: number, from: number, to: number, since: number): void;
  /** Leaves out depths starting at `depth`. */
  leaveOut(depth: number): void;
  table(): SpanTable;
}

/** Offsets of the numbers of a span. */
const FIELD = { fn: 0, from: 1, to: 2, open: 3, stays: 4, since: 5 } as const;
const FIELDS = 6;
/** Deeper stays, counted from the outermost one, are left out. */
const MOST_LEVELS = 256;
/** No column. */
const NOT_JOINABLE = -2;
/** If there are more spans, the deepest ones are left out. */
const MOST_SPANS = 200_000;

/**
 * Creates lists for the records [first, end), one for each number of columns, the greatest first. Each number must be half the one
 * before it: a coarser list takes the sums of the finer one, so that it costs little.
 */
export function createSpanColumns(first: RecordNumber, end: RecordNumber, columns: readonly number[]): SpanColumns {
  const lists: SpanList[] = [];
  for (const count of columns.toReversed()) lists.unshift(createList(first, end, count, lists[0]));
  const [finest] = lists;
  assert(finest !== undefined, 'there is a number of columns');
  return {
    add: finest.add,
    // In this order: the last column of a list goes into the next one.
    tables: () => lists.map((list) => list.table()),
  };
}

function createList(first: RecordNumber, end: RecordNumber, columns: number, coarser: SpanList | undefined): SpanList {
  const records = end - first;
  /** Shorter stays are summed. */
  const long = records / columns;
  const rows = new Map<number, Row>();
  let count = 0;
  let coarse = false;
  let lowest = Number.POSITIVE_INFINITY;
  /** First depth that is left out; infinity until there is one. */
  let cut = Number.POSITIVE_INFINITY;
  let lastDepth = Number.NaN;
  let lastRow: Row | undefined;

  return {
    add(fn, depth, begun, until) {
      const row = rowOf(depth);
      if (row === undefined) return;
      const from = Math.max(first, begun, row.end);
      const to = Math.min(end, until);
      if (to <= from) return;
      row.end = to;
      place(row, depth, fn, from, to, begun < from && first > 0 ? begun : Number.NaN);
    },
    addStay(fn, depth, from, to, since) {
      const row = rowOf(depth);
      if (row !== undefined) place(row, depth, fn, from, to, since);
    },
    addCells(depth, cells) {
      const row = rowOf(depth);
      if (row === undefined) return;
      for (const { fn, first: from, last, open, begun, carried, since } of cells) {
        enter(row, depth, from);
        // A stay that was carried over an edge of finer columns only is counted in this column already.
        put(row, fn, from, last, open, begun, carried && from === edgeOf(row.column), since);
      }
    },
    leaveOut,
    table() {
      for (const [depth, row] of rows) flush(row, depth);
      return tableOf(rows, columns, coarse, Number.isFinite(cut) ? cut - lowest : undefined);
    },
  };

  function place(row: Row, depth: number, fn: number, from: number, to: number, since: number): void {
    if (to - from >= long) {
      flush(row, depth);
      coarser?.addStay(fn, depth, from, to, since);
      row.joinable = NOT_JOINABLE;
      addSpan(row, fn, from, to, to - from, 1, since);
      return;
    }
    enter(row, depth, from);
    const { edge } = row;
    if (to <= edge) {
      put(row, fn, from, to, to - from, 1, false, since);
      return;
    }
    // Being shorter than a column, it ends in the next one.
    coarse = true;
    put(row, fn, from, edge, edge - from, 1, false, since);
    enter(row, depth, edge);
    put(row, fn, edge, to, to - edge, 0, true, Number.isNaN(since) ? from : since);
  }

  /** Makes the column of a record the one that is summed. */
  function enter(row: Row, depth: number, n: number): void {
    if (n < row.edge) return;
    flush(row, depth);
    row.column = Math.floor(((n - first) * columns) / records);
    row.edge = edgeOf(row.column + 1);
  }

  function edgeOf(column: number): number {
    return first + Math.ceil((column * records) / columns);
  }

  function put(
    row: Row,
    fn: number,
    from: number,
    to: number,
    open: number,
    begun: number,
    carried: boolean,
    since: number,
  ): void {
    const cell = row.latest?.fn === fn ? row.latest : row.cells.get(fn);
    if (cell === undefined) {
      row.latest = { fn, first: from, last: to, open, begun, carried, since };
      row.cells.set(fn, row.latest);
      return;
    }
    row.latest = cell;
    cell.last = to;
    cell.open += open;
    cell.begun += begun;
  }

  /** Ends the sums of a row, because another column or a long stay follows. */
  function flush(row: Row, depth: number): void {
    if (row.cells.size === 0) return;
    coarser?.addCells(depth, row.cells.values());
    let most: Cell | undefined;
    for (const cell of row.cells.values()) if (most === undefined || cell.open > most.open) most = cell;
    if (row.cells.size > 1) coarse = true;
    row.cells.clear();
    row.latest = undefined;
    const { fn, first: from, last, open, begun, carried, since } = most!;
    const at = row.spans.length - FIELDS;
    if (row.joinable === row.column - 1 && row.spans[at + FIELD.fn] === fn) {
      coarse = true;
      row.spans[at + FIELD.to] = last;
      row.spans[at + FIELD.open]! += open;
      row.spans[at + FIELD.stays]! += begun;
    } else {
      const stays = begun + Number(carried);
      if (stays > 1) coarse = true;
      addSpan(row, fn, from, last, open, stays, since);
    }
    row.joinable = row.column;
  }

  function addSpan(row: Row, fn: number, from: number, to: number, open: number, stays: number, since: number): void {
    row.spans.push(fn, from, to, open, stays, since);
    if (++count > MOST_SPANS) leaveOut(Math.max(lowest + 1, ...rows.keys()));
  }

  function rowOf(depth: number): Row | undefined {
    if (depth === lastDepth) return lastRow;
    if (depth < lowest) {
      lowest = depth;
      if (Math.max(...rows.keys()) >= depth + MOST_LEVELS) leaveOut(depth + MOST_LEVELS);
    }
    if (depth >= Math.min(cut, lowest + MOST_LEVELS)) {
      leaveOut(Math.min(cut, lowest + MOST_LEVELS));
      return undefined;
    }
    lastDepth = depth;
    lastRow = rows.get(depth);
    if (lastRow !== undefined) return lastRow;
    lastRow = {
      column: NOT_JOINABLE,
      edge: first,
      cells: new Map(),
      latest: undefined,
      end: first,
      spans: [],
      joinable: NOT_JOINABLE,
    };
    rows.set(depth, lastRow);
    return lastRow;
  }

  /** Leaves out depths starting at `depth`. */
  function leaveOut(depth: number): void {
    if (depth >= cut) return;
    cut = depth;
    coarse = true;
    lastDepth = Number.NaN;
    for (const [own, { spans }] of rows) {
      if (own < depth) continue;
      count -= spans.length / FIELDS;
      rows.delete(own);
    }
    coarser?.leaveOut(depth);
  }
}

function tableOf(
  rows: ReadonlyMap<number, Row>,
  columns: number,
  coarse: boolean,
  levels: number | undefined,
): SpanTable {
  const places: { readonly depth: number; readonly spans: readonly number[]; readonly at: number }[] = [];
  for (const [depth, { spans }] of rows)
    for (let at = 0; at < spans.length; at += FIELDS) places.push({ depth, spans, at });
  places.sort((a, b) => a.spans[a.at + FIELD.to]! - b.spans[b.at + FIELD.to]! || b.depth - a.depth);
  const numbers = (field: number): Float64Array => Float64Array.from(places, ({ spans, at }) => spans[at + field]!);
  return {
    columns,
    fn: Int32Array.from(numbers(FIELD.fn)),
    depth: Int32Array.from(places, ({ depth }) => depth),
    from: numbers(FIELD.from),
    to: numbers(FIELD.to),
    open: numbers(FIELD.open),
    stays: numbers(FIELD.stays),
    since: numbers(FIELD.since),
    coarse,
    levels,
  };
}
