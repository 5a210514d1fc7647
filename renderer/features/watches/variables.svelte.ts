/** Descriptions of watched variables, fetched once per trace, and which of their parts are unfolded. */
import type { Failure } from '../../../shared/base/result.ts';
import type { TypedVariable } from '../../../shared/requests/variables.ts';
import { attached } from '../../trace/attached.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import { ELEMENTS } from './typed-rows.ts';

export interface Described {
  /** Null if no image has the variable. */
  readonly variable: TypedVariable | null;
  readonly notes: readonly string[];
}

export interface Variables {
  /** Returns undefined while the description is fetched; the request starts with the first call of `want`. */
  readonly of: (name: string) => Described | Failure | undefined;
  readonly want: (names: readonly string[]) => void;
  readonly isUnfolded: (key: string) => boolean;
  readonly toggle: (key: string, unfolded?: boolean) => void;
  /** Number of listed elements of an array. */
  readonly listed: (key: string) => number;
  readonly more: (key: string) => void;
  /** Fraction of the debug information that is read; null if none is being read for half a second. */
  readonly done: number | null;
}

export const variablesOf = attached((trace: Trace): Variables => {
  let known = $state.raw<ReadonlyMap<string, Described | Failure>>(new Map());
  let unfolded = $state.raw<ReadonlySet<string>>(new Set());
  let listed = $state.raw<ReadonlyMap<string, number>>(new Map());
  let done = $state<number | null>(null);
  const requested = new Set<string>();

  async function fetch(name: string): Promise<void> {
    const result = await trace.client.request(
      'variable',
      { trace: trace.id, name },
      { onEvent: ({ bytes, totalBytes }) => (done = totalBytes > 0 ? Math.min(1, bytes / totalBytes) : 0) },
    );
    done = null;
    known = new Map(known).set(name, result.ok ? result.value : result.error);
  }

  return {
    of: (name) => known.get(name),
    want(names) {
      for (const name of names) {
        if (requested.has(name)) continue;
        requested.add(name);
        void fetch(name);
      }
    },
    isUnfolded: (key) => unfolded.has(key),
    toggle(key, wanted = !unfolded.has(key)) {
      const next = new Set(unfolded);
      if (wanted) next.add(key);
      else next.delete(key);
      unfolded = next;
    },
    listed: (key) => listed.get(key) ?? ELEMENTS,
    more(key) {
      listed = new Map(listed).set(key, (listed.get(key) ?? ELEMENTS) + ELEMENTS);
    },
    get done() {
      return done;
    },
  };
});
