/** Plans the grid of a heatmap query: exact boundaries of its time columns and address rows. */
import type { Band, HeatBand } from '../../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { highHalf, lowHalf, PAGE_BYTES, toHex, type RecordNumber } from '../../../../shared/base/units.ts';
import type { CellBand, CellGrid } from './cell-grid.ts';

/** Maximum number of cells per answer: 64 MB of counts. */
export const MOST_CELLS = 8_000_000;
/** Longer distances are counted in pages plus a byte offset, so that they stay exact in doubles. */
const MOST_EXACT_BYTES = 2n ** 52n;

/** Returns edges so that record n is in column floor((n - from) * columns / (to - from)), exactly. Zero columns end where they begin. */
export function evenEdges(from: RecordNumber, to: RecordNumber, columns: number): Float64Array {
  if (columns === 0) return Float64Array.of(from);
  // In two parts, because records times columns may exceed the exact range of doubles.
  const each = Math.floor((to - from) / columns);
  const rest = (to - from) % columns;
  return Float64Array.from({ length: columns + 1 }, (_, c) => from + each * c + Math.ceil((rest * c) / columns));
}

export interface RowPlan {
  readonly grid: Pick<CellGrid, 'bands' | 'rows'>;
  readonly bands: readonly HeatBand[];
}

/**
 * Plans rows over bands of addresses. With `exact`, each band has exactly the requested number of rows. Otherwise rows are a power of two
 * of at least `cell` bytes and bands grow to whole rows. Bands must be ascending and must not overlap.
 */
export function planRows(
  wanted: readonly (Band & { readonly rows: number })[],
  exact: boolean,
  cell: number,
): Result<RowPlan> {
  const cells: CellBand[] = [];
  const bands: HeatBand[] = [];
  let firstRow = 0;
  let above = 0n;
  for (const band of wanted) {
    let low = BigInt(band.low);
    let high = BigInt(band.high);
    if (high <= low || band.rows < 1) return fail('usage', `the address band ${band.low} to ${band.high} is empty`);
    let rows = band.rows;
    let rowBytes = Number(high - low) / rows;
    if (!exact) {
      rowBytes = Math.max(cell, 2 ** Math.ceil(Math.log2(rowBytes)));
      const step = BigInt(rowBytes);
      low = (low / step) * step;
      high = ((high + step - 1n) / step) * step;
      rows = Number((high - low) / step);
      if (low < above) {
        low += ((above - low + step - 1n) / step) * step;
        rows = Number((high - low) / step);
        if (rows < 1) continue;
      }
    }
    if (low < above) return fail('usage', 'address bands must be ascending and must not overlap');
    cells.push(cellBand(low, high, rows, firstRow));
    bands.push({ low: toHex(low), high: toHex(high), rows, rowBytes });
    firstRow += rows;
    above = high;
  }
  return ok({ grid: { bands: cells, rows: firstRow }, bands });
}

function cellBand(low: bigint, high: bigint, rows: number, firstRow: number): CellBand {
  const distance = high - low;
  const page = BigInt(PAGE_BYTES);
  const isWide = distance > MOST_EXACT_BYTES;
  const bounds = new Float64Array(rows + 1);
  const offsets = new Uint16Array(isWide ? rows + 1 : 0);
  for (let r = 0; r <= rows; r++) {
    const bytes = (distance * BigInt(r) + BigInt(rows) - 1n) / BigInt(rows);
    if (!isWide) bounds[r] = Number(bytes);
    else {
      bounds[r] = Number((low + bytes) / page - low / page);
      offsets[r] = Number((low + bytes) % page);
    }
  }
  return { lowLow: lowHalf(low), lowHigh: highHalf(low), unit: isWide ? 4096 : 1, bounds, offsets, firstRow };
}
