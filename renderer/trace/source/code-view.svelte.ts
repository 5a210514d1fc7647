/**
 * The code that the panes Source and Disassembly show: that of the cursor, unless a person chose other code after the cursor moved there.
 */
import type { SourcePlace } from '../../../shared/requests/source/answers.ts';
import type { Hex } from '../../../shared/base/units.ts';
import { attached } from '../attached.svelte.ts';
import { createQuestion, type Question } from '../questions/question.svelte.ts';
import type { TraceBase } from '../trace-base.ts';

export interface ChosenCode {
  readonly file?: string;
  readonly line?: number;
  readonly address?: Hex;
}

export interface CodeView {
  /** Place in the source of the instruction at the cursor. */
  readonly place: Question<number, SourcePlace>;
  /** Asks for the place of the cursor. An effect calls this. */
  readonly follow: () => void;
  /** Code that a person chose while the cursor was where it is; null if they did not. */
  readonly chosen: ChosenCode | null;
  readonly show: (code: ChosenCode) => void;
  /** Shows the code at the cursor again. */
  readonly release: () => void;
}

export const codeView = attached((trace: TraceBase): CodeView => {
  let choice = $state.raw<{ readonly code: ChosenCode; readonly at: number } | null>(null);
  const { cursor, client, id } = trace;
  const place = createQuestion<number, SourcePlace>((at, signal) =>
    client.request('sourceAt', { trace: id, at }, { signal }),
  );
  return {
    place,
    follow() {
      if (cursor.n < trace.reach.records) place.ask(cursor.n);
    },
    get chosen() {
      return choice !== null && choice.at === cursor.n ? choice.code : null;
    },
    show(code) {
      choice = { code, at: cursor.n };
    },
    release() {
      choice = null;
    },
  };
});
