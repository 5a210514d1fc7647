/**
 * Recognises what is no ordinary file before it is opened: a program waits forever at a pipe that nobody writes, and opening a device can
 * do things.
 */
import fs from 'node:fs';

/** Returns what is at a path in a word or two; undefined for an ordinary file. */
export function kindOf(status: fs.Stats | fs.BigIntStats): string | undefined {
  if (status.isFile()) return undefined;
  if (status.isDirectory()) return 'a folder';
  if (status.isSymbolicLink()) return 'a link';
  return status.isFIFO() ? 'a pipe' : status.isSocket() ? 'a socket' : 'a device';
}

/** Ends of the names of files that SQLite opens beside a database (Temporary Files Used By SQLite, section 2). */
const COMPANIONS = ['-journal', '-wal', '-shm'];

/**
 * Returns a sentence without its end if SQLite must not open a database at this path, because the path or a file beside it is there and no
 * ordinary file. A link may lead to the database itself; SQLite makes the files beside it, which are no links.
 */
export function specialDatabaseFile(file: string): string | undefined {
  const places = [
    { place: file, status: fs.statSync(file, { throwIfNoEntry: false }) },
    ...COMPANIONS.map((end) => ({ place: file + end, status: fs.lstatSync(file + end, { throwIfNoEntry: false }) })),
  ];
  for (const { place, status } of places) {
    const kind = status === undefined ? undefined : kindOf(status);
    if (kind !== undefined) return `${place}: this is ${kind} and no ordinary file`;
  }
  return undefined;
}
