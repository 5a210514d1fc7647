/** Sums by columns of time: how long each function was innermost in each column, and the least and greatest call depth. */
import type { RecordNumber } from '../../../../shared/base/units.ts';

export interface TopSink {
  /**
   * Adds the records [from, to) during which a function was the innermost open one. `begun` identifies the stack, and `depth` counts
   * from the function in which it began. `from` is -1 before the trace. Calls come in record order.
   */
  add(fn: number, depth: number, begun: number, from: number, to: number): void;
  /** Ends a stack. `callers`: number of callers of the function in which it began that returns have shown. */
  ended(begun: number, callers: number): void;
}

/** Columns have equal lengths: column c begins at record first + ceil(c * records / columns). */
export interface Timeline {
  readonly columns: number;
  /** Rows of column c are `starts[c]` to before `starts[c + 1]`: functions in the order of their first record there. */
  readonly starts: Int32Array;
  readonly fn: Int32Array;
  /** Number of records during which the function was innermost. */
  readonly records: Float64Array;
  /** Least and greatest depth in each column, counted from the outermost known caller; NaN if none is known. */
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** Joins pairs of columns until there are at most so many. */
export function folded(timeline: Timeline, most: number): Timeline {
  let joined = timeline;
  while (joined.columns > most) joined = halved(joined);
  return joined;
}

export interface TimelineSink extends TopSink {
  /** Returns the columns. Nothing may be added afterwards. */
  timeline(): Timeline;
}

/** Depths of a stack whose callers are not all known yet, in the columns in which it was in use. */
interface StackDepths {
  columns: number[];
  readonly low: number[];
  readonly high: number[];
}

const MOST_ROWS = 1_000_000;

/**
 * Divides the records [first, end) into columns. `wanted`: a power of two. If there are more rows than `mostRows`, pairs of columns are
 * joined.
 */
export function createTimeline(
  first: RecordNumber,
  end: RecordNumber,
  wanted: number,
  mostRows = MOST_ROWS,
): TimelineSink {
  const records = end - first;
  let columns = wanted;
  /** Finished columns. */
  let fns: number[] = [];
  let times: number[] = [];
  let starts: number[] = [];
  let low = new Float64Array(columns).fill(Number.NaN);
  let high = new Float64Array(columns).fill(Number.NaN);
  /** By `begun`. */
  const stacks = new Map<number, StackDepths>();
  /** The column that is being filled, its end, and the time of the functions in it. */
  let column = 0;
  let edge = edgeOf(1);
  let time = new Float64Array(64);
  let touched: number[] = [];
  /** The stack in use, and its depths in the column. */
  let [stack, least, most] = [Number.NaN, 0, 0];

  return {
    add(fn, depth, begun, since, until) {
      let from = Math.max(first, since);
      const to = Math.min(end, until);
      if (to <= from) return;
      if (fn >= time.length) time = enlarged(time, fn + 1);
      for (;;) {
        if (from >= edge) advance(Math.floor(((from - first) * columns) / records));
        if (begun !== stack) {
          keepDepths();
          [stack, least, most] = [begun, depth, depth];
        } else if (depth < least) least = depth;
        else if (depth > most) most = depth;
        if (time[fn] === 0) touched.push(fn);
        time[fn]! += Math.min(to, edge) - from;
        if (to <= edge) return;
        from = edge;
      }
    },
    ended(begun, callers) {
      if (begun === stack) keepDepths();
      const depths = stacks.get(begun);
      if (depths === undefined) return;
      stacks.delete(begun);
      depths.columns.forEach((its, at) => {
        low[its] = smaller(low[its]!, depths.low[at]! + callers);
        high[its] = larger(high[its]!, depths.high[at]! + callers);
      });
    },
    timeline() {
      advance(columns);
      return {
        columns,
        starts: Int32Array.from([...starts, fns.length]),
        fn: Int32Array.from(fns),
        records: Float64Array.from(times),
        low,
        high,
      };
    },
  };

  function edgeOf(its: number): number {
    return first + Math.ceil((its * records) / columns);
  }

  /** Finishes all columns before `next`. */
  function advance(next: number): void {
    keepDepths();
    while (column < next) {
      starts.push(fns.length);
      for (const fn of touched) {
        fns.push(fn);
        times.push(time[fn]!);
        time[fn] = 0;
      }
      touched = [];
      column++;
    }
    if (fns.length > mostRows && column % 2 === 0 && columns > 1) joinPairs();
    edge = edgeOf(column + 1);
  }

  function keepDepths(): void {
    if (Number.isNaN(stack)) return;
    let depths = stacks.get(stack);
    if (depths === undefined) stacks.set(stack, (depths = { columns: [], low: [], high: [] }));
    depths.columns.push(column);
    depths.low.push(least);
    depths.high.push(most);
    stack = Number.NaN;
  }

  function joinPairs(): void {
    const joined = halved({
      columns: column,
      starts: Int32Array.from([...starts, fns.length]),
      fn: Int32Array.from(fns),
      records: Float64Array.from(times),
      low,
      high,
    });
    columns /= 2;
    column /= 2;
    fns = [...joined.fn];
    times = [...joined.records];
    starts = [...joined.starts.subarray(0, column)];
    low = new Float64Array(columns).fill(Number.NaN);
    high = new Float64Array(columns).fill(Number.NaN);
    low.set(joined.low);
    high.set(joined.high);
    for (const depths of stacks.values()) depths.columns = depths.columns.map((its) => its >> 1);
  }
}

/** Joins pairs of columns; their number must be even. */
function halved({ columns, starts, fn, records, low, high }: Timeline): Timeline {
  const half = columns / 2;
  const fns: number[] = [];
  const times: number[] = [];
  const firsts = new Int32Array(half + 1);
  for (let column = 0; column < half; column++) {
    const sums = new Map<number, number>();
    for (let row = starts[2 * column]!; row < starts[2 * column + 2]!; row++)
      sums.set(fn[row]!, (sums.get(fn[row]!) ?? 0) + records[row]!);
    firsts[column] = fns.length;
    for (const [own, its] of sums) {
      fns.push(own);
      times.push(its);
    }
  }
  firsts[half] = fns.length;
  const pairs = (values: Float64Array, of: (a: number, b: number) => number): Float64Array =>
    Float64Array.from({ length: half }, (_, column) => of(values[2 * column]!, values[2 * column + 1]!));
  return {
    columns: half,
    starts: firsts,
    fn: Int32Array.from(fns),
    records: Float64Array.from(times),
    low: pairs(low, smaller),
    high: pairs(high, larger),
  };
}

/** Returns the smaller number; NaN is no number. */
function smaller(a: number, b: number): number {
  return a <= b || Number.isNaN(b) ? a : b;
}

function larger(a: number, b: number): number {
  return a >= b || Number.isNaN(b) ? a : b;
}

function enlarged(values: Float64Array<ArrayBuffer>, least: number): Float64Array<ArrayBuffer> {
  const more = new Float64Array(Math.max(2 * values.length, least));
  more.set(values);
  return more;
}
