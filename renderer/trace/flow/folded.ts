/** Which rows a list of records has where some calls are folded away, each into the row of the call. Folds never overlap. */
export interface Fold {
  /** The record that stands for them. */
  readonly head: number;
  /** The records [from, to) are folded away. */
  readonly from: number;
  readonly to: number;
}

/** In the order of records; a fold takes those into it that lie inside it, and opens those whose row it hides. */
export function withFold(folds: readonly Fold[], fold: Fold): readonly Fold[] {
  if (fold.to <= fold.from) return folds;
  const others = folds.filter(
    (other) => (other.to <= fold.from || other.from >= fold.to) && (other.head < fold.from || other.head >= fold.to),
  );
  return [...others, fold].sort((a, b) => a.from - b.from);
}

/** The fold in which a record is hidden. */
export function foldOver(folds: readonly Fold[], n: number): Fold | undefined {
  return folds.find(({ from, to }) => n >= from && n < to);
}

/** The row of a record; of a hidden one that of the last record before it that is not. */
export function rowOf(folds: readonly Fold[], n: number): number {
  let hidden = 0;
  for (const { from, to } of folds) {
    if (n < from) break;
    hidden += Math.min(to, n + 1) - from;
  }
  return Math.max(0, n - hidden);
}

/** The record of a row. */
export function recordOf(folds: readonly Fold[], row: number): number {
  let n = row;
  for (const { from, to } of folds) {
    if (n < from) break;
    n += to - from;
  }
  return n;
}

/** Rows of a list of so many records. */
export function rowsOf(folds: readonly Fold[], records: number): number {
  return folds.reduce(
    (rows, { from, to }) => rows - Math.max(0, Math.min(to, records) - Math.min(from, records)),
    records,
  );
}

/** The records of the rows [first, last), as ranges without those that are hidden. */
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
