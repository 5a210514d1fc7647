/**
 * Reads a notebook that is not writable or that is damaged. It is read from a copy in a temporary folder, because SQLite writes files next
 * to a database even for reading.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { specialDatabaseFile } from '../platform/ordinary-file.ts';
import { hasOwnTables } from './own-tables.ts';
import { isSqliteProblem, problemOf, UNWRITABLE } from './problems.ts';
import { readContent, salvage, type Content } from './read-content.ts';

export function readCopy(file: string): Result<Content> {
  let folder: string | undefined;
  try {
    const special = specialDatabaseFile(file);
    if (special !== undefined)
      return fail(UNWRITABLE, `${special}; move it away, or name another notebook with --notebook`);
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tracebench-notebook-'));
    const copy = path.join(folder, 'copy');
    for (const end of ['', '-wal', '-journal']) {
      if (!fs.existsSync(file + end)) continue;
      fs.copyFileSync(file + end, copy + end);
      fs.chmodSync(copy + end, 0o600);
    }
    return ok(read(copy));
  } catch (error) {
    return problemOf(file, error);
  } finally {
    if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true });
  }
}

function read(copy: string): Content {
  const database = new Database(copy);
  try {
    database.pragma('trusted_schema = OFF');
    return hasOwnTables(database) ? readContent(database) : salvage(database);
  } catch (error) {
    if (!isSqliteProblem(error)) throw error;
    return salvage(database);
  } finally {
    database.close();
  }
}

/** Returns a text that changes when the file is written: its inode, size and modification time, and those of its log. */
export function signature(file: string): string {
  return ['', '-wal']
    .map((end) => {
      const facts = fs.statSync(file + end, { bigint: true, throwIfNoEntry: false });
      return facts === undefined ? '-' : `${String(facts.ino)}.${String(facts.size)}.${String(facts.mtimeNs)}`;
    })
    .join(' ');
}
