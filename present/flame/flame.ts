/** Lays out frames as boxes of a flame chart that hangs from its roots, and moves between boxes. */
import type { CallSpan, FunctionId } from '../../shared/requests/flow.ts';
import type { Frames } from './call-frames.ts';

export interface FlameBox {
  /** Frame, or index in the list of calls in time; -1 for merged small frames. */
  readonly at: number;
  /** Left edge in CSS pixels. */
  readonly x: number;
  readonly width: number;
  readonly depth: number;
  readonly name: string;
  readonly hue: number;
  /** Share of the width during which the function was open, if the box stands for several calls in time. */
  readonly share?: number;
}

export const FLAME_ROW = 19;
/** Narrower frames are merged. */
const LEAST = 1.5;

/** Returns boxes for the frames below `focus` (-1: all), with widths by cost, and for its callers above it over the whole width. */
export function frameBoxes(frames: Frames, focus: number, width: number, hueOf: HueOf): readonly FlameBox[] {
  const boxes: FlameBox[] = [];
  const start = focus < 0 ? 0 : focus;
  const end = focus < 0 ? frames.count : frames.end[focus]!;
  const whole = focus < 0 ? frames.whole : frames.total[focus]!;
  for (let at = focus < 0 ? -1 : frames.parent[focus]!; at >= 0; at = frames.parent[at]!) {
    boxes.push(box(at, 0, width));
  }
  if (whole <= 0) return boxes;
  const scale = width / whole;
  /** Left edge of the next frame, by depth. */
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

/** Returns boxes for calls in time over the records [from, to). */
export function spanBoxes(
  spans: readonly CallSpan[],
  from: number,
  to: number,
  width: number,
  hueOf: HueOf,
): readonly FlameBox[] {
  const scale = width / Math.max(1, to - from);
  const boxes: FlameBox[] = [];
  for (const [at, span] of spans.entries()) {
    const x = Math.max(0, (span.from - from) * scale);
    const end = Math.min(width, (span.to - from) * scale);
    if (end < 0 || x > width) continue;
    const { open, depth, function: name } = span;
    const share = open === undefined ? {} : { share: open / (span.to - span.from) };
    boxes.push({ at, x, width: Math.max(1, end - x), depth, name, hue: hueOf(span.id), ...share });
  }
  return boxes;
}

/** Returns the number of columns to ask for: a power of two, so that a column is at least a pixel wide and less than two. */
export function columnsFor(pixels: number): number {
  return 2 ** Math.floor(Math.log2(Math.max(16, pixels)));
}

/** Returns the index of a call in the answer for another range of the same CPU; null if the call is not in it. */
export function spanAt(
  spans: readonly CallSpan[],
  { id, depth, from, to }: Pick<CallSpan, 'id' | 'depth' | 'from' | 'to'>,
): number | null {
  // Spans of one depth never overlap, so an overlapping span of the function is the same call, or has it.
  const place = spans.findIndex(
    (other) => other.id === id && other.depth === depth && other.from < to && from < other.to,
  );
  return place < 0 ? null : place;
}

/** Number of rows of the boxes. */
export function rowsOf(boxes: readonly FlameBox[]): number {
  return boxes.reduce((most, { depth }) => Math.max(most, depth + 1), 0);
}

/** Returns the box at a place, in pixels from the left and row. */
export function flameAt(boxes: readonly FlameBox[], x: number, depth: number): FlameBox | undefined {
  return boxes.find((box) => box.depth === depth && x >= box.x && x < box.x + box.width);
}

export type FlameWay = 'in' | 'out' | 'left' | 'right';

/** Returns the widest box below, the box above, or the nearest box beside a box. */
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

function overlap(a: FlameBox, b: FlameBox): number {
  return Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
}

const HUES = 8;

/** Returns the hue index of a function. */
export type HueOf = (id: FunctionId) => number;

/**
 * Returns the hues of functions, the same for every range, order and size of a chart: the most prominent functions have different
 * hues, and the others share them. Frames without a known function have none (-1), like merged frames.
 */
export function createHues(prominent: readonly FunctionId[]): HueOf {
  const hues = new Map(prominent.map((id, rank) => [id, rank % HUES]));
  return (id) => (NO_FUNCTIONS.has(id) ? -1 : (hues.get(id) ?? hashOf(id) % HUES));
}

const NO_FUNCTIONS: ReadonlySet<FunctionId> = new Set(['unknown', 'deeper']);

function hashOf(id: FunctionId): number {
  let hash = 2166136261;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 16777619);
  return hash >>> 8;
}
