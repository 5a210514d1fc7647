/** Frames as boxes of a flame chart that hangs from its roots: where each stands, how it is painted, and the way from one to the next. */
import { interpolateRgb } from 'd3';
import type { CallSpan } from '../../shared/flow-answers.ts';
import type { Frames } from './call-frames.ts';

export interface FlameBox {
  /** Frame, or place in the list of calls in time; -1 for what is too small to be shown one by one. */
  readonly at: number;
  /** In CSS pixels from the left. */
  readonly x: number;
  readonly width: number;
  readonly depth: number;
  readonly name: string;
  readonly hue: number;
}

export interface FlameColours {
  readonly ground: string;
  readonly text: string;
  readonly quiet: string;
  /** Eight, for telling neighbours apart. */
  readonly hues: readonly string[];
  /** How much of a hue a box has, for words to be read on it. */
  readonly strength: number;
  readonly font: string;
}

export const FLAME_ROW = 19;
/** Narrower frames are put together. */
const LEAST = 1.5;
/** Characters on both sides of which there is no room. */
const PADDING = 4;

/** The frames below `focus` (-1: all), as wide as what they took, and its callers above it over the whole width. */
export function frameBoxes(frames: Frames, focus: number, width: number): readonly FlameBox[] {
  const boxes: FlameBox[] = [];
  const start = focus < 0 ? 0 : focus;
  const end = focus < 0 ? frames.count : frames.end[focus]!;
  const whole = focus < 0 ? frames.whole : frames.total[focus]!;
  for (let at = focus < 0 ? -1 : frames.parent[focus]!; at >= 0; at = frames.parent[at]!) {
    boxes.push(box(at, 0, width));
  }
  if (whole <= 0) return boxes;
  const scale = width / whole;
  /** Where the next frame of each depth begins. */
  const free: number[] = [];
  let small: { x: number; width: number; depth: number; parent: number } | undefined;
  for (let at = start; at < end;) {
    const depth = frames.depth[at]!;
    const parent = frames.parent[at]!;
    const x = at === start ? 0 : (free[depth] ?? 0);
    const its = frames.total[at]! * scale;
    free[depth] = x + its;
    if (its >= LEAST) {
      boxes.push(box(at, x, its));
      free[depth + 1] = x;
      at += 1;
    } else {
      if (small?.parent === parent && Math.abs(small.x + small.width - x) < 0.01) small.width += its;
      else {
        flush();
        small = { x, width: its, depth, parent };
      }
      at = frames.end[at]!;
    }
  }
  flush();
  return boxes;

  function box(at: number, x: number, its: number): FlameBox {
    const { id, name } = frames.functions[frames.fn[at]!]!;
    return { at, x, width: its, depth: frames.depth[at]!, name, hue: hueOf(id) };
  }

  function flush(): void {
    if (small && small.width >= 0.5) {
      const { x, width: its, depth } = small;
      boxes.push({ at: -1, x, width: its, depth, name: '', hue: -1 });
    }
    small = undefined;
  }
}

/** Calls in time, over the records [from, to). */
export function spanBoxes(spans: readonly CallSpan[], from: number, to: number, width: number): readonly FlameBox[] {
  const scale = width / Math.max(1, to - from);
  const boxes: FlameBox[] = [];
  for (const [at, span] of spans.entries()) {
    const x = Math.max(0, (span.from - from) * scale);
    const end = Math.min(width, (span.to - from) * scale);
    if (end < 0 || x > width) continue;
    boxes.push({ at, x, width: Math.max(1, end - x), depth: span.depth, name: span.function, hue: hueOf(span.id) });
  }
  return boxes;
}

/** Rows that boxes take. */
export function rowsOf(boxes: readonly FlameBox[]): number {
  return boxes.reduce((most, { depth }) => Math.max(most, depth + 1), 0);
}

/** The box at a place, pixels from the left and the row. */
export function flameAt(boxes: readonly FlameBox[], x: number, depth: number): FlameBox | undefined {
  return boxes.find((box) => box.depth === depth && x >= box.x && x < box.x + box.width);
}

export type FlameWay = 'in' | 'out' | 'left' | 'right';

