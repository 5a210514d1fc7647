/** One band of a heatmap as an image in SVG: one pixel per cell, stretched without smoothing. */
import type { HeatGrid } from '../../shared/requests/requests.ts';
import { heatPalette, levelOf, type Theme } from './palette.ts';
import { dataUrl, encodePng } from '../svg/png.ts';
import { element } from '../svg/svg.ts';

/** Number of colours: more cannot be distinguished, and fewer make smaller files. */
const LEVELS = 63;
/** Columns of the image if those of the grid have uneven widths. */
const EVEN_COLUMNS = 400;

/** Levels of cells, and the colour of each level. */
export interface Shades {
  /** Level of the cell column * rows + row; 0 is transparent. */
  readonly levelOf: (cell: number) => number;
  readonly palette: Uint8Array<ArrayBuffer>;
}

/** Returns the shades of counts. */
export function countShades({ counts, most }: HeatGrid, theme: Theme): Shades {
  return { levelOf: (cell) => levelOf(counts[cell]!, most, LEVELS), palette: heatPalette(theme, LEVELS) };
}

/** Draws one band of a grid. If several columns share a pixel, the highest level counts. */
export function bandImage(
  grid: HeatGrid,
  band: number,
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  shades: Shades,
): string {
  const firstRow = grid.bands.slice(0, band).reduce((sum, { rows }) => sum + rows, 0);
  const height = grid.bands[band]!.rows;
  const places = columnsOf(grid);
  const width = places.width;
  const pixels = new Uint8Array(width * height);
  for (let column = 0; column < grid.columns; column += 1) {
    for (let row = 0; row < height; row += 1) {
      const level = shades.levelOf(column * grid.rows + firstRow + row);
      if (level === 0) continue;
      const line = (height - 1 - row) * width;
      for (let x = places.starts[column]!; x < places.ends[column]!; x += 1) {
        if (pixels[line + x]! < level) pixels[line + x] = level;
      }
    }
  }
  return element('image', {
    ...box,
    preserveAspectRatio: 'none',
    'image-rendering': 'pixelated',
    href: dataUrl(encodePng({ width, height, pixels, palette: shades.palette })),
  });
}

/** Maps image columns to grid columns: one to one if all are equally wide, otherwise by coverage, at least one each. */
function columnsOf({ columns, edges, from, to }: HeatGrid): {
  readonly width: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
} {
  let widest = 0;
  let narrowest = Number.POSITIVE_INFINITY;
  for (let column = 0; column < columns; column += 1) {
    const its = edges[column + 1]! - edges[column]!;
    widest = Math.max(widest, its);
    narrowest = Math.min(narrowest, its);
  }
  const isEven = widest - narrowest <= 1;
  const width = isEven ? columns : EVEN_COLUMNS;
  const starts = new Int32Array(columns);
  const ends = new Int32Array(columns);
  for (let column = 0; column < columns; column += 1) {
    const start = isEven ? column : Math.floor(((edges[column]! - from) * width) / (to - from));
    const end = isEven ? column + 1 : Math.floor(((edges[column + 1]! - from) * width) / (to - from));
    starts[column] = Math.min(start, width - 1);
    ends[column] = Math.min(width, Math.max(end, start + 1));
  }
  return { width, starts, ends };
}
