/**
 * Where a list stands whose rows take one line or more: a position is a row, and the fraction of it that is scrolled out at the
 * upper edge. Only rows in sight are ever asked how high they are.
 */
export interface Lines {
  readonly rows: number;
  /** Lines that fit the view, a fraction included. */
  readonly visible: number;
  /** Lines that a row takes, at least 1. */
  readonly heightOf: (row: number) => number;
}

export interface PlacedRow {
  readonly row: number;
  /** Lines below the view's upper edge; negative where it is partly scrolled out. */
  readonly y: number;
}

/** The rows in sight. */
export function placeRows(top: number, lines: Lines): readonly PlacedRow[] {
  const placed: PlacedRow[] = [];
  let row = Math.floor(top);
  let y = (row - top) * (row < lines.rows ? lines.heightOf(row) : 1);
  for (; row < lines.rows && y < lines.visible; row += 1) {
    placed.push({ row, y });
    y += lines.heightOf(row);
  }
  return placed;
}

/** How many rows are in sight as a whole, at least 1: what a page down may pass over. */
export function rowsInSight(top: number, lines: Lines): number {
  const whole = placeRows(top, lines).filter(({ row, y }) => y >= 0 && y + lines.heightOf(row) <= lines.visible);
  return Math.max(1, whole.length);
}

/** The position that puts the list's end at the view's lower edge. */
export function lastPosition({ rows, visible, heightOf }: Lines): number {
  let left = visible;
  for (let row = rows - 1; row >= 0; row -= 1) {
    const height = heightOf(row);
    if (height >= left) return row + (height - left) / height;
    left -= height;
  }
  return 0;
}

export function clampPosition(top: number, lines: Lines): number {
  const least = Math.max(0, top);
  // The end is looked for only where it may be near: each row takes a line at least.
  return least < lines.rows - lines.visible - 1 ? least : Math.min(least, lastPosition(lines));
}

/** The position so many lines further down, or up. */
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
  return clampPosition(row + Math.max(0, inside) / lines.heightOf(row), lines);
}

/**
 * The position that shows `row`: the same one while the row is well inside, else the nearest with `margin` lines around it, else (a
 * jump from afar) the one that puts the row a third below the upper edge.
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
