/**
 * Renders counts per cell as pixels. Every cell becomes a rectangle of levels, at least `least` pixels wide and high, and the highest
 * level wins if cells share a pixel. A single access is therefore visible at every zoom, and an image of another rectangle of the trace
 * is drawn correctly, if coarsely, while the requested one is still being counted.
 */
import { nearestEnd, nearestPosition, type AddressAxis } from '../base/axis.ts';
import { levelOf } from './palette.ts';

export interface HeatImage {
  readonly columns: number;
  readonly rows: number;
  /** columns + 1 record numbers. */
  readonly edges: Float64Array;
  readonly bands: readonly HeatImageBand[];
  /** counts[column * rows + row], row 0 = lowest addresses. */
  readonly counts: Float64Array;
  readonly most: number;
}

export interface HeatImageBand {
  readonly low: bigint;
  readonly high: bigint;
  readonly rows: number;
  readonly rowBytes: number;
}

/** The shown range of time and of axis positions. */
export interface HeatWindow {
  readonly from: number;
  readonly to: number;
  readonly bottom: number;
  readonly top: number;
}

/** Levels of a chart of width x height pixels; row 0 is at the top. */
export interface Levels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

export function paintLevels(
  levels: Levels,
  image: HeatImage,
  axis: AddressAxis,
  window: HeatWindow,
  least: number,
): void {
  const { width, height, data } = levels;
  const rowTop = new Int32Array(image.rows);
  const rowEnd = new Int32Array(image.rows);
  rowPixels(image, axis, window, height, least, rowTop, rowEnd);
  const perRecord = width / (window.to - window.from);
  for (let column = 0; column < image.columns; column += 1) {
    const start = ((image.edges[column] ?? 0) - window.from) * perRecord;
    const end = ((image.edges[column + 1] ?? 0) - window.from) * perRecord;
    if (end <= 0 || start >= width) continue;
    const left = Math.max(0, Math.floor(start));
    const right = Math.min(width, Math.max(Math.floor(end), Math.floor(start) + least));
    const base = column * image.rows;
    for (let row = 0; row < image.rows; row += 1) {
      const count = image.counts[base + row]!;
      if (count === 0) continue;
      const level = levelOf(count, image.most);
      const bottom = rowEnd[row]!;
      for (let y = rowTop[row]!; y < bottom; y += 1) {
        const line = y * width;
        for (let x = left; x < right; x += 1) if (data[line + x]! < level) data[line + x] = level;
      }
    }
  }
}

/** Clears the rectangle of an image before a finer image of it is painted there. */
export function clearLevels(levels: Levels, from: number, to: number, window: HeatWindow): void {
  const { width, height, data } = levels;
  const perRecord = width / (window.to - window.from);
  const left = Math.max(0, Math.floor((from - window.from) * perRecord));
  const right = Math.min(width, Math.ceil((to - window.from) * perRecord));
  if (right <= left) return;
  for (let y = 0; y < height; y += 1) data.fill(0, y * width + left, y * width + right);
}

/** Converts levels to pixels in the colours of a palette. */
export function colourLevels(levels: Levels, palette: Uint32Array, pixels: Uint32Array): void {
  const { data } = levels;
  for (let at = 0; at < data.length; at += 1) pixels[at] = palette[data[at]!]!;
}

function rowPixels(
  image: HeatImage,
  axis: AddressAxis,
  window: HeatWindow,
  height: number,
  least: number,
  tops: Int32Array,
  ends: Int32Array,
): void {
  const perPosition = height / (window.top - window.bottom);
  let row = 0;
  for (const band of image.bands) {
    for (let index = 0; index < band.rows; index += 1, row += 1) {
      const { low, high } = rowSpan(band, index);
      const end = Math.ceil((window.top - nearestPosition(axis, low)) * perPosition);
      const top = Math.min(Math.round((window.top - nearestEnd(axis, high)) * perPosition), end - least);
      tops[row] = Math.min(height, Math.max(0, top));
      ends[row] = Math.min(height, Math.max(0, end));
    }
  }
}

/** Returns the column of an image that contains a record; undefined outside. */
export function columnOf(image: HeatImage, n: number): number | undefined {
  let low = 0;
  let high = image.columns;
  if (image.columns === 0 || n < (image.edges[0] ?? 0) || n >= (image.edges[high] ?? 0)) return undefined;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (n >= (image.edges[middle] ?? 0)) low = middle;
    else high = middle;
  }
  return low;
}

/** A cell with accesses, by column and row. */
export interface HeatCell {
  readonly column: number;
  readonly row: number;
}

/**
 * Returns the nearest cell with accesses within `reach` of a place in columns and rows, where a column counts as
 * `wide` pixels and a row as `tall`; undefined if there is none.
 */
export function nearestHot(
  image: HeatImage,
  place: HeatCell,
  reach: { readonly pixels: number; readonly wide: number; readonly tall: number },
): HeatCell | undefined {
  const columns = Math.ceil(reach.pixels / reach.wide);
  const rows = Math.ceil(reach.pixels / reach.tall);
  let best: HeatCell | undefined;
  let bestDistance = Infinity;
  for (
    let column = Math.max(0, place.column - columns);
    column <= Math.min(image.columns - 1, place.column + columns);
    column += 1
  ) {
    for (let row = Math.max(0, place.row - rows); row <= Math.min(image.rows - 1, place.row + rows); row += 1) {
      if (image.counts[column * image.rows + row] === 0) continue;
      const distance = Math.hypot((column - place.column) * reach.wide, (row - place.row) * reach.tall);
      if (distance < bestDistance) {
        bestDistance = distance;
        best = { column, row };
      }
    }
  }
  return best;
}

export interface Row {
  readonly row: number;
  readonly low: bigint;
  /** Exclusive. */
  readonly high: bigint;
}

/** Returns the row of an image that contains an address; undefined outside. */
export function rowOf(image: HeatImage, address: bigint): Row | undefined {
  let before = 0;
  for (const band of image.bands) {
    if (address >= band.low && address < band.high) {
      const index = Math.min(band.rows - 1, Math.floor(Number(address - band.low) / band.rowBytes));
      return { row: before + index, ...rowSpan(band, index) };
    }
    before += band.rows;
  }
  return undefined;
}

/** Returns the span of addresses of row `row` of the whole image. */
export function spanOfRow(image: Pick<HeatImage, 'bands'>, row: number): Row | undefined {
  let before = 0;
  for (const band of image.bands) {
    if (row < before + band.rows) return { row, ...rowSpan(band, row - before) };
    before += band.rows;
  }
  return undefined;
}

function rowSpan(band: HeatImageBand, index: number): { readonly low: bigint; readonly high: bigint } {
  const low = band.low + BigInt(Math.round(index * band.rowBytes));
  const next = band.low + BigInt(Math.round((index + 1) * band.rowBytes));
  return { low, high: next < band.high ? next : band.high };
}
