/** A note while it is being typed, with its fields as text. */
import { NOTE_COLOURS } from '../../../shared/requests/notes.ts';
import type { Note, NoteColour, NoteDraft } from '../../../shared/requests/notes.ts';
import { ok } from '../../../shared/base/result.ts';
import type { Result } from '../../../shared/base/result.ts';
import { plainPlace } from '../../trace/notes/note-drafts.ts';
import { addressText, readNotePlace, recordsText, type DraftPlace } from '../../trace/notes/note-place.ts';

export interface Typed {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly colour: NoteColour;
  /** Tags separated by commas. */
  readonly tags: string;
  readonly records: string;
  readonly address: string;
  /** Version of the note that typing started from; null for a new note. */
  readonly base: Note | null;
}

export function typedNew(id: string, place: DraftPlace, colour: NoteColour): Typed {
  return { id, title: '', text: '', colour, tags: '', ...typedPlace(place), base: null };
}

export function typedFrom(note: Note): Typed {
  const { id, title, text, colour, tags, place } = note;
  return { id, title, text, colour, tags: tags.join(', '), ...typedPlace(place), base: note };
}

export function typedPlace(place: DraftPlace): Pick<Typed, 'records' | 'address'> {
  return { records: recordsText(place), address: addressText(place) };
}

/** Returns true if nothing was typed, so that nothing is lost by dropping it. */
export function isUntouched(typed: Typed): boolean {
  if (!typed.base) return typed.title.trim() === '' && typed.text.trim() === '' && typed.tags.trim() === '';
  return JSON.stringify(typedFrom(typed.base)) === JSON.stringify(typed);
}

/** @param last last record that the cursor can go to */
export function readTyped(typed: Typed, last: number): Result<NoteDraft> {
  const { id, text, colour, base } = typed;
  const before = base && typedPlace(base.place);
  const isThere = before?.records === typed.records && before.address === typed.address;
  const place = base && isThere ? ok(plainPlace(base.place)) : readNotePlace(typed.records, typed.address, last);
  if (!place.ok) return place;
  return ok({ id, title: typed.title.trim(), text, colour, tags: readTags(typed.tags), place: place.value });
}

/** Returns true for a value that was stored as a typed note. */
export function isTyped(value: unknown): value is Typed {
  if (typeof value !== 'object' || value === null) return false;
  const held = new Map<string, unknown>(Object.entries(value));
  const base = held.get('base');
  return (
    ['id', 'title', 'text', 'colour', 'tags', 'records', 'address'].every(
      (name) => typeof held.get(name) === 'string',
    ) &&
    NOTE_COLOURS.some((colour) => colour === held.get('colour')) &&
    (base === null || (typeof base === 'object' && 'place' in base && 'tags' in base && 'revision' in base))
  );
}

export function readTags(text: string): readonly string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim().replaceAll(/\s+/g, ' ')))].filter(Boolean);
}
