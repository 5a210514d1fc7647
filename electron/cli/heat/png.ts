/** A figure as PNG, at twice its size so that it stays sharp on dense screens and in print. */
import { PNG } from 'pngjs';
import { CHARACTER } from './figure.ts';
import type { Figure, Raster, Text } from './figure.ts';
import { GLYPH_HEIGHT, GLYPH_WIDTH, inked } from './font.ts';

export function toPng(figure: Figure): Uint8Array {
  const png = new PNG({ width: figure.width * SCALE, height: figure.height * SCALE });
  png.data.fill(255);
  for (const raster of figure.rasters) drawRaster(png, raster);
  for (const { x1, y1, x2, y2 } of figure.lines) {
    fill(png, x1 * SCALE, y1 * SCALE, (x2 - x1) * SCALE + 1, (y2 - y1) * SCALE + 1, LINE);
  }
  for (const text of figure.texts) drawText(png, text);
  return PNG.sync.write(png);
}

type Grey = number;

const SCALE = 2;
const LINE: Grey = 0x55;
const INK: Grey = 0x22;

function drawRaster(png: PNG, { x, y, width, height, columns, rows, pixels }: Raster): void {
  const source = new Uint32Array(pixels.buffer, pixels.byteOffset, columns * rows);
  const target = new Uint32Array(png.data.buffer, png.data.byteOffset, png.width * png.height);
  for (let down = 0; down < height * SCALE; down++) {
    const from = Math.floor((down * rows) / (height * SCALE)) * columns;
    const to = (y * SCALE + down) * png.width + x * SCALE;
    for (let across = 0; across < width * SCALE; across++) {
      target[to + across] = source[from + Math.floor((across * columns) / (width * SCALE))]!;
    }
  }
}

function drawText(png: PNG, { text, x, y, anchor, weight }: Text): void {
  const characters = Array.from(text);
  const width = characters.length * CHARACTER.width * SCALE;
  const start = x * SCALE - (anchor === 'start' ? 0 : anchor === 'middle' ? Math.round(width / 2) : width);
  const top = y * SCALE - GLYPH_HEIGHT + 2;
  const stroke = weight === 'bold' ? SCALE + 1 : SCALE;
  for (const [i, character] of characters.entries()) {
    for (let row = 0; row < GLYPH_HEIGHT; row++) {
      for (let column = 0; column < GLYPH_WIDTH; column++) {
        if (!inked(character, column, row)) continue;
        fill(png, start + i * CHARACTER.width * SCALE + column * SCALE, top + row * SCALE, stroke, SCALE, INK);
      }
    }
  }
}

/** A rectangle of grey, cut at the edges of the image. */
function fill(png: PNG, x: number, y: number, width: number, height: number, grey: Grey): void {
  for (let row = Math.max(0, y); row < Math.min(png.height, y + height); row++) {
    const left = Math.max(0, x);
    const right = Math.max(left, Math.min(png.width, x + width));
    const at = 4 * (row * png.width + left);
    for (let column = 0; column < right - left; column++) png.data.fill(grey, at + 4 * column, at + 4 * column + 3);
  }
}
