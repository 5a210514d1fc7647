/** Opens, creates and removes index files. */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { IndexDamaged } from '../../collections/varint.ts';
import { handlesProblem } from '../../platform/handles.ts';
import { specialDatabaseFile } from '../../platform/ordinary-file.ts';
import { makeFile, makeFolder, PRIVATE } from '../../platform/private-files.ts';
import { isBusy, isDamage } from './errors.ts';
import { createIndexFile, LOCK_MS, type IndexFile } from './index-file.ts';

/** Failure code of an index that other programs keep locked. */
export const INDEX_BUSY = 'index-busy';

/** Interval between attempts to open an index that other programs have locked. */
const RETRY_MS = 20;

/** Opens the index at `file`, or creates it. Throws IndexDamaged if it is damaged; fails if SQLite cannot open it. */
export function openIndexFile(file: string): Result<IndexFile> {
  try {
    makeFolder(path.dirname(file));
    const special = specialDatabaseFile(file);
    if (special !== undefined)
      return fail('index-unusable', `${special}; remove it, or choose another folder with --index-dir`);
    makeFile(file, PRIVATE);
    return ok(openWhenFree(file));
  } catch (error) {
    if (isDamage(error)) throw new IndexDamaged(error instanceof Error ? error.message : 'unreadable');
    const handles = handlesProblem(error);
    if (handles !== undefined) return fail('index-unusable', `${file}: ${handles}`);
    const reason = error instanceof Error ? error.message : String(error);
    return fail(
      isBusy(error) ? INDEX_BUSY : 'index-unusable',
      `${file}: the index cannot be kept there (${reason}); choose another folder with --index-dir`,
    );
  }
}

/**
 * If several programs create the same index at once, SQLite lets one continue and refuses the others at once, because waiting for
 * each other would be a deadlock. They try again here.
 */
function openWhenFree(file: string): IndexFile {
  const until = performance.now() + LOCK_MS;
  for (;;) {
    const database = new Database(file, { timeout: LOCK_MS });
    try {
      const isWhole = isComplete(database);
      if (!isWhole) prepareToBuild(database);
      // Set after the page size is known: SQLite converts the kilobytes to a number of pages when it executes this.
      database.pragma('cache_size = -16384');
      return createIndexFile(file, database, isWhole);
    } catch (error) {
      database.close();
      if (!isBusy(error) || performance.now() > until) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
  }
}

/** True for a complete index: only those have tables and no write-ahead log. */
function isComplete(database: Database.Database): boolean {
  const tables = database.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get();
  return tables !== 0 && database.pragma('journal_mode', { simple: true }) !== 'wal';
}

function prepareToBuild(database: Database.Database): void {
  // Rows have about ten kilobytes. The largest pages hold several of them, and take fewer calls to write, to checkpoint and to read.
  database.pragma('page_size = 65536');
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  // A build writes much at once. Its log is checkpointed in steps of 12 MB instead of 4 MB, and not only at the end, when nothing
  // else is left to do meanwhile.
  database.pragma('wal_autocheckpoint = 192');
  database.exec(`
    CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS node (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS body (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, body BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS kept (id INTEGER PRIMARY KEY, name TEXT NOT NULL, body BLOB NOT NULL);`);
  // From now on a lock of another program is an answer and not waited for. Readers of a log need no lock.
  database.pragma('busy_timeout = 0');
}

/** Loads SQLite on this thread. */
export function loadDatabase(): void {
  new Database(':memory:').close();
}

/** Removes an index with its log and journal. Fails if the folder may not be written. */
export function removeIndexFile(file: string): Result<undefined> {
  try {
    for (const end of ['', '-wal', '-shm', '-journal']) fs.rmSync(file + end, { force: true });
    return ok(undefined);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return fail(
      'index-unusable',
      `${file}: this index cannot be replaced, because its folder may not be written to; choose another one with --index-dir`,
    );
  }
}
