/** Stores notes and views as rows of a notebook. A row is only accepted if this program could have written it. */
import type { Note, View } from '../../../shared/requests/notes.ts';
import { checksum } from '../index/store/packing.ts';
import { isNote, isView } from './check-note.ts';
import { jsonValue } from '../../../shared/base/json-value.ts';

/** Version of this layout, stored as the file's user_version. Later versions convert older files when they write to them. */
export const LAYOUT = 1;
/** `TBnb`, which distinguishes a notebook from other SQLite files. */
export const APPLICATION_ID = 0x54426e62;

/** `trace` is created first, so that its rows are on the second page of the file, where `peek` finds them. */
export const TABLES = `
  CREATE TABLE trace (identity TEXT NOT NULL, name TEXT NOT NULL) STRICT;
  CREATE TABLE note (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL, colour TEXT NOT NULL, tags TEXT NOT NULL,
    n INTEGER NOT NULL, upto INTEGER, address TEXT, length INTEGER, byte INTEGER NOT NULL, reading TEXT NOT NULL,
    position REAL NOT NULL, created TEXT NOT NULL, changed TEXT NOT NULL, revision INTEGER NOT NULL, seal INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE view (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, content TEXT NOT NULL, changed TEXT NOT NULL, revision INTEGER NOT NULL,
    seal INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE state (version INTEGER NOT NULL) STRICT;
  INSERT INTO state VALUES (0);`;

export const NOTE_COLUMNS =
  'id, title, text, colour, tags, n, upto, address, length, byte, reading, position, created, changed, revision, seal';
export const VIEW_COLUMNS = 'id, name, content, changed, revision, seal';

export function noteRow(note: Note): readonly unknown[] {
  const { id, title, text, colour, tags, place, order, created, changed, revision } = note;
  return sealed([
    id,
    title,
    text,
    colour,
    JSON.stringify(tags),
    place.n,
    place.to ?? null,
    place.address ?? null,
    place.length ?? null,
    place.offset,
    place.reading,
    order,
    created,
    changed,
    revision,
  ]);
}

export function viewRow({ id, name, content, changed, revision }: View): readonly unknown[] {
  return sealed([id, name, content, changed, revision]);
}

/** Returns what a note says and where it is, as text, so that versions of a note can be compared. */
export function contentOfNote({ title, text, colour, tags, place }: Note): string {
  const { n, to, address, length, offset, reading } = place;
  return JSON.stringify([title, text, colour, tags, n, to ?? null, address ?? null, length ?? null, offset, reading]);
}

export function contentOfView({ name, content }: View): string {
  return JSON.stringify([name, content]);
}

/** Returns true if a row matches its checksum. SQLite itself does not detect a changed letter. */
export function isWhole({ seal, ...row }: Readonly<Record<string, unknown>>): boolean {
  return seal === sealOf(Object.values(row));
}

function sealed(row: readonly unknown[]): readonly unknown[] {
  return [...row, sealOf(row)];
}

function sealOf(row: readonly unknown[]): number {
  return checksum(0, JSON.stringify(row));
}

/** Returns undefined for a row that is not a valid note. */
export function noteOf(row: Readonly<Record<string, unknown>>): Note | undefined {
  const { id, title, text, colour, n, upto, address, length, byte, reading } = row;
  const place = {
    n,
    ...(upto === null ? {} : { to: upto }),
    ...(address === null ? {} : { address }),
    ...(length === null ? {} : { length }),
    offset: byte,
    reading,
  };
  const { tags, position: order, created, changed, revision } = row;
  const note: unknown = {
    id,
    title,
    text,
    colour,
    tags: typeof tags === 'string' ? jsonValue(tags) : undefined,
    place,
    order,
    created,
    changed,
    revision,
  };
  return isNote(note) ? note : undefined;
}

export function viewOf({ id, name, content, changed, revision }: Readonly<Record<string, unknown>>): View | undefined {
  const view: unknown = { id, name, content, changed, revision };
  return isView(view) ? view : undefined;
}
