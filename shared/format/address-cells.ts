/** Heatmap cells of one band of addresses below 4 GiB: what `Capabilities.countPlain` counts into. */

/** Rows of addresses in which accesses are counted. All have the same height except for the rounding of their bounds. */
export interface AddressCells {
  /** The lowest address. */
  readonly low: number;
  /** Row r holds the addresses bounds[r] <= a - low < bounds[r + 1], all of them below 4 GiB. */
  readonly bounds: Float64Array;
  /** Bit k set: records of KINDS[k] count. */
  readonly kinds: number;
  /** The count of row r is counts[firstCell + r]. */
  readonly counts: Uint32Array;
  readonly firstCell: number;
}

/** Returns the row of an address `distance` above the lowest one and below the last bound. `rowsPerByte` is the mean over all rows. */
export function rowAt(distance: number, rowsPerByte: number, bounds: Float64Array): number {
  // Rows are few: they fit 31 bits.
  const row = (distance * rowsPerByte) | 0;
  if (distance < bounds[row]!) return row - 1;
  return distance >= bounds[row + 1]! ? row + 1 : row;
}
