/** Which panes are open, which one of those that share an area is in front, and how large areas are: fractions of the room, so that they survive another window size. */
import { load, save } from '../trace/persisted.ts';

/** `whole`: a pane that takes the room of all those below the overview, while it is open. */
export type Area = 'top' | 'whole' | 'left-upper' | 'left-lower' | 'right-upper' | 'right-lower';

/** Where each pane stands. Panes of one area stand behind one another, as tabs in this order. */
export const HOMES = {
  overview: 'top',
  report: 'whole',
  heatmap: 'left-upper',
  graph: 'left-upper',
  tree: 'left-upper',
  memory: 'left-lower',
  branches: 'left-lower',
  notes: 'left-lower',
  diagnostics: 'left-lower',
  search: 'left-lower',
  instructions: 'right-upper',
  registers: 'right-lower',
  bytes: 'right-lower',
  stack: 'right-lower',
} as const satisfies Readonly<Record<string, Area>>;

export type PaneId = keyof typeof HOMES;

/** The borders that can be moved. */
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
  readonly isOpen: (pane: PaneId) => boolean;
  /** True of a pane that a person closed, not of one that waits until it is asked for. */
  readonly wasClosed: (pane: PaneId) => boolean;
  /** Opens a pane, or brings it to the front of its area. */
  readonly open: (pane: PaneId) => void;
  /** The pane that a person brought to the front of an area; undefined where nobody did, or it is closed. */
  readonly front: (area: Area) => PaneId | undefined;
  readonly close: (pane: PaneId) => void;
  readonly move: (border: keyof Fractions, fraction: number) => void;
  readonly resetBorder: (border: keyof Fractions) => void;
  readonly reset: () => void;
  /** All of it, to be put back later. */
  readonly saved: unknown;
  /** Puts back what `saved` was; what is no layout changes nothing. */
  readonly restore: (saved: unknown) => void;
}

interface Saved {
  readonly fractions: Fractions;
  readonly closed: readonly string[];
  readonly front?: Readonly<Record<string, unknown>>;
  /** The pane that takes the room of others. */
  readonly whole?: unknown;
}

const DEFAULT: Saved = {
  fractions: { overview: 0.17, left: 0.52, upper: 0.58, leftUpper: 0.57 },
  closed: ['diagnostics', 'search'],
};
const LEAST = 0.08;

export function createLayout(): Layout {
  let saved = $state.raw<Saved>(load(localStorage, 'layout', isSaved, DEFAULT));

  function keep(next: Saved): void {
    saved = next;
    save(localStorage, 'layout', next);
  }

  function isOpen(pane: PaneId): boolean {
    return HOMES[pane] === 'whole' ? saved.whole === pane : !saved.closed.includes(pane);
  }

  return {
    get fractions() {
      return saved.fractions;
    },
    isOpen,
    wasClosed: (pane) => HOMES[pane] !== 'whole' && !isOpen(pane) && !DEFAULT.closed.includes(pane),
    open: (pane) =>
      keep({
        ...saved,
        closed: saved.closed.filter((other) => other !== pane),
        front: { ...saved.front, [HOMES[pane]]: pane },
        // It stands over the others.
        whole: HOMES[pane] === 'whole' ? pane : HOMES[pane] === 'top' ? saved.whole : undefined,
      }),
    front(area) {
      const pane = saved.front?.[area];
      return isPane(pane) && HOMES[pane] === area && isOpen(pane) ? pane : undefined;
    },
    close: (pane) =>
      HOMES[pane] === 'whole'
        ? keep({ ...saved, whole: undefined })
        : keep({ ...saved, closed: [...saved.closed.filter((other) => other !== pane), pane] }),
    move: (border, fraction) =>
      keep({ ...saved, fractions: { ...saved.fractions, [border]: Math.min(1 - LEAST, Math.max(LEAST, fraction)) } }),
    resetBorder: (border) => keep({ ...saved, fractions: { ...saved.fractions, [border]: DEFAULT.fractions[border] } }),
    reset: () => keep(DEFAULT),
    get saved() {
      return saved;
    },
    restore(other) {
      if (isSaved(other)) keep({ fractions: other.fractions, closed: other.closed, front: other.front ?? {} });
    },
  };
}

function isPane(value: unknown): value is PaneId {
  return typeof value === 'string' && Object.hasOwn(HOMES, value);
}

function isSaved(value: unknown): value is Saved {
  if (typeof value !== 'object' || value === null || !('fractions' in value) || !('closed' in value)) return false;
  const { fractions, closed } = value;
  return (
    Array.isArray(closed) &&
    typeof fractions === 'object' &&
    fractions !== null &&
    Object.keys(DEFAULT.fractions).every((name) =>
      isFraction(Object.entries(fractions).find(([key]) => key === name)?.[1]),
    )
  );
}

function isFraction(value: unknown): value is number {
  return typeof value === 'number' && value >= LEAST && value <= 1 - LEAST;
}
