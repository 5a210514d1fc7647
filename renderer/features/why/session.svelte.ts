/** The questions of a trace one after the other, with back and forward. */
import { attached } from '../../trace/attached.svelte.ts';
import { createHistory } from '../../trace/history.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import type { WhySubject } from './subject.ts';
import { whyOptions } from './options.ts';

export interface Session {
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
  readonly ask: (subject: WhySubject | null) => void;
  /** Calls `use` with a subject that has to be looked up, unless another question came meanwhile. */
  readonly lookUp: <T>(subject: Promise<T>, use: (subject: T) => void) => Promise<void>;
  readonly back: () => void;
  readonly forward: () => void;
}

const REMEMBERED = 100;

export const sessionOf = attached((trace: Trace): Session => {
  const options = whyOptions(trace);
  const history = createHistory<WhySubject | null>(REMEMBERED);
  let moves = $state(0);
  /** Number of questions, to drop a subject that was looked up for an earlier one. */
  let questions = 0;

  function go(subject: WhySubject | null | undefined): void {
    if (subject !== undefined) options.subject = subject;
    moves += 1;
  }

  return {
    get canGoBack() {
      return moves >= 0 && history.canGoBack;
    },
    get canGoForward() {
      return moves >= 0 && history.canGoForward;
    },
    ask(subject) {
      questions += 1;
      if (JSON.stringify(subject) === JSON.stringify(options.subject)) return;
      history.push(options.subject);
      go(subject);
    },
    async lookUp(subject, use) {
      questions += 1;
      const own = questions;
      const found = await subject;
      if (own === questions) use(found);
    },
    back: () => go(history.back(options.subject)),
    forward: () => go(history.forward(options.subject)),
  };
});
