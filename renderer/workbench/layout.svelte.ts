/**
 * Layout of the panes: which are open, which one of an area is in front, and how large the areas are. Sizes are fractions of the
 * available space, so that they survive another window size. Each trace has its own; a trace that was never open before begins with the
 * one in use.
 */
import { assert } from '../../shared/base/result.ts';

/** Area of the page. A pane in `whole` covers everything below the overview while it is open. */
export type Area = 'top' | 'whole' | 'left-upper' | 'left-lower' | 'right-upper' | 'right-lower';

export interface PlacedPane {
  readonly id: string;
  /** Area that contains the pane. Panes of one area are tabs, in the order of the list of panes. */
  readonly home: Area;
  /** The pane is closed until a person opens it. */
  readonly startsClosed?: boolean;
}

/** Positions of the movable borders. */
export interface Fractions {
  /** Height of the overview. */
  readonly overview: number;
  /** Width of the left column. */
  readonly left: number;
  /** Height of the upper pane on the right. */
  readonly upper: number;
  /** Height of the upper pane on the left. */
  readonly leftUpper: number;
}

export interface Layout {
  readonly fractions: Fractions;
  readonly isOpen: (pane: string) => boolean;
  /** True if a person closed the pane. False for a closed pane that starts closed. */
  readonly wasClosed: (pane: string) => boolean;
  /** Opens a pane, or brings it to the front of its area. */
  readonly open: (pane: string) => void;
  /** Pane that a person brought to the front of an area; undefined if there is none, or it is closed. */
  readonly front: (area: Area) => string | undefined;
  readonly close: (pane: string) => void;
  readonly move: (border: keyof Fractions, fraction: number) => void;
  readonly resetBorder: (border: keyof Fractions) => void;
  readonly reset: () => void;
  /** The whole layout as JSON, for `restore`. */
  readonly saved: unknown;
  /** Restores a saved layout without a pane that covers the others. Ignores a value that is not a layout. */
  readonly restore: (saved: unknown) => void;
  /** The layout of a trace, as JSON. */
  readonly savedOf: (trace: string) => unknown;
  /** Gives a trace its own layout: a saved one, or else the one in use. */
  readonly add: (trace: string, saved: unknown) => void;
  readonly remove: (trace: string) => void;
}

interface Saved {
  readonly fractions: Fractions;
  readonly closed: readonly string[];
  readonly front?: Readonly<Record<string, unknown>>;
  /** Open pane of the area `whole`. */
  readonly whole?: unknown;
}

const FRACTIONS: Fractions = { overview: 0.17, left: 0.52, upper: 0.58, leftUpper: 0.57 };
const LEAST = 0.08;

/** @param active returns the id of the trace that is shown */
export function createLayout(panes: readonly PlacedPane[], active: () => string = () => ''): Layout {
  const startsClosed = panes.filter((pane) => pane.startsClosed).map(({ id }) => id);
  const initial: Saved = { fractions: FRACTIONS, closed: startsClosed };
  let inUse = $state.raw<Saved>(initial);
  /** Layouts of open traces, by their ids. */
  let own = $state.raw<ReadonlyMap<string, Saved>>(new Map());
  const saved = $derived(own.get(active()) ?? inUse);

  function keep(next: Saved): void {
    inUse = next;
    if (own.has(active())) own = new Map(own).set(active(), next);
  }

  function homeOf(pane: string): Area {
    const home = panes.find(({ id }) => id === pane)?.home;
    assert(home !== undefined, `there is no pane ${pane}`);
    return home;
  }

  function isOpen(pane: string): boolean {
    return homeOf(pane) === 'whole' ? saved.whole === pane : !saved.closed.includes(pane);
  }

  return {
    get fractions() {
      return saved.fractions;
    },
    isOpen,
    wasClosed: (pane) => homeOf(pane) !== 'whole' && !isOpen(pane) && !startsClosed.includes(pane),
    open(pane) {
      const home = homeOf(pane);
      keep({
        ...saved,
        closed: saved.closed.filter((other) => other !== pane),
        front: { ...saved.front, [home]: pane },
        // Opening a pane that is covered uncovers it.
        whole: home === 'whole' ? pane : home === 'top' ? saved.whole : undefined,
      });
    },
    front(area) {
      const front = saved.front?.[area];
      return panes.find(({ id, home }) => id === front && home === area && isOpen(id))?.id;
    },
    close: (pane) =>
      homeOf(pane) === 'whole'
        ? keep({ ...saved, whole: undefined })
        : keep({ ...saved, closed: [...saved.closed.filter((other) => other !== pane), pane] }),
    move: (border, fraction) =>
      keep({ ...saved, fractions: { ...saved.fractions, [border]: Math.min(1 - LEAST, Math.max(LEAST, fraction)) } }),
    resetBorder: (border) => keep({ ...saved, fractions: { ...saved.fractions, [border]: FRACTIONS[border] } }),
    reset: () => keep(initial),
    get saved() {
      return saved;
    },
    restore(other) {
      if (isSaved(other)) keep({ fractions: other.fractions, closed: other.closed, front: other.front ?? {} });
    },
    savedOf: (trace) => own.get(trace) ?? inUse,
    add(trace, other) {
      own = new Map(own).set(trace, isSaved(other) ? other : saved);
    },
    remove(trace) {
      own = new Map([...own].filter(([id]) => id !== trace));
    },
  };
}

function isSaved(value: unknown): value is Saved {
  if (typeof value !== 'object' || value === null || !('fractions' in value) || !('closed' in value)) return false;
  const { fractions, closed } = value;
  return (
    Array.isArray(closed) &&
    typeof fractions === 'object' &&
    fractions !== null &&
    Object.keys(FRACTIONS).every((name) => isFraction(Object.entries(fractions).find(([key]) => key === name)?.[1]))
  );
}

function isFraction(value: unknown): value is number {
  return typeof value === 'number' && value >= LEAST && value <= 1 - LEAST;
}
