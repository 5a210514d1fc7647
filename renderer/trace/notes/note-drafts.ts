/** Notes as they are handed in, and when two of them say the same. */
import type { Note, NoteDraft, View, ViewDraft } from '../../../shared/requests/notes.ts';

/** A note as it is, to be changed; without a revision it is put back as a new one. */
export function draftOf(note: Note, revision?: number): NoteDraft {
  const { id, title, text, colour, tags, order, created } = note;
  const place = plainPlace(note.place);
  return { id, title, text, colour, tags, place, order, created, ...(revision === undefined ? {} : { revision }) };
}

export function viewDraftOf({ id, name, content }: View, revision?: number): ViewDraft {
  return { id, name, content, ...(revision === undefined ? {} : { revision }) };
}

/** True where neither a person nor a report could tell them apart. */
export function isSameNote(a: Note, b: Note): boolean {
  return a.order === b.order && saysTheSame(a, b);
}

/** True where only their place among the others may differ. */
export function saysTheSame(a: Note, b: Note): boolean {
  return JSON.stringify({ ...draftOf(a), order: 0 }) === JSON.stringify({ ...draftOf(b), order: 0 });
}

export function isSameView(a: View, b: View): boolean {
  return a.name === b.name && a.content === b.content;
}

/** Without what only the engine knows. */
export function plainPlace({ n, to, address, length }: Note['place']): NoteDraft['place'] {
  return {
    n,
    ...(to === undefined ? {} : { to }),
    ...(address === undefined ? {} : { address }),
    ...(length === undefined ? {} : { length }),
  };
}
