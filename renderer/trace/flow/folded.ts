/** Maps records to rows of a list in which calls are folded, each into the row of its call. Folds never overlap. */
export interface Fold {
  /** Record whose row represents the fold. */
  readonly head: number;
  /** Hidden records [from, to). */
  readonly from: number;
  readonly to: number;
}

/** Adds a fold. Folds inside it are merged into it, folds whose row it hides are dropped. Returns the folds in the order of records. */
export function withFold(folds: readonly Fold[], fold: Fold): readonly Fold[] {
  if (fold.to <= fold.from) return folds;
  const others = folds.filter(
    (other) => (other.to <= fold.from || other.from >= fold.to) && (other.head < fold.from || other.head >= fold.to),
  );
  return [...others, fold].sort((a, b) => a.from - b.from);
}

/** Returns the fold that hides a record. */
export function foldOver(folds: readonly Fold[], n: number): Fold | undefined {
  return folds.find(({ from, to }) => n >= from && n < to);
}

/** Returns the row of a record. For a hidden record, returns the row of the last visible record before it. */
export function rowOf(folds: readonly Fold[], n: number): number {
  let hidden = 0;
  for (const { from, to } of folds) {
    if (n < from) break;
    hidden += Math.min(to, n + 1) - from;
  }
  return Math.max(0, n - hidden);
}

/** Returns the record of a row. */
export function recordOf(folds: readonly Fold[], row: number): number {
  let n = row;
  for (const { from, to } of folds) {
    if (n < from) break;
    n += to - from;
  }
  return n;
}

/** Returns the number of rows in a list of `records` records. */
export function rowsOf(folds: readonly Fold[], records: number): number {
  return folds.reduce(
    (rows, { from, to }) => rows - Math.max(0, Math.min(to, records) - Math.min(from, records)),
    records,
  );
}

/** Returns the records of the rows [first, last) as ranges without hidden records. */
export function rangesOf(
  folds: readonly Fold[],
  first: number,
  last: number,
): readonly { readonly from: number; readonly to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  let row = first;
  while (row < last) {
    const from = recordOf(folds, row);
    const next = folds.find((fold) => fold.from > from);
    const to = Math.min(from + (last - row), next?.from ?? Number.POSITIVE_INFINITY);
    ranges.push({ from, to });
    row += to - from;
  }
  return ranges;
}
