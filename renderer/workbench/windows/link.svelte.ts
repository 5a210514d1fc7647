/**
 * Keeps a trace the same in two windows: cursor, range, address, zoom, theme, and the choices in panes that the view of a trace keeps. Each
 * window sends what changes, and takes over what the other one sends. The workbench keeps the view, so it also keeps what a person changes
 * in a pane in its own window. Everything else, such as a search or a folded call, belongs to its window.
 */
import { untrack } from 'svelte';
import type { Span } from '../../../present/base/axis.ts';
import type { Kind } from '../../../shared/records/record.ts';
import type { FunctionId } from '../../../shared/requests/flow.ts';
import type { AddressSpan, Range, RegisterName } from '../../trace/cursor.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import type { ColumnChoice, Selection, Stretch } from '../../trace/view.svelte.ts';
import type { SavedWatches } from '../../trace/watches/saved-watch.ts';
import type { Theme, ThemeStore } from '../theme.svelte.ts';

/** State that windows share, as a message can carry it. */
export interface Shared {
  readonly n: number;
  readonly address: AddressSpan | null;
  readonly register: RegisterName | null;
  readonly about: 'address' | 'register';
  readonly range: Range | null;
  readonly folded: boolean;
  readonly stretch: Stretch;
  readonly kinds: readonly Kind[] | null;
  readonly disassembly: boolean;
  readonly selection: Selection | null;
  readonly lens: Span | null;
  readonly columns: ColumnChoice;
  readonly tracks: readonly string[];
  /** Function in the centre of the call graph, and the CPU whose calls are shown over time. */
  readonly centre: FunctionId | null;
  readonly callsCpu: number | undefined;
  readonly watches: SavedWatches;
  /** Options of all panes. */
  readonly options: object;
  readonly theme: Theme;
}

export interface Link {
  /** Takes over the state of the other window. */
  readonly receive: (state: Shared) => void;
  readonly stop: () => void;
}

/** @param send called with the state after each change that did not come from the other window */
export function link(trace: Trace, theme: ThemeStore, send: (state: Shared) => void): Link {
  /** State that both windows have, as text. */
  let known = textOf(stateOf(trace, theme));
  const stop = $effect.root(() => {
    $effect(() => {
      const state = stateOf(trace, theme);
      const text = textOf(state);
      if (text === known) return;
      known = text;
      untrack(() => send(state));
    });
  });
  return {
    receive(state) {
      apply(state, trace, theme);
      known = textOf(stateOf(trace, theme));
    },
    stop,
  };
}

function stateOf({ calls, cursor, paneOptions, view, watches }: Trace, theme: ThemeStore): Shared {
  const { n, address, register, about, range } = cursor;
  const { folded, stretch, kinds, disassembly, selection, lens, columns, tracks } = view;
  return {
    ...{ n, address, register, about, range },
    ...{ folded, stretch, kinds, disassembly, selection, lens, columns, tracks },
    centre: calls.centre,
    callsCpu: calls.cpu,
    watches: watches.saved,
    options: paneOptions.saved,
    theme: theme.current,
  };
}

/** Sets only what differs: some setters reset other values. */
function apply(next: Shared, trace: Trace, theme: ThemeStore): void {
  const { calls, cursor, paneOptions, view, watches } = trace;
  const before = stateOf(trace, theme);
  const differs = (name: keyof Shared): boolean => textOf(before[name]) !== textOf(next[name]);
  if (differs('n')) cursor.step(next.n);
  if (differs('address')) cursor.setAddress(next.address);
  if (differs('register')) cursor.setRegister(next.register);
  if (cursor.about !== next.about) {
    if (next.about === 'address') cursor.setAddress(next.address);
    else cursor.setRegister(next.register);
  }
  if (differs('range')) cursor.range = next.range;
  if (differs('folded')) view.folded = next.folded;
  if (differs('lens')) view.lens = next.lens;
  if (differs('stretch')) view.showStretch(next.stretch);
  if (differs('kinds')) view.kinds = next.kinds;
  if (differs('disassembly')) view.disassembly = next.disassembly;
  if (differs('selection')) view.selection = next.selection;
  if (differs('columns')) view.columns = next.columns;
  if (differs('tracks')) view.tracks = next.tracks;
  if (differs('centre')) {
    if (next.centre === null) calls.restoreCentre(null);
    else calls.centreOn(next.centre);
  }
  if (differs('callsCpu')) calls.cpu = next.callsCpu;
  if (differs('watches')) watches.restore(next.watches);
  if (differs('options')) paneOptions.restore(next.options);
  if (differs('theme')) theme.toggle();
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `0x${part.toString(16)}` : part));
}
