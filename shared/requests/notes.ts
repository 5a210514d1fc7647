/** Requests about the notebook: notes on records, ranges and addresses, and saved views. */
import { request, type, type ArgumentsOf } from './request.ts';
import {
  check,
  where,
  finite,
  hex,
  list,
  object,
  oneOf,
  optional,
  partOfFile,
  record,
  rule,
  text,
  whole,
  type Checked,
  fileText,
} from './schema.ts';
import { ofTrace, type FormatFacts } from './trace.ts';

export const NOTE_COLOURS = ['grey', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple'] as const;
export type NoteColour = (typeof NOTE_COLOURS)[number];

const id = rule<string>(
  (value) => typeof value === 'string' && /^[\w-]{1,64}$/.test(value),
  'must be 1 to 64 letters, digits, - and _',
);
/** ISO 8601 in UTC, with milliseconds, in a year that sorts as text. */
const time = rule<string>(
  (value) =>
    typeof value === 'string' &&
    /^[1-8]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
    Number.isFinite(Date.parse(value)),
  'must be a time such as 2026-01-31T12:00:00.000Z',
);
/** Notes are sorted by this number: one is put between two others by a number between theirs. */
const order = finite;

/** A UUID chosen by the creator of a note, so that copies in other notebooks keep it. */
export type NoteId = string;

const noteText = {
  id,
  /** One line; may be empty. */
  title: text(1000, 0),
  /** Markdown; empty for a bookmark. */
  text: text(1_000_000, 0),
  colour: oneOf(NOTE_COLOURS),
  tags: list(text(100), 50, 0),
} as const;

/** The subject of a note: record n or the records [n, to), and an address or a span if it has one. */
const placeFields = {
  n: record,
  to: optional(record),
  address: optional(hex),
  /** Bytes starting at `address`; 1 by default. */
  length: optional(whole(1, Number.MAX_SAFE_INTEGER)),
} as const;
const someRecords = check<{ readonly n: number; readonly to?: number | undefined }>(
  'to',
  ({ n, to }) => to === undefined || to > n,
  'must be greater than n',
);
const someBytes = check<{ readonly address?: string | undefined; readonly length?: number | undefined }>(
  'length',
  ({ address, length }) => length === undefined || address !== undefined,
  'must come with an address',
);

/** A complete note, as notebooks and exports contain it. */
export const noteSchema = partOfFile({
  ...noteText,
  place: where(
    partOfFile({
      ...placeFields,
      /** Byte offset of record n in the trace. */
      offset: record,
      /** Format and options that numbered the records when the note was made. */
      reading: text(10_000, 0),
    }),
    someRecords,
    someBytes,
  ),
  order,
  created: time,
  changed: time,
  /** Grows with each change of this note, and across its removal. A change names the revision that it is based on. */
  revision: record,
});

const viewText = {
  id,
  name: text(200, 0),
  /** JSON of the page. */
  content: text(1_000_000, 0),
} as const;

/** A saved view, complete: position and screen contents of the page. */
export const viewSchema = partOfFile({ ...viewText, changed: time, revision: record });

/** A new or changed note. Without `order` it keeps its place, or goes to the end if it is new. */
const noteDraft = object({
  ...noteText,
  place: where(object(placeFields), someRecords, someBytes),
  order: optional(order),
  /** The revision that was changed; absent for a new note. */
  revision: optional(record),
  /** For a note that is restored after its removal; now by default. */
  created: optional(time),
});
const viewDraft = object({ ...viewText, revision: optional(record) });
const removal = object({ id, revision: optional(record) });

export type NoteDraft = Checked<typeof noteDraft>;
export type ViewDraft = Checked<typeof viewDraft>;

/** Upper limit of the notes, and of the views, in one notebook and in one change. */
export const NOTES_MOST = 100_000;
/** Upper limit of an export, in UTF-16 code units. */
export const EXPORT_MOST = 256 * 1024 * 1024;

export const NOTE_REQUESTS = {
  /** All notes and views of the trace. */
  notebook: request({ arguments: object(ofTrace), answer: type<Notebook>(), text: 'raw' }),
  /**
   * Changes notes and views, all or none. Answers once the changes are safe on the disk. Fails with NOTE_CHANGED if another window or
   * program changed one of them first.
   */
  changeNotebook: request({
    arguments: object({
      ...ofTrace,
      put: optional(list(noteDraft, NOTES_MOST, 0)),
      remove: optional(list(removal, NOTES_MOST, 0)),
      putViews: optional(list(viewDraft, NOTES_MOST, 0)),
      removeViews: optional(list(removal, NOTES_MOST, 0)),
    }),
    answer: type<Notebook>(),
    text: 'raw',
    bodyBytes: 64 * 1024 * 1024,
    once: true,
  }),
  /** Reports the version of the notebook now and after each change by any window or program, until it is cancelled. */
  watchNotebook: request({
    arguments: object(ofTrace),
    answer: type<Record<string, never>>(),
    event: type<{ readonly version: number }>(),
  }),
  /**
   * Adds an export of this or another notebook of the same trace. If a note exists in both, the later version is used and the earlier one
   * kept as a conflict.
   */
  importNotes: request({
    arguments: object({ ...ofTrace, text: fileText(EXPORT_MOST) }),
    answer: type<NotesImported>(),
    text: 'raw',
    bodyBytes: 256 * 1024 * 1024,
    once: true,
  }),
  /** The whole notebook as JSON. */
  exportNotes: request({
    arguments: object(ofTrace),
    answer: type<{ readonly text: string }>(),
    text: 'raw',
    once: true,
  }),
} as const;

export type NotebookChange = ArgumentsOf<typeof NOTE_REQUESTS.changeNotebook>;

type CompletePlace = Checked<typeof noteSchema>['place'];

export interface NotePlace extends CompletePlace {
  /** True if the trace is open in another reading: `n` is then the record at or after `offset`, and `to` is absent. */
  readonly elsewhere?: boolean;
  /** True if, in another reading, the index has not reached `offset` yet: `n` is then only a lower bound. */
  readonly unreached?: boolean;
}

export interface Note extends Omit<Checked<typeof noteSchema>, 'place'> {
  readonly place: NotePlace;
  /** For an earlier version that an import kept: id of the note. The person decides which version stays. */
  readonly conflictOf?: NoteId;
}

export interface View extends Checked<typeof viewSchema> {
  /** As in notes. */
  readonly conflictOf?: string;
}

/** All notes and views, sorted by `order`. */
export interface Notebook {
  /** Path of the file, even if nothing was written yet. */
  readonly path: string;
  readonly exists: boolean;
  /** A sentence that explains why the notebook cannot be written; absent if it can. */
  readonly problem?: string;
  /** Sentences for the person: the notebook next to the trace belongs to another trace ... */
  readonly notices?: readonly string[];
  /** Present if a file exists but nothing in it can be read, so that its notes are unknown. */
  readonly unread?: true;
  readonly notes: readonly Note[];
  readonly views: readonly View[];
  /** Grows with every change by any window or program. */
  readonly version: number;
}

/** Numbers of imported notes, or of imported views. */
export interface Taken {
  readonly added: number;
  readonly updated: number;
  /** Existed already in this or a later version. */
  readonly same: number;
  /** Earlier versions that were kept as conflicts, of which the notebook or the import had another version. */
  readonly conflicts: number;
}

export const NONE_TAKEN: Taken = { added: 0, updated: 0, same: 0, conflicts: 0 };

export interface NotesImported extends Taken {
  readonly views: Taken;
  readonly notebook: Notebook;
}

/** Describes format and options of an open trace. With equal descriptions, equal numbers mean the same records. */
export function readingOf({ id, dialect, options }: Pick<FormatFacts, 'id' | 'dialect' | 'options'>): string {
  const settings = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = settings.map(([name, value]) => `${name}=${value}`);
  return [id, ...(dialect === undefined ? [] : [`dialect=${dialect}`]), ...parts]
    .filter((part, i, all) => all.indexOf(part) === i)
    .join(' ');
}
