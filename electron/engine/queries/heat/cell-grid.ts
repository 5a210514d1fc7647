/** The geometry of a heatmap's grid: columns of records, rows of addresses. Exact for all 64-bit addresses. */
import { pageOf, type PageNumber, type RecordNumber } from '../../../../shared/base/units.ts';

/** The grid of one query. */
export interface CellGrid {
  /** Column c contains the records edges[c] <= n < edges[c + 1]. */
  readonly edges: Float64Array;
  /** Spans of addresses, ascending and without overlap. */
  readonly bands: readonly CellBand[];
  /** Total number of rows of all bands. */
  readonly rows: number;
  /** Bit k set: records of KINDS[k] count. */
  readonly kinds: number;
}

/**
 * A band of rows. Row r contains the addresses bounds[r] <= a - low < bounds[r + 1]. If bytes would not be exact in a double, bound r is
 * byte offsets[r] of page bounds[r], counted from the page of low.
 */
export interface CellBand {
  readonly lowLow: number;
  readonly lowHigh: number;
  /** Unit of `bounds`, in bytes. */
  readonly unit: 1 | 4096;
  readonly bounds: Float64Array;
  /** Byte offset of each bound within its page. Empty if `bounds` count bytes. */
  readonly offsets: Uint16Array;
  /** First row of the band in the grid. */
  readonly firstRow: number;
}

/** Returns the row of an address, or -1 outside all bands. */
export function rowOf(grid: CellGrid, low: number, high: number): number {
  const { bands } = grid;
  let from = 0;
  let to = bands.length - 1;
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    const { lowHigh, lowLow } = bands[middle]!;
    if (lowHigh < high || (lowHigh === high && lowLow <= low)) from = middle;
    else to = middle - 1;
  }
  const band = bands[from]!;
  const { lowLow, lowHigh, bounds, firstRow } = band;
  if (high < lowHigh || (high === lowHigh && low < lowLow)) return -1;
  if (band.unit !== 1) return rowByPages(band, low, high);
  const distance = (high - lowHigh) * 2 ** 32 + (low - lowLow);
  const rows = bounds.length - 1;
  const top = bounds[rows]!;
  if (distance >= top) return -1;
  let row = Math.min(rows - 1, Math.floor((distance / top) * rows));
  while (distance < bounds[row]!) row--;
  while (distance >= bounds[row + 1]!) row++;
  return firstRow + row;
}

/** Returns the row of an address at or above the start of a band whose bounds are pages and byte offsets. */
function rowByPages({ lowLow, lowHigh, bounds, offsets, firstRow }: CellBand, low: number, high: number): number {
  const pages = (high - lowHigh) * 2 ** 20 + ((low >>> 12) - (lowLow >>> 12));
  const bytes = low & 4095;
  const rows = bounds.length - 1;
  const top = bounds[rows]!;
  if (pages > top || (pages === top && bytes >= offsets[rows]!)) return -1;
  let row = Math.min(rows - 1, Math.floor((pages / top) * rows));
  while (pages < bounds[row]! || (pages === bounds[row]! && bytes < offsets[row]!)) row--;
  while (pages > bounds[row + 1]! || (pages === bounds[row + 1]! && bytes >= offsets[row + 1]!)) row++;
  return firstRow + row;
}

/** Returns the column that contains record n, which must be within the edges. */
export function columnOf(edges: Float64Array, n: RecordNumber): number {
  let low = 0;
  let high = edges.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle]! <= n) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function rowOfPageStart(grid: CellGrid, page: PageNumber): number {
  return rowOf(grid, (page % 2 ** 20) * 4096, Math.floor(page / 2 ** 20));
}

export function rowOfPageEnd(grid: CellGrid, page: PageNumber): number {
  return rowOf(grid, (page % 2 ** 20) * 4096 + 4095, Math.floor(page / 2 ** 20));
}

/** Returns true if a band begins in these pages. A cell with both ends outside all bands may still contain one. */
export function bandStartsWithin({ bands }: CellGrid, firstPage: PageNumber, lastPage: PageNumber): boolean {
  let low = 0;
  let high = bands.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pageOf(bands[middle]!.lowLow, bands[middle]!.lowHigh) < firstPage) low = middle + 1;
    else high = middle;
  }
  const band = bands[low];
  return band !== undefined && pageOf(band.lowLow, band.lowHigh) <= lastPage;
}
