/** State above the panes: the open dialog, and requests that a pane carries out (take the focus, export your chart). */
import type { Settings } from './keeper.svelte.ts';

export type Dialog =
  | 'go'
  | 'palette'
  | 'help'
  | 'open'
  | 'images'
  | 'images-b'
  | 'report'
  | 'layout'
  | 'compare'
  | 'bundle'
  | 'merge-bundle';

export interface Shell {
  dialog: Dialog | null;
  /** Single-character keys run commands. They can be switched off (WCAG 2.1.4). */
  singleKeys: boolean;
  /** Keys that a person changed, by the id of the command. */
  readonly keys: Readonly<Record<string, string>>;
  /** Changes the key of a command; without a key, the command has its own again. */
  readonly setKey: (id: string, key?: string) => void;
  readonly resetKeys: () => void;
  /** Named layouts as JSON. */
  readonly layouts: Readonly<Record<string, string>>;
  /** Keeps a layout under a name, in place of an earlier one; without a layout, forgets the name. */
  readonly setLayout: (name: string, layout?: unknown) => void;
  /**
   * Pane that should take the focus as soon as it has an element that can; null once the focus has moved, there or elsewhere.
   * `at` counts requests, so that the same request can be made twice.
   */
  readonly focusRequest: { readonly pane: string | null; readonly at: number };
  /** Number of the focus request for a pane; 0 if there is none. */
  readonly focusRequestFor: (pane: string) => number;
  readonly focus: (pane: string) => void;
  /** The pane has received the request. If the focus moves elsewhere afterwards, a person moved it. */
  readonly focusReceived: () => void;
  /** Reports that an element in a pane (undefined: outside all panes) has the focus. */
  readonly focusMoved: (to: string | undefined) => void;
  /** Pane used last. */
  pane: string | null;
  /** Pane that should open its menu for exporting a figure, until it has done so. */
  readonly figureRequest: string | null;
  readonly exportFigure: (pane: string) => void;
  readonly figureReceived: () => void;
  /** Step of the tour that is shown, starting at 0; null outside the tour. Leaving it is kept, so that it is offered once. */
  tour: number | null;
  /** The tour has not been seen or left before. */
  readonly isTourNew: boolean;
}

export function createShell({ kept, keep }: Settings): Shell {
  let dialog = $state<Dialog | null>(null);
  let singleKeys = $state(kept.singleKeys ?? true);
  let keys = $state.raw(kept.keys ?? {});
  let layouts = $state.raw(kept.layouts ?? {});
  let pane = $state<string | null>(null);
  let figureRequest = $state<string | null>(null);
  let tour = $state<number | null>(null);
  let isTourNew = $state(kept.tourSeen !== true);
  let focusRequest = $state.raw<Shell['focusRequest']>({ pane: null, at: 0 });
  let isReceived = false;

  function keepKeys(next: Readonly<Record<string, string>>): void {
    keys = next;
    keep({ keys: next });
  }

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
      keep({ singleKeys: next });
    },
    get keys() {
      return keys;
    },
    setKey(id, key) {
      const others = Object.entries(keys).filter(([other]) => other !== id);
      keepKeys(Object.fromEntries(key === undefined ? others : [...others, [id, key]]));
    },
    resetKeys: () => keepKeys({}),
    get layouts() {
      return layouts;
    },
    setLayout(name, layout) {
      const others = Object.entries(layouts).filter(([other]) => other !== name);
      layouts = Object.fromEntries(layout === undefined ? others : [...others, [name, JSON.stringify(layout)]]);
      keep({ layouts });
    },
    get focusRequest() {
      return focusRequest;
    },
    focusRequestFor: (wanted) => (focusRequest.pane === wanted ? focusRequest.at : 0),
    focus(wanted) {
      // Keys refer to this pane starting at now, even if it has nothing to focus yet.
      pane = wanted;
      focusRequest = { pane: wanted, at: focusRequest.at + 1 };
      isReceived = false;
    },
    focusReceived() {
      isReceived = true;
    },
    focusMoved(to) {
      // A closing dialog returns the focus to where it was: that must not end a request that no pane has received.
      if (focusRequest.pane !== null && (isReceived || to === focusRequest.pane))
        focusRequest = { pane: null, at: focusRequest.at };
    },
    get pane() {
      return pane;
    },
    set pane(next) {
      pane = next;
    },
    get figureRequest() {
      return figureRequest;
    },
    exportFigure: (of) => (figureRequest = of),
    figureReceived: () => (figureRequest = null),
    get tour() {
      return tour;
    },
    set tour(next) {
      if (next === null && tour !== null && isTourNew) {
        isTourNew = false;
        keep({ tourSeen: true });
      }
      tour = next;
    },
    get isTourNew() {
      return isTourNew;
    },
  };
}
