/** What can go wrong with a notebook's file, as sentences. */
import { fail, type Result } from '../../../shared/base/result.ts';

/** Codes of failures: nothing can be written there; it is not sound; another program keeps it locked for too long. */
export const UNWRITABLE = 'notebook-unwritable';
export const DAMAGED = 'notebook-damaged';
export const BUSY = 'notebook-busy';
/** What a person named as notebook is none, or one of another trace. */
export const UNWANTED = 'notebook-unwanted';
/** No room on the disk. */
export const FULL = 'notebook-full';

/** The failure behind what SQLite or the file system threw; anything else is our own mistake and thrown on. */
export function problemOf(file: string, error: unknown): Result<never> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === undefined) throw error;
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return fail(BUSY, `${file}: another program keeps this notebook locked; nothing was changed, try again`);
  if (/^SQLITE_(CORRUPT|NOTADB|ERROR|FORMAT|MISMATCH|CONSTRAINT)/.test(code)) return fail(DAMAGED, damaged(file));
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT')
    return fail(FULL, `${file}: the disk is full and the note is not saved; free some room and save it again`);
  if (/^SQLITE_(READONLY|PERM|AUTH)/.test(code) || ['EACCES', 'EPERM', 'EROFS'].includes(code))
    return fail(UNWRITABLE, unwritable(file));
  if (code === 'SQLITE_CANTOPEN' || code === 'ENOENT' || code === 'ENOTDIR')
    return fail(
      UNWRITABLE,
      `${file}: the notebook cannot be opened or made there; see that the folder exists and may be written`,
    );
  if (/^(SQLITE_|E[A-Z]+$)/.test(code)) {
    const reason = error instanceof Error ? error.message : code;
    const full = code.startsWith('SQLITE_IOERR') || code === 'EFBIG';
    return fail(full ? FULL : UNWRITABLE, `${file}: the notebook cannot be written (${reason}); nothing was changed`);
  }
  throw error;
}

export function damaged(file: string): string {
  return `${file}: this notebook is damaged, or another program made it up differently; what can be read of it is shown and nothing is written to it: export its notes, move it to another folder and import them`;
}

export function unwritable(file: string): string {
  return `${file}: this notebook may only be read; to change notes, allow writing to it and its folder, or export them to another one`;
}

export function isSqliteProblem(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');
}
