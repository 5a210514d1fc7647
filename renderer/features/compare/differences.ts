/**
 * The differences of two aligned runs. A difference is a stretch with other values, or one in which the runs took other ways. What only one
 * trace shows is none.
 */
import type { DiffRegion, RegionKind } from '../../../shared/requests/diff.ts';
import { isPaired, regionAt, rowTable, type RowTable } from '../../../shared/requests/answers/aligned-rows.ts';

export interface Alignment {
  readonly regions: readonly DiffRegion[];
  readonly table: RowTable;
  /** Number of rows of all regions. */
  readonly rows: number;
  /** First row of each difference, ascending. */
  readonly starts: Float64Array;
  /** First row that both runs executed; 0 if there is none. */
  readonly firstShared: number;
}

export function alignmentOf(regions: readonly DiffRegion[]): Alignment {
  const table = rowTable(regions);
  const sorts = regions.map(({ kind }) =>
    kind === 'same' || kind === 'not-compared' ? 'same' : kind === 'values' ? kind : 'ways',
  );
  const isStart = (at: number): boolean => sorts[at] !== 'same' && sorts[at] !== sorts[at - 1];
  const starts = regions.flatMap((_, at) => (isStart(at) ? [table.rows[at]!] : []));
  const shared = regions.findIndex(({ kind }) => isPaired(kind));
  return {
    regions,
    table,
    rows: table.rows.at(-1) ?? 0,
    starts: Float64Array.from(starts),
    firstShared: table.rows[Math.max(0, shared)] ?? 0,
  };
}

export function kindAt({ regions, table }: Alignment, row: number): RegionKind {
  return regions[regionAt(table.rows, row)]?.kind ?? 'same';
}

/** Returns the first row of the next difference after a row, or of the previous one before it; undefined if there is none. */
export function nextDifference({ starts }: Alignment, row: number, way: 1 | -1): number | undefined {
  return way > 0 ? starts.find((start) => start > row) : starts.findLast((start) => start < row);
}

/** Returns the number of the difference that a row is in or after, starting at 1; 0 before the first one. */
export function differenceNumber({ starts }: Alignment, row: number): number {
  return starts.findLastIndex((start) => start <= row) + 1;
}
