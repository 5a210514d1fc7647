/**
 * Arrows from branches to their targets, in lanes beside the rows of a listing. The shortest arrows are nearest to the code. Arrows whose
 * ends are both out of sight are left out, and so are those for which no lane is free.
 */

export interface Jump {
  /** Rows of the branch and of its target. */
  readonly from: number;
  readonly to: number;
}

/** The part of an arrow in a row: it passes, or begins or ends and goes up or down from there. */
export interface Stroke {
  /** Lane, 0 = nearest to the code. */
  readonly lane: number;
  readonly end?: 'from' | 'to';
  readonly above: boolean;
  readonly below: boolean;
}

export const LANES = 5;

/** Returns the strokes of each row in [first, end). */
export function arrowsIn(jumps: readonly Jump[], first: number, end: number): ReadonlyMap<number, readonly Stroke[]> {
  const strokes = new Map<number, Stroke[]>();
  const taken: { readonly low: number; readonly high: number }[][] = Array.from({ length: LANES }, () => []);
  const shown = jumps
    .filter(({ from, to }) => from !== to && (isIn(from) || isIn(to)))
    .sort((a, b) => Math.abs(a.to - a.from) - Math.abs(b.to - b.from) || a.from - b.from);
  for (const { from, to } of shown) {
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    const lane = taken.findIndex((others) => others.every((other) => other.high < low || other.low > high));
    if (lane < 0) continue;
    taken[lane]!.push({ low, high });
    for (let row = Math.max(low, first); row <= Math.min(high, end - 1); row++) {
      const own = strokes.get(row) ?? [];
      if (own.length === 0) strokes.set(row, own);
      const at = row === from ? ({ end: 'from' } as const) : row === to ? ({ end: 'to' } as const) : {};
      own.push({ lane, ...at, above: row > low, below: row < high });
    }
  }
  return strokes;

  function isIn(row: number): boolean {
    return row >= first && row < end;
  }
}

/** CSS pixels of a lane, of a row, and of the whole gutter. */
const LANE = 7;
export const ROW = 20;
export const GUTTER = LANES * LANE + 8;

/** Returns the path of a stroke in a box of GUTTER by ROW pixels. The code is at its right edge. */
export function strokePath({ lane, end, above, below }: Stroke): string {
  const x = GUTTER - 8 - lane * LANE + 0.5;
  const middle = ROW / 2 + 0.5;
  const upright = `M${x} ${above ? 0 : middle}V${below ? ROW : middle}`;
  if (end === undefined) return upright;
  const across = `M${x} ${middle}H${GUTTER - 1}`;
  const head = end === 'to' ? `M${GUTTER - 5} ${middle - 3}L${GUTTER - 1} ${middle}L${GUTTER - 5} ${middle + 3}` : '';
  return `${upright}${across}${head}`;
}
