/** The saved views of a notebook: kept, gone to, renamed, removed. */
import type { View } from '../../../shared/requests/notes.ts';
import type { Result } from '../../../shared/base/result.ts';
import { isKeptReport } from '../../trace/report/kept-report.ts';
import type { Layout } from '../../workbench/layout.svelte.ts';
import { viewDraftOf } from '../../trace/notes/note-drafts.ts';
import type { NotebookStore } from '../../trace/notes/notebook.svelte.ts';
import { captureView, showView } from './saved-view.ts';
import type { Trace } from '../../trace/trace.svelte.ts';

export interface Views {
  readonly all: readonly View[];
  /** The list of views instead of that of notes is in front. */
  isListed: boolean;
  readonly save: (name: string, layout: Layout) => Promise<void>;
  /** What it shows becomes what is on screen now. */
  readonly update: (view: View, layout: Layout) => Promise<void>;
  readonly go: (view: View, layout: Layout) => void;
  readonly rename: (view: View, name: string) => Promise<void>;
  readonly remove: (view: View) => Promise<void>;
}

export function createViews(book: NotebookStore, trace: () => Trace, say: (text: string) => void): Views {
  let isListed = $state(false);
  const all = $derived((book.value?.views ?? []).filter((view) => !isKeptReport(view)));

  async function tell(result: Promise<Result<unknown>>, done: string): Promise<void> {
    const answer = await result;
    say(answer.ok ? done : answer.error.message);
  }

  return {
    get all() {
      return all;
    },
    get isListed() {
      return isListed;
    },
    set isListed(next) {
      isListed = next;
    },
    async save(name, layout) {
      const view = { id: crypto.randomUUID(), name, content: captureView(trace(), layout) };
      await tell(
        book.change('view saved', () => ({ putViews: [view] })),
        `The view ${name} was saved`,
      );
    },
    async update(view, layout) {
      const content = captureView(trace(), layout);
      await tell(
        book.change('view changed', () => ({ putViews: [{ ...viewDraftOf(view, view.revision), content }] })),
        `The view ${view.name} shows what you see now`,
      );
    },
    go(view, layout) {
      const told = {
        all: `View ${view.name}`,
        elsewhere: `The view ${view.name} was saved when the trace was read another way: record and range stay as they are.`,
        nothing: `The view ${view.name} cannot be read: save another one.`,
      };
      say(told[showView(view.content, trace(), layout)]);
    },
    async rename(view, name) {
      if (name === view.name) return;
      await tell(
        book.change('view renamed', () => ({ putViews: [{ ...viewDraftOf(view, view.revision), name }] })),
        `The view is called ${name} now`,
      );
    },
    async remove(view) {
      await tell(
        book.change('view removed', () => ({ removeViews: [{ id: view.id, revision: view.revision }] })),
        `The view ${view.name} was removed; Ctrl+Z brings it back`,
      );
    },
  };
}
