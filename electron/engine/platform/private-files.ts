/** Makes folders and files that no other user of the machine can read. */
import fs from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder that only this user can enter, with its parents, one by one: the recursion of fs.mkdir never ends in a kernel folder
 * (/proc) that refuses.
 */
export function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    fs.mkdirSync(folder, 0o700);
  } catch (error) {
    // Another program may have made it meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Mode of files that only this user can read. */
export const PRIVATE = 0o600;

/**
 * Makes an empty file with this mode for a database: SQLite would let every user read the files that it makes. Does nothing if there is a
 * file, or if the folder may not be written to, which SQLite then reports.
 */
export function makeFile(file: string, mode: number): void {
  if (!fs.existsSync(file) && isWritable(path.dirname(file))) fs.closeSync(fs.openSync(file, 'a', mode));
}

/** Returns true if this user may write to the file or folder. */
export function isWritable(place: string): boolean {
  try {
    fs.accessSync(place, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
