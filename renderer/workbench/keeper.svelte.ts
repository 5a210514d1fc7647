/**
 * Keeps on the host what a person leaves: each open trace with its images and view, and settings of the page. A view is written soon
 * after a change, and at once when its trace or the page closes. Two windows with the same trace each write theirs, and the last one wins.
 */
import { untrack } from 'svelte';
import type { Arguments, Client, Kept, KeptSettings, KeptTrace } from '../../shared/requests/requests.ts';
import { group } from '../../shared/base/numbers.ts';
import { parse } from '../../shared/requests/schema.ts';
import type { AddressSpan } from '../trace/cursor.svelte.ts';
import { chooseNamedFolders, sourcePlaces } from '../trace/source/places.ts';
import type { Trace } from '../trace/trace.svelte.ts';
import type { Layout } from './layout.svelte.ts';
import { captureTraceView, hasSameReading, showTraceView, traceView, type TraceView } from './trace-view.ts';
import { jsonValue } from '../../shared/base/json-value.ts';

/** Settings of the page as they were when it was loaded, and a function that keeps changes. */
export interface Settings {
  readonly kept: KeptSettings;
  readonly keep: (changed: KeptSettings) => void;
}

export interface Keeper {
  readonly settings: Settings;
  /** Traces that were left, the newest first. */
  readonly recent: readonly KeptTrace[];
  /**
   * Path of the newest recent trace, as soon as the host has named the recent traces; undefined if there is none, or if the host takes too
   * long.
   */
  readonly newest: () => Promise<string | undefined>;
  /** Sentences about damaged files, for the person. */
  readonly problems: readonly string[];
  /** Asks the host for the traces again: other windows change them. */
  readonly refresh: () => Promise<void>;
  /** Returns what is kept about the trace at a path, and sentences about damaged files. */
  readonly find: (path: string) => Promise<Pick<Kept, 'traces' | 'problems'>>;
  /** Removes a trace from the list. */
  readonly forget: (path: string) => Promise<void>;
  /**
   * Shows the view that was left of a trace which has just been opened, and then keeps each change of it. A record that is not indexed yet
   * is shown once it is, unless the person has moved the cursor by then.
   */
  readonly follow: (trace: Trace, left?: LeftView) => void;
  /** Puts an evidence bundle that has been opened among the recent files. `bytes`: its size. */
  readonly keepBundle: (path: string, bytes: number) => void;
  /** The view of an open trace as JSON. */
  readonly viewOf: (trace: Trace) => string;
  /** Keeps the last view of a trace that is closed. Resolves when it is written. */
  readonly leave: (trace: Trace) => Promise<void>;
  /** Keeps the last views of all traces, because the page is closing. */
  readonly flush: () => void;
}

/** A view as JSON, and whether the file has changed since. */
export interface LeftView {
  readonly view: string;
  readonly changed: boolean;
}

export const NOTHING_KEPT: Kept = { settings: {}, traces: [], problems: [] };

/** Milliseconds between two writes of a view that changes all the time. */
const GAP = 500;
/** Milliseconds that a person waits for the recent traces before a dialog goes on without them. */
const PATIENCE = 2000;

interface Followed {
  readonly view: () => string;
  /** Writes the view unless it is written. */
  readonly write: () => Promise<void>;
  readonly stop: () => void;
}

