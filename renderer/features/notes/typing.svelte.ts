/** The note that is being typed: beginning, saving and cancelling it, and resolving a conflict if someone else changed it. */
import type { Note, Notebook } from '../../../shared/requests/notes.ts';
import { NOTE_CHANGED } from '../../../shared/requests/failures.ts';
import type { Failure } from '../../../shared/base/result.ts';
import { saysTheSame } from '../../trace/notes/note-drafts.ts';
import type { DraftPlace } from '../../trace/notes/note-place.ts';
import type { Notes } from '../../trace/notes/notes.svelte.ts';
import { isUntouched, readTyped, typedFrom, typedNew, typedPlace, type Typed } from './typed-note.ts';

export interface Typing {
  /** Note that is being typed; null if there is none. */
  note: Typed | null;
  /** Sentence that says why the note was not saved. */
  readonly problem: string | null;
  /** The version that someone else saved meanwhile, if any; `theirs` is null if they removed the note. */
  readonly conflict: { readonly theirs: Note | null } | null;
  /** Brings back the note that was being typed before the page was reloaded. */
  readonly restore: () => void;
  readonly begin: (place: DraftPlace) => Promise<void>;
  readonly edit: (note: Note) => Promise<void>;
  readonly moveTo: (place: DraftPlace) => void;
  /** Saves the note. Returns true if it was saved, or if there was none. */
  readonly save: () => Promise<boolean>;
  /** Saves the note, or drops it if it is unchanged. Returns false if a note could not be saved. */
  readonly leave: () => Promise<boolean>;
  readonly cancel: () => void;
  /** Resolves a conflict: replaces their version with mine, drops mine, or keeps mine as a second note. */
  readonly resolve: (how: 'mine' | 'theirs' | 'both') => Promise<void>;
}

/** Storage that keeps the typed note across a reload of the page. */
export interface TypingStorage {
  readonly load: () => Typed | null;
  readonly save: (typed: Typed | null) => void;
}

/** @param last last record that the cursor can go to */
export function createTyping(notes: Notes, last: () => number, storage: TypingStorage): Typing {
  const { book } = notes;
  let note = $state.raw<Typed | null>(null);
  let problem = $state<string | null>(null);
  const conflict = $derived(note && book.value ? conflictOf(note, book.value) : null);

  /** Note whose conflict is being resolved. */
  let resolving: Typed | null = null;
  /** Notes begun while the previous one could not be saved; each is typed after the one before it is saved. */
  const waiting: Typed[] = [];

  async function save(): Promise<boolean> {
    return note ? saveOf(note) : true;
  }

  async function saveOf(now: Typed): Promise<boolean> {
    if (book.value && conflictOf(now, book.value)) return false;
    const draft = readTyped(now, last());
    if (!draft.ok) {
      problem = draft.error.message;
      return false;
    }
    const outcome = { hasConflict: false };
    const result = await book.change(now.base ? 'note changed' : 'note', (held) => {
      outcome.hasConflict = conflictOf(now, held) !== null;
      if (outcome.hasConflict) return null;
      const revision = held.notes.find(({ id }) => id === now.id)?.revision;
      return { put: [{ ...draft.value, ...(revision === undefined ? {} : { revision }) }] };
    });
    if (!result.ok) return refused(result.error);
    if (outcome.hasConflict) return false;
    problem = null;
    notes.colour = now.colour;
    if (!note || note.id === now.id) notes.chosen = now.id;
    if (note === now) hold(waiting.pop() ?? null);
    else if (note?.id === now.id) rebase(note, result.value);
    return true;
  }

  /** Bases a note that was typed on during the save on the version just saved. */
  function rebase(typed: Typed, held: Notebook): void {
    hold({ ...typed, base: held.notes.find(({ id }) => id === typed.id) ?? null });
  }

  /** Shows the reason, unless it is a conflict: the editor shows that by itself. */
  function refused({ code, message }: Failure): false {
    problem = code === NOTE_CHANGED ? null : message;
    return false;
  }

  function hold(next: Typed | null): void {
    note = next;
    storage.save(next && !isUntouched(next) ? next : null);
  }

  function cancel(): void {
    hold(waiting.pop() ?? null);
    problem = null;
  }

  async function leave(): Promise<boolean> {
    while (note) {
      if (isUntouched(note)) cancel();
      else if (!(await save())) return false;
    }
    return true;
  }

  function start(next: Typed): void {
    hold(next);
    problem = null;
    notes.chosen = next.id;
  }

  return {
    get note() {
      return note;
    },
    set note(next) {
      hold(next);
      problem = null;
    },
    get problem() {
      return problem;
    },
    get conflict() {
      return conflict;
    },
    restore: () => (note ??= storage.load()),
    async begin(place) {
      const before = note;
      // Before the save, so that no key press is lost.
      start(typedNew(crypto.randomUUID(), place, notes.colour));
      if (!before || isUntouched(before) || (await saveOf(before))) return;
      if (note && !isUntouched(note)) waiting.push(note);
      hold(before);
      notes.chosen = before.id;
    },
    async edit(other) {
      if (note?.id !== other.id && (await leave())) start(typedFrom(other));
    },
    moveTo(place) {
      if (note) hold({ ...note, ...typedPlace(place) });
    },
    save,
    leave,
    cancel,
    async resolve(how) {
      const now = note;
      const found = conflict;
      if (!now || !found || resolving?.id === now.id) return;
      if (how === 'theirs') {
        cancel();
        return;
      }
      const draft = readTyped(now, last());
      if (!draft.ok) {
        problem = draft.error.message;
        return;
      }
      const { theirs } = found;
      const over = how === 'mine' && theirs !== null ? theirs : null;
      const id = how === 'both' ? crypto.randomUUID() : now.id;
      resolving = now;
      const result = await book.change(over ? 'note changed' : 'note', () => ({
        put: [{ ...draft.value, id, ...(over ? { revision: over.revision } : {}) }],
      }));
      resolving = null;
      if (!result.ok) {
        refused(result.error);
        return;
      }
      if (note === now) cancel();
      else if (note?.id === now.id) rebase({ ...note, id }, result.value);
      else return;
      notes.chosen = id;
    },
  };
}

/** Returns the current version of a note if it differs from the version that typing started from. */
function conflictOf({ base }: Typed, held: Notebook): Typing['conflict'] {
  if (!base) return null;
  const theirs = held.notes.find(({ id }) => id === base.id) ?? null;
  return theirs && saysTheSame(theirs, base) ? null : { theirs };
}
