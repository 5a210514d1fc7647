/** State of the Notes pane: which notes are listed and in which order, the note that is being typed, and the saved views. */
import type { Note } from '../../../shared/requests/notes.ts';
import { attached } from '../../trace/attached.svelte.ts';
import { draftOf } from '../../trace/notes/note-drafts.ts';
import type { DraftPlace } from '../../trace/notes/note-place.ts';
import { isBare } from '../../trace/notes/notes.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import { typingStorage } from './typing-storage.ts';
import { filterNotes, NO_FILTER, type NoteFilter } from './note-filter.ts';
import { moveNote } from './note-order.ts';
import { createTyping, type Typing, type TypingStorage } from './typing.svelte.ts';
import { createViews, type Views } from './views.svelte.ts';

export interface NotesPane {
  readonly typing: Typing;
  readonly views: Views;
  filter: NoteFilter;
  /** Notes that pass the filter, in their order. */
  readonly listed: readonly Note[];
  /** Begins a note about a place, by default the selection, else the cursor. */
  readonly begin: (place?: DraftPlace) => Promise<void>;
  /** Moves the note that is being typed to the selection, else to the cursor. */
  readonly takePlace: () => void;
  readonly remove: (note: Note) => Promise<void>;
  /** Resolves a conflict from an import: uses the earlier version, keeps it as a note of its own, or drops it. */
  readonly resolve: (earlier: Note, how: Resolution) => Promise<void>;
  /** Moves a note before another one, or to the end if `before` is null. */
  readonly move: (id: string, before: string | null) => Promise<void>;
  /** Moves a note one place up or down in the list. */
  readonly moveBy: (id: string, by: 1 | -1) => Promise<void>;
}

export type Resolution = 'earlier' | 'both' | 'later';

export const notesPane = attached((trace: Trace) => {
  const pane = createNotesPane(trace, typingStorage(trace.source.path));
  pane.typing.restore();
  trace.beforeClose(pane.typing.leave);
  return pane;
});

export function createNotesPane(trace: Trace, storage: TypingStorage): NotesPane {
  const { notes, say } = trace;
  const typing = createTyping(notes, () => trace.last, storage);
  let filter = $state.raw<NoteFilter>(NO_FILTER);
  const listed = $derived(filterNotes(notes.all, filter));

  async function move(moved: string, before: string | null): Promise<void> {
    await notes.change('note moved', (all) => {
      const orders = new Map(moveNote(all, moved, before).map(({ id, order }) => [id, order]));
      const put = all.flatMap((note) => {
        const order = orders.get(note.id);
        return order === undefined ? [] : [{ ...draftOf(note, note.revision), order }];
      });
      return put.length > 0 ? { put } : null;
    });
  }

  const pane: NotesPane = {
    typing,
    views: createViews(trace, () => pane),
    get filter() {
      return filter;
    },
    set filter(next) {
      filter = next;
    },
    get listed() {
      return listed;
    },
    begin: (place = notes.placeHere()) => typing.begin(place),
    takePlace: () => typing.moveTo(notes.placeHere()),
    async remove(note) {
      if (typing.note?.id === note.id) typing.cancel();
      const at = listed.findIndex((other) => other.id === note.id);
      const next = listed[at + 1] ?? listed[at - 1];
      const what = isBare(note) ? 'bookmark' : 'note';
      const seen = { id: note.id, revision: note.revision };
      const before = notes.chosen;
      if (!(await notes.change(`${what} removed`, () => ({ remove: [seen] })))) return;
      if (notes.chosen === before) notes.chosen = next?.id ?? null;
      say(`The ${what} was removed; Ctrl+Z restores it`);
    },
    async resolve(earlier, how) {
      if (typing.note?.id === earlier.id) typing.cancel();
      const kept = { id: earlier.id };
      const isDone = await notes.change('conflict resolved', (all) => {
        const later = all.find(({ id }) => id === earlier.conflictOf);
        const remove = [{ id: earlier.id, revision: earlier.revision }];
        if (how === 'later' || later === undefined) {
          kept.id = earlier.conflictOf ?? earlier.id;
          return later === undefined ? null : { remove };
        }
        kept.id = how === 'earlier' ? later.id : crypto.randomUUID();
        const { order, created } = later;
        const put =
          how === 'earlier'
            ? { ...draftOf(earlier, later.revision), id: kept.id, order, created }
            : { ...draftOf(earlier), id: kept.id };
        return { put: [put], remove };
      });
      if (isDone) notes.chosen = kept.id;
    },
    move,
    async moveBy(moved, by) {
      const at = listed.findIndex((note) => note.id === moved);
      const beside = listed[at + by];
      if (at < 0 || !beside) return;
      // The list may be filtered: the place after a listed note is before the note that follows it among all notes.
      const others = notes.all.filter((note) => note.id !== moved);
      const place = others.indexOf(beside) + (by > 0 ? 1 : 0);
      await move(moved, others[place]?.id ?? null);
    },
  };
  return pane;
}
