/** The grid of a heatmap with columns and rows of equal size, as `heat` prints it. */
import type { HeatGrid } from '../../shared/requests/requests.ts';
import type { IndexReport } from '../../shared/requests/trace.ts';
import { PAGE_BYTES, toHex, type Hex } from '../../shared/base/units.ts';

export const HEAT_COLUMNS = 64;
export const HEAT_ROWS = 32;

/** Returns a span of addresses. A missing end is taken from the trace, rounded to pages; the ends that are given may be in the wrong order. */
export function heatSpan(
  { address: ofTrace }: Pick<IndexReport, 'address'>,
  { low, high }: { readonly low?: Hex | undefined; readonly high?: Hex | undefined },
): { readonly low: Hex; readonly high: Hex } {
  const { lowest = '0x0', highest = '0x0' } = ofTrace ?? {};
  return {
    low: low ?? toHex((BigInt(lowest) / PAGE) * PAGE),
    high: high ?? toHex((BigInt(highest) / PAGE + 1n) * PAGE),
  };
}

/** Returns one list of counts per row, lowest addresses first. */
export function rowsOfCounts({ columns, rows, counts }: HeatGrid): readonly (readonly number[])[] {
  const row = (at: number) => Array.from({ length: columns }, (_, column) => counts[column * rows + at]!);
  return Array.from({ length: rows }, (_, at) => row(at));
}

const PAGE = BigInt(PAGE_BYTES);
