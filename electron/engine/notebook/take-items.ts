/** Takes notes and views of an export into a notebook. No version is lost: if both sides have an item in another version, both stay. */
import { NONE_TAKEN, type Note, type NotesImported, type Taken, type View } from '../../../shared/requests/notes.ts';
import { conflictId } from './conflicts.ts';
import { contentOfNote, contentOfView } from './rows.ts';

/** The notes, or the views, of a notebook. */
export interface Items<T> {
  /** Returns `unreadable` for an item that is there and cannot be read. */
  readonly find: (id: string) => T | 'unreadable' | undefined;
  readonly put: (item: T) => void;
}

export type Merged = Omit<NotesImported, 'notebook'>;

/** Adds items that are missing. Of an existing item the newer version is used, and the earlier one is kept as a conflict. */
export function takeAll(
  into: { readonly notes: Items<Note>; readonly views: Items<View> },
  { notes, views }: { readonly notes: readonly Note[]; readonly views: readonly View[] },
): Merged {
  return {
    ...takeItems(into.notes, notes, contentOfNote),
    views: takeItems(into.views, views, contentOfView),
  };
}

/** @param contentOf returns a text that is equal for versions that say the same */
function takeItems<T extends Note | View>(into: Items<T>, items: readonly T[], contentOf: (item: T) => string): Taken {
  const counts: { -readonly [K in keyof Taken]: Taken[K] } = { ...NONE_TAKEN };
  for (const item of items) {
    const there = into.find(item.id);
    if (there === undefined) {
      into.put(item);
      counts.added++;
      continue;
    }
    // An item that cannot be read stays as it is.
    const mine = there === 'unreadable' ? undefined : there;
    const isNewer = mine !== undefined && mine.changed < item.changed;
    const differs = mine === undefined || contentOf(mine) !== contentOf(item);
    const isKept = differs && keepConflict(into, isNewer ? mine : item, contentOf);
    if (isKept) counts.conflicts++;
    if (isNewer) {
      into.put(item);
      counts.updated++;
    } else if (!isKept) counts.same++;
  }
  return counts;
}

/** Stores an earlier version of a note or view. Returns false if the notebook has it already. */
function keepConflict<T extends Note | View>(into: Items<T>, earlier: T, contentOf: (item: T) => string): boolean {
  const content = contentOf(earlier);
  for (let attempt = 0; ; attempt++) {
    const id = conflictId(earlier.id, content, attempt);
    const there = into.find(id);
    if (there === undefined) {
      into.put({ ...earlier, id });
      return true;
    }
    if (there !== 'unreadable' && contentOf(there) === content) return false;
  }
}