export function createKeeper(client: Client, layout: Layout, kept: Kept = NOTHING_KEPT): Keeper {
  let recent = $state.raw<readonly KeptTrace[]>(kept.traces);
  /** Damaged files are renamed when they are found, so each is reported once. */
  let { problems } = kept;
  const followed = new Map<Trace, Followed>();
  /** Resolves when the host has answered which traces are recent. */
  const answered = Promise.withResolvers<undefined>();

  async function write(trace: Trace, view: string): Promise<boolean> {
    const { source, opened } = trace;
    const { path, format, options, images } = source;
    // The host lets only these folders be read after another start.
    const { folders, maps } = sourcePlaces(trace);
    const left = {
      path,
      ...(format !== undefined && { format }),
      ...(options && { options }),
      ...(images && { images }),
      ...(folders.length > 0 && { folders }),
      ...(maps.length > 0 && { maps }),
      view,
    };
    return keep(left, opened.file.bytes);
  }

  async function keep(left: Arguments<'keepTrace'>, bytes: number): Promise<boolean> {
    const known = { ...left, bytes, modified: 0, at: Date.now(), state: 'same' } as const;
    recent = [known, ...recent.filter((other) => other.path !== left.path)];
    return (await client.request('keepTrace', left)).ok;
  }

  function follow(trace: Trace, left: LeftView | undefined): void {
    const saved = left && readView(left.view);
    layout.add(trace.id, saved?.panes, trace.opened);
    if (!saved) chooseNamedFolders(trace);
    /** The view that waits for its records to be indexed. */
    let waiting = $state.raw<TraceView | undefined>(undefined);
    if (saved && isWithin(saved, trace)) restore(saved, trace, left.changed);
    else if (saved) {
      waiting = saved;
      restore({ ...saved, n: undefined, range: undefined }, trace, false);
      trace.say(`Record ${group(saved.n ?? 0)} is shown once it is indexed`);
    }
    const view = (): string =>
      waiting && left ? left.view : JSON.stringify(captureTraceView(trace, layout.savedOf(trace.id)));
    let written = '';
    const writeNow = async (): Promise<void> => {
      const now = view();
      if (now === written) return;
      const before = written;
      written = now;
      const done = await write(trace, now);
      // The next change, or closing, writes it again.
      if (!done && written === now) written = before;
    };
    // Not at once: right after a change, panes wait for answers.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const writeSoon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void writeNow();
      }, GAP);
    };
    const stop = $effect.root(() => {
      $effect(() => {
        if (!saved || !waiting) return;
        const isMoved = trace.cursor.n !== 0 || trace.cursor.range !== null;
        if (!isMoved && !isWithin(saved, trace)) return;
        untrack(() => {
          if (!isMoved) restore(saved, trace, left.changed);
          waiting = undefined;
        });
      });
      $effect(() => {
        view();
        untrack(writeSoon);
      });
    });
    followed.set(trace, {
      view,
      write: writeNow,
      stop() {
        stop();
        clearTimeout(timer);
      },
    });
  }

  return {
    settings: { kept: kept.settings, keep: (changed) => void client.request('keepSettings', changed) },
    get recent() {
      return recent;
    },
    async newest() {
      if (recent.length === 0) {
        let timer: ReturnType<typeof setTimeout> | undefined;
        await Promise.race([answered.promise, new Promise((settle) => (timer = setTimeout(settle, PATIENCE)))]);
        clearTimeout(timer);
      }
      return recent[0]?.path;
    },
    get problems() {
      return problems;
    },
    async refresh() {
      const answer = await client.request('kept', {});
      if (answer.ok) {
        recent = answer.value.traces;
        problems = [...problems, ...answer.value.problems];
      }
      answered.resolve(undefined);
    },
    async find(path) {
      const answer = await client.request('kept', { path });
      return answer.ok ? answer.value : NOTHING_KEPT;
    },
    async forget(path) {
      const done = await client.request('forgetTrace', { path });
      if (done.ok) recent = recent.filter((other) => other.path !== path);
    },
    follow,
    keepBundle: (path, bytes) => void keep({ path, bundle: true }, bytes),
    viewOf: (trace) => followed.get(trace)?.view() ?? '',
    async leave(trace) {
      const own = followed.get(trace);
      own?.stop();
      followed.delete(trace);
      const writing = own?.write();
      layout.remove(trace.id);
      await writing;
    },
    flush() {
      for (const own of followed.values()) void own.write();
    },
  };
}

/** Returns undefined for a text that is not a view. */
export function readView(content: string): TraceView | undefined {
  const checked = parse(traceView, jsonValue(content));
  return checked.ok ? checked.value : undefined;
}

/** Returns true if the records of a view are indexed, or will never be. */
function isWithin(saved: TraceView, trace: Trace): boolean {
  const { reach } = trace;
  if (reach.complete || !hasSameReading(trace, saved)) return true;
  return (saved.n ?? 0) < reach.records && (saved.range?.to ?? 0) <= reach.records;
}

/** Shows a view without an entry in the history of the cursor. In a file that has become shorter, the last record is shown. */
function restore(saved: TraceView, trace: Trace, changed: boolean): void {
  const { cursor } = trace;
  showTraceView(saved, trace, (n: number, address?: AddressSpan) => {
    cursor.step(n);
    if (address) cursor.setAddress(address);
  });
  chooseNamedFolders(trace);
  if (changed) trace.say('The file has changed since you left it, so this record may be another one');
}
