/** Finds the longest stay in each function: most records from entering to leaving it while its stack was in use (see SpanSink). */
import { moveColumns } from '../../collections/columns.ts';

/** One row for each function. Functions without a row, or with `to` = 0, have no stay. */
export interface StayColumns {
  from: Float64Array;
  to: Float64Array;
  /** 1 if the stay began before the records, or had not ended after them: it may be longer. */
  open: Uint8Array;
}

export interface LongestStays {
  /** Adds a stay. Of equally long ones, the first is kept. */
  add(fn: number, from: number, to: number): void;
  readonly columns: StayColumns;
}

/** Stays are cut to the records [first, end). */
export function createLongestStays(first: number, end: number): LongestStays {
  const columns = createColumns(64);
  return {
    columns,
    add(fn, since, until) {
      const from = Math.max(first, since);
      const to = Math.min(end, until);
      if (to <= from) return;
      if (fn >= columns.from.length) moveColumns(columns, createColumns(Math.max(2 * columns.from.length, fn + 1)));
      const more = to - from - (columns.to[fn]! - columns.from[fn]!);
      if (more < 0 || (more === 0 && from >= columns.from[fn]!)) return;
      columns.from[fn] = from;
      columns.to[fn] = to;
      columns.open[fn] = Number(since < from || until >= end);
    },
  };
}

function createColumns(capacity: number): StayColumns {
  return {
    from: new Float64Array(capacity),
    to: new Float64Array(capacity),
    open: new Uint8Array(capacity),
  };
}
