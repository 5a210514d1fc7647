/**
 * Conflicts: earlier versions of notes and views that an import keeps for the person to decide about. Such a version is an ordinary note or
 * view, so that every notebook and export can hold it. Its id is `DIGEST-was-ID`: a digest of its content, and the id of its note.
 */
import { createHash } from 'node:crypto';

const PREFIX = /^[0-9a-f]{8}-was-/;
/** Longer ids are replaced by a digest, because an id has at most 64 characters. */
const LONGEST = 64 - 'xxxxxxxx-was-'.length;

/** Returns the id for an earlier version of the note or view `id`. `attempt` distinguishes versions with the same digest. */
export function conflictId(id: string, content: string, attempt: number): string {
  return `${digest(`${content} ${String(attempt)}`).slice(0, 8)}-was-${keyOf(id.replace(PREFIX, ''))}`;
}

/** Returns true for an id that `conflictId` has made. */
export function isEarlier({ id }: { readonly id: string }): boolean {
  return PREFIX.test(id);
}

/** Adds `conflictOf` to earlier versions: the id of their note or view. A version whose note was removed is an ordinary note. */
export function withConflicts<T extends { readonly id: string }>(
  items: readonly T[],
): readonly (T & { readonly conflictOf?: string })[] {
  if (!items.some(isEarlier)) return items;
  const ids = new Map(items.map(({ id }) => [keyOf(id), id]));
  return items.map((item) => {
    const conflictOf = isEarlier(item) ? ids.get(item.id.replace(PREFIX, '')) : undefined;
    return conflictOf === undefined ? item : { ...item, conflictOf };
  });
}

function keyOf(id: string): string {
  return id.length <= LONGEST ? id : digest(id).slice(0, 32);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
