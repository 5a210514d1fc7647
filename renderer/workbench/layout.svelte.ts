/**
 * Layout of the panes: which are open, where they are, and which one of a group is in front. Sizes are fractions of the available space, so
 * that they survive another window size. Each trace has its own. A trace that was never open before begins with the layout that was used
 * last for a trace of its kind.
 */
import { assert } from '../../shared/base/result.ts';
import { arrange, isPlacedGroup, neighbourOf, type Border, type Place } from './docking/boxes.ts';
import { readArrangement, type Arrangement } from './docking/saved.ts';
import {
  closedAtFirst,
  contentOf,
  initialTree,
  type Content,
  type PlacedPane,
  type TraceFacts,
} from './docking/templates.ts';
import {
  bringToFront,
  findSplit,
  groupOf,
  groupsOf,
  isGroup,
  joinGroup,
  resize,
  resizeFirst,
  splitOff,
  type Group,
  type Side,
  type Tree,
} from './docking/tree.ts';

export type { Area, PlacedPane } from './docking/templates.ts';

export interface Layout {
  /** Shown groups with their boxes, and the borders between them. */
  readonly places: readonly Place[];
  readonly isOpen: (pane: string) => boolean;
  /** The pane is in a group that is shown, in front or as a tab. */
  readonly isShown: (pane: string) => boolean;
  /** True if a person closed the pane. False for a closed pane that starts closed. */
  readonly wasClosed: (pane: string) => boolean;
  /** Panes of the shown trace that are in windows of their own. They are not open here. */
  readonly poppedOut: readonly string[];
  readonly setPoppedOut: (trace: string, pane: string, isOut: boolean) => void;
  /** Opens a pane, or brings it to the front of its group. */
  readonly open: (pane: string) => void;
  readonly close: (pane: string) => void;
  /** Moves a pane to the front of a group, with its tab before the one of another pane, or last. */
  readonly join: (pane: string, group: number, before?: string) => void;
  /** Moves a pane into a new group at a side of a group, or of the page. */
  readonly splitOff: (pane: string, side: Side, group?: number) => void;
  /**
   * Moves a pane one step: out of its group if there are other panes in it, else into the group at that side, else to the side of the page.
   * Returns false if the pane is there already.
   */
  readonly step: (pane: string, side: Side) => boolean;
  /** Divides the space at a border; `share` is the part of what is before it. */
  readonly move: (border: Pick<Border, 'split' | 'parts'>, share: number) => void;
  /** Makes a pane higher by a factor, at the cost of what is below it and up to half of the space of both. A pane without a border below it stays. */
  readonly heighten: (pane: string, factor: number) => void;
  /** Gives the parts at a border the sizes that they had at first, or half of the space each. */
  readonly resetBorder: (border: Pick<Border, 'split' | 'parts'>) => void;
  /** Pane whose group covers all others. */
  readonly maximised: string | undefined;
  /** Lets a pane's group cover all others, or uncovers them. */
  readonly toggleMaximised: (pane: string) => void;
  /** A group covers other panes. */
  readonly isCovered: boolean;
  /** Goes back to the layout that traces of this kind begin with. */
  readonly reset: () => void;
  /** Uses the layout that traces of another kind begin with. */
  readonly use: (content: Content) => void;
  /** The whole layout as JSON, for `restore`. */
  readonly saved: unknown;
  /** Restores a saved layout without a pane that covers the others. Ignores a value that is not a layout. */
  readonly restore: (saved: unknown) => void;
  /** A layout as JSON in which only one pane is open, and others open beside it. */
  readonly onlyPane: (pane: string) => unknown;
  /** The layout of a trace, as JSON. */
  readonly savedOf: (trace: string) => unknown;
  /** Gives a trace its own layout: a saved one, or else the one in use for traces of its kind. */
  readonly add: (trace: string, saved: unknown, facts: TraceFacts) => void;
  readonly remove: (trace: string) => void;
}

/** Facts about a trace that has all panes. */
const ALL_FACTS: TraceFacts = { instructions: true, registers: true, flow: true };

