/** Notes and views as the engine takes them, and comparisons of their contents. */
import type { Note, NoteDraft, View, ViewDraft } from '../../../shared/requests/notes.ts';

/** Returns a note as a draft. Without a revision the draft restores a removed note. */
export function draftOf(note: Note, revision?: number): NoteDraft {
  const { id, title, text, colour, tags, order, created } = note;
  const place = plainPlace(note.place);
  return { id, title, text, colour, tags, place, order, created, ...(revision === undefined ? {} : { revision }) };
}

export function viewDraftOf({ id, name, content }: View, revision?: number): ViewDraft {
  return { id, name, content, ...(revision === undefined ? {} : { revision }) };
}

/** Returns true if two notes have the same content, place and order. */
export function isSameNote(a: Note, b: Note): boolean {
  return a.order === b.order && saysTheSame(a, b);
}

/** Returns true if two notes have the same content and place. Their order may differ. */
export function saysTheSame(a: Note, b: Note): boolean {
  return JSON.stringify({ ...draftOf(a), order: 0 }) === JSON.stringify({ ...draftOf(b), order: 0 });
}

export function isSameView(a: View, b: View): boolean {
  return a.name === b.name && a.content === b.content;
}

/** Returns a place without the fields that the engine adds. */
export function plainPlace({ n, to, address, length }: Note['place']): NoteDraft['place'] {
  return {
    n,
    ...(to === undefined ? {} : { to }),
    ...(address === undefined ? {} : { address }),
    ...(length === undefined ? {} : { length }),
  };
}
