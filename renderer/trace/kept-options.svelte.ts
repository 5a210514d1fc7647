/** Options of the panes of a trace, as its view keeps them. A feature declares the options of its pane with `paneOptions`. */

export interface PaneOptions {
  readonly of: (pane: string) => PaneEntry | undefined;
  readonly set: (pane: string, values: OptionValues) => void;
  /** Options of all panes as JSON, of at most `MOST` characters: longer and later ones are left out. */
  readonly saved: object;
  /** Replaces the options of all panes by kept ones. Each pane checks its own when it reads them. */
  readonly restore: (saved: unknown) => void;
}

/** Options of a pane that differ from the first ones, by name. */
type OptionValues = Readonly<Record<string, unknown>>;

interface PaneEntry {
  readonly values: OptionValues;
  /** The values come from the pane, not from a file. */
  readonly isChecked: boolean;
}

/** Largest length of all options as JSON, and of a single one. */
export const MOST = 12_000;
export const MOST_EACH = 2500;

export function createPaneOptions(): PaneOptions {
  let entries = $state.raw<ReadonlyMap<string, PaneEntry>>(new Map());
  return {
    of: (pane) => entries.get(pane),
    set(pane, values) {
      entries = new Map(entries).set(pane, { values, isChecked: true });
    },
    get saved() {
      return Object.fromEntries(bounded([...entries].map(([pane, { values }]) => [pane, values])));
    },
    restore(saved) {
      const panes = fieldsOf(saved).map(([pane, values]) => [pane, Object.fromEntries(fieldsOf(values))] as const);
      entries = new Map(bounded(panes).map(([pane, values]) => [pane, { values, isChecked: false }]));
    },
  };
}

function fieldsOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** Returns the panes with the options that fit, without panes that have none. */
function bounded(panes: readonly (readonly [string, OptionValues])[]): readonly (readonly [string, OptionValues])[] {
  let left = MOST;
  return panes.flatMap(([pane, values]) => {
    const fitting = Object.entries(values).filter(([name, value]) => {
      const length = JSON.stringify([pane, name, value]).length;
      if (length > MOST_EACH || length > left) return false;
      left -= length;
      return true;
    });
    return fitting.length === 0 ? [] : [[pane, Object.fromEntries(fitting)] as const];
  });
}
