/**
 * Undo and redo of a notebook that other programs change as well. A step holds the states before and after a change. It is undone only
 * if the state after it is still there, so that no later change is lost.
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

/** States of a note or view before and after a step; undefined = it did not exist. */
interface Pair<T> {
  readonly id: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** Code of the failure if someone has changed a note or view since the step. */
export const CHANGED_SINCE = 'changed-since';

/** Returns the changes between two states of a notebook. @param ids limits them to these notes and views */
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

/** Returns the reverse of a step: it redoes the step after an undo. */
export function reversed({ what, notes, views }: Step): Step {
  return { what, notes: notes.map(reversedPair), views: views.map(reversedPair) };
}

/** Returns the change that undoes a step in the current notebook. */
export function undoing(step: Step, now: Notebook): Result<Change> {
  const notes = new Map(now.notes.map((note) => [note.id, note]));
  const views = new Map(now.views.map((view) => [view.id, view]));
  const isKept =
    step.notes.every(({ id, after }) => isSameState(notes.get(id), after, isSameNote)) &&
    step.views.every(({ id, after }) => isSameState(views.get(id), after, isSameView));
  if (!isKept)
    return fail(CHANGED_SINCE, `Someone has changed the notebook since (${step.what}), so this step cannot be undone.`);
  return ok({
    put: step.notes.flatMap(({ id, before }) => (before ? [draftOf(before, notes.get(id)?.revision)] : [])),
    remove: step.notes.flatMap(({ id, before }) => (before ? [] : seenRevision(id, notes.get(id)))),
    putViews: step.views.flatMap(({ id, before }) => (before ? [viewDraftOf(before, views.get(id)?.revision)] : [])),
    removeViews: step.views.flatMap(({ id, before }) => (before ? [] : seenRevision(id, views.get(id)))),
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
    return isSameState(pair.before, pair.after, isSame) ? [] : [pair];
  });
}

function isSameState<T>(a: T | undefined, b: T | undefined, isSame: (a: T, b: T) => boolean): boolean {
  return a === undefined || b === undefined ? a === b : isSame(a, b);
}

function reversedPair<T>({ id, before, after }: Pair<T>): Pair<T> {
  return { id, before: after, after: before };
}

function seenRevision(
  id: string,
  now: Note | View | undefined,
): readonly { readonly id: string; readonly revision: number }[] {
  return now ? [{ id, revision: now.revision }] : [];
}
