/**
 * Scroll position of a list with 10^9 rows or more. Browsers limit elements to some 33 million pixels, so only visible rows are
 * rendered. The position is the row at the top edge, with a fraction if that row is partly scrolled out.
 */
export interface List {
  readonly rows: number;
  /** Number of rows that fit into the view, including a fraction. */
  readonly visible: number;
}

export interface Thumb {
  readonly start: number;
  readonly length: number;
}

/** Smallest length of the thumb in pixels, so that it can be grabbed. */
const SHORTEST_THUMB = 28;

/** Returns the last position, with the end of the list at the bottom of the view. */
export function lastTop(list: List): number {
  return Math.max(0, list.rows - list.visible);
}

export function clampTop(top: number, list: List): number {
  return Math.min(Math.max(0, top), lastTop(list));
}

/** Returns the thumb in a track of `track` pixels. */
export function thumbOf(top: number, list: List, track: number): Thumb {
  if (list.rows <= list.visible || track <= 0) return { start: 0, length: Math.max(0, track) };
  const length = Math.min(track, Math.max(SHORTEST_THUMB, (track * list.visible) / list.rows));
  return { start: ((track - length) * clampTop(top, list)) / lastTop(list), length };
}

/** Returns the position with the thumb at `start` pixels: the inverse of `thumbOf`. */
export function topOf(start: number, list: List, track: number): number {
  const room = track - thumbOf(0, list, track).length;
  if (room <= 0) return 0;
  return clampTop((start / room) * lastTop(list), list);
}

/**
 * Returns a position that shows `row`: the current one if the row is well inside the view, else the nearest one with `margin` rows
 * around it. After a jump from far away, the row is placed a third below the top edge.
 */
export function reveal(row: number, top: number, list: List, margin: number): number {
  const room = Math.min(margin, Math.max(0, (list.visible - 1) / 2));
  const above = top + room - row;
  const below = row + 1 + room - (top + list.visible);
  if (above <= 0 && below <= 0) return clampTop(top, list);
  if (Math.max(above, below) > list.visible) return clampTop(Math.round(row - list.visible / 3), list);
  return clampTop(above > 0 ? top - above : top + below, list);
}

/** Converts a wheel event to pixels. Devices report pixels, lines or pages. */
export function wheelPixels(
  { deltaY, deltaMode }: { readonly deltaY: number; readonly deltaMode: number },
  line: number,
  page: number,
): number {
  return deltaMode === 1 ? deltaY * line : deltaMode === 2 ? deltaY * page : deltaY;
}

/** Returns a function for lists that scroll by whole rows: it sums fractions of rows and returns the whole rows. */
export function createWholeRows(): (rows: number) => number {
  let rest = 0;
  return (rows) => {
    // A change of direction drops the remaining fraction.
    const distance = rest * rows < 0 ? rows : rest + rows;
    const whole = Math.trunc(distance);
    rest = distance - whole;
    return whole;
  };
}
