/** Which records a bundle holds: those that notes, views and reports cite, with some around them, within limits. */
import { group } from '../../../shared/base/numbers.ts';
import type { RecordRange } from '../export/slice.ts';

/** Records [from, to) that somebody relies on, and who does: `the note 'First write'`. */
export interface Citation extends RecordRange {
  readonly by: string;
}

export interface CitationLimits {
  /** Records of the trace. */
  readonly records: number;
  /** Records before and after those of a citation. */
  readonly context: number;
  /** Records of one citation. */
  readonly most: number;
}

export interface CitedRecords extends RecordRange {
  readonly by: readonly string[];
}

/** Returns ranges that neither overlap nor touch, in their order, and sentences about what they leave out. */
export function citedRecords(
  citations: readonly Citation[],
  { records, context, most }: CitationLimits,
): { readonly ranges: readonly CitedRecords[]; readonly leftOut: readonly string[] } {
  const leftOut: string[] = [];
  const wanted: Citation[] = [];
  for (const { from, to, by } of citations) {
    if (from >= records) {
      leftOut.push(`${by} is on record ${group(from)}, which this trace does not have.`);
      continue;
    }
    const end = Math.min(to, records);
    if (end - from > most)
      leftOut.push(
        `${by} is on records ${group(from)} to ${group(end - 1)}, of which the first ${group(most)} are in the bundle.`,
      );
    const last = Math.min(end, from + most);
    wanted.push({ from: Math.max(0, from - context), to: Math.min(records, last + context), by });
  }
  const ranges: { from: number; to: number; by: string[] }[] = [];
  for (const { from, to, by } of wanted.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const last = ranges.at(-1);
    if (last === undefined || from > last.to) ranges.push({ from, to, by: [by] });
    else {
      last.to = Math.max(last.to, to);
      if (!last.by.includes(by)) last.by.push(by);
    }
  }
  return { ranges, leftOut };
}
