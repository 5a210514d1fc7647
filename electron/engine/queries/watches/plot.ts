/** The values of a watch as numbers over time: lowest, highest and last value per column, counted while the changes are walked. */
import type { Answer, Arguments, RequestEvent } from '../../../../shared/requests/requests.ts';
import { numberOf } from '../../../../shared/requests/answers/watch-value.ts';
import type { Contents, WatchPlot } from '../../../../shared/requests/watches.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { follow } from './contents.ts';
import { walkForwards } from './walk.ts';

export async function watchPlot(
  trace: Trace,
  args: Omit<Arguments<'watchPlot'>, 'trace'>,
  task: Task<RequestEvent<'watchPlot'>>,
): Promise<Result<Answer<'watchPlot'>>> {
  const reach = reachOf(trace);
  const to = Math.min(args.to ?? reach.records, reach.records);
  const from = Math.min(args.from ?? 0, to);
  const columns = Math.max(1, Math.min(args.columns, to - from));
  const followed = follow(trace, args.subject);
  const plot = createPlot(from, to, columns, (contents) => {
    const value = numberOf(contents, args);
    return value === undefined ? Number.NaN : Number(value);
  });
  const steps = walkForwards(
    trace,
    followed,
    { from, to },
    (event) => {
      if (event.changed) plot.change(event.n, event.after);
      return true;
    },
    () => plot.begin(followed.text()),
  );
  const walked = await answerInSlices(steps, task, (at) =>
    task.progress(() => {
      plot.advance(at);
      return { ...plot.copy(), at, reach };
    }),
  );
  if (!walked.ok) return walked;
  plot.advance(to);
  return ok({ ...plot.copy(), reach });
}

export interface Plot {
  /** Sets the contents before the first record. */
  begin(contents: Contents): void;
  /** Adds a change; records ascend. */
  change(n: RecordNumber, contents: Contents): void;
  /** Ends the columns before a record: there are no further changes in them. */
  advance(n: RecordNumber): void;
  copy(): Omit<WatchPlot, 'reach'>;
}

export function createPlot(
  from: RecordNumber,
  to: RecordNumber,
  columns: number,
  valueOf: (contents: Contents) => number,
): Plot {
  const edges = Float64Array.from({ length: columns + 1 }, (_, c) => from + Math.floor((c * (to - from)) / columns));
  const low = new Float64Array(columns).fill(Number.NaN);
  const high = new Float64Array(columns).fill(Number.NaN);
  const last = new Float64Array(columns).fill(Number.NaN);
  const changes = new Float64Array(columns);
  const gaps = new Uint8Array(columns);
  let column = 0;
  let value = Number.NaN;
  /** The column began with this value, and no record in it has replaced the value yet. */
  let isCarried = true;
  let total = 0;

  function hold(): void {
    if (Number.isNaN(value)) gaps[column] = 1;
    else {
      if (!(low[column]! <= value)) low[column] = value;
      if (!(high[column]! >= value)) high[column] = value;
    }
  }

  function advance(n: RecordNumber): void {
    for (; column < columns && n >= edges[column + 1]!; column++) {
      if (isCarried) hold();
      last[column] = value;
      isCarried = true;
    }
  }

  return {
    begin(contents) {
      value = valueOf(contents);
    },
    change(n, contents) {
      advance(n);
      // The value before the first record of a column is not in the column.
      if (isCarried && n > edges[column]!) hold();
      isCarried = false;
      value = valueOf(contents);
      changes[column]! += 1;
      total += 1;
      hold();
    },
    advance,
    copy: () => ({
      from,
      to,
      columns,
      edges: edges.slice(),
      low: low.slice(),
      high: high.slice(),
      last: last.slice(),
      changes: changes.slice(),
      gaps: gaps.slice(),
      total,
    }),
  };
}
