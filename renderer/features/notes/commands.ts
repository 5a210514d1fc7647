/** Commands of the Notes pane. */
import { onTrace, type Command } from '../../workbench/command.ts';
import { placeOf, type Facts } from '../../workbench/context/facts.ts';
import type { App } from '../../workbench/app.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import { pickText } from '../../widgets/pick.ts';
import { saveFile } from '../../widgets/save.ts';
import { notesPane } from './notes-pane.svelte.ts';

export const commands: readonly Command[] = [
  onTrace(
    { id: 'bookmark', title: 'Bookmark here', key: 'b', menu: 'Notes' },
    (trace, _app, about) => void trace.notes.bookmark(about && placeOf(trace, about)),
  ),
  onTrace(
    { id: 'note', title: 'Note here…', key: 'n', menu: 'Notes' },
    (trace, app, about) => void write(trace, app, about),
  ),
  onTrace({ id: 'next-note', title: 'Next note', key: 'm', menu: 'Notes' }, ({ notes }) => notes.walk(1)),
  onTrace({ id: 'previous-note', title: 'Previous note', key: 'Shift+M', menu: 'Notes' }, ({ notes }) =>
    notes.walk(-1),
  ),
  onTrace(
    { id: 'undo', title: 'Undo change of notes', key: 'Ctrl+Z', menu: 'Notes', leavesText: true },
    ({ notes }) => void notes.undo(),
  ),
  onTrace(
    { id: 'redo', title: 'Redo change of notes', key: 'Ctrl+Shift+Z Ctrl+Y', menu: 'Notes', leavesText: true },
    ({ notes }) => void notes.redo(),
  ),
  onTrace({ id: 'save-view', title: 'Save this view…', key: 'v', menu: 'Notes' }, (trace, app) => {
    notesPane(trace).views.isListed = true;
    app.show('notes');
  }),
  onTrace({ id: 'import-notes', title: 'Import notes…', menu: 'Notes' }, (trace) => void importNotes(trace)),
  onTrace({ id: 'export-notes', title: 'Export notes…', menu: 'Notes' }, (trace) => void exportNotes(trace)),
];

async function write(trace: Trace, app: App, about?: Facts): Promise<void> {
  const pane = notesPane(trace);
  pane.views.isListed = false;
  await pane.begin(about && placeOf(trace, about));
  app.show('notes');
}

/** Largest file that is read, in characters. The engine has a limit of its own. */
const MOST = 64_000_000;

async function importNotes({ notes, say }: Trace): Promise<void> {
  const file = await pickText('.json,application/json');
  if (!file) return;
  if (file.text === undefined)
    say(
      `${file.name} could not be read. It may have changed since you chose it, or you may lack permission. Choose it again.`,
    );
  else if (file.text.length > MOST)
    say(`${file.name} is too large to be a file of notes. Choose a file that Tracebench exported.`);
  else await notes.merge(file.text);
}

async function exportNotes({ notes, name, say }: Trace): Promise<void> {
  const text = await notes.book.exported();
  if (text.ok) saveFile(text.value, 'application/json', `${name}.notes.json`);
  else say(text.error.message);
}
