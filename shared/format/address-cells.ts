/** Heatmap cells of one band of addresses below 4 GiB: what `Capabilities.countPlain` counts into. */

/** Rows of addresses in which accesses are counted. All have the same height except for the rounding of their bounds. */
export interface AddressCells {
  /** The lowest address. */
  readonly low: number;
  /** Row r holds the addresses bounds[r] <= a - low < bounds[r + 1], all of them below 4 GiB. */
  readonly bounds: Float64Array;
  readonly stretches: RowStretches;
  /** Bit k set: records of KINDS[k] count. */
  readonly kinds: number;
  /** The count of row r is counts[firstCell + r]. */
  readonly counts: Uint32Array;
  readonly firstCell: number;
}

/** Rows of equal stretches of addresses, which are found in less time than by `rowAt`. */
export interface RowStretches {
  /** Stretch k holds the addresses with (a - low) >>> shift = k. */
  readonly shift: number;
  /** Row of all addresses of a stretch, -1 if they have several. */
  readonly rows: Int32Array;
}

/** Many more than most heatmaps have rows, and few enough to stay in the first cache of a core. */
const MOST_STRETCHES = 4096;

/** Returns the rows of stretches of the addresses below the last bound. */
export function rowStretches(bounds: Float64Array): RowStretches {
  const top = bounds[bounds.length - 1]!;
  let shift = 0;
  while (top > MOST_STRETCHES * 2 ** shift) shift++;
  const rowsPerByte = (bounds.length - 1) / top;
  const rows = Int32Array.from({ length: Math.ceil(top / 2 ** shift) }, (_, stretch) => {
    const first = stretch * 2 ** shift;
    const row = rowAt(first, rowsPerByte, bounds);
    return rowAt(Math.min(first + 2 ** shift, top) - 1, rowsPerByte, bounds) === row ? row : -1;
  });
  return { shift, rows };
}

/** Returns the row of an address `distance` above the lowest one and below the last bound. `rowsPerByte` is the mean over all rows. */
export function rowAt(distance: number, rowsPerByte: number, bounds: Float64Array): number {
  // Rows are few: they fit 31 bits.
  const row = (distance * rowsPerByte) | 0;
  if (distance < bounds[row]!) return row - 1;
  return distance >= bounds[row + 1]! ? row + 1 : row;
}
