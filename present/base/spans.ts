/** Formats spans of records for people: both shown ends belong to the span. */
import { group } from '../../shared/base/numbers.ts';

/** `records 0 to 39,999`, `record 5`, `no records`; `to` is exclusive. */
export function recordSpan(from: number, to: number): string {
  if (to <= from) return 'no records';
  return to - from === 1 ? `record ${group(from)}` : `records ${group(from)} to ${group(to - 1)}`;
}
