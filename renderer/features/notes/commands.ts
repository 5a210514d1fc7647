/** What the commands about notes do: files are picked and handed over here, everything else is the store's. */
import { pickText } from '../../widgets/pick.ts';
import { saveFile } from '../../widgets/save.ts';
import type { Layout } from '../../workbench/layout.svelte.ts';
import type { Shell } from '../../workbench/shell.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';

export interface NoteActions {
  readonly write: (trace: Trace) => Promise<void>;
  readonly saveView: (trace: Trace) => void;
  readonly import: (trace: Trace) => Promise<void>;
  readonly export: (trace: Trace) => Promise<void>;
}

export function createNoteActions(layout: Layout, shell: Shell, say: (text: string) => void): NoteActions {
  function show(): void {
    layout.open('notes');
    shell.focus('notes');
  }

  return {
    async write({ notes }) {
      notes.views.isListed = false;
      await notes.begin();
      show();
    },
    saveView({ notes }) {
      notes.views.isListed = true;
      show();
    },
    async import({ notes }) {
      const file = await pickText('.json,application/json');
      if (!file) return;
      if (file.text === undefined)
        say(
          `${file.name} could not be read: it may have changed since it was chosen, or be closed to you; choose it again.`,
        );
      else if (file.text.length > MOST)
        say(`${file.name} is too large for a file of notes: pick one that Tracebench has exported.`);
      else await notes.merge(file.text);
    },
    async export({ notes, name }) {
      const text = await notes.book.exported();
      if (text.ok) saveFile(text.value, 'application/json', `${name}.notes.json`);
      else say(text.error.message);
    },
  };
}

/** Characters; the engine refuses what is larger too, in its own words. */
const MOST = 64_000_000;
