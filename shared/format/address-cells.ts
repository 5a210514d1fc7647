/** Heatmap cells of addresses below 4 GiB: what `Capabilities.countPlain` counts into. */

/** One column of rows of addresses in which accesses are counted. */
export interface AddressCells {
  readonly rows: AddressRows;
  /** Bit k set: records of KINDS[k] count. */
  readonly kinds: number;
  /** The count of row r is counts[firstCell + r]. */
  readonly counts: Uint32Array;
  readonly firstCell: number;
}

/**
 * Rows of addresses, and gaps between them. Addresses are distances from the lowest one. One look-up of a stretch finds the row of most
 * addresses.
 */
export interface AddressRows {
  /** The lowest address. */
  readonly low: number;
  /** The last distance of the last row, below 2^32. */
  readonly last: number;
  /** Stretch k holds the distances d with d >>> shift = k. */
  readonly shift: number;
  /** Row of all addresses of a stretch, NO_ROW if they are in a gap, SEVERAL_ROWS if `rowAt` has to find it. */
  readonly stretches: Int32Array;
  /** Place in `starts` of the row or gap that holds the first address of a stretch; after all stretches, the last place. */
  readonly firsts: Int32Array;
  /** First distances of rows and gaps, ascending from 0. */
  readonly starts: Float64Array;
  /** Row, or NO_ROW of a gap, that begins at each start. */
  readonly rowAtStart: Int32Array;
}

export const NO_ROW = -1;
export const SEVERAL_ROWS = -2;

/** Rows that follow each other in memory. */
export interface RowSpan {
  /** The lowest address. */
  readonly low: number;
  /** Row firstRow + r holds the addresses bounds[r] <= a - low < bounds[r + 1]. */
  readonly bounds: Float64Array;
  readonly firstRow: number;
}

/** Many more than most heatmaps have rows, and few enough to stay in the first cache of a core. */
const MOST_STRETCHES = 4096;

/** Returns the rows of spans, which ascend without overlap and end at 4 GiB or before. There is at least one. */
export function addressRows(spans: readonly RowSpan[]): AddressRows {
  const low = spans[0]!.low;
  const most = spans.reduce((sum, { bounds }) => sum + bounds.length, 0);
  const starts = new Float64Array(most);
  const rowAtStart = new Int32Array(most);
  let length = 0;
  let end = 0;
  for (const { low: first, bounds, firstRow } of spans) {
    if (first - low > end) {
      starts[length] = end;
      rowAtStart[length++] = NO_ROW;
    }
    for (let row = 0; row + 1 < bounds.length; row++) {
      // Rows of less than a byte may hold no address.
      if (bounds[row] === bounds[row + 1]) continue;
      starts[length] = first - low + bounds[row]!;
      rowAtStart[length++] = firstRow + row;
    }
    end = first - low + bounds[bounds.length - 1]!;
  }
  let shift = 0;
  while (end > MOST_STRETCHES * 2 ** shift) shift++;
  const stretches = new Int32Array(Math.ceil(end / 2 ** shift));
  const firsts = new Int32Array(stretches.length + 1).fill(length - 1);
  for (let stretch = 0, at = 0; stretch < stretches.length; stretch++) {
    const first = stretch * 2 ** shift;
    while (at + 1 < length && starts[at + 1]! <= first) at++;
    const isOne = at + 1 === length || starts[at + 1]! >= first + 2 ** shift;
    firsts[stretch] = at;
    stretches[stretch] = isOne ? rowAtStart[at]! : SEVERAL_ROWS;
  }
  return {
    low,
    last: end - 1,
    shift,
    stretches,
    firsts,
    starts: starts.subarray(0, length),
    rowAtStart: rowAtStart.subarray(0, length),
  };
}

/** Returns the row of a distance, which is not above `last`; NO_ROW in a gap. */
export function rowAt({ shift, firsts, starts, rowAtStart }: AddressRows, distance: number): number {
  const stretch = distance >>> shift;
  let at = firsts[stretch]!;
  let places = firsts[stretch + 1]! - at + 1;
  // Runs once even if there is one place: V8 would discard compiled code at the first address that needs a loop that never ran before.
  do {
    const half = places >> 1;
    if (starts[at + half]! <= distance) at += half;
    places -= half;
  } while (places > 1);
  return rowAtStart[at]!;
}
