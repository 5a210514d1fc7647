/** Tables with a row for each distinct pair of addresses. They grow with the code, not with the trace. */
import { moveColumns } from '../../collections/columns.ts';
import { RowTable } from '../../collections/row-table.ts';

/** One row for each pair of addresses, which have the same upper half. */
export interface PairColumns {
  high: Uint32Array;
  from: Uint32Array;
  to: Uint32Array;
  times: Float64Array;
  /** Sum of the instructions of straight runs; 0 if the trace does not count them. */
  units: Float64Array;
  /**
   * Instructions of one straight run, if it is the same for all that no interrupt cut: UNKNOWN_COUNT without such a run, VARIED if they
   * differ, as with repeated instructions.
   */
  each: Float64Array;
  /** The lowest record at which one arrived at `to`, or of straight runs began. */
  first: Float64Array;
  /** 1 if one of the branches is inferred or of unknown kind, or no symbols show that both ends are in one function. */
  inferred: Uint8Array;
}

export const UNKNOWN_COUNT = -1;
const VARIED = -2;

export interface Pairs {
  readonly count: number;
  readonly columns: PairColumns;
}

const MOST_PAIRS = 1 << 20;

export interface GrowingPairs extends Pairs {
  /** Number of times that have no row. */
  left: number;
  add(
    high: number,
    from: number,
    to: number,
    record: number,
    inferred: boolean,
    units?: number,
    each?: number,
    times?: number,
  ): void;
}

export function createPairs(): GrowingPairs {
  const columns = createColumns(256);
  const rows = new RowTable(256);
  const list = {
    count: 0,
    left: 0,
    columns,
    add(
      high: number,
      from: number,
      to: number,
      record: number,
      inferred: boolean,
      units = 0,
      each = UNKNOWN_COUNT,
      times = 1,
    ) {
      let row = rowOf(rows, columns, high, from, to);
      if (row < 0) {
        if (list.count === MOST_PAIRS) {
          list.left += times;
          return;
        }
        if (list.count === columns.high.length) moveColumns(columns, createColumns(2 * list.count));
        row = rows.add(hashOf(high, from, to));
        list.count++;
        columns.high[row] = high;
        columns.from[row] = from;
        columns.to[row] = to;
        columns.first[row] = record;
        columns.each[row] = each;
      }
      columns.times[row]! += times;
      columns.units[row]! += units;
      if (record < columns.first[row]!) columns.first[row] = record;
      if (inferred) columns.inferred[row] = 1;
      if (each === UNKNOWN_COUNT || columns.each[row] === each) return;
      columns.each[row] = columns.each[row] === UNKNOWN_COUNT ? each : VARIED;
    },
  };
  return list;
}

/** Joins tables: the sums of their pairs. */
export function joined(tables: readonly GrowingPairs[]): GrowingPairs {
  const [only] = tables;
  if (only !== undefined && tables.length === 1) return only;
  const sum = createPairs();
  for (const { count, left, columns } of tables) {
    sum.left += left;
    for (let row = 0; row < count; row++) {
      const [high, from, to] = [columns.high[row]!, columns.from[row]!, columns.to[row]!];
      const { units, each, times, first, inferred } = columns;
      sum.add(high, from, to, first[row]!, inferred[row] === 1, units[row], each[row], times[row]);
    }
  }
  return sum;
}

function hashOf(high: number, from: number, to: number): number {
  const hash = Math.imul(Math.imul(from, 0x9e3779b1) ^ to, 0x85ebca6b) ^ high;
  return hash ^ (hash >>> 15);
}

/** Returns the row of a pair; below 0 if it has none. */
function rowOf(rows: RowTable, columns: PairColumns, high: number, from: number, to: number): number {
  let row = rows.first(hashOf(high, from, to));
  while (row >= 0 && (columns.from[row] !== from || columns.to[row] !== to || columns.high[row] !== high))
    row = rows.next();
  return row;
}

/** Returns a function that finds the instructions between two addresses, both included: below 0 if they are unknown. */
export function countsOf({ count, columns }: Pairs): (high: number, from: number, to: number) => number {
  const rows = new RowTable(256);
  for (let row = 0; row < count; row++) {
    const [high, from, to] = [columns.high[row]!, columns.from[row]!, columns.to[row]!];
    if (rowOf(rows, columns, high, from, to) < 0) rows.add(hashOf(high, from, to));
  }
  return (high, from, to) => {
    const row = rowOf(rows, columns, high, from, to);
    return row < 0 ? UNKNOWN_COUNT : columns.each[row]!;
  };
}

function createColumns(capacity: number): PairColumns {
  return {
    high: new Uint32Array(capacity),
    from: new Uint32Array(capacity),
    to: new Uint32Array(capacity),
    times: new Float64Array(capacity),
    units: new Float64Array(capacity),
    each: new Float64Array(capacity),
    first: new Float64Array(capacity),
    inferred: new Uint8Array(capacity),
  };
}

export function tableOf({ count, columns }: GrowingPairs): Pairs {
  return { count, columns };
}
