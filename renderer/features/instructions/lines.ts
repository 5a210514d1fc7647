/**
 * Scroll position of a list whose rows take any number of lines; a hidden row takes none. A position is a row plus the fraction of it
 * that is scrolled out at the top edge. The heights of rows far from the view are never needed.
 */
export interface Lines {
  readonly rows: number;
  /** Number of lines that fit into the view, including a fraction. */
  readonly visible: number;
  /** Returns the number of lines of a row; 0 if it is hidden. */
  readonly heightOf: (row: number) => number;
  /** Largest number of rows in one line: 1 if no row is hidden. */
  readonly densest?: number;
}

export interface PlacedRow {
  readonly row: number;
  /** Distance in lines from the top edge; negative if the row is partly scrolled out. */
  readonly y: number;
}

/** Returns the visible rows. */
export function placeRows(top: number, lines: Lines): readonly PlacedRow[] {
  const placed: PlacedRow[] = [];
  let row = Math.floor(top);
  let y = (row - top) * (row < lines.rows ? lines.heightOf(row) : 1);
  for (; row < lines.rows && y < lines.visible; row += 1) {
    const height = lines.heightOf(row);
    if (height > 0) placed.push({ row, y });
    y += height;
  }
  return placed;
}

/** Returns the number of rows that are completely visible, at least 1: the distance of Page Down. */
export function rowsInSight(top: number, lines: Lines): number {
  const whole = placeRows(top, lines).filter(({ row, y }) => y >= 0 && y + lines.heightOf(row) <= lines.visible);
  return Math.max(1, whole.length);
}

/** Returns the position with the end of the list at the bottom of the view. */
export function lastPosition({ rows, visible, heightOf }: Lines): number {
  let left = visible;
  for (let row = rows - 1; row >= 0; row -= 1) {
    const height = heightOf(row);
    if (height > 0 && height >= left) return row + (height - left) / height;
    left -= height;
  }
  return 0;
}

export function clampPosition(top: number, lines: Lines): number {
  const least = Math.max(0, top);
  // The end is computed only if it may be near.
  const farthest = (lines.visible + 1) * (lines.densest ?? 1);
  return least < lines.rows - farthest ? least : Math.min(least, lastPosition(lines));
}

/** Returns the position a number of lines further down, or up if negative. */
export function scrollLines(top: number, by: number, lines: Lines): number {
  if (lines.rows === 0) return 0;
  let row = Math.min(lines.rows - 1, Math.max(0, Math.floor(top)));
  let inside = (top - row) * lines.heightOf(row) + by;
  while (inside < 0 && row > 0) {
    row -= 1;
    inside += lines.heightOf(row);
  }
  while (row < lines.rows - 1 && inside >= lines.heightOf(row)) {
    inside -= lines.heightOf(row);
    row += 1;
  }
  const height = lines.heightOf(row);
  return clampPosition(row + (height === 0 ? 0 : Math.max(0, inside) / height), lines);
}

/**
 * Returns a position that shows `row`: the current one if the row is well inside the view, else the nearest one with `margin` lines
 * around it. After a jump from far away, the row is placed a third below the top edge.
 */
export function revealRow(row: number, top: number, lines: Lines, margin: number): number {
  const height = lines.heightOf(row);
  const room = Math.min(margin, Math.max(0, (lines.visible - height) / 2));
  const lowest = lines.visible - height - room;
  const y = row < Math.floor(top) ? undefined : placeRows(top, lines).find((placed) => placed.row === row)?.y;
  if (y !== undefined && y >= room && y <= Math.max(room, lowest)) return clampPosition(top, lines);
  const above = Math.floor(top) - row;
  const below = row - top;
  if (above > lines.visible || (y === undefined && below > 2 * lines.visible))
    return scrollLines(row, -lines.visible / 3, lines);
  return scrollLines(row, -(above >= 0 || (y !== undefined && y < room) ? room : Math.max(room, lowest)), lines);
}
