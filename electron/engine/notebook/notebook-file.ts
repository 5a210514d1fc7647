/**
 * The notebook's file: SQLite with a write-ahead log, written through to the disk before a change is answered. It grows
 * by whole changes, is shared with other programs, and is never made anew.
 */
import Database from 'better-sqlite3';
import { NOTE_CHANGED } from '../../../shared/requests/failures.ts';
import {
  NOTES_MOST,
  type Note,
  type NoteId,
  type NotesImported,
  type View,
  type ViewDraft,
} from '../../../shared/requests/notes.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { BYTES_MOST, LAST_TIME } from './check-note.ts';
import { hasOwnTables } from './own-tables.ts';
import { damaged, DAMAGED, FULL, problemOf, UNWRITABLE } from './problems.ts';
import { readContent, type Content } from './read-content.ts';
import { APPLICATION_ID, LAYOUT, NOTE_COLUMNS, noteOf, noteRow, TABLES, viewOf, viewRow } from './rows.ts';

export interface NotebookFile {
  readonly path: string;
  content(): Result<Content>;
  /** Grows with every change by anybody. */
  version(): Result<number>;
  /** Done and on the disk when it returns, or nothing is. Fails with NOTE_CHANGED, BUSY, DAMAGED or UNWRITABLE. */
  change(edit: Edit): Result<undefined>;
  /** Adds what is not there; of what is there the newer one stays. */
  merge(notes: readonly Note[], views: readonly View[]): Result<Merged>;
  close(): void;
}

export interface Edit {
  readonly put: readonly NoteEdit[];
  readonly remove: readonly Seen[];
  readonly putViews: readonly ViewDraft[];
  readonly removeViews: readonly Seen[];
}

/** A note as it shall be: new where it has no revision. */
export interface NoteEdit extends Omit<Note, 'order' | 'created' | 'changed' | 'revision'> {
  readonly order?: number;
  readonly created?: string;
  readonly revision?: number;
}

/** What shall go, and as what it was seen. */
export interface Seen {
  readonly id: NoteId;
  readonly revision?: number;
}

export type Merged = Omit<NotesImported, 'notebook'>;

/** How long a lock is waited for on this thread, which answers other questions too; whoever calls tries again later. */
const LOCK_MS = 100;
const PAGE_BYTES = 4096;
/** Half of what is read. */
const GROWS_TO = BYTES_MOST / 2;

/** Opens a notebook, or makes it where nothing lies; `identity` names the trace that it is, or shall be, of. */
export function openNotebookFile(path: string, identity: string, trace: string, create: boolean): Result<NotebookFile> {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: LOCK_MS, fileMustExist: !create });
    const sound = prepare(database, path, identity, trace, create);
    if (sound.ok) return ok(notebookFile(path, database, identity, trace));
    database.close();
    return sound;
  } catch (error) {
    database?.close();
    return problemOf(path, error);
  }
}

function prepare(
  database: Database.Database,
  path: string,
  identity: string,
  trace: string,
  create: boolean,
): Result<undefined> {
  database.pragma('trusted_schema = OFF');
  database.pragma('cell_size_check = ON');
  if (create) makeTables(database, identity, trace);
  // Where the file system has no shared memory this stays a rollback journal, which is as safe.
  if (database.pragma('journal_mode', { simple: true }) !== 'wal') switchToLog(database);
  database.pragma('synchronous = FULL');
  if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    return fail(UNWRITABLE, `${path}: this is not a notebook; it is left alone, name another with --notebook`);
  if (Number(database.pragma('user_version', { simple: true })) > LAYOUT)
    return fail(
      UNWRITABLE,
      `${path}: this notebook was written by a newer Tracebench; open it with that one, or name another with --notebook`,
    );
  const check = database.pragma('quick_check(1)', { simple: true });
  return check === 'ok' && hasOwnTables(database) ? ok(undefined) : fail(DAMAGED, damaged(path));
}

function makeTables(database: Database.Database, identity: string, trace: string): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    if (database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0) {
      database.exec(TABLES);
      database.prepare('INSERT INTO trace VALUES (?, ?)').run(identity, trace);
      database.pragma(`application_id = ${String(APPLICATION_ID)}`);
      database.pragma(`user_version = ${String(LAYOUT)}`);
    }
    database.exec('COMMIT');
  } finally {
    if (database.inTransaction) database.exec('ROLLBACK');
  }
}

/** Another program that has just opened the file keeps this from happening: then that one, or the next opening, does it. */
function switchToLog(database: Database.Database): void {
  try {
    database.pragma('journal_mode = WAL');
  } catch (error) {
    if (!(error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))) throw error;
  }
}

