/** Returns the known word with the smallest edit distance, or undefined if none is similar. Prefixes come first. */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  const begun = typed.length < 3 ? [] : known.filter((one) => one.startsWith(typed));
  if (begun.length > 0) return begun[0];
  const most = Math.max(1, Math.floor(typed.length / 3));
  let found: string | undefined;
  let fewest = most + 1;
  for (const one of known) {
    const steps = distance(typed, one);
    if (steps < fewest) [found, fewest] = [one, steps];
  }
  return found;
}

/** Edit distance with insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          last[j]! + 1,
          row[j - 1]! + 1,
          last[j - 1]! + Number(!same),
          swapped ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
