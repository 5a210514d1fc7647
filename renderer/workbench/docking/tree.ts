/**
 * The arrangement of panes as a tree: groups of panes that share a place as tabs, and splits that place groups and other splits next to
 * one another. Closed panes stay in their group, so that they reopen where they were. All functions return a new tree.
 */
import { assert } from '../../../shared/base/result.ts';

/** Panes that share a place, in the order of their tabs. */
export interface Group {
  readonly id: number;
  readonly panes: readonly string[];
  /** Pane that a person brought to the front. */
  readonly front?: string;
}

export interface Split {
  readonly id: number;
  /** `row`: the parts are next to one another. `column`: they are below one another. */
  readonly along: 'row' | 'column';
  readonly parts: readonly Tree[];
  /** Share of each part in the whole split; their sum is 1. */
  readonly sizes: readonly number[];
}

export type Tree = Group | Split;

export type Side = 'left' | 'right' | 'above' | 'below';

/** Smallest share of two neighbours that a border can leave to one of them. */
export const LEAST_SHARE = 0.08;

export function isGroup(tree: Tree): tree is Group {
  return 'panes' in tree;
}

/** Returns all groups from left to right and from top to bottom. */
export function groupsOf(tree: Tree): readonly Group[] {
  return isGroup(tree) ? [tree] : tree.parts.flatMap(groupsOf);
}

export function groupOf(tree: Tree, pane: string): Group {
  const group = groupsOf(tree).find(({ panes }) => panes.includes(pane));
  assert(group, `there is no pane ${pane}`);
  return group;
}

/** Brings a pane to the front of its group. */
export function bringToFront(tree: Tree, pane: string): Tree {
  return changeGroup(tree, groupOf(tree, pane).id, (group) => ({ ...group, front: pane }));
}

/** Moves a pane to the front of a group, where its tab is before the one of another pane, or the last. */
export function joinGroup(tree: Tree, pane: string, group: number, before?: string): Tree {
  if (before === pane) return bringToFront(tree, pane);
  const without = changeGroup(tree, groupOf(tree, pane).id, (own) => withoutPane(own, pane));
  const joined = changeGroup(without, group, (own) => {
    const at = before === undefined ? own.panes.length : own.panes.indexOf(before);
    return { ...own, panes: own.panes.toSpliced(at, 0, pane), front: pane };
  });
  return tidy(joined);
}

/**
 * Moves a pane into a new group at a side of a group, or of the whole tree if no group is given. The new group takes half of the group's
 * space, or a third of the tree's.
 */
export function splitOff(tree: Tree, pane: string, side: Side, group?: number): Tree {
  const own = groupOf(tree, pane);
  if (own.panes.length === 1 && own.id === group) return tree;
  const without = changeGroup(tree, own.id, (each) => withoutPane(each, pane));
  const ids = nextIds(tree);
  const added: Group = { id: ids(), panes: [pane], front: pane };
  const place = (target: Tree, share: number): Split => {
    const isFirst = side === 'left' || side === 'above';
    return {
      id: ids(),
      along: side === 'left' || side === 'right' ? 'row' : 'column',
      parts: isFirst ? [added, target] : [target, added],
      sizes: isFirst ? [share, 1 - share] : [1 - share, share],
    };
  };
  return tidy(group === undefined ? place(without, 1 / 3) : change(without, group, (target) => place(target, 1 / 2)));
}

/**
 * Divides the space of two parts of a split: the first gets `share` of it. Parts between them are not shown, and keep their size.
 *
 * @param first index of a part
 */
export function resize(tree: Tree, split: number, [first, second]: readonly [number, number], share: number): Tree {
  return change(tree, split, (node) => {
    if (isGroup(node)) return node;
    const both = (node.sizes[first] ?? 0) + (node.sizes[second] ?? 0);
    const part = limited(share) * both;
    return { ...node, sizes: node.sizes.with(first, part).with(second, both - part) };
  });
}

/** Gives the first part of the outermost split a share of the whole. */
export function resizeFirst(tree: Tree, share: number): Tree {
  if (isGroup(tree)) return tree;
  const [part, rest] = [limited(share), 1 - (tree.sizes[0] ?? 0)];
  return { ...tree, sizes: tree.sizes.map((size, at) => (at === 0 ? part : (size / rest) * (1 - part))) };
}

function limited(share: number): number {
  return Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, share));
}

/** Returns the split with an id; undefined if there is none. */
export function findSplit(tree: Tree, id: number): Split | undefined {
  if (isGroup(tree)) return undefined;
  return tree.id === id ? tree : tree.parts.map((part) => findSplit(part, id)).find((found) => found !== undefined);
}

/**
 * Removes groups without panes and splits of one part, and joins splits with inner splits of the same direction. Without any panes, one
 * empty group is left.
 */
export function tidy(tree: Tree): Tree {
  return withoutEmpty(tree) ?? { id: 1, panes: [] };
}

function withoutEmpty(tree: Tree): Tree | undefined {
  if (isGroup(tree)) return tree.panes.length > 0 ? tree : undefined;
  const kept = tree.parts.flatMap((part, at) => {
    const node = withoutEmpty(part);
    return node ? [{ node, size: tree.sizes[at] ?? 0 }] : [];
  });
  const [only] = kept;
  if (only && kept.length === 1) return only.node;
  if (!only) return undefined;
  const flat = kept.flatMap(({ node, size }) =>
    isGroup(node) || node.along !== tree.along
      ? [{ node, size }]
      : node.parts.map((part, at) => ({ node: part, size: size * (node.sizes[at] ?? 0) })),
  );
  const sum = flat.reduce((total, { size }) => total + size, 0);
  return { ...tree, parts: flat.map(({ node }) => node), sizes: flat.map(({ size }) => size / sum) };
}

function withoutPane(group: Group, pane: string): Group {
  const { front, ...rest } = group;
  return {
    ...rest,
    panes: group.panes.filter((other) => other !== pane),
    ...(front !== undefined && front !== pane && { front }),
  };
}

function changeGroup(tree: Tree, id: number, how: (group: Group) => Group): Tree {
  return change(tree, id, (node) => (isGroup(node) ? how(node) : node));
}

function change(tree: Tree, id: number, how: (node: Tree) => Tree): Tree {
  if (tree.id === id) return how(tree);
  return isGroup(tree) ? tree : { ...tree, parts: tree.parts.map((part) => change(part, id, how)) };
}

/** Returns a function that returns unused ids. */
function nextIds(tree: Tree): () => number {
  let last = largestId(tree);
  return () => (last += 1);
}

function largestId(tree: Tree): number {
  return isGroup(tree) ? tree.id : Math.max(tree.id, ...tree.parts.map(largestId));
}
