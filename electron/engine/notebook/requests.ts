/** Handles the notebook requests. */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Arguments, TraceId } from '../../../shared/requests/requests.ts';
import { NOTEBOOK_UNREADABLE } from '../../../shared/requests/failures.ts';
import type { NoteDraft, Notebook, NotePlace, NotesImported } from '../../../shared/requests/notes.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import type { Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import { noteProblem, plainLine, viewProblem } from './check-note.ts';
import { withConflicts } from './conflicts.ts';
import { readNotes, writeNotes, type Exchanged } from './exchange.ts';
import type { NoteEdit } from './notebook-file.ts';
import type { Held } from './notebook.ts';
import { offsetsOf, placed, placeOf } from './place-notes.ts';

export async function notebook(trace: Trace): Promise<Result<Notebook>> {
  const held = await trace.notebook.readSoon();
  return held.ok ? answer(trace, held.value) : held;
}

export async function changeNotebook(trace: Trace, args: Arguments<'changeNotebook'>): Promise<Result<Notebook>> {
  const held = await trace.notebook.readSoon();
  if (!held.ok) return held;
  const shown = await answer(trace, held.value);
  if (!shown.ok) return shown;
  const kept = new Map(held.value.notes.map((note) => [note.id, note]));
  const seen = new Map(shown.value.notes.map((note) => [note.id, note]));
  const offsets = await offsetsOf(
    trace,
    (args.put ?? []).map(({ place }) => place.n),
  );
  if (!offsets.ok) return offsets;
  const put: NoteEdit[] = [];
  for (const draft of args.put ?? []) {
    const edit = editOf(placeOf(trace, draft.place, offsets.value, kept.get(draft.id), seen.get(draft.id)), draft);
    if (!edit.ok) return edit;
    put.push(edit.value);
  }
  const putViews = (args.putViews ?? []).map((view) => ({
    ...view,
    name: plainLine(view.name),
    content: view.content.toWellFormed(),
  }));
  const wrong = putViews.map((view) => viewProblem({ ...view, changed: SOME_TIME, revision: 0 })).find(Boolean);
  if (wrong !== undefined) return fail('usage', `the view: ${wrong}`);
  const changed = await trace.notebook.change({
    put,
    remove: args.remove ?? [],
    putViews,
    removeViews: args.removeViews ?? [],
  });
  return changed.ok ? notebook(trace) : changed;
}

function editOf(place: Result<NotePlace>, draft: NoteDraft): Result<NoteEdit> {
  if (!place.ok) return place;
  const { id, colour, order, created, revision } = draft;
  const edit = {
    id,
    title: plainLine(draft.title),
    text: draft.text.toWellFormed(),
    colour,
    tags: draft.tags.map(plainLine),
    place: place.value,
    ...(order === undefined ? {} : { order }),
    ...(created === undefined ? {} : { created }),
    ...(revision === undefined ? {} : { revision }),
  };
  const wrong = noteProblem({ order: 0, created: SOME_TIME, revision: 0, ...edit, changed: SOME_TIME });
  return wrong === undefined ? ok(edit) : fail('usage', `the note: ${wrong}`);
}

/** Placeholder for a time that the request does not contain. */
const SOME_TIME = '2000-01-01T00:00:00.000Z';

const WATCH_MS = 250;

/** `find` returns the trace as it is open at present, or fails if it is closed. */
export async function watchNotebook(
  find: (id: TraceId) => Result<Trace>,
  { trace: id }: Arguments<'watchNotebook'>,
  task: Task<{ readonly version: number }>,
): Promise<Result<Answer<'watchNotebook'>>> {
  let reported: number | undefined;
  for (;;) {
    if (task.cancelled()) return task.cancel();
    const trace = find(id);
    if (!trace.ok) return trace;
    const version = trace.value.notebook.version();
    if (version !== undefined && version !== reported) {
      task.report({ version });
      reported = version;
    }
    await delay(WATCH_MS, undefined, { ref: false });
  }
}

export async function importNotes(
  trace: Trace,
  { text }: Arguments<'importNotes'>,
): Promise<Result<Answer<'importNotes'>>> {
  const read = readNotes(text);
  if (!read.ok) return read;
  const { of, notes, views } = read.value;
  const its = trace.notebook.isOf(of);
  if (!its.ok) return its;
  if (!its.value)
    return fail(
      'import',
      `these notes belong to another trace, of ${of.bytes.toLocaleString('en')} bytes; open that trace`,
    );
  return importContent(trace, { notes, views });
}

/** Adds notes and views of the same trace. With `dry`, nothing is written, and the answer is what the notebook would be. */
export async function importContent(
  trace: Trace,
  { notes, views }: Pick<Exchanged, 'notes' | 'views'>,
  dry = false,
): Promise<Result<NotesImported>> {
  if (dry) {
    const merged = await trace.notebook.merged(notes, views);
    if (!merged.ok) return merged;
    const then = await answer(trace, merged.value.held);
    return then.ok ? ok({ ...merged.value.taken, notebook: then.value }) : then;
  }
  const merged = await trace.notebook.merge(notes, views);
  if (!merged.ok) return merged;
  const now = await notebook(trace);
  return now.ok ? ok({ ...merged.value, notebook: now.value }) : now;
}

export async function exportNotes(trace: Trace): Promise<Result<Answer<'exportNotes'>>> {
  const held = await trace.notebook.readSoon();
  if (!held.ok) return held;
  const { path: file, problem } = held.value;
  // An export without notes could overwrite an earlier export that contains them.
  if (isUnread(held.value))
    return fail(
      NOTEBOOK_UNREADABLE,
      problem ?? `${file}: nothing in this notebook can be read; name another with --notebook`,
    );
  const identity = trace.notebook.identity();
  return identity.ok ? ok({ text: writeNotes(identity.value, path.basename(trace.file.path), held.value) }) : identity;
}

function isUnread({ exists, unreadable, notes, views }: Held): boolean {
  return exists && unreadable > 0 && notes.length + views.length === 0;
}

async function answer(trace: Trace, held: Held): Promise<Result<Notebook>> {
  const notes = await placed(trace, held.notes);
  if (!notes.ok) return notes;
  return ok({
    path: held.path,
    exists: held.exists,
    ...(held.problem === undefined ? {} : { problem: held.problem }),
    ...(held.notices.length === 0 ? {} : { notices: held.notices }),
    ...(isUnread(held) ? { unread: true } : {}),
    notes: withConflicts(notes.value),
    views: withConflicts(held.views),
    version: held.version,
  });
}
