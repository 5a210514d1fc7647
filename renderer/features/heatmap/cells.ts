/** Cells of a heatmap by what they hold, for anyone who points at one: records, addresses, count. */
import type { HeatImage } from '../../../present/heat/heat.ts';
import { columnOf, nearestHot, rowOf, spanOfRow } from '../../../present/heat/heat.ts';
import { address, group, span } from '../../../shared/base/numbers.ts';

export interface Cell {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly low: bigint;
  /** Exclusive. */
  readonly high: bigint;
  readonly count: number;
}

/** Pixels that a pointer may miss a cell by. */
const HAND = 6;

/** The cell of an image that holds a record and an address. */
export function cellAt(image: HeatImage, n: number, low: bigint): Cell | undefined {
  const column = columnOf(image, n);
  const row = rowOf(image, low);
  if (column === undefined || !row) return undefined;
  return {
    from: image.edges[column] ?? 0,
    to: image.edges[column + 1] ?? 0,
    low: row.low,
    high: row.high,
    count: image.counts[column * image.rows + row.row] ?? 0,
  };
}

/** The same cell, or, where it is empty, the nearest with accesses in reach of a hand; cells are wide x tall pixels. */
export function cellNear(image: HeatImage, cell: Cell, wide: number, tall: number): Cell {
  const column = columnOf(image, cell.from);
  const row = rowOf(image, cell.low)?.row;
  if (cell.count > 0 || column === undefined || row === undefined) return cell;
  const near = nearestHot(image, { column, row }, { pixels: HAND, wide, tall });
  const held = near && spanOfRow(image, near.row);
  return near && held ? (cellAt(image, image.edges[near.column] ?? 0, held.low) ?? cell) : cell;
}

/** The cell some columns and rows away, held inside the image. */
export function neighbour(image: HeatImage, n: number, low: bigint, columns: number, rows: number): Cell | undefined {
  const column = (columnOf(image, n) ?? 0) + columns;
  const row = (rowOf(image, low)?.row ?? 0) + rows;
  const held = spanOfRow(image, Math.min(image.rows - 1, Math.max(0, row)));
  const edge = image.edges[Math.min(image.columns - 1, Math.max(0, column))];
  return held && edge !== undefined ? cellAt(image, edge, held.low) : undefined;
}

/** A cell as a sentence, for people who do not see the chart. */
export function describeCell(cell: Cell, digits: number): string {
  const count = cell.count === 0 ? 'No access' : cell.count === 1 ? '1 access' : `${group(cell.count)} accesses`;
  const records =
    cell.to - cell.from <= 1 ? `record ${group(cell.from)}` : `records ${group(cell.from)} to ${group(cell.to - 1)}`;
  return `${count}, ${address(cell.low, digits)}, ${span(cell.high - cell.low)}, ${records}`;
}
