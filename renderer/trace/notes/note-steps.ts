/**
 * Undo and redo of a notebook that others write to as well: a step knows what it met and what it left. It is taken back only
 * where what it left is still there, so that nobody's later change is lost.
 */
import type { Note, Notebook, NotebookChange, View } from '../../../shared/requests/notes.ts';
import { fail, ok } from '../../../shared/base/result.ts';
import type { Result } from '../../../shared/base/result.ts';
import { draftOf, isSameView, isSameNote, viewDraftOf } from './note-drafts.ts';

/** A change of a notebook, without the trace. */
export type Change = Omit<NotebookChange, 'trace'>;

/** Completes `Undone: ...`. */
export interface Step {
  readonly what: string;
  readonly notes: readonly Pair<Note>[];
  readonly views: readonly Pair<View>[];
}

/** What somebody left: nothing where it is undefined. */
interface Pair<T> {
  readonly id: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** Code of the failure where somebody has changed since what would be taken back. */
export const CHANGED_SINCE = 'changed-since';

/** What changed between two states of a notebook, among these ids, or all. */
export function stepBetween(what: string, before: Notebook | null, after: Notebook, ids?: ReadonlySet<string>): Step {
  return {
    what,
    notes: pairs(before?.notes ?? [], after.notes, isSameNote, ids),
    views: pairs(before?.views ?? [], after.views, isSameView, ids),
  };
}

export function isNothing(step: Step): boolean {
  return step.notes.length === 0 && step.views.length === 0;
}

/** The step the other way round: what redoes it once it is undone. */
export function reversed({ what, notes, views }: Step): Step {
  return { what, notes: notes.map(turned), views: views.map(turned) };
}

/** What takes a step back in a notebook as it is now. */
export function undoing(step: Step, now: Notebook): Result<Change> {
  const notes = new Map(now.notes.map((note) => [note.id, note]));
  const views = new Map(now.views.map((view) => [view.id, view]));
  const isKept =
    step.notes.every(({ id, after }) => agrees(notes.get(id), after, isSameNote)) &&
    step.views.every(({ id, after }) => agrees(views.get(id), after, isSameView));
  if (!isKept) return fail(CHANGED_SINCE, `Somebody has changed that since (${step.what}): it stays as it is.`);
  return ok({
    put: step.notes.flatMap(({ id, before }) => (before ? [draftOf(before, notes.get(id)?.revision)] : [])),
    remove: step.notes.flatMap(({ id, before }) => (before ? [] : seen(id, notes.get(id)))),
    putViews: step.views.flatMap(({ id, before }) => (before ? [viewDraftOf(before, views.get(id)?.revision)] : [])),
    removeViews: step.views.flatMap(({ id, before }) => (before ? [] : seen(id, views.get(id)))),
  });
}

function pairs<T extends Note | View>(
  before: readonly T[],
  after: readonly T[],
  isSame: (a: T, b: T) => boolean,
  ids: ReadonlySet<string> | undefined,
): readonly Pair<T>[] {
  const then = new Map(before.map((one) => [one.id, one]));
  const now = new Map(after.map((one) => [one.id, one]));
  return [...(ids ?? new Set([...then.keys(), ...now.keys()]))].flatMap((id) => {
    const pair = { id, before: then.get(id), after: now.get(id) };
    return agrees(pair.before, pair.after, isSame) ? [] : [pair];
  });
}

function agrees<T>(a: T | undefined, b: T | undefined, isSame: (a: T, b: T) => boolean): boolean {
  return a === undefined || b === undefined ? a === b : isSame(a, b);
}

function turned<T>({ id, before, after }: Pair<T>): Pair<T> {
  return { id, before: after, after: before };
}

function seen(id: string, now: Note | View | undefined): readonly { readonly id: string; readonly revision: number }[] {
  return now ? [{ id, revision: now.revision }] : [];
}
