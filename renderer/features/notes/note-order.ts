/** Order of notes. Each note has a number; a note is moved between two others by a number between theirs. */
import type { Note } from '../../../shared/requests/notes.ts';

export interface Placed {
  readonly id: string;
  readonly order: number;
}

/**
 * Returns the new orders that move a note before another one, or to the end if `before` is null. This is one order, or all orders if
 * there is no number in between.
 * @param notes in their order
 */
export function moveNote(notes: readonly Note[], id: string, before: string | null): readonly Placed[] {
  const others = notes.filter((note) => note.id !== id);
  const at = before === null ? others.length : others.findIndex((note) => note.id === before);
  if (at < 0 || before === id) return [];
  const [left, right] = [others[at - 1]?.order, others[at]?.order];
  const order = between(left, right);
  if (order !== undefined) return [{ id, order }];
  const all = [...others.slice(0, at).map((note) => note.id), id, ...others.slice(at).map((note) => note.id)];
  return all.map((each, place) => ({ id: each, order: place + 1 }));
}

/** Returns a number between two orders; undefined if there is none. */
function between(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined && right === undefined) return 1;
  if (left === undefined) return (right ?? 0) - 1;
  if (right === undefined) return left + 1;
  const middle = left + (right - left) / 2;
  return middle > left && middle < right ? middle : undefined;
}
