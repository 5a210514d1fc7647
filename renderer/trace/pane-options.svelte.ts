/**
 * Options of panes, such as the order of a table: the view of a trace keeps them. A feature declares the options of its pane with
 * `paneOptions`, one line for each option, and reads and sets them as fields.
 */
import { lenient, parse, partOfFile, type Schema } from '../../shared/requests/schema.ts';
import { attached } from './attached.svelte.ts';
import type { TraceBase } from './trace-base.ts';

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

/**
 * Returns a function that gives each trace the options of a pane. Each option is JSON; setting it to its first value forgets it.
 *
 * @param fields a schema for each option: a kept value that it refuses counts as absent
 * @param first the options of a trace that nobody has changed
 */
export function paneOptions<T extends object>(
  pane: string,
  fields: { readonly [Name in keyof T]: Schema<T[Name]> },
  first: (trace: TraceBase) => T,
): (trace: TraceBase) => T {
  const schema = partOfFile(
    Object.fromEntries(Object.entries<Schema>(fields).map(([name, field]) => [name, lenient(field)])),
  );
  return attached((trace: TraceBase) => {
    const start = first(trace);
    const names = Object.keys(fields) as (keyof T & string)[];
    const changed = $derived.by((): Partial<T> => {
      const entry = trace.paneOptions.of(pane);
      if (!entry) return {};
      if (entry.isChecked) return entry.values as Partial<T>;
      const checked = parse(schema, entry.values);
      const known = checked.ok ? Object.entries<unknown>(checked.value).filter(([, value]) => value !== undefined) : [];
      return Object.fromEntries(known) as Partial<T>;
    });
    const options = { ...start };
    for (const name of names)
      Object.defineProperty(options, name, {
        enumerable: true,
        get: () => (name in changed ? changed[name] : start[name]),
        set(value: T[typeof name]) {
          const others = Object.entries(changed).filter(([other]) => other !== name);
          const own = JSON.stringify(value) === JSON.stringify(start[name]) ? [] : [[name, value] as const];
          trace.paneOptions.set(pane, Object.fromEntries([...others, ...own]));
        },
      });
    return options;
  });
}
