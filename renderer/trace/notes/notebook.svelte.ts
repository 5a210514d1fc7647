/**
 * The notebook of a trace: read on first use, kept up to date while the page is visible, changed one step at a time. Steps made on
 * this page can be undone.
 */
import type { Client } from '../../../shared/requests/requests.ts';
import type { Notebook, NotesImported } from '../../../shared/requests/notes.ts';
import { ok } from '../../../shared/base/result.ts';
import type { Failure, Result } from '../../../shared/base/result.ts';
import { isUnanswered } from '../../client/connection.svelte.ts';
import { CHANGED_SINCE, isNothing, reversed, stepBetween, undoing, type Change, type Step } from './note-steps.ts';

export interface NotebookStore {
  /** Contents; null until they have been read. */
  readonly value: Notebook | null;
  /** Reason why the notebook could not be read, or is no longer kept up to date. */
  readonly failure: Failure | null;
  readonly busy: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Reads the notebook and keeps it up to date while the page is visible, until the returned function is called. */
  readonly follow: () => () => void;
  /**
   * Makes one change. `make` receives the notebook after all earlier changes, and returns null if there is nothing to change.
   * The change is on disk when the promise resolves.
   * @param what completes `Undone: ...`
   */
  readonly change: (what: string, make: (now: Notebook) => Change | null) => Promise<Result<Notebook>>;
  readonly undo: () => Promise<Result<Step | null>>;
  readonly redo: () => Promise<Result<Step | null>>;
  /** Adds notes and views from elsewhere. */
  readonly merge: (from: Imported) => Promise<Result<Taking>>;
  /** Returns what `merge` of a bundle would do, without doing it. */
  readonly preview: (bundle: string, signal: AbortSignal) => Promise<Result<Taking>>;
  readonly exported: () => Promise<Result<string>>;
  readonly reload: () => Promise<Result<Notebook>>;
}

/** Text of an export of notes, or path of a bundle. */
export type Imported = { readonly text: string } | { readonly bundle: string };

export interface Taking {
  /** Numbers, and the notebook afterwards. */
  readonly answer: NotesImported;
  readonly step: Step;
  /** Sentences about what of a bundle is not as it was written. */
  readonly problems: readonly string[];
}

/** Largest number of steps that can be undone. */
const REMEMBERED = 200;

export function createNotebook(client: Client, trace: string, visibility: Visibility): NotebookStore {
  let value = $state.raw<Notebook | null>(null);
  let failure = $state.raw<Failure | null>(null);
  let pending = $state(0);
  let undoable = $state.raw<readonly Step[]>([]);
  let redoable = $state.raw<readonly Step[]>([]);
  let last: Promise<unknown> = Promise.resolve();

  /** Runs work after all earlier work, so that it sees its result. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    pending += 1;
    const done = last.then(work).finally(() => (pending -= 1));
    last = done.catch(() => undefined);
    return done;
  }

  async function read(): Promise<Result<Notebook>> {
    const result = await client.request('notebook', { trace });
    if (result.ok) {
      value = result.value;
      failure = null;
    } else if (!isUnanswered(result.error)) failure = result.error;
    return result;
  }

  async function known(): Promise<Result<Notebook>> {
    return value ? ok(value) : read();
  }

  async function write(change: Change): Promise<Result<Notebook>> {
    const result = await client.request('changeNotebook', { trace, ...change });
    if (result.ok) value = result.value;
    else if (!isUnanswered(result.error)) await read();
    return result;
  }

  function remember(step: Step): void {
    if (isNothing(step)) return;
    undoable = [...undoable, step].slice(-REMEMBERED);
    redoable = [];
  }

  function change(what: string, make: (now: Notebook) => Change | null): Promise<Result<Notebook>> {
    return inTurn(async () => {
      const before = await known();
      if (!before.ok) return before;
      const wanted = make(before.value);
      if (wanted === null) return before;
      const after = await write(wanted);
      if (after.ok) remember(stepBetween(what, before.value, after.value, idsOf(wanted)));
      return after;
    });
  }

  /** Takes back the newest step of `from`. A step that someone else has changed since is dropped. */
  function takeBack(from: Steps, to: Steps): Promise<Result<Step | null>> {
    return inTurn(async () => {
      const step = from.list().at(-1);
      if (!step) return ok(null);
      const before = await read();
      if (!before.ok) return before;
      const wanted = undoing(step, before.value);
      const after = wanted.ok ? await write(wanted.value) : wanted;
      if (after.ok) to.set([...to.list(), reversed(step)]);
      if (after.ok || after.error.code === CHANGED_SINCE) from.set(from.list().slice(0, -1));
      return after.ok ? ok(step) : after;
    });
  }

  const done: Steps = { list: () => undoable, set: (next) => (undoable = next) };
  const undone: Steps = { list: () => redoable, set: (next) => (redoable = next) };

  function watch(): () => void {
    const own = new AbortController();
    void inTurn(read);
    void client
      .request(
        'watchNotebook',
        { trace },
        { signal: own.signal, onEvent: ({ version }) => void inTurn(() => catchUp(version)) },
      )
      .then((ended) => {
        if (!own.signal.aborted && !ended.ok) failure = ended.error;
      });
    return () => own.abort();
  }

  async function catchUp(version: number): Promise<void> {
    if (value?.version !== version) await read();
  }

  return {
    get value() {
      return value;
    },
    get failure() {
      return failure;
    },
    get busy() {
      return pending > 0;
    },
    get canUndo() {
      return undoable.length > 0;
    },
    get canRedo() {
      return redoable.length > 0;
    },
    follow() {
      let stop = visibility.isVisible() ? watch() : undefined;
      const end = visibility.onChange(() => {
        stop?.();
        stop = visibility.isVisible() ? watch() : undefined;
      });
      return () => {
        end();
        stop?.();
      };
    },
    change,
    undo: () => takeBack(done, undone),
    redo: () => takeBack(undone, done),
    merge: (from) =>
      inTurn(async () => {
        const before = await read();
        if (!before.ok) return before;
        const result =
          'text' in from
            ? await client.request('importNotes', { trace, text: from.text })
            : await client.request('importBundle', { trace, path: from.bundle });
        if (!result.ok) return result;
        value = result.value.notebook;
        const taking = takingOf(before.value, result.value);
        remember(taking.step);
        return ok(taking);
      }),
    preview: (path, signal) =>
      inTurn(async () => {
        const before = await read();
        if (!before.ok) return before;
        const result = await client.request('importBundle', { trace, path, dry: true }, { signal });
        return result.ok ? ok(takingOf(before.value, result.value)) : result;
      }),
    exported: () =>
      inTurn(async () => {
        const result = await client.request('exportNotes', { trace });
        return result.ok ? ok(result.value.text) : result;
      }),
    reload: () => inTurn(read),
  };
}

interface Steps {
  readonly list: () => readonly Step[];
  readonly set: (next: readonly Step[]) => void;
}

/** Visibility of the page. Each watch holds one of the browser's few connections to a host, so only a visible page has one. */
export interface Visibility {
  readonly isVisible: () => boolean;
  /** Calls back on every change until the returned function is called. */
  readonly onChange: (callback: () => void) => () => void;
}

function takingOf(before: Notebook, answer: NotesImported & { readonly problems?: readonly string[] }): Taking {
  return { answer, step: stepBetween('import', before, answer.notebook), problems: answer.problems ?? [] };
}

function idsOf({ put = [], remove = [], putViews = [], removeViews = [] }: Change): ReadonlySet<string> {
  return new Set([...put, ...remove, ...putViews, ...removeViews].map(({ id }) => id));
}