/** The layout of a trace, and the one that it began with. */
interface Own {
  readonly now: Arrangement;
  readonly first: Arrangement;
}

/** @param active returns the id of the trace that is shown */
export function createLayout(panes: readonly PlacedPane[], active: () => string = () => ''): Layout {
  const wholes = panes.filter(({ home }) => home === 'whole').map(({ id }) => id);
  const tops = panes.filter(({ home }) => home === 'top').map(({ id }) => id);

  function firstFor(facts: TraceFacts, content = contentOf(facts)): Arrangement {
    return { tree: initialTree(content, panes), closed: closedAtFirst(facts, panes) };
  }

  const initial = firstFor(ALL_FACTS);
  let unowned = $state.raw<Own>({ now: initial, first: initial });
  /** Layouts in use by the first layout of their traces, as JSON. */
  let inUse: ReadonlyMap<string, Arrangement> = new Map();
  /** Layouts of open traces, by their ids. */
  let own = $state.raw<ReadonlyMap<string, Own>>(new Map());
  /** Panes in windows of their own, by the ids of their traces. */
  let poppedOut = $state.raw<ReadonlyMap<string, readonly string[]>>(new Map());
  const out = $derived(poppedOut.get(active()) ?? []);
  const current = $derived(own.get(active()) ?? unowned);
  const now = $derived(current.now);
  const shownTree = $derived(treeShown(now));
  const places = $derived(arrange(shownTree, isShown));

  function keep(next: Arrangement, { first } = current): void {
    inUse = new Map(inUse).set(JSON.stringify(first), next);
    const id = active();
    if (own.has(id)) own = new Map(own).set(id, { now: next, first });
    else unowned = { now: next, first };
  }

  function isWhole(pane: string): boolean {
    return wholes.includes(pane);
  }

  function isOpen(pane: string): boolean {
    return isWhole(pane) ? now.whole === pane : !now.closed.includes(pane) && !out.includes(pane);
  }

  function isShown(group: Group): boolean {
    return group.panes.some(isOpen);
  }

  /** Returns the tree without what a pane or group covers. */
  function treeShown({ tree, whole, maximised }: Arrangement): Tree {
    if (whole !== undefined) return coverBelow(tree, { id: WHOLE, panes: [whole] });
    return maximised !== undefined && isOpen(maximised) ? groupOf(tree, maximised) : tree;
  }

  /** Returns a tree in which a group covers everything except a top row of panes that belong there. */
  function coverBelow(tree: Tree, group: Group): Tree {
    if (isGroup(tree) || tree.along !== 'column') return group;
    const [top, ...rest] = tree.parts;
    if (!top || !isGroup(top) || rest.length === 0 || !top.panes.every((pane) => tops.includes(pane))) return group;
    const size = tree.sizes[0] ?? 0;
    return { ...tree, parts: [top, group], sizes: [size, 1 - size] };
  }

  /** Changes the tree. A group that covers the others does so no longer. */
  function rearrange(tree: Tree): void {
    const { closed } = now;
    keep({ tree, closed });
  }

  function moveBorder({ split, parts }: Pick<Border, 'split' | 'parts'>, share: number): void {
    // A pane that covers the others stands for all parts below the first one.
    const tree = now.whole === undefined ? resize(now.tree, split.id, parts, share) : resizeFirst(now.tree, share);
    keep({ ...now, tree });
  }

  return {
    get places() {
      return places;
    },
    isOpen,
    isShown: (pane) => isOpen(pane) && groupsOf(shownTree).some((group) => group.panes.includes(pane)),
    get poppedOut() {
      return out;
    },
    setPoppedOut(trace, pane, isOut) {
      const others = (poppedOut.get(trace) ?? []).filter((other) => other !== pane);
      poppedOut = new Map(poppedOut).set(trace, isOut ? [...others, pane] : others);
    },
    wasClosed: (pane) => !isWhole(pane) && now.closed.includes(pane) && !current.first.closed.includes(pane),
    open(pane) {
      if (isWhole(pane)) {
        keep({ ...now, whole: pane });
        return;
      }
      const { whole, maximised, ...rest } = now;
      const tree = bringToFront(now.tree, pane);
      const isCovered = !groupsOf(shownTree).some((group) => group.panes.includes(pane));
      keep({
        ...rest,
        tree,
        closed: now.closed.filter((other) => other !== pane),
        // Opening a pane that is covered uncovers it.
        ...(!isCovered && { ...(whole !== undefined && { whole }), ...(maximised !== undefined && { maximised }) }),
      });
    },
    close(pane) {
      if (!isWhole(pane)) {
        keep({ ...now, closed: [...now.closed.filter((other) => other !== pane), pane] });
        return;
      }
      const { whole, ...rest } = now;
      if (whole === pane) keep(rest);
    },
    join: (pane, group, before) => rearrange(joinGroup(now.tree, pane, group, before)),
    splitOff: (pane, side, group) => rearrange(splitOff(now.tree, pane, side, group)),
    step(pane, side) {
      const group = groupOf(now.tree, pane);
      const all = arrange(now.tree, isShown);
      if (group.panes.filter(isOpen).length > 1) {
        rearrange(splitOff(now.tree, pane, side, group.id));
        return true;
      }
      const neighbour = neighbourOf(all, group.id, side);
      if (neighbour) {
        rearrange(joinGroup(now.tree, pane, neighbour.id));
        return true;
      }
      const next = splitOff(now.tree, pane, side);
      const isMoved = boxOf(arrange(next, isShown), pane) !== boxOf(all, pane);
      if (isMoved) rearrange(next);
      return isMoved;
    },
    move: moveBorder,
    heighten(pane, factor) {
      const border = places.find((place): place is Border => {
        if (isPlacedGroup(place) || place.between !== 'rows') return false;
        const before = place.split.parts[place.parts[0]];
        return before !== undefined && isGroup(before) && before.panes.includes(pane);
      });
      if (border) moveBorder(border, Math.max(border.share, Math.min(0.5, border.share * factor)));
    },
    resetBorder({ split, parts }) {
      const before = findSplit(current.first.tree, split.id);
      const isSame = before?.along === split.along && before.parts.length === split.parts.length;
      const [first, second] = parts.map((part) => (isSame ? before.sizes[part] : undefined) ?? 1);
      moveBorder({ split, parts }, (first ?? 1) / ((first ?? 1) + (second ?? 1)));
    },
    get maximised() {
      return now.whole === undefined && now.maximised !== undefined && isOpen(now.maximised)
        ? now.maximised
        : undefined;
    },
    toggleMaximised(pane) {
      const { maximised, ...rest } = now;
      const isCovering = maximised !== undefined && groupOf(now.tree, maximised).panes.includes(pane);
      keep(isCovering ? rest : { ...rest, tree: bringToFront(now.tree, pane), maximised: pane });
    },
    get isCovered() {
      return now.whole !== undefined || (now.maximised !== undefined && isOpen(now.maximised));
    },
    reset: () => keep(current.first),
    use: (content) => keep({ ...firstFor(ALL_FACTS, content) }),
    get saved() {
      return now;
    },
    restore(other) {
      const read = readArrangement(other, current.first, isWhole);
      if (read) keep({ tree: read.tree, closed: read.closed });
    },
    onlyPane(pane) {
      const others = panes.filter(({ id, home }) => id !== pane && home !== 'whole').map(({ id }) => id);
      return { tree: { id: 1, panes: [pane, ...others], front: pane } satisfies Group, closed: others };
    },
    savedOf: (trace) => (own.get(trace) ?? unowned).now,
    add(trace, other, facts) {
      const first = firstFor(facts);
      const left = readArrangement(other, first, isWhole) ?? inUse.get(JSON.stringify(first)) ?? first;
      own = new Map(own).set(trace, { now: left, first });
    },
    remove(trace) {
      own = new Map([...own].filter(([id]) => id !== trace));
    },
  };
}

/** Id of the group that covers the others. */
const WHOLE = 0;

function boxOf(places: readonly Place[], pane: string): string {
  const place = places.filter(isPlacedGroup).find(({ group }) => group.panes.includes(pane));
  assert(place, `${pane} is not shown`);
  return JSON.stringify(place.box);
}
