/** Draws the strips of both runs. Each pixel shows the gravest region in it, so that a single different instruction stays visible. */
import { CHART_COLOURS, type ChartColours } from '../../../present/base/theme.ts';
import type { Theme } from '../../../present/heat/palette.ts';
import type { RowKind } from './words.ts';
import type { Alignment } from './differences.ts';

/** Height of a strip and of the gap between both, in CSS pixels. */
export const STRIP = 12;
export const GAP = 10;

/** The gravest last. */
const GRAVITY: readonly RowKind[] = ['not-compared', 'same', 'values', 'a-only', 'b-only', 'not-aligned'];
/** Least width of a region that is not the same, in pixels. */
const LEAST = 2;

/** @param cursors instructions before the cursor of each run */
export function drawRibbon(
  context: CanvasRenderingContext2D,
  width: number,
  { regions, table }: Alignment,
  cursors: { readonly a: number; readonly b: number },
  theme: Theme,
): void {
  const colours = CHART_COLOURS[theme];
  context.clearRect(0, 0, width, 2 * STRIP + GAP);
  const columns = Math.max(1, Math.floor(width));
  for (const [side, top] of [
    ['a', 0],
    ['b', STRIP + GAP],
  ] as const) {
    const starts = table[side];
    const scale = columns / Math.max(1, starts.at(-1)!);
    const gravest = new Uint8Array(columns);
    for (const [at, { kind }] of regions.entries()) {
      if (starts[at] === starts[at + 1]) continue;
      const from = Math.min(columns - 1, Math.floor(starts[at]! * scale));
      const wide = kind === 'same' ? 1 : LEAST;
      const to = Math.min(columns, Math.max(from + wide, Math.ceil(starts[at + 1]! * scale)));
      const gravity = GRAVITY.indexOf(kind);
      for (let x = from; x < to; x++) if (gravest[x]! < gravity) gravest[x] = gravity;
    }
    for (let x = 0; x < columns;) {
      let end = x + 1;
      while (end < columns && gravest[end] === gravest[x]) end++;
      context.fillStyle = colourOf(GRAVITY[gravest[x]!]!, colours);
      context.fillRect(x, top, end - x, STRIP);
      x = end;
    }
  }
  drawCursors(context, columns, table.a.at(-1)!, table.b.at(-1)!, cursors, colours);
}

/** Draws a line from the place of the cursor in one strip to that in the other. */
function drawCursors(
  context: CanvasRenderingContext2D,
  columns: number,
  allA: number,
  allB: number,
  { a, b }: { readonly a: number; readonly b: number },
  { text }: ChartColours,
): void {
  const [left, right] = [(a / Math.max(1, allA)) * columns, (b / Math.max(1, allB)) * columns];
  context.strokeStyle = text;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(left, 0);
  context.lineTo(left, STRIP);
  context.lineTo(right, STRIP + GAP);
  context.lineTo(right, 2 * STRIP + GAP);
  context.stroke();
}

function colourOf(kind: RowKind, { lineStrong, hues, bad }: ChartColours): string {
  const own: Readonly<Record<RowKind, string>> = {
    same: lineStrong,
    values: hues.branch,
    'a-only': hues.write,
    'b-only': hues.fetch,
    'not-aligned': bad,
    'not-compared': 'transparent',
  };
  return own[kind];
}