function notebookFile(path: string, database: Database.Database, identity: string, trace: string): NotebookFile {
  const readVersion = database.prepare<[]>('SELECT version FROM state').pluck();
  const writeVersion = database.prepare('UPDATE state SET version = ?');
  const readNote = database.prepare<[string], Row>(`SELECT ${NOTE_COLUMNS} FROM note WHERE id = ?`);
  const writeNote = database.prepare(
    `INSERT OR REPLACE INTO note (${NOTE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const dropNote = database.prepare('DELETE FROM note WHERE id = ?');
  const readView = database.prepare<[string], Row>(
    'SELECT id, name, content, changed, revision FROM view WHERE id = ?',
  );
  const writeView = database.prepare('INSERT OR REPLACE INTO view VALUES (?, ?, ?, ?, ?, ?)');
  const dropView = database.prepare('DELETE FROM view WHERE id = ?');
  const lastOrder = database.prepare<[], number | null>('SELECT max(position) FROM note').pluck();
  const ofTrace = database.prepare<[string], number>('SELECT count(*) FROM trace WHERE identity = ?').pluck();
  const addTrace = database.prepare('INSERT INTO trace VALUES (?, ?)');
  const dropTraces = database.prepare('DELETE FROM trace WHERE rowid <= (SELECT max(rowid) FROM trace) - ?');
  const pages = database
    .prepare<[], number>('SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count')
    .pluck();
  const counts = database
    .prepare<[], number>('SELECT max((SELECT count(*) FROM note), (SELECT count(*) FROM view))')
    .pluck();
  let known: { readonly data: unknown; readonly content: Content } | undefined;

  return { path, content, version, change, merge, close: () => database.close() };

  function content(): Result<Content> {
    try {
      const data = database.pragma('data_version', { simple: true });
      if (known !== undefined && known.data === data) return ok(known.content);
      const read = readContent(database);
      known = { data, content: read };
      return ok(read);
    } catch (error) {
      return problemOf(path, error);
    }
  }

  function version(): Result<number> {
    const now = content();
    return now.ok ? ok(now.value.version) : now;
  }

  function change(edit: Edit): Result<undefined> {
    return write((revision) => {
      /** The highest order, once it was needed: looking for it takes a walk over all notes. */
      let last: number | undefined;
      for (const { id, revision: seen } of edit.remove) {
        const note = readNote.get(id);
        if (note !== undefined && seen !== undefined && note['revision'] !== seen)
          return changed('note', note['title']);
        dropNote.run(id);
      }
      for (const draft of edit.put) {
        const before = readNote.get(draft.id);
        if (before?.['revision'] !== draft.revision) return changed('note', before?.['title'] ?? draft.title);
        const old = before && noteOf(before);
        const order = draft.order ?? old?.order ?? (last ??= lastOrder.get() ?? 0) + 1;
        if (last !== undefined) last = Math.max(last, order);
        const created = old?.created ?? draft.created ?? now();
        writeNote.run(noteRow({ ...draft, order, created, changed: later(old?.changed), revision }));
      }
      for (const { id, revision: seen } of edit.removeViews) {
        const view = readView.get(id);
        if (view !== undefined && seen !== undefined && view['revision'] !== seen) return changed('view', view['name']);
        dropView.run(id);
      }
      for (const { id, name, content: json, revision: seen } of edit.putViews) {
        const before = readView.get(id);
        if (before?.['revision'] !== seen) return changed('view', before?.['name'] ?? name);
        const view = { id, name, content: json, changed: later(before && viewOf(before)?.changed), revision };
        writeView.run(viewRow(view));
      }
      return ok(undefined);
    });
  }

  function merge(notes: readonly Note[], views: readonly View[]): Result<Merged> {
    return write((revision) => {
      const merged = { added: 0, updated: 0, same: 0, views: { added: 0, updated: 0, same: 0 } };
      const judge = (counts: typeof merged.views, mine: Changed | undefined, theirs: Changed): boolean => {
        const kept = mine !== undefined && mine.changed >= theirs.changed;
        counts[kept ? 'same' : mine === undefined ? 'added' : 'updated']++;
        return !kept;
      };
      for (const note of notes) {
        const row = readNote.get(note.id);
        if (judge(merged, row && noteOf(row), note)) writeNote.run(noteRow({ ...note, revision }));
      }
      for (const view of views) {
        const row = readView.get(view.id);
        if (judge(merged.views, row && viewOf(row), view)) writeView.run(viewRow({ ...view, revision }));
      }
      return ok(merged);
    });
  }

  /** One transaction; it is undone when `work` fails. */
  function write<T>(work: (revision: number) => Result<T>): Result<T> {
    try {
      database.exec('BEGIN IMMEDIATE');
      try {
        const revision = Number(readVersion.get()) + 1;
        const done = work(revision);
        if (!done.ok) return done;
        if (Number(pages.get()) * PAGE_BYTES > GROWS_TO)
          return fail(FULL, `${path}: a notebook may have ${GROWS_TO.toLocaleString('en')} bytes; remove notes first`);
        if (Number(counts.get()) > NOTES_MOST)
          return fail(UNWRITABLE, `${path}: a notebook takes ${NOTES_MOST.toLocaleString('en')} notes and views each`);
        writeVersion.run(revision);
        tellTrace();
        database.exec('COMMIT');
        known = undefined;
        fold();
        return done;
      } finally {
        if (database.inTransaction) database.exec('ROLLBACK');
      }
    } catch (error) {
      return problemOf(path, error);
    }
  }

  /** A trace that has grown is the same one to whoever opens it now. */
  function tellTrace(): void {
    if (ofTrace.get(identity) === 0) addTrace.run(identity, trace);
    dropTraces.run(IDENTITIES_MOST);
  }

  /** So that the file alone, copied somewhere else, is the whole notebook. What is committed is safe without that. */
  function fold(): void {
    try {
      database.pragma('wal_checkpoint(PASSIVE)');
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error;
    }
  }
}

/** What was once the same trace, before it grew; they fit on the page where they are looked for. */
const IDENTITIES_MOST = 16;

type Row = Readonly<Record<string, unknown>>;
type Changed = Pick<Note, 'changed'>;

function changed(what: string, title: unknown): Result<never> {
  const name = typeof title === 'string' && title !== '' ? ` '${title.slice(0, 60)}'` : '';
  return fail(NOTE_CHANGED, `the ${what}${name} was changed or removed by somebody else meanwhile; nothing was saved`);
}

function now(): string {
  return new Date().toISOString();
}

/** Now, and in any case later than what it follows, as far as times go: clocks of several machines differ. */
function later(before: string | undefined): string {
  const time = Math.max(Date.now(), before === undefined ? 0 : Date.parse(before) + 1);
  return new Date(Math.min(time, Date.parse(LAST_TIME))).toISOString();
}
