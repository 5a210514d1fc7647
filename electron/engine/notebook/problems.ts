/** Failures of a notebook's file, with their messages. */
import { fail, type Result } from '../../../shared/base/result.ts';
import { handlesProblem } from '../platform/handles.ts';

/** Failure codes: the place is not writable, the file is damaged, or another program keeps it locked for too long. */
export const UNWRITABLE = 'notebook-unwritable';
export const DAMAGED = 'notebook-damaged';
export const BUSY = 'notebook-busy';
/** The file given by the user is not a notebook, or belongs to another trace. */
export const UNWANTED = 'notebook-unwanted';
/** No space on the disk. */
export const FULL = 'notebook-full';

/** Converts an error of SQLite or the file system to a failure. Any other error is a bug and is rethrown. */
export function problemOf(file: string, error: unknown): Result<never> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === undefined) throw error;
  const handles = handlesProblem(error);
  if (handles !== undefined) return fail(FULL, `${file}: ${handles}`);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return fail(BUSY, `${file}: another program keeps this notebook locked; nothing was changed, try again`);
  if (/^SQLITE_(CORRUPT|NOTADB|ERROR|FORMAT|MISMATCH|CONSTRAINT)/.test(code)) return fail(DAMAGED, damaged(file));
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT')
    return fail(FULL, `${file}: the disk is full and the note was not saved; free some space and save it again`);
  if (/^SQLITE_(READONLY|PERM|AUTH)/.test(code) || ['EACCES', 'EPERM', 'EROFS'].includes(code))
    return fail(UNWRITABLE, unwritable(file));
  if (code === 'SQLITE_CANTOPEN' || code === 'ENOENT' || code === 'ENOTDIR')
    return fail(
      UNWRITABLE,
      `${file}: the notebook cannot be opened or created there; check that the folder exists and is writable`,
    );
  if (/^(SQLITE_|E[A-Z]+$)/.test(code)) {
    const reason = error instanceof Error ? error.message : code;
    const full = code.startsWith('SQLITE_IOERR') || code === 'EFBIG';
    return fail(full ? FULL : UNWRITABLE, `${file}: the notebook cannot be written (${reason}); nothing was changed`);
  }
  throw error;
}

export function damaged(file: string): string {
  return `${file}: this notebook is damaged, or was not written by Tracebench; its readable notes are shown, and nothing is written to it: export its notes, move it to another folder and import them`;
}

export function unwritable(file: string): string {
  return `${file}: this notebook is read-only; to change notes, allow writing to it and its folder, or export them to another one`;
}

export function isSqliteProblem(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');
}
