/** What a person keeps about a trace: notes on records, ranges and addresses, and views to come back to. */
import type { FormatFacts, OfTrace } from './trace.ts';
import type { ByteOffset, Hex, RecordNumber } from '../base/units.ts';

/** A UUID, given by whoever makes the note, so that a note keeps it in every notebook that it is copied to. */
export type NoteId = string;

export const NOTE_COLOURS = ['grey', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple'] as const;
export type NoteColour = (typeof NOTE_COLOURS)[number];

export interface Note {
  readonly id: NoteId;
  /** One line; may be empty. */
  readonly title: string;
  /** Markdown; empty for a bookmark. */
  readonly text: string;
  readonly colour: NoteColour;
  readonly tags: readonly string[];
  readonly place: NotePlace;
  /** Notes stand in the order of these numbers: one is put between two others by a number between theirs. */
  readonly order: number;
  /** Times as ISO 8601 in UTC. */
  readonly created: string;
  readonly changed: string;
  /** Grows with each change of this note, also across its removal: whoever changes it says which one they saw. */
  readonly revision: number;
}

/** What a note is about: a record, or the records [n, to); and an address or a span of them, where it has one. */
export interface NotePlace {
  readonly n: RecordNumber;
  readonly to?: RecordNumber;
  readonly address?: Hex;
  /** Bytes from `address` on; 1 where left out. */
  readonly length?: number;
  /** Where record n begins in the trace. */
  readonly offset: ByteOffset;
  /** Format and settings by which the records were numbered when the note was made. */
  readonly reading: string;
  /** True in answers where the trace is open in another reading: `n` is then the record that holds `offset`, or the next one, and `to` is left out. */
  readonly elsewhere?: boolean;
  /** True in answers where the index has not come to `offset` yet, in another reading: `n` is then no more than a lower bound. */
  readonly unreached?: boolean;
}

/** Where somebody was and what they had on screen; `content` is the page's own JSON. */
export interface View {
  readonly id: string;
  readonly name: string;
  readonly content: string;
  readonly changed: string;
  readonly revision: number;
}

/** A note as it is handed in: new, or changed. Missing order: where it was, and behind all others for a new one. */
export interface NoteDraft extends Pick<Note, 'id' | 'title' | 'text' | 'colour' | 'tags'> {
  readonly place: Pick<NotePlace, 'n' | 'to' | 'address' | 'length'>;
  readonly order?: number;
  /** The revision that was changed; absent for a new note. */
  readonly revision?: number;
  /** For a note that comes back after it was removed; now by default. */
  readonly created?: string;
}

export type ViewDraft = Pick<View, 'id' | 'name' | 'content'> & { readonly revision?: number };

/** Everything in a notebook. Sorted by order. */
export interface Notebook {
  /** Where it lies, or would lie once something is written. */
  readonly path: string;
  readonly exists: boolean;
  /** Why nothing can be written to it, as a sentence; absent where it can. */
  readonly problem?: string;
  /** What a person should know of it, as sentences: a notebook beside the trace that is of another one ... */
  readonly notices?: readonly string[];
  /** True where something lies there of which nothing can be read, so that nobody knows what notes there are. */
  readonly unread?: true;
  readonly notes: readonly Note[];
  readonly views: readonly View[];
  /** Grows with every change by anybody. */
  readonly version: number;
}

/** All of it is done, and safe on the disk when the answer comes, or nothing. */
export interface NotebookChange extends OfTrace {
  readonly put?: readonly NoteDraft[];
  readonly remove?: readonly { readonly id: NoteId; readonly revision?: number }[];
  readonly putViews?: readonly ViewDraft[];
  readonly removeViews?: readonly { readonly id: string; readonly revision?: number }[];
}

/** Failure code of a change to a note that somebody else changed or removed since. */
export const NOTE_CHANGED = 'note-changed';

/** Failure code where something lies in the notebook's place of which nothing can be read. */
export const NOTEBOOK_UNREADABLE = 'notebook-unreadable';

/** Of notes, or of views. */
export interface Taken {
  readonly added: number;
  readonly updated: number;
  /** Were there already, as new or newer. */
  readonly same: number;
}

/** What was taken of notes, and of views. */
export interface NotesImported extends Taken {
  readonly views: Taken;
  readonly notebook: Notebook;
}

/** What `reading` is of a trace that is open so: with the same one the same records are counted. */
export function readingOf({ id, dialect, options }: Pick<FormatFacts, 'id' | 'dialect' | 'options'>): string {
  const settings = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = settings.map(([name, value]) => `${name}=${value}`);
  return [id, ...(dialect === undefined ? [] : [`dialect=${dialect}`]), ...parts]
    .filter((part, i, all) => all.indexOf(part) === i)
    .join(' ');
}
