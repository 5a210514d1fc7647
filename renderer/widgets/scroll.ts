/**
 * Where a list of 10^9 rows and more stands: browsers stop at some 33 million pixels, so nothing is ever that high.
 * The position is the row at the upper edge (a fraction means that row is partly scrolled out); the thumb is drawn from it.
 */
export interface List {
  readonly rows: number;
  /** Rows that fit the view, a fraction included. */
  readonly visible: number;
}

export interface Thumb {
  readonly start: number;
  readonly length: number;
}

/** A thumb that could not be caught any more is no thumb. */
const SHORTEST_THUMB = 28;

/** The last position: the list's end stands at the view's lower edge. */
export function lastTop(list: List): number {
  return Math.max(0, list.rows - list.visible);
}

export function clampTop(top: number, list: List): number {
  return Math.min(Math.max(0, top), lastTop(list));
}

/** The thumb in a track of `track` pixels. */
export function thumbOf(top: number, list: List, track: number): Thumb {
  if (list.rows <= list.visible || track <= 0) return { start: 0, length: Math.max(0, track) };
  const length = Math.min(track, Math.max(SHORTEST_THUMB, (track * list.visible) / list.rows));
  return { start: ((track - length) * clampTop(top, list)) / lastTop(list), length };
}

/** The position that puts the thumb's start at `start` pixels: the inverse of `thumbOf`. */
export function topOf(start: number, list: List, track: number): number {
  const room = track - thumbOf(0, list, track).length;
  if (room <= 0) return 0;
  return clampTop((start / room) * lastTop(list), list);
}

/**
 * The position that shows `row`: the same one while the row is well inside, else the nearest with `margin` rows around it,
 * else (a jump from afar) the one that puts the row a third below the upper edge.
 */
export function reveal(row: number, top: number, list: List, margin: number): number {
  const room = Math.min(margin, Math.max(0, (list.visible - 1) / 2));
  const above = top + room - row;
  const below = row + 1 + room - (top + list.visible);
  if (above <= 0 && below <= 0) return clampTop(top, list);
  if (Math.max(above, below) > list.visible) return clampTop(Math.round(row - list.visible / 3), list);
  return clampTop(above > 0 ? top - above : top + below, list);
}

/** What a turn of the wheel means in pixels: devices tell pixels, lines or pages. */
export function wheelPixels(
  { deltaY, deltaMode }: { readonly deltaY: number; readonly deltaMode: number },
  line: number,
  page: number,
): number {
  return deltaMode === 1 ? deltaY * line : deltaMode === 2 ? deltaY * page : deltaY;
}

/** For lists that move by whole rows: takes distances of any size, and gives the whole rows among them; the rest waits for the next one. */
export function createWholeRows(): (rows: number) => number {
  let rest = 0;
  return (rows) => {
    // Who turns round begins anew.
    const distance = rest * rows < 0 ? rows : rest + rows;
    const whole = Math.trunc(distance);
    rest = distance - whole;
    return whole;
  };
}
