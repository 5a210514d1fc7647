/**
 * Heat tiles: how often the cells of address space were accessed, by kind, in a block or in a range of blocks.
 *
 * A cell is a page, doubled in size until a tile has at most MOST_CELLS of them. Counts are exact for their cell.
 */
import { IndexDamaged } from '../../collections/varint.ts';
import { kindAt, pageAt, ROW, WORD, type AccessRows } from './accesses/access-rows.ts';

/** Counts sorted by cell, then kind. Cell c spans the bytes [c * 2^shift, (c + 1) * 2^shift). */
export interface HeatTile {
  /** log2 of the bytes of a cell, 12 or more. */
  readonly shift: number;
  readonly length: number;
  readonly cell: Float64Array;
  readonly kind: Uint8Array;
  readonly counts: Float64Array;
}

export const MOST_CELLS = 2048;
const PAGE_SHIFT = 12;

export function heatTile({ length: rows, words }: AccessRows): HeatTile {
  const counts = new Float64Array(rows);
  const cell = new Float64Array(rows);
  const kind = new Uint8Array(rows);
  let length = 0;
  for (let at = 0; at < rows * ROW; at += ROW) {
    const count = words[at + WORD.count]! >>> 0;
    if (count === 0) continue;
    cell[length] = pageAt(words, at);
    kind[length] = kindAt(words, at);
    counts[length] = count;
    length++;
  }
  return capped({ shift: PAGE_SHIFT, length, cell, kind, counts });
}

export function mergeHeat(tiles: readonly HeatTile[]): HeatTile {
  const shift = Math.max(PAGE_SHIFT, ...tiles.map((tile) => tile.shift));
  let level = tiles.map((tile) => coarsened(tile, shift));
  while (level.length > 1) {
    const next: HeatTile[] = [];
    for (let i = 0; i < level.length; i += 2)
      next.push(i + 1 < level.length ? mergeTwo(level[i]!, level[i + 1]!) : level[i]!);
    level = next;
  }
  return capped(
    level[0] ?? { shift, length: 0, cell: new Float64Array(0), kind: new Uint8Array(0), counts: new Float64Array(0) },
  );
}

// A tile is coded as shift, width and length, then its columns: cells counted from the first one, counts, kinds. They lie as
// plain numbers of four bytes, or eight where four do not do, because a heatmap reads hundreds of tiles and decodes none.
const HEADER_BYTES = 16;

export function encodeHeat(tile: HeatTile): Uint8Array<ArrayBuffer> {
  const { length } = tile;
  const origin = tile.cell[0] ?? 0;
  const wide =
    length > 0 && (tile.cell[length - 1]! - origin >= 2 ** 32 || tile.counts.some((count) => count >= 2 ** 32));
  const width = wide ? 8 : 4;
  const bytes = new Uint8Array(HEADER_BYTES + length * (2 * width + 1));
  const header = new DataView(bytes.buffer);
  header.setUint8(0, tile.shift);
  header.setUint8(1, width);
  header.setUint32(4, length, true);
  header.setFloat64(8, origin, true);
  const Column = wide ? Float64Array : Uint32Array;
  const cells = new Column(bytes.buffer, HEADER_BYTES, length);
  const counts = new Column(bytes.buffer, HEADER_BYTES + length * width, length);
  for (let i = 0; i < length; i++) {
    cells[i] = tile.cell[i]! - origin;
    counts[i] = tile.counts[i]!;
  }
  bytes.set(tile.kind.subarray(0, length), HEADER_BYTES + 2 * length * width);
  return bytes;
}

export function decodeHeat(coded: Uint8Array): HeatTile {
  // A copy of its own: typed arrays want their numbers at even places.
  const bytes = new Uint8Array(coded);
  if (bytes.length < HEADER_BYTES) throw new IndexDamaged('a heat tile is cut short');
  const header = new DataView(bytes.buffer, bytes.byteOffset);
  const shift = header.getUint8(0);
  const width = header.getUint8(1);
  const length = header.getUint32(4, true);
  const origin = header.getFloat64(8, true);
  if (bytes.length !== HEADER_BYTES + length * (2 * width + 1))
    throw new IndexDamaged('a heat tile has another length');
  const Column = width === 8 ? Float64Array : Uint32Array;
  const start = bytes.byteOffset + HEADER_BYTES;
  const cells = new Column(bytes.buffer, start, length);
  const cell = new Float64Array(length);
  for (let i = 0; i < length; i++) cell[i] = origin + cells[i]!;
  return {
    shift,
    length,
    cell,
    kind: bytes.subarray(HEADER_BYTES + 2 * length * width),
    counts: Float64Array.from(new Column(bytes.buffer, start + length * width, length)),
  };
}

function capped(tile: HeatTile): HeatTile {
  return coarsened(tile, tile.shift + doublingsNeeded(tile));
}

/** How often cells must double until at most MOST_CELLS are left: two neighbours part at the highest bit in which they differ. */
function doublingsNeeded(tile: HeatTile): number {
  const partings = new Uint32Array(64);
  for (let i = 1; i < tile.length; i++) {
    const a = tile.cell[i - 1]!;
    const b = tile.cell[i]!;
    if (a === b) continue;
    const highA = Math.floor(a / 2 ** 31);
    const highB = Math.floor(b / 2 ** 31);
    const bit = highA === highB ? 31 - Math.clz32((a ^ b) & 0x7fffffff) : 62 - Math.clz32(highA ^ highB);
    partings[bit] = partings[bit]! + 1;
  }
  let cells = 1 + partings.reduce((sum, count) => sum + count, 0);
  let doublings = 0;
  while (cells > MOST_CELLS) cells -= partings[doublings++]!;
  return doublings;
}

/** The same counts in larger cells. Kinds of cells that become one interleave, so entries are gathered per cell. */
function coarsened(tile: HeatTile, shift: number): HeatTile {
  if (tile.shift === shift) return tile;
  const scale = 2 ** (shift - tile.shift);
  const cell = new Float64Array(tile.length);
  const kind = new Uint8Array(tile.length);
  const counts = new Float64Array(tile.length);
  const sums = new Float64Array(32);
  let length = 0;
  let at = 0;
  while (at < tile.length) {
    const current = Math.floor(tile.cell[at]! / scale);
    const end = (current + 1) * scale;
    let kinds = 0;
    for (; at < tile.length && tile.cell[at]! < end; at++) {
      const its = tile.kind[at]!;
      kinds |= 1 << its;
      sums[its] = sums[its]! + tile.counts[at]!;
    }
    for (; kinds !== 0; kinds &= kinds - 1) {
      const its = 31 - Math.clz32(kinds & -kinds);
      cell[length] = current;
      kind[length] = its;
      counts[length] = sums[its]!;
      length++;
      sums[its] = 0;
    }
  }
  return { shift, length, cell, kind, counts };
}

/** Both tiles have the same shift. */
function mergeTwo(a: HeatTile, b: HeatTile): HeatTile {
  const cell = new Float64Array(a.length + b.length);
  const kind = new Uint8Array(a.length + b.length);
  const counts = new Float64Array(a.length + b.length);
  let length = 0;
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const order = i === a.length ? 1 : j === b.length ? -1 : a.cell[i]! - b.cell[j]! || a.kind[i]! - b.kind[j]!;
    const from = order <= 0 ? a : b;
    const at = order <= 0 ? i : j;
    cell[length] = from.cell[at]!;
    kind[length] = from.kind[at]!;
    counts[length] = order === 0 ? a.counts[i]! + b.counts[j]! : from.counts[at]!;
    length++;
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  return { shift: a.shift, length, cell, kind, counts };
}
