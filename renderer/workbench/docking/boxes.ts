/** Where the groups of an arrangement are on the page, and the borders between them. All lengths are fractions of the page. */
import { isGroup, type Group, type Side, type Split, type Tree } from './tree.ts';

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedGroup {
  readonly group: Group;
  readonly box: Box;
}

/** A movable border between two parts of a split. */
export interface Border {
  readonly split: Split;
  /** Indices of the parts. Parts between them are not shown. */
  readonly parts: readonly [first: number, second: number];
  /** `columns`: a vertical border. */
  readonly between: 'columns' | 'rows';
  /** Space of both parts. */
  readonly box: Box;
  /** Share of the first part in it. */
  readonly share: number;
  /** Last group before the border, and first group after it. */
  readonly groups: readonly [before: Group, after: Group];
}

export type Place = PlacedGroup | Border;

const PAGE: Box = { left: 0, top: 0, width: 1, height: 1 };

/**
 * Returns the shown groups and the borders between them, from left to right and from top to bottom. Groups that are not shown leave
 * their space to the other parts of their split.
 */
export function arrange(tree: Tree, isShown: (group: Group) => boolean, box: Box = PAGE): readonly Place[] {
  if (isGroup(tree)) return isShown(tree) ? [{ group: tree, box }] : [];
  const shown = tree.parts.flatMap((part, at) =>
    arrange(part, isShown).length > 0 ? [{ part, at, size: tree.sizes[at] ?? 0 }] : [],
  );
  const sum = shown.reduce((total, { size }) => total + size, 0);
  let start = 0;
  return shown.flatMap(({ part, at, size }, place) => {
    const places = arrange(part, isShown, slice(box, tree.along, start / sum, size / sum));
    const previous = shown[place - 1];
    const border = previous && borderBetween(tree, box, [previous, { at, size }], (start - previous.size) / sum, sum);
    start += size;
    const [first] = places.filter(isPlacedGroup);
    const last = previous && arrange(previous.part, isShown).findLast(isPlacedGroup);
    return border && first && last ? [{ ...border, groups: [last.group, first.group] as const }, ...places] : places;
  });
}

export function isPlacedGroup(place: Place): place is PlacedGroup {
  return 'group' in place;
}

/** Returns the nearest group at a side of another one: of those that touch it, the one with the longest common border. */
export function neighbourOf(places: readonly Place[], group: number, side: Side): Group | undefined {
  const groups = places.filter(isPlacedGroup);
  const own = groups.find((place) => place.group.id === group)?.box;
  if (!own) return undefined;
  const touching = groups
    .map((place) => ({ place, common: commonBorder(own, place.box, side) }))
    .filter(({ common }) => common > TOUCHING);
  return touching.toSorted((a, b) => b.common - a.common)[0]?.place.group;
}

/** Differences below this are rounding errors. */
const TOUCHING = 1e-6;

function commonBorder(own: Box, other: Box, side: Side): number {
  const isBeside = side === 'left' || side === 'right';
  const [a, b] = isBeside ? [turned(own), turned(other)] : [own, other];
  const distance = side === 'left' || side === 'above' ? a.top - (b.top + b.height) : b.top - (a.top + a.height);
  if (Math.abs(distance) > TOUCHING) return 0;
  return Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
}

/** Swaps both axes. */
function turned({ left, top, width, height }: Box): Box {
  return { left: top, top: left, width: height, height: width };
}

function slice(box: Box, along: Split['along'], start: number, size: number): Box {
  return along === 'row'
    ? { ...box, left: box.left + box.width * start, width: box.width * size }
    : { ...box, top: box.top + box.height * start, height: box.height * size };
}

interface Part {
  readonly at: number;
  readonly size: number;
}

function borderBetween(
  split: Split,
  box: Box,
  [before, after]: readonly [Part, Part],
  start: number,
  sum: number,
): Omit<Border, 'groups'> {
  const both = before.size + after.size;
  return {
    split,
    parts: [before.at, after.at],
    between: split.along === 'row' ? 'columns' : 'rows',
    box: slice(box, split.along, start, both / sum),
    share: before.size / both,
  };
}
