/** An arrangement as JSON. It may come from another version of the program or from someone else's file, so all of it is checked. */
import { groupsOf, isGroup, tidy, type Group, type Split, type Tree } from './tree.ts';
import { mateOf } from './templates.ts';

export interface Arrangement {
  readonly tree: Tree;
  readonly closed: readonly string[];
  /** Open pane of the area `whole`. */
  readonly whole?: string;
  /** Pane whose group covers all others. */
  readonly maximised?: string;
}

/** Deeper trees than any person makes. */
const DEEPEST = 20;

/**
 * Returns the arrangement in a JSON value; undefined if there is none. Unknown panes are left out. Panes that the value does not contain
 * are next to those that they are next to in the first arrangement.
 *
 * @param first the arrangement that the trace begins with
 */
export function readArrangement(
  value: unknown,
  first: Arrangement,
  isWhole: (pane: string) => boolean,
): Arrangement | undefined {
  if (!isObject(value) || !Array.isArray(value['closed'])) return undefined;
  const known = groupsOf(first.tree).flatMap(({ panes }) => panes);
  const seen = new Set<string>();
  const read = createReader((pane) => {
    const isNew = known.includes(pane) && !seen.has(pane);
    seen.add(pane);
    return isNew;
  });
  const tree = read(value['tree'], DEEPEST);
  if (!tree || !known.some((pane) => seen.has(pane))) return undefined;
  const missing = known.filter((pane) => !seen.has(pane));
  const { whole, maximised } = value;
  const closed = value['closed'].filter((pane) => typeof pane === 'string');
  return {
    tree: missing.reduce((all, pane) => addPane(all, pane, first.tree), tidy(tree)),
    closed: [
      ...new Set(closed.filter((pane) => known.includes(pane) && seen.has(pane))),
      ...missing.filter((pane) => first.closed.includes(pane)),
    ],
    ...(typeof whole === 'string' && isWhole(whole) && { whole }),
    ...(typeof maximised === 'string' && known.includes(maximised) && { maximised }),
  };
}

/** @param take returns true if the pane is known and was not read before */
function createReader(take: (pane: string) => boolean): (value: unknown, deepest: number) => Tree | undefined {
  let last = 0;
  return function read(value, deepest): Tree | undefined {
    if (!isObject(value) || deepest === 0) return undefined;
    last += 1;
    const id = last;
    const { panes, front, along, parts, sizes } = value;
    if (Array.isArray(panes)) {
      const own = panes.filter((pane): pane is string => typeof pane === 'string' && take(pane));
      return { id, panes: own, ...(own.some((pane) => pane === front) && { front: String(front) }) } satisfies Group;
    }
    if ((along !== 'row' && along !== 'column') || !Array.isArray(parts) || !isSizes(sizes, parts.length))
      return undefined;
    const nodes = parts.map((part) => read(part, deepest - 1));
    if (!nodes.every((node) => node !== undefined)) return undefined;
    return { id, along, parts: nodes, sizes } satisfies Split;
  };
}

function addPane(tree: Tree, pane: string, first: Tree): Tree {
  const groups = groupsOf(tree);
  const mate = mateOf(
    pane,
    first,
    groups.flatMap(({ panes }) => panes),
  );
  const home = groups.find(({ panes }) => mate !== undefined && panes.includes(mate)) ?? groups[0];
  const add = (node: Tree): Tree => {
    if (!isGroup(node)) return { ...node, parts: node.parts.map(add) };
    return node === home ? { ...node, panes: [...node.panes, pane] } : node;
  };
  return add(tree);
}

function isSizes(value: unknown, count: number): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length === count &&
    count > 0 &&
    value.every((size) => typeof size === 'number' && size > 0 && size <= 1)
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
