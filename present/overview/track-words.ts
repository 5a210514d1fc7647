/** Words and numbers of the tracks about some records. */
import { percent } from '../base/percent.ts';
import { interrupts, KIND_LOOKS } from '../base/kinds.ts';
import { counted, group } from '../../shared/base/numbers.ts';
import type { FunctionTimeline, Phase } from '../../shared/requests/flow.ts';
import type { Overview, SampledValues } from '../../shared/requests/requests.ts';

/** Returns the column that contains record n. */
export function columnOf(edges: ArrayLike<number>, n: number): number {
  let [low, high] = [0, Math.max(0, edges.length - 2)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (edges[middle]! <= n) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the columns that contain records of [from, to): first, and end. */
function columnsOf(edges: ArrayLike<number>, from: number, to: number): readonly [number, number] {
  return [columnOf(edges, from), columnOf(edges, Math.max(from, to - 1)) + 1];
}

/** `sort 62 %, main 20 %`. */
export function phaseName({ of, functions }: FunctionTimeline, { functions: dominant }: Phase): string {
  if (dominant.length === 0) return of === 'functions' ? 'no known function' : 'no access';
  return dominant.map(({ function: fn, share }) => `${functions[fn]?.name ?? ''} ${percent(share)}`).join(', ');
}

export function phaseAt({ phases }: FunctionTimeline, n: number): Phase | undefined {
  return phases.find(({ from, to }) => from <= n && n < to);
}

/** The function that ran longest in the column with record n. */
export function functionWords({ edges, functions, top, share }: FunctionTimeline, n: number): string {
  const column = columnOf(edges, n);
  const name = functions[top[column] ?? -1]?.name;
  return name === undefined ? 'no known function' : `${name} for ${percent(share[column] ?? 0)}`;
}

/** `3 to 7`; `unknown`. */
export function depthWords({ edges, low, high }: FunctionTimeline, from: number, to: number): string {
  const [first, end] = columnsOf(edges, from, to);
  const known = [...low.subarray(first, end), ...high.subarray(first, end)].filter((value) => !Number.isNaN(value));
  if (known.length === 0) return 'unknown';
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return least === most ? group(least) : `${group(least)} to ${group(most)}`;
}

/** Counts of interrupts and exceptions by column. */
export function interruptsOf({ kinds, counts }: Overview): (column: number) => number {
  return sumOf(
    kinds.map((kind) => interrupts(kind)),
    counts,
  );
}

/** Reads and writes of each record in a column. */
export function ratesOf(overview: Overview): {
  readonly reads: (column: number) => number;
  readonly writes: (column: number) => number;
  readonly most: number;
} {
  const { kinds, counts, edges, columns } = overview;
  const hues = kinds.map((kind) => KIND_LOOKS[kind].hue);
  const reads = sumOf(
    hues.map((hue) => hue === 'read' || hue === 'port-read'),
    counts,
  );
  const writes = sumOf(
    hues.map((hue) => hue === 'write' || hue === 'port-write'),
    counts,
  );
  const rate =
    (of: (column: number) => number) =>
    (column: number): number =>
      of(column) / Math.max(1, edges[column + 1]! - edges[column]!);
  let most = 0;
  for (let column = 0; column < columns; column += 1) most = Math.max(most, rate(reads)(column), rate(writes)(column));
  return { reads: rate(reads), writes: rate(writes), most };
}

function sumOf(isCounted: readonly boolean[], counts: ArrayLike<number>): (column: number) => number {
  return (column) =>
    isCounted.reduce((sum, its, kind) => sum + (its ? (counts[column * isCounted.length + kind] ?? 0) : 0), 0);
}

export function accessWords(overview: Overview, n: number): string {
  const { reads, writes } = ratesOf(overview);
  const column = columnOf(overview.edges, n);
  const each = (rate: number): string => (100 * rate).toFixed(1);
  return `${each(reads(column))} reads and ${each(writes(column))} writes in 100 records`;
}

export function interruptWords(overview: Overview, n: number): string {
  return counted(
    interruptsOf(overview)(columnOf(overview.edges, n)),
    'interrupt or exception',
    'interrupts and exceptions',
  );
}

/** The value after the last record of the column with record n. */
export function valueWords({ edges, values }: SampledValues, n: number): string {
  if (values.length === 0) return 'unknown';
  const column = columnOf(edges, n);
  return `${values[column] ?? 'unknown'} after record ${group(edges[column + 1]! - 1)}`;
}

/** Scales known values to 0 to 1; NaN if unknown. */
export function scaled(values: SampledValues['values']): {
  readonly shares: readonly number[];
  readonly least: string | undefined;
  readonly most: string | undefined;
} {
  const known = values.flatMap((value) => (value === null ? [] : [BigInt(value)]));
  if (known.length === 0) return { shares: values.map(() => Number.NaN), least: undefined, most: undefined };
  const least = known.reduce((a, b) => (b < a ? b : a));
  const most = known.reduce((a, b) => (b > a ? b : a));
  const extent = Number(most - least);
  return {
    shares: values.map((value) =>
      value === null ? Number.NaN : extent === 0 ? 0.5 : Number(BigInt(value) - least) / extent,
    ),
    least: `0x${least.toString(16)}`,
    most: `0x${most.toString(16)}`,
  };
}
