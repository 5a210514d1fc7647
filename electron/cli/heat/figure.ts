/**
 * A heatmap as a figure: what stands where, in pixels, for whatever draws it. Colour tells the count on a logarithmic,
 * perceptually even scale, light for one access and dark for the most, on white where there is none.
 */
import { interpolateMagma, rgb } from 'd3';
import type { HeatGrid, NamedSpan } from '../../../shared/api.ts';
import { group } from '../numbers.ts';
import { addressTicks, countTicks, shortNumber, wholeTicks } from './ticks.ts';

export interface Figure {
  readonly width: number;
  readonly height: number;
  readonly rasters: readonly Raster[];
  readonly lines: readonly Line[];
  readonly texts: readonly Text[];
}

/** A small image stretched over a rectangle without smoothing. */
export interface Raster {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly columns: number;
  readonly rows: number;
  /** RGBA, row by row from the top. */
  readonly pixels: Uint8Array;
}

/** Horizontal or vertical, one pixel wide, between whole pixels. */
export interface Line {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

export interface Text {
  readonly text: string;
  readonly x: number;
  /** Middle of the line. */
  readonly y: number;
  readonly anchor: 'start' | 'middle' | 'end';
  readonly weight: 'plain' | 'bold';
}

/** Pixels of one character of a text: both drawings use a fixed-width font of this advance. */
export const CHARACTER = { width: 7, height: 12 } as const;

/** `names`: what stands beside the map, at most as many as there is room for, the largest first. */
export function heatFigure(grid: HeatGrid, title: string, names: readonly NamedSpan[] = []): Figure {
  const [low, high] = [BigInt(grid.bands[0]?.low ?? '0x0'), BigInt(grid.bands.at(-1)?.high ?? '0x0')];
  const addresses = addressTicks(low, high, Math.max(2, Math.floor(PLOT.height / 40)));
  const labels = Math.max(...addresses.map((address) => hex(address).length), 6) * CHARACTER.width;

  const plot = {
    x: MARGIN + CHARACTER.height + 8 + labels + TICK + 4,
    y: MARGIN + 3 * CHARACTER.height,
    width: stretched(grid.columns, PLOT.width),
    height: stretched(grid.rows, PLOT.height),
  };
  const right = plot.x + plot.width;
  const bottom = plot.y + plot.height;
  const legend = {
    x: right + 28 + (names.length > 0 ? NAMES : 0),
    y: plot.y + 2 * CHARACTER.height,
    width: 14,
    height: Math.min(200, plot.height - 2 * CHARACTER.height),
  };

  const acrossOf = (n: number) =>
    Math.round(plot.x + ((n - grid.from) / Math.max(1, grid.to - grid.from)) * plot.width);
  const upOf = (address: bigint) =>
    Math.round(bottom - (Number(address - low) / Math.max(1, Number(high - low))) * plot.height);
  const named = labelled(
    names.map((one) => ({
      ...one,
      top: Math.max(plot.y, upOf(BigInt(one.high))),
      bottom: Math.min(bottom, upOf(BigInt(one.low))),
    })),
  );
  const countUp = (count: number) => Math.round(legend.y + legend.height * (1 - fraction(count, grid.most)));

  const records = wholeTicks(grid.from, grid.to, Math.max(2, Math.floor(plot.width / 110)));
  const counts = grid.most > 0 ? countTicks(grid.most, Math.max(2, Math.floor(legend.height / 20))) : [];
  return {
    width: legend.x + legend.width + TICK + 4 + 9 * CHARACTER.width + MARGIN,
    height: bottom + TICK + 4 + 3 * CHARACTER.height + MARGIN,
    rasters: [
      { ...plot, columns: grid.columns, rows: grid.rows, pixels: cellPixels(grid) },
      ...(counts.length > 0
        ? [{ ...legend, columns: 1, rows: legend.height, pixels: legendPixels(legend.height) }]
        : []),
    ],
    lines: [
      ...frame(plot),
      ...(counts.length > 0 ? frame(legend) : []),
      ...records.map((n) => ({ x1: acrossOf(n), y1: bottom, x2: acrossOf(n), y2: bottom + TICK })),
      ...addresses.map((address) => ({ x1: plot.x - TICK, y1: upOf(address), x2: plot.x, y2: upOf(address) })),
      ...named.flatMap(({ kind, top, bottom: end }) => {
        const x = right + (kind === 'segment' ? 4 : 9);
        return [{ x1: x, y1: Math.min(end, top + 1), x2: x, y2: Math.max(top, end - 1) }];
      }),
      ...counts.map((count) => {
        const edge = legend.x + legend.width;
        return { x1: edge, y1: countUp(count), x2: edge + TICK, y2: countUp(count) };
      }),
    ],
    texts: [
      { text: title, x: plot.x, y: MARGIN + CHARACTER.height / 2, anchor: 'start', weight: 'bold' },
      ...records.map((n) => plain(group(n), acrossOf(n), bottom + TICK + 4 + CHARACTER.height / 2, 'middle')),
      plain('record', plot.x + Math.round(plot.width / 2), bottom + TICK + 4 + 2.2 * CHARACTER.height, 'middle'),
      ...addresses.map((address) => plain(hex(address), plot.x - TICK - 4, upOf(address), 'end')),
      ...named.map(({ name, top, bottom: end }) => plain(cut(name), right + 14, (top + end) / 2, 'start')),
      plain('address', plot.x - TICK - 4, plot.y - CHARACTER.height, 'end'),
      ...(counts.length > 0 ? [plain('accesses', legend.x, plot.y + CHARACTER.height / 2, 'start')] : []),
      ...counts.map((count) => plain(shortNumber(count), legend.x + legend.width + TICK + 4, countUp(count), 'start')),
      ...(grid.most === 0
        ? [plain('no access here', plot.x + Math.round(plot.width / 2), plot.y + Math.round(plot.height / 2), 'middle')]
        : []),
    ],
  };
}

interface Labelled extends NamedSpan {
  readonly top: number;
  readonly bottom: number;
}

/** Symbols before segments, the highest first; texts that would cover one another are left out with their lines. */
function labelled(names: readonly Labelled[]): readonly Labelled[] {
  const kept: Labelled[] = [];
  const middle = ({ top, bottom }: Labelled): number => (top + bottom) / 2;
  const weight = ({ kind, top, bottom }: Labelled): number => bottom - top - (kind === 'segment' ? HIGHEST : 0);
  for (const one of names.toSorted((a, b) => weight(b) - weight(a))) {
    if (one.bottom < one.top) continue;
    if (kept.every((other) => Math.abs(middle(other) - middle(one)) >= CHARACTER.height)) kept.push(one);
  }
  return kept;
}

function cut(name: string): string {
  return name.length > NAME_CHARACTERS ? `${name.slice(0, NAME_CHARACTERS - 1)}…` : name;
}

/** Pixels that no map has. */
const HIGHEST = 1e6;
const NAME_CHARACTERS = 24;
/** Width of the names beside the map. */
const NAMES = 14 + NAME_CHARACTERS * CHARACTER.width;
const MARGIN = 20;
const TICK = 5;
/** Wanted size of the map; it grows or shrinks so that every cell has the same whole number of pixels. */
const PLOT = { width: 960, height: 480 } as const;
/** The part of the scale that stands clear of white, from one access to the most. */
const SCALE = { least: 0.9, most: 0.08 } as const;

function stretched(cells: number, wanted: number): number {
  return Math.max(1, cells) * Math.max(1, Math.round(wanted / Math.max(1, cells)));
}

function hex(address: bigint): string {
  return `0x${address.toString(16)}`;
}

function plain(text: string, x: number, y: number, anchor: Text['anchor']): Text {
  return { text, x, y: Math.round(y), anchor, weight: 'plain' };
}

/** Where a count stands on the scale: 0 for one, 1 for the most. */
function fraction(count: number, most: number): number {
  return most <= 1 ? 1 : Math.log(count) / Math.log(most);
}

function cellPixels({ columns, rows, counts, most }: HeatGrid): Uint8Array {
  const pixels = new Uint8Array(4 * columns * rows).fill(255);
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) {
      const count = counts[column * rows + row]!;
      if (count > 0) pixels.set(colour(fraction(count, most)), 4 * ((rows - 1 - row) * columns + column));
    }
  }
  return pixels;
}

function legendPixels(height: number): Uint8Array {
  const pixels = new Uint8Array(4 * height);
  for (let y = 0; y < height; y++) pixels.set(colour(1 - (y + 0.5) / height), 4 * y);
  return pixels;
}

function colour(at: number): readonly [number, number, number, number] {
  const { r, g, b } = rgb(interpolateMagma(SCALE.least + (SCALE.most - SCALE.least) * at));
  return [r, g, b, 255];
}

function frame({
  x,
  y,
  width,
  height,
}: {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}): readonly Line[] {
  const [right, bottom] = [x + width, y + height];
  return [
    { x1: x, y1: y, x2: right, y2: y },
    { x1: x, y1: bottom, x2: right, y2: bottom },
    { x1: x, y1: y, x2: x, y2: bottom },
    { x1: right, y1: y, x2: right, y2: bottom },
  ];
}
