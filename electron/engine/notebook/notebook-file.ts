/**
 * The notebook file: a SQLite database with a write-ahead log, synchronised to disk before a change is answered. It changes in whole
 * transactions, is shared with other programs, and is never recreated.
 */
import Database from 'better-sqlite3';
import { NOTE_CHANGED } from '../../../shared/requests/failures.ts';
import { NOTES_MOST, type Note, type NoteId, type View, type ViewDraft } from '../../../shared/requests/notes.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { makeFile } from '../platform/private-files.ts';
import { isBusy, isSqliteError } from '../index/store/errors.ts';
import { specialDatabaseFile } from '../platform/ordinary-file.ts';
import { BYTES_MOST, LAST_TIME } from './check-note.ts';
import { hasOwnTables } from './own-tables.ts';
import { damaged, DAMAGED, FULL, problemOf, UNWRITABLE } from './problems.ts';
import { readContent, type Content } from './read-content.ts';
import { APPLICATION_ID, LAYOUT, NOTE_COLUMNS, noteOf, noteRow, TABLES, viewOf, viewRow } from './rows.ts';
import { takeAll, type Merged } from './take-items.ts';

export interface NotebookFile {
  readonly path: string;
  content(): Result<Content>;
  /** Increases with every change by any program. */
  version(): Result<number>;
  /** Applies a change completely and durably, or not at all. Fails with NOTE_CHANGED, BUSY, DAMAGED or UNWRITABLE. */
  change(edit: Edit): Result<undefined>;
  /** Adds items that are missing. Of an existing item the newer version is used, and the earlier one is kept as a conflict. */
  merge(notes: readonly Note[], views: readonly View[]): Result<Merged>;
  close(): void;
}

export interface Edit {
  readonly put: readonly NoteEdit[];
  readonly remove: readonly Seen[];
  readonly putViews: readonly ViewDraft[];
  readonly removeViews: readonly Seen[];
}

/** The desired state of a note. A note without a revision is new. */
export interface NoteEdit extends Omit<Note, 'order' | 'created' | 'changed' | 'revision'> {
  readonly order?: number;
  readonly created?: string;
  readonly revision?: number;
}

/** An item to remove, with the revision that the user saw. */
export interface Seen {
  readonly id: NoteId;
  readonly revision?: number;
}

/** Time to wait for a lock on this thread, which also serves other requests. The caller retries later. */
const LOCK_MS = 100;
const PAGE_BYTES = 4096;
/** Limit for writing, half of the limit for reading. */
const GROWS_TO = BYTES_MOST / 2;

/**
 * Opens a notebook. If `mode` is given and the file is missing, creates it with this mode. `identity` identifies the trace that it belongs
 * to.
 */
export function openNotebookFile(path: string, identity: string, trace: string, mode?: number): Result<NotebookFile> {
  const create = mode !== undefined;
  let database: Database.Database | undefined;
  try {
    const special = specialDatabaseFile(path);
    if (special !== undefined)
      return fail(UNWRITABLE, `${special}; move it away, or name another notebook with --notebook`);
    if (create) makeFile(path, mode);
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
  // On a file system without shared memory the mode stays a rollback journal, which is equally safe.
  if (database.pragma('journal_mode', { simple: true }) !== 'wal') switchToLog(database);
  database.pragma('synchronous = FULL');
  if (database.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    return fail(UNWRITABLE, `${path}: this is not a notebook; it was not changed, name another with --notebook`);
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

/** Fails if another program has just opened the file. That program, or the next one to open it, then switches. */
function switchToLog(database: Database.Database): void {
  try {
    database.pragma('journal_mode = WAL');
  } catch (error) {
    if (!isBusy(error)) throw error;
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
      /** The highest order, computed on first use because the query scans all notes. */
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
      const rows =
        <T>(read: Database.Statement<[string], Row>, itemOf: (row: Row) => T | undefined) =>
        (id: string) => {
          const row = read.get(id);
          return row && (itemOf(row) ?? 'unreadable');
        };
      const into = {
        notes: {
          find: rows(readNote, noteOf),
          put: (note: Note) => void writeNote.run(noteRow({ ...note, revision })),
        },
        views: {
          find: rows(readView, viewOf),
          put: (view: View) => void writeView.run(viewRow({ ...view, revision })),
        },
      };
      return ok(takeAll(into, { notes, views }));
    });
  }

  /** Runs one transaction, which is rolled back if `work` fails. */
  function write<T>(work: (revision: number) => Result<T>): Result<T> {
    try {
      database.exec('BEGIN IMMEDIATE');
      try {
        const revision = Number(readVersion.get()) + 1;
        const done = work(revision);
        if (!done.ok) return done;
        if (Number(pages.get()) * PAGE_BYTES > GROWS_TO)
          return fail(
            FULL,
            `${path}: a notebook is limited to ${GROWS_TO.toLocaleString('en')} bytes; remove notes first`,
          );
        if (Number(counts.get()) > NOTES_MOST)
          return fail(
            UNWRITABLE,
            `${path}: a notebook is limited to ${NOTES_MOST.toLocaleString('en')} notes and as many views; remove some first`,
          );
        writeVersion.run(revision);
        addIdentity();
        database.exec('COMMIT');
        known = undefined;
        checkpoint();
        return done;
      } finally {
        if (database.inTransaction) database.exec('ROLLBACK');
      }
    } catch (error) {
      return problemOf(path, error);
    }
  }

  /** Adds the identity of a trace that has grown, so that the notebook is found for its present state too. */
  function addIdentity(): void {
    if (ofTrace.get(identity) === 0) addTrace.run(identity, trace);
    dropTraces.run(IDENTITIES_MOST);
  }

  /** Makes the file complete on its own, so that it can be copied without its log. Committed changes are safe without this. */
  function checkpoint(): void {
    try {
      database.pragma('wal_checkpoint(PASSIVE)');
    } catch (error) {
      if (!isSqliteError(error)) throw error;
    }
  }
}

/** Maximum number of identities of one growing trace. They fit on the page that `peek` reads. */
const IDENTITIES_MOST = 16;

type Row = Readonly<Record<string, unknown>>;

function changed(what: string, title: unknown): Result<never> {
  const name = typeof title === 'string' && title !== '' ? ` '${title.slice(0, 60)}'` : '';
  return fail(
    NOTE_CHANGED,
    `the ${what}${name} was changed or removed by someone else in the meantime; nothing was saved`,
  );
}

function now(): string {
  return new Date().toISOString();
}

/** Returns the present time, or a time just after `before` if that is later, because the clocks of several machines differ. */
function later(before: string | undefined): string {
  const time = Math.max(Date.now(), before === undefined ? 0 : Date.parse(before) + 1);
  return new Date(Math.min(time, Date.parse(LAST_TIME))).toISOString();
}
