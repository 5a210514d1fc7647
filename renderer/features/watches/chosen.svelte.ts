/** The row that commands and the history are about: a watch, or a member of one. */
import type { WatchSubject } from '../../../shared/requests/watches.ts';
import { attached } from '../../trace/attached.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import { plainRow } from './watch-rows.ts';

export interface Target {
  readonly label: string;
  readonly subject: WatchSubject;
}

export interface Chosen {
  /** Key of the chosen row of the pane; null = the chosen watch itself. */
  row: string | null;
  /** Target of the chosen row, as the pane knows it. */
  target: Target | null;
  /** Target of commands; undefined if there is none. */
  readonly current: Target | undefined;
}

export const targetOf = attached((trace: Trace): Chosen => {
  let row = $state<string | null>(null);
  let target = $state.raw<Target | null>(null);
  return {
    get row() {
      return row;
    },
    set row(next) {
      row = next;
    },
    get target() {
      return target;
    },
    set target(next) {
      target = next;
    },
    get current() {
      if (target) return target;
      const { list, chosen, endian } = trace.watches;
      const watch = list.find(({ id }) => id === chosen) ?? list[0];
      const own = watch && plainRow(watch, endian);
      return own?.subject ? { label: own.label, subject: own.subject } : undefined;
    },
  };
});
