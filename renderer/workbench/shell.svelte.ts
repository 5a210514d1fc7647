/** What stands over the panes: one dialog at most, and wishes that a pane fulfils (focus me, focus the search box, give me your chart). */
import { load, save } from '../trace/persisted.ts';
import type { PaneId } from './layout.svelte.ts';

export type Dialog = 'go' | 'palette' | 'help' | 'open' | 'images' | 'report';

export interface Shell {
  dialog: Dialog | null;
  /** Single-character keys can be switched off (WCAG 2.1.4). */
  singleKeys: boolean;
  /**
   * The pane that shall have the focus as soon as it has something that takes it; null once the focus has moved, to it or elsewhere:
   * what comes later does not take it away. `at` counts wishes so that the same one can be made twice.
   */
  readonly wish: { readonly what: PaneId | null; readonly at: number };
  readonly focus: (what: PaneId) => void;
  /** The pane has heard the wish: from now on a focus that moves elsewhere is a person's. */
  readonly focusHeard: () => void;
  /** Something inside a pane, or outside all, has the focus. */
  readonly focusMoved: (to: string | undefined) => void;
  /** The pane that somebody turned to last. */
  pane: PaneId | null;
  /** The pane whose chart somebody wishes to take away as a file, until the pane has seen to it. */
  readonly figure: PaneId | null;
  readonly exportFigure: (of: PaneId) => void;
  readonly figureSeen: () => void;
}

export function createShell(): Shell {
  let dialog = $state<Dialog | null>(null);
  let singleKeys = $state(load(localStorage, 'single-keys', isBoolean, true));
  let pane = $state<PaneId | null>(null);
  let figure = $state<PaneId | null>(null);
  let wish = $state.raw<Shell['wish']>({ what: null, at: 0 });
  let isHeard = false;
  return {
    get dialog() {
      return dialog;
    },
    set dialog(next) {
      dialog = next;
    },
    get singleKeys() {
      return singleKeys;
    },
    set singleKeys(next) {
      singleKeys = next;
      save(localStorage, 'single-keys', next);
    },
    get wish() {
      return wish;
    },
    focus(what) {
      // Also a pane that has nothing to focus yet is what keys are about now.
      pane = what;
      wish = { what, at: wish.at + 1 };
      isHeard = false;
    },
    focusHeard() {
      isHeard = true;
    },
    focusMoved(to) {
      // A dialog that closes hands the focus back to where it was before.
      if (wish.what !== null && (isHeard || to === wish.what)) wish = { what: null, at: wish.at };
    },
    get pane() {
      return pane;
    },
    set pane(next) {
      pane = next;
    },
    get figure() {
      return figure;
    },
    exportFigure: (of) => (figure = of),
    figureSeen: () => (figure = null),
  };
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}
