/**
 * A notebook in memory with the rules of the real one (revisions, all-or-nothing changes, a growing version), for tests of the page's
 * stores.
 */
import type { RequestOptions, Client } from '../../shared/requests/requests.ts';
import { NOTE_CHANGED } from '../../shared/requests/failures.ts';
import type { Note, Notebook, NotebookChange, NoteDraft, View } from '../../shared/requests/notes.ts';
import { fail, ok } from '../../shared/base/result.ts';

export interface FakeNotebook {
  readonly client: Client;
  readonly value: () => Notebook;
  /** Changes made by another writer. */
  readonly change: (change: Omit<NotebookChange, 'trace'>) => void;
  /** Number of watchers. */
  readonly watching: () => number;
  /** Makes the next change fail with this error. */
  readonly refuse: (code: string, message: string) => void;
  readonly calls: string[];
}

export function fakeNotebook(): FakeNotebook {
  let notes: readonly Note[] = [];
  let views: readonly View[] = [];
  let version = 0;
  let refusal: ReturnType<typeof fail> | undefined;
  const calls: string[] = [];
  const listeners = new Set<(event: { readonly version: number }) => void>();

  const value = (): Notebook => ({ path: '/t.notebook', exists: version > 0, notes, views, version });

  function apply({ put = [], remove = [], putViews = [], removeViews = [] }: Omit<NotebookChange, 'trace'>) {
    const next = new Map(notes.map((note) => [note.id, note]));
    const nextViews = new Map(views.map((view) => [view.id, view]));
    for (const { id, revision } of remove) {
      if (next.has(id) && next.get(id)?.revision !== revision) return fail(NOTE_CHANGED, 'changed meanwhile');
      next.delete(id);
    }
    for (const draft of put) {
      if (next.get(draft.id)?.revision !== draft.revision) return fail(NOTE_CHANGED, 'changed meanwhile');
      next.set(draft.id, noteOf(draft, next.get(draft.id), [...next.values()]));
    }
    for (const { id } of removeViews) nextViews.delete(id);
    for (const draft of putViews) {
      if (nextViews.get(draft.id)?.revision !== draft.revision) return fail(NOTE_CHANGED, 'changed meanwhile');
      nextViews.set(draft.id, { ...draft, changed: 'now', revision: version + 1 });
    }
    version += 1;
    notes = [...next.values()].sort((a, b) => a.order - b.order);
    views = [...nextViews.values()];
    for (const listener of listeners) listener({ version });
    return ok(value());
  }

  function noteOf(draft: NoteDraft, old: Note | undefined, all: readonly Note[]): Note {
    return {
      ...draft,
      place: { ...draft.place, offset: 10 * draft.place.n, reading: 'text' },
      order: draft.order ?? old?.order ?? Math.max(0, ...all.map(({ order }) => order)) + 1,
      created: old?.created ?? draft.created ?? 'then',
      changed: 'now',
      revision: version + 1,
    };
  }

  const client = {
    async request(name: string, args: NotebookChange, options?: RequestOptions<'watchNotebook'>) {
      calls.push(name);
      await Promise.resolve();
      if (name === 'notebook') return ok(value());
      if (name === 'changeNotebook') {
        const refused = refusal;
        refusal = undefined;
        return refused ?? apply(args);
      }
      if (name !== 'watchNotebook') throw new Error(name);
      const listener = (event: { readonly version: number }): void => options?.onEvent?.(event);
      listeners.add(listener);
      listener({ version });
      return new Promise((resolve) => {
        options?.signal?.addEventListener('abort', () => {
          listeners.delete(listener);
          resolve(fail('cancelled', 'cancelled'));
        });
      });
    },
  } as unknown as Client;

  return {
    client,
    value,
    change(change) {
      const result = apply(change);
      if (!result.ok) throw new Error(result.error.message);
    },
    watching: () => listeners.size,
    refuse: (code, message) => (refusal = fail(code, message)),
    calls,
  };
}

/** A note as a client sends it. */
export function draft(id: string, more: Partial<NoteDraft> = {}): NoteDraft {
  return { id, title: id, text: '', colour: 'blue', tags: [], place: { n: 5 }, ...more };
}

/** Resolves after all pending promises. */
export function idle(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
