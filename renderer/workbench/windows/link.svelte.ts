/**
 * Keeps a trace the same in two windows: cursor, range, address, zoom and theme. Each window sends what changes, and takes over what the
 * other one sends. Everything else, such as a search or a folded call, belongs to its window.
 */
import { untrack } from 'svelte';
import type { Kind } from '../../../shared/records/record.ts';
import type { AddressSpan, Range, RegisterName } from '../../trace/cursor.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import type { Selection, Stretch } from '../../trace/view.svelte.ts';
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

function stateOf({ cursor, view }: Trace, theme: ThemeStore): Shared {
  const { n, address, register, about, range } = cursor;
  const { folded, stretch, kinds, disassembly, selection } = view;
  return { n, address, register, about, range, folded, stretch, kinds, disassembly, selection, theme: theme.current };
}

/** Sets only what differs: some setters reset other values. */
function apply(next: Shared, trace: Trace, theme: ThemeStore): void {
  const { cursor, view } = trace;
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
  if (differs('stretch')) view.showStretch(next.stretch);
  if (differs('kinds')) view.kinds = next.kinds;
  if (differs('disassembly')) view.disassembly = next.disassembly;
  if (differs('selection')) view.selection = next.selection;
  if (differs('theme')) theme.toggle();
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `0x${part.toString(16)}` : part));
}
