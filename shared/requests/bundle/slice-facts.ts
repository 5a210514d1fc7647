/** Where the records of a slice are in the whole trace. */
export interface SliceFacts {
  /** Path of the bundle. */
  readonly bundle: string;
  /** Name of the whole trace. */
  readonly of: string;
  readonly from: number;
  readonly to: number;
  /** Record k of the slice is record k - stateRecords + from of the trace; those before `stateRecords` are none. */
  readonly stateRecords: number;
}

/** Returns which record of the whole trace a record of the slice is; undefined for one that only sets a register. */
export function wholeRecord({ from, stateRecords }: SliceFacts, n: number): number | undefined {
  return n < stateRecords ? undefined : n - stateRecords + from;
}

/** Returns which record of the slice a record of the whole trace is; undefined if the slice does not have it. */
export function sliceRecord({ from, to, stateRecords }: SliceFacts, n: number): number | undefined {
  return n < from || n >= to ? undefined : n - from + stateRecords;
}
