/** Filter of the list of notes. */
import type { Note, NoteColour } from '../../../shared/requests/notes.ts';
import { NOTE_COLOURS } from '../../../shared/requests/notes.ts';

export interface NoteFilter {
  /** Words, each of which occurs in the title, the text, a tag or the address, or is the record number. */
  readonly text: string;
  /** Tag; empty = any. */
  readonly tag: string;
  readonly colour: NoteColour | '';
}

export const NO_FILTER: NoteFilter = { text: '', tag: '', colour: '' };

export function isFiltering({ text, tag, colour }: NoteFilter): boolean {
  return text.trim() !== '' || tag !== '' || colour !== '';
}

export function filterNotes(notes: readonly Note[], filter: NoteFilter): readonly Note[] {
  if (!isFiltering(filter)) return notes;
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return notes.filter(
    (note) =>
      (filter.colour === '' || note.colour === filter.colour) &&
      (filter.tag === '' || note.tags.includes(filter.tag)) &&
      words.every((word) => holds(note, word)),
  );
}

export interface Tally<T> {
  readonly value: T;
  readonly count: number;
}

/** Returns the tags of notes with their counts, by name. */
export function tagsOf(notes: readonly Note[]): readonly Tally<string>[] {
  const counts = new Map<string, number>();
  for (const note of notes) for (const tag of note.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => a.value.localeCompare(b.value));
}

/** Returns the colours of notes with their counts, in the order of NOTE_COLOURS. */
export function coloursOf(notes: readonly Note[]): readonly Tally<NoteColour>[] {
  return NOTE_COLOURS.flatMap((value) => {
    const count = notes.reduce((sum, note) => sum + (note.colour === value ? 1 : 0), 0);
    return count > 0 ? [{ value, count }] : [];
  });
}

function holds({ title, text, tags, place }: Note, word: string): boolean {
  const number = word.replaceAll(',', '');
  return (
    title.toLowerCase().includes(word) ||
    text.toLowerCase().includes(word) ||
    tags.some((tag) => tag.toLowerCase().includes(word)) ||
    place.address?.includes(word) === true ||
    String(place.n) === number
  );
}
