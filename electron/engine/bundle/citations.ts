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
  const wanted: CitedRecords[] = [];
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
    wanted.push({ from: Math.max(0, from - context), to: Math.min(records, last + context), by: [by] });
  }
  return { ranges: joined(wanted), leftOut };
}

/** Returns the same records as ranges that neither overlap nor touch, in their order. */
export function joined(ranges: readonly CitedRecords[]): readonly CitedRecords[] {
  const found: { from: number; to: number; by: readonly string[] }[] = [];
  for (const { from, to, by } of ranges.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const last = found.at(-1);
    if (last === undefined || from > last.to) found.push({ from, to, by });
    else {
      last.to = Math.max(last.to, to);
      last.by = [...new Set([...last.by, ...by])];
    }
  }
  return found;
}
