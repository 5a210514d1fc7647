/** Where a dragged pane would go: into a group, to a side of it, or to a side of the page. All lengths are pixels of the window. */
import type { Box } from './boxes.ts';
import type { Side } from './tree.ts';

/** A group as it is on the screen. */
export interface Target {
  readonly group: number;
  readonly panes: readonly string[];
  readonly box: Box;
  /** The tabs, with the space after them. */
  readonly head: Box;
  readonly tabs: readonly { readonly pane: string; readonly box: Box }[];
}

export interface Drop {
  /** Undefined: a side of the whole page. */
  readonly group?: number;
  /** Undefined: into the group. */
  readonly side?: Side;
  /** Pane whose tab follows; undefined if the dragged pane becomes the last tab. */
  readonly before?: string;
  /** Space that the pane would take, or place of its tab. */
  readonly box: Box;
}

/** Distance from the border of the page within which a pane goes to a side of the page. */
const PAGE_EDGE = 12;
/** Share of a group at each side in which a pane goes to that side. */
const GROUP_EDGE = 0.25;
/** Width of the mark between two tabs. */
const MARK = 3;

/** Returns undefined if the pane would stay where it is, or the point is not on a group. */
export function dropAt(
  pane: string,
  point: { readonly x: number; readonly y: number },
  page: Box,
  targets: readonly Target[],
): Drop | undefined {
  if (!contains(page, point)) return undefined;
  const edge =
    targets.length > 1 ? sideWithin(point, page, PAGE_EDGE / page.width, PAGE_EDGE / page.height) : undefined;
  if (edge) return { side: edge, box: part(page, edge, 1 / 3) };
  const target = targets.find(({ box }) => contains(box, point));
  if (!target) return undefined;
  const isOwn = target.panes.includes(pane);
  if (contains(target.head, point)) return dropOnTabs(pane, point.x, target);
  if (isOwn && target.panes.length === 1) return undefined;
  const side = sideWithin(point, target.box, GROUP_EDGE, GROUP_EDGE);
  if (side) return { group: target.group, side, box: part(target.box, side, 1 / 2) };
  return isOwn ? undefined : { group: target.group, box: target.box };
}

function dropOnTabs(pane: string, x: number, { group, tabs, head }: Target): Drop | undefined {
  const others = tabs.filter((tab) => tab.pane !== pane);
  const next = others.find(({ box }) => x < box.left + box.width / 2);
  const own = tabs.findIndex((tab) => tab.pane === pane);
  if (own >= 0 && tabs[own + 1]?.pane === next?.pane) return undefined;
  const end = others.at(-1)?.box;
  const left = next ? next.box.left : end ? end.left + end.width : head.left;
  const box = { left: left - (next ? 2 * MARK : -MARK), top: head.top, width: MARK, height: head.height };
  return { group, ...(next && { before: next.pane }), box };
}

/** Returns the nearest side if the point is within a share of the box from it. */
function sideWithin(
  { x, y }: { readonly x: number; readonly y: number },
  { left, top, width, height }: Box,
  across: number,
  down: number,
): Side | undefined {
  const [right, below] = [(x - left) / width, (y - top) / height];
  const sides: readonly (readonly [Side, number])[] = [
    ['left', right / across],
    ['right', (1 - right) / across],
    ['above', below / down],
    ['below', (1 - below) / down],
  ];
  return sides.filter(([, distance]) => distance < 1).toSorted((a, b) => a[1] - b[1])[0]?.[0];
}

function part(box: Box, side: Side, share: number): Box {
  const [width, height] = [box.width * share, box.height * share];
  switch (side) {
    case 'left':
      return { ...box, width };
    case 'right':
      return { ...box, left: box.left + box.width - width, width };
    case 'above':
      return { ...box, height };
    case 'below':
      return { ...box, top: box.top + box.height - height, height };
  }
}

function contains({ left, top, width, height }: Box, { x, y }: { readonly x: number; readonly y: number }): boolean {
  return x >= left && x < left + width && y >= top && y < top + height;
}
