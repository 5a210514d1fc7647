/** Meaning of a SQLite error for the index or notebook in whose file it occurred. */
import { IndexDamaged } from '../../collections/varint.ts';

/** True if the content of the file is damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof IndexDamaged || hasCode(error, /^SQLITE_(CORRUPT|NOTADB|ERROR)/);
}

/** True if the disk is full, or writing to it failed. */
export function isFull(error: unknown): boolean {
  return hasCode(error, /^SQLITE_(FULL|IOERR)/);
}

/** True if the index file cannot be read: it is damaged, was removed, or the drive failed. */
export function isUnreadable(error: unknown): boolean {
  return isDamage(error) || hasCode(error, /^SQLITE_IOERR/);
}

/** True if the file or its folder may not be written. */
export function isReadOnly(error: unknown): boolean {
  return hasCode(error, /^SQLITE_(READONLY|CANTOPEN|PERM)/);
}

/** True if another program has locked the file. */
export function isBusy(error: unknown): boolean {
  return hasCode(error, /^SQLITE_BUSY/);
}

/** True for every error of SQLite other than damage. */
export function isTemporary(error: unknown): boolean {
  return isSqliteError(error) && !isDamage(error);
}

/** True for every error of SQLite. The bundles of a process have copies of its class, so it is known by its name. */
export function isSqliteError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && error.name === 'SqliteError';
}

function hasCode(error: unknown, codes: RegExp): boolean {
  return isSqliteError(error) && codes.test(error.code);
}
