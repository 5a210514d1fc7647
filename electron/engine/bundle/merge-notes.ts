/**
 * Joins the notes, or the views, of two bundles. It is a function of two sets of versions: the order of the two does not matter, joining a
 * set with itself changes nothing, and no version is lost. Of several versions of one note the latest keeps its id, and every other one
 * becomes a conflict, as an import into a notebook keeps it.
 */
import type { Note, Taken, View } from '../../../shared/requests/notes.ts';
import { conflictId, withConflicts } from '../notebook/conflicts.ts';

/** @param contentOf returns a text that is equal for versions that say the same */
export function mergeItems<T extends Note | View>(
  a: readonly T[],
  b: readonly T[],
  contentOf: (item: T) => string,
): { readonly items: readonly T[]; readonly taken: Taken } {
  const mine = new Map(a.map((item) => [item.id, item]));
  const versions = new Map<string, T[]>();
  for (const item of [...a, ...b]) versions.set(item.id, [...(versions.get(item.id) ?? []), item]);
  const merged = new Map<string, T>();
  const earlier: T[] = [];
  for (const [id, all] of versions) {
    const [latest, ...others] = distinct(all, contentOf);
    if (latest !== undefined) merged.set(id, latest);
    earlier.push(...others);
  }
  for (const item of earlier.sort(byVersion)) keepConflict(merged, item, contentOf);
  const items = withoutRepeated(merged, contentOf).sort(inOrder);
  const wasThere = (item: T): boolean => {
    const before = mine.get(item.id);
    return before !== undefined && contentOf(before) === contentOf(item);
  };
  const changed = items.filter((item) => !wasThere(item));
  const conflicts = changed.filter(({ id }) => !versions.has(id)).length;
  const updated = changed.filter(({ id }) => mine.has(id)).length;
  return {
    items,
    taken: { added: changed.length - conflicts - updated, updated, conflicts, same: items.length - changed.length },
  };
}

/** Returns the versions that differ in content, the latest first. Of those with one content, the latest stands for all. */
function distinct<T extends Note | View>(all: readonly T[], contentOf: (item: T) => string): readonly T[] {
  const latestFirst = all.toSorted(byVersion);
  return latestFirst.filter((item, i) => latestFirst.findIndex((one) => contentOf(one) === contentOf(item)) === i);
}

/** Versions of the same time are ordered by what they say, so that every machine orders them alike. */
function byVersion(a: Note | View, b: Note | View): number {
  if (a.changed !== b.changed) return a.changed > b.changed ? -1 : 1;
  const [first, second] = [JSON.stringify(a), JSON.stringify(b)];
  return first === second ? 0 : first > second ? -1 : 1;
}

function keepConflict<T extends Note | View>(merged: Map<string, T>, item: T, contentOf: (item: T) => string): void {
  const content = contentOf(item);
  for (let attempt = 0; ; attempt++) {
    const id = conflictId(item.id, content, attempt);
    const there = merged.get(id);
    if (there !== undefined && contentOf(there) !== content) continue;
    const kept = { ...item, id };
    if (there === undefined || byVersion(kept, there) < 0) merged.set(id, kept);
    return;
  }
}

/** Leaves out conflicts that say what their note says by now: somebody decided for that version. */
function withoutRepeated<T extends Note | View>(merged: ReadonlyMap<string, T>, contentOf: (item: T) => string): T[] {
  const repeated = new Set(
    withConflicts([...merged.values()]).flatMap((item) => {
      const latest = item.conflictOf === undefined ? undefined : merged.get(item.conflictOf);
      return latest !== undefined && contentOf(latest) === contentOf(item) ? [item.id] : [];
    }),
  );
  return [...merged.values()].filter(({ id }) => !repeated.has(id));
}

function inOrder(a: Note | View, b: Note | View): number {
  if ('order' in a && 'order' in b && a.order !== b.order) return a.order - b.order;
  return a.id < b.id ? -1 : 1;
}
