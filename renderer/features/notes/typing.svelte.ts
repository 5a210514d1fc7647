/** The note that is being typed: begun, saved, given up, and what to do where somebody else has changed it meanwhile. */
import type { Note, NoteColour, Notebook } from '../../../shared/requests/notes.ts';
import { NOTE_CHANGED } from '../../../shared/requests/notes.ts';
import type { Failure } from '../../../shared/base/result.ts';
import { saysTheSame } from '../../trace/notes/note-drafts.ts';
import type { DraftPlace } from '../../trace/notes/note-place.ts';
import type { NotebookStore } from '../../trace/notes/notebook.svelte.ts';
import { isUntouched, readTyped, typedFrom, typedNew, typedPlace, type Typed } from './typed-note.ts';

export interface Typing {
  /** Null where nothing is. */
  note: Typed | null;
  /** Why it was not saved, as a sentence. */
  readonly problem: string | null;
  /** What somebody else made of it meanwhile; null where they removed it. */
  readonly conflict: { readonly theirs: Note | null } | null;
  /** What new notes have: the colour of the last one. */
  readonly colour: NoteColour;
  /** What was typed before the page was loaded anew is typed again. */
  readonly restore: () => void;
  readonly begin: (place: DraftPlace) => Promise<void>;
  readonly edit: (note: Note) => Promise<void>;
  readonly moveTo: (place: DraftPlace) => void;
  /** True where nothing is left to be typed. */
  readonly save: () => Promise<boolean>;
  /** Saves what is typed, unless nothing was: then it is let go of. */
  readonly leave: () => Promise<boolean>;
  readonly cancel: () => void;
  /** Ends a conflict: mine instead of theirs, theirs, or mine as a note beside theirs. */
  readonly settle: (how: 'mine' | 'theirs' | 'both') => Promise<void>;
}

const FIRST_COLOUR: NoteColour = 'yellow';

/** Where what is typed outlives the page being loaded anew. */
export interface Keeping {
  readonly load: () => Typed | null;
  readonly save: (typed: Typed | null) => void;
}

/** @param last the last record that can be gone to; @param choose is told which note is worked on */
export function createTyping(
  book: NotebookStore,
  last: () => number,
  choose: (id: string) => void,
  keeping: Keeping,
): Typing {
  let note = $state.raw<Typed | null>(null);
  let problem = $state<string | null>(null);
  let colour = $state<NoteColour>(FIRST_COLOUR);
  const conflict = $derived(note && book.value ? conflictOf(note, book.value) : null);

  /** The note whose conflict is being ended. */
  let settling: Typed | null = null;
  /** What was begun before the one that is typed could be saved: typed next. */
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
    const turn = { isMine: true };
    const result = await book.change(now.base ? 'note changed' : 'note', (held) => {
      turn.isMine = conflictOf(now, held) === null;
      if (!turn.isMine) return null;
      const revision = held.notes.find(({ id }) => id === now.id)?.revision;
      return { put: [{ ...draft.value, ...(revision === undefined ? {} : { revision }) }] };
    });
    if (!result.ok) return refused(result.error);
    if (!turn.isMine) return false;
    problem = null;
    colour = now.colour;
    if (!note || note.id === now.id) choose(now.id);
    if (note === now) hold(waiting.pop() ?? null);
    else if (note?.id === now.id) goOn(note, result.value);
    return true;
  }

  /** Typing went on while it was being saved. */
  function goOn(typed: Typed, held: Notebook): void {
    hold({ ...typed, base: held.notes.find(({ id }) => id === typed.id) ?? null });
  }

  /** What they made of it meanwhile is shown instead of the reason. */
  function refused({ code, message }: Failure): false {
    problem = code === NOTE_CHANGED ? null : message;
    return false;
  }

  function hold(next: Typed | null): void {
    note = next;
    keeping.save(next && !isUntouched(next) ? next : null);
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
    choose(next.id);
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
    get colour() {
      return colour;
    },
    restore: () => (note ??= keeping.load()),
    async begin(place) {
      const before = note;
      // At once, so that no key is lost.
      start(typedNew(crypto.randomUUID(), place, colour));
      if (!before || isUntouched(before) || (await saveOf(before))) return;
      if (note && !isUntouched(note)) waiting.push(note);
      hold(before);
      choose(before.id);
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
    async settle(how) {
      const now = note;
      const met = conflict;
      if (!now || !met || settling?.id === now.id) return;
      if (how === 'theirs') {
        cancel();
        return;
      }
      const draft = readTyped(now, last());
      if (!draft.ok) {
        problem = draft.error.message;
        return;
      }
      const { theirs } = met;
      const over = how === 'mine' && theirs !== null ? theirs : null;
      const id = how === 'both' ? crypto.randomUUID() : now.id;
      settling = now;
      const result = await book.change(over ? 'note changed' : 'note', () => ({
        put: [{ ...draft.value, id, ...(over ? { revision: over.revision } : {}) }],
      }));
      settling = null;
      if (!result.ok) {
        refused(result.error);
        return;
      }
      if (note === now) cancel();
      else if (note?.id === now.id) goOn({ ...note, id }, result.value);
      else return;
      choose(id);
    },
  };
}

/** What they made of a note that is no longer what somebody began to type over. */
function conflictOf({ base }: Typed, held: Notebook): Typing['conflict'] {
  if (!base) return null;
  const theirs = held.notes.find(({ id }) => id === base.id) ?? null;
  return theirs && saysTheSame(theirs, base) ? null : { theirs };
}
