/**
 * Descriptions of watched variables and parts of them, and which of their parts are unfolded. A description is fetched once, or again at each
 * record if it depends on the values of pointers.
 */
import type { Failure } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { mayBePart, NO_PART } from '../../../shared/requests/places/variable-path.ts';
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
  /** Returns undefined while the description at a record is fetched; the request starts with a call of `want`. */
  readonly of: (name: string, at: RecordNumber) => Described | Failure | undefined;
  readonly want: (names: readonly string[], at: RecordNumber) => void;
  readonly isUnfolded: (key: string) => boolean;
  readonly toggle: (key: string, unfolded?: boolean) => void;
  /** Number of listed elements of an array. */
  readonly listed: (key: string) => number;
  readonly more: (key: string) => void;
  /** Fraction of the debug information that is read; null if none is being read for half a second. */
  readonly done: number | null;
}

interface Known {
  /** Record of the description; null if it is the same at all records. */
  readonly at: RecordNumber | null;
  readonly described: Described | Failure;
}

export const variablesOf = attached((trace: Trace): Variables => {
  let known = $state.raw<ReadonlyMap<string, Known>>(new Map());
  let unfolded = $state.raw<ReadonlySet<string>>(new Set());
  let listed = $state.raw<ReadonlyMap<string, number>>(new Map());
  let done = $state<number | null>(null);
  /** The latest record for which each description was requested. */
  const requested = new Map<string, RecordNumber>();

  async function fetch(name: string, at: RecordNumber): Promise<void> {
    const result = await trace.client.request(
      'variable',
      { trace: trace.id, name, at },
      { onEvent: ({ bytes, totalBytes }) => (done = totalBytes > 0 ? Math.min(1, bytes / totalBytes) : 0) },
    );
    done = null;
    if (requested.get(name) !== at) return;
    const depends = result.ok ? result.value.followed.length > 0 : result.error.code === NO_PART;
    known = new Map(known).set(name, { at: depends ? at : null, described: result.ok ? result.value : result.error });
  }

  return {
    of(name, at) {
      const own = known.get(name);
      return own === undefined || (own.at !== null && own.at !== at) ? undefined : own.described;
    },
    want(names, at) {
      for (const name of names) {
        const isKnown = known.get(name)?.at === null;
        const isRequested = requested.get(name) === at || (requested.has(name) && !known.has(name) && !mayBePart(name));
        if (isKnown || isRequested) continue;
        requested.set(name, at);
        void fetch(name, at);
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
