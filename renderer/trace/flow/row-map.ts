/** Which records a list of records shows: all of them except folded calls, or only some. */
import type { Range } from '../cursor.svelte.ts';
import { placeOf } from '../why/why.svelte.ts';
import { rangesOf, recordOf, rowOf, rowsOf, type Fold } from './folded.ts';

export interface RowMap {
  readonly rows: number;
  readonly recordOf: (row: number) => number;
  /** Returns the row of a record. For a record without a row, returns the last row before it, or the first row. */
  readonly rowOf: (n: number) => number;
  /** Returns the records of the rows [first, last) as ranges, with those after them that belong to their instructions. */
  readonly rangesOf: (first: number, last: number) => readonly Range[];
}

export function foldedRows(folds: readonly Fold[], records: number): RowMap {
  return {
    rows: rowsOf(folds, records),
    recordOf: (row) => recordOf(folds, row),
    rowOf: (n) => rowOf(folds, n),
    rangesOf: (first, last) => rangesOf(folds, first, last),
  };
}

/**
 * @param numbers records in ascending order
 * @param around number of records before and after each one that its row shows too
 */
export function rowsOfNumbers(numbers: Float64Array, around: number): RowMap {
  return {
    rows: numbers.length,
    recordOf: (row) => numbers[Math.min(numbers.length - 1, row)] ?? 0,
    rowOf(n) {
      const at = placeOf(numbers, n);
      return Math.max(0, numbers[at] === n ? at : at - 1);
    },
    rangesOf: (first, last) =>
      Array.from(numbers.subarray(first, last), (n) => ({ from: Math.max(0, n - around), to: n + around + 1 })),
  };
}
