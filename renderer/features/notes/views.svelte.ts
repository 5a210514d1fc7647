/** The saved views of a notebook: saving, opening, renaming and removing them. */
import type { View } from '../../../shared/requests/notes.ts';
import type { Result } from '../../../shared/base/result.ts';
import { isKeptReport } from '../../trace/report/kept-report.ts';
import { isSavedQuery } from '../../trace/sql/saved-queries.ts';
import type { Layout } from '../../workbench/layout.svelte.ts';
import { viewDraftOf } from '../../trace/notes/note-drafts.ts';
import { captureView, showView, type NoteList } from './saved-view.ts';
import type { Trace } from '../../trace/trace.svelte.ts';

export interface Views {
  readonly all: readonly View[];
  /** The pane lists views instead of notes. */
  isListed: boolean;
  readonly save: (name: string, layout: Layout) => Promise<void>;
  /** Replaces a view by what is on screen now. */
  readonly update: (view: View, layout: Layout) => Promise<void>;
  readonly go: (view: View, layout: Layout) => void;
  readonly rename: (view: View, name: string) => Promise<void>;
  readonly remove: (view: View) => Promise<void>;
  /** Replaces a view, or the report, by its earlier version that an import kept. */
  readonly useEarlier: (earlier: View) => Promise<void>;
}

/** Returns true for an earlier version of the report, which an import kept. */
export function isEarlierReport({ conflictOf }: View): boolean {
  return conflictOf !== undefined && isKeptReport({ id: conflictOf });
}

export function createViews(trace: Trace, list: () => NoteList): Views {
  const { say } = trace;
  const { book } = trace.notes;
  let isListed = $state(false);
  const all = $derived((book.value?.views ?? []).filter((view) => !isKeptReport(view) && !isSavedQuery(view)));

  async function report(result: Promise<Result<unknown>>, done: string): Promise<void> {
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
      const view = { id: crypto.randomUUID(), name, content: captureView(trace, list(), layout) };
      await report(
        book.change('view saved', () => ({ putViews: [view] })),
        `The view ${name} was saved`,
      );
    },
    async update(view, layout) {
      const content = captureView(trace, list(), layout);
      await report(
        book.change('view changed', () => ({ putViews: [{ ...viewDraftOf(view, view.revision), content }] })),
        `The view ${view.name} was updated`,
      );
    },
    go(view, layout) {
      if (isEarlierReport(view)) {
        say('This is an earlier version of the report. Choose Use this version to see it.');
        return;
      }
      const messages = {
        all: `View ${view.name}`,
        elsewhere: `The view ${view.name} was saved while the trace was read with other settings, so its record and range were not restored.`,
        nothing: `The view ${view.name} cannot be read. Save a new one.`,
      };
      say(messages[showView(view.content, trace, list(), layout)]);
    },
    async rename(view, name) {
      if (name === view.name) return;
      await report(
        book.change('view renamed', () => ({ putViews: [{ ...viewDraftOf(view, view.revision), name }] })),
        `The view was renamed to ${name}`,
      );
    },
    async remove(view) {
      await report(
        book.change('view removed', () => ({ removeViews: [{ id: view.id, revision: view.revision }] })),
        `The view ${view.name} was removed; Ctrl+Z restores it`,
      );
    },
    async useEarlier(earlier) {
      await report(
        book.change('conflict resolved', ({ views }) => {
          const later = views.find(({ id }) => id === earlier.conflictOf);
          if (later === undefined) return null;
          const put = { ...viewDraftOf(earlier, later.revision), id: later.id };
          return { putViews: [put], removeViews: [{ id: earlier.id, revision: earlier.revision }] };
        }),
        `${earlier.name}: the earlier version is used; Ctrl+Z takes this back`,
      );
    },
  };
}