/** From a box to the widest one below it, the one above, or the nearest beside it. */
export function nextFlame(boxes: readonly FlameBox[], from: FlameBox, way: FlameWay): FlameBox | undefined {
  const named = boxes.filter(({ at }) => at >= 0);
  const middle = from.x + from.width / 2;
  switch (way) {
    case 'in': {
      const below = named.filter((box) => box.depth === from.depth + 1 && overlap(box, from) > 0);
      return below.reduce<FlameBox | undefined>(
        (widest, box) => (widest && widest.width >= box.width ? widest : box),
        undefined,
      );
    }
    case 'out':
      return named.find((box) => box.depth === from.depth - 1 && middle >= box.x && middle <= box.x + box.width);
    case 'left':
      return nearest(named.filter((box) => box.depth === from.depth && box.x < from.x));
    case 'right':
      return nearest(named.filter((box) => box.depth === from.depth && box.x > from.x));
  }

  function nearest(beside: readonly FlameBox[]): FlameBox | undefined {
    return beside.reduce<FlameBox | undefined>(
      (best, box) => (best && Math.abs(best.x - from.x) <= Math.abs(box.x - from.x) ? best : box),
      undefined,
    );
  }
}

export interface FlamePaint {
  /** The first row in sight, fractions included. */
  readonly top: number;
  readonly isDim: (box: FlameBox) => boolean;
  readonly isChosen: (box: FlameBox) => boolean;
}

export function drawFlame(
  context: CanvasRenderingContext2D,
  boxes: readonly FlameBox[],
  width: number,
  height: number,
  colours: FlameColours,
  { top, isDim, isChosen }: FlamePaint,
): void {
  context.clearRect(0, 0, width, height);
  context.font = colours.font;
  context.textBaseline = 'middle';
  const letter = context.measureText('m').width;
  const fills = fillsOf(colours);
  for (const box of boxes) {
    const y = (box.depth - top) * FLAME_ROW;
    if (y + FLAME_ROW < 0 || y > height) continue;
    const dim = isDim(box);
    context.globalAlpha = dim ? 0.35 : 1;
    context.fillStyle = fills(box.hue);
    context.fillRect(box.x, y, Math.max(0.6, box.width - (box.width > 3 ? 1 : 0)), FLAME_ROW - 1);
    const text = fitting(box.name, box.width - 2 * PADDING, letter);
    if (text !== '') {
      context.fillStyle = colours.text;
      context.fillText(text, box.x + PADDING, y + FLAME_ROW / 2);
    }
    if (isChosen(box)) {
      context.globalAlpha = 1;
      context.strokeStyle = colours.text;
      context.lineWidth = 2;
      context.strokeRect(box.x + 1, y + 1, Math.max(1, box.width - 3), FLAME_ROW - 3);
    }
  }
  context.globalAlpha = 1;
}

/** The same as a figure of its own. `letter`: how wide one is in the font. */
export function flameSvg(boxes: readonly FlameBox[], width: number, colours: FlameColours, letter: number): string {
  const height = rowsOf(boxes) * FLAME_ROW;
  const fills = fillsOf(colours);
  const parts = boxes.map((box) => {
    const y = box.depth * FLAME_ROW;
    const text = fitting(box.name, box.width - 2 * PADDING, letter);
    const words =
      text === ''
        ? ''
        : `<text x="${fixed(box.x + PADDING)}" y="${y + FLAME_ROW / 2 + 4}" fill="${colours.text}">${escaped(text)}</text>`;
    const shown = Math.max(0.6, box.width - (box.width > 3 ? 1 : 0));
    const title = box.name === '' ? '' : `<title>${escaped(box.name)}</title>`;
    return `<g><rect x="${fixed(box.x)}" y="${y}" width="${fixed(shown)}" height="${FLAME_ROW - 1}" fill="${fills(box.hue)}">${title}</rect>${words}</g>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${height}" viewBox="0 0 ${Math.ceil(width)} ${height}" font-family="monospace" font-size="11">`,
    `<rect width="100%" height="100%" fill="${colours.ground}"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function overlap(a: FlameBox, b: FlameBox): number {
  return Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
}

/** As much of a name as there is room for; less than three letters say nothing. */
function fitting(name: string, room: number, letter: number): string {
  const letters = Math.floor(room / letter);
  if (letters >= name.length) return name;
  return letters < 3 ? '' : `${name.slice(0, letters - 1)}…`;
}

const HUES = 8;

/** The same function has the same hue everywhere. */
export function hueOf(id: string): number {
  let hash = 2166136261;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 16777619);
  return (hash >>> 8) % HUES;
}

function fillsOf({ ground, quiet, hues, strength }: FlameColours): (hue: number) => string {
  const fills = hues.map((hue) => interpolateRgb(ground, hue)(strength));
  const small = interpolateRgb(ground, quiet)(0.35);
  return (hue) => fills[hue] ?? small;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function fixed(value: number): string {
  return String(Math.round(value * 100) / 100);
}
