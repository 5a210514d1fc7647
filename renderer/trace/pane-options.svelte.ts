/** Declares the options of a pane, such as the order of its table, which the view of a trace keeps. */
import { untrack } from 'svelte';
import { lenient, parse, partOfFile, type Schema } from '../../shared/requests/schema.ts';
import { attached } from './attached.svelte.ts';
import type { TraceBase } from './trace-base.ts';

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
        // An effect that sets an option does not depend on the others.
        set: (value: T[typeof name]) => untrack(() => change(name, value)),
      });
    return options;

    function change(name: keyof T & string, value: T[keyof T & string]): void {
      const isSame = (other: unknown): boolean => JSON.stringify(value) === JSON.stringify(other);
      if (isSame(options[name])) return;
      const others = Object.entries(changed).filter(([other]) => other !== name);
      const own = isSame(start[name]) ? [] : [[name, value] as const];
      trace.paneOptions.set(pane, Object.fromEntries([...others, ...own]));
    }
  });
}
