/**
 * The rows of two aligned runs. A region has as many rows as the run with more instructions has in it: row k of the region shows the k-th
 * instruction of each run. Only rows of regions that both runs executed pair two instructions.
 */
import type { DiffRegion, RegionKind } from '../diff.ts';

/** Numbers of rows and instructions before each region, and one element more: those of all regions. */
export interface RowTable {
  readonly rows: Float64Array;
  readonly a: Float64Array;
  readonly b: Float64Array;
}

export function rowTable(regions: readonly DiffRegion[]): RowTable {
  const starts = (of: (region: DiffRegion) => number): Float64Array => {
    const sums = new Float64Array(regions.length + 1);
    for (const [at, region] of regions.entries()) sums[at + 1] = sums[at]! + of(region);
    return sums;
  };
  return {
    rows: starts(rowsIn),
    a: starts((region) => region.instructionsA),
    b: starts((region) => region.instructionsB),
  };
}

export function rowsIn({ instructionsA, instructionsB }: DiffRegion): number {
  return Math.max(instructionsA, instructionsB);
}

/** Returns true if the rows of a region pair instructions: both runs executed the same ones. */
export function isPaired(kind: RegionKind): boolean {
  return kind !== 'a-only' && kind !== 'b-only' && kind !== 'not-aligned' && kind !== 'not-compared';
}

/** Returns the last region that begins at or before a place; of regions without extent, the one with extent after them. */
export function regionAt(starts: Float64Array, place: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= place) low = middle;
    else high = middle;
  }
  return low;
}

/** Returns the number of instructions of a run before a row. */
export function instructionsBefore(own: Float64Array, { rows }: RowTable, row: number): number {
  const region = regionAt(rows, row);
  return Math.min(own[region + 1]!, own[region]! + row - rows[region]!);
}
