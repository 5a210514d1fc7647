/** Commands of the Why pane. */
import { WHY_BYTES_MOST } from '../../../shared/requests/why.ts';
import type { Facts } from '../../workbench/context/facts.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import { onTrace, type Command } from '../../workbench/command.ts';
import { subjectAbout, type WhySubject } from './subject.ts';
import { sessionOf } from './session.svelte.ts';

/** A question about the value of a register or memory, in one direction. */
function ofValue(
  about: Pick<Command, 'id' | 'title' | 'key' | 'words'>,
  direction: Pick<WhySubject, 'forward'>,
): Command {
  const own = onTrace(
    { ...about, menu: 'Go' },
    (trace, app, facts) => {
      const session = sessionOf(trace);
      void session.lookUp(subjectAbout(trace, facts), (found) => {
        if (!found.ok) trace.say(found.error.message);
        else if (!found.value) trace.say('Choose a register, a byte of memory or an effect of an instruction first.');
        else {
          session.ask({ ...found.value, ...direction });
          app.show('why');
        }
      });
    },
    whyNot,
  );
  return { ...own, refusal: (app, facts) => own.refusal?.(app, facts) ?? tooMany(app.workbench.active, facts) };
}

export const commands: readonly Command[] = [
  ofValue(
    {
      id: 'why',
      title: 'Why this value',
      key: 'y',
      words: 'why slice origin cause taint provenance data flow came from',
    },
    {},
  ),
  ofValue(
    {
      id: 'why-forward',
      title: 'Where this value went',
      key: 'Alt+Y',
      words: 'where did it go forward slice uses users taint propagation data flow who uses',
    },
    { forward: true },
  ),
  onTrace(
    {
      id: 'why-reached',
      title: 'Why this was reached',
      key: 'h',
      menu: 'Go',
      words: 'why reached executed branch decided path condition control flow how did we get here',
    },
    (trace, app, about) => {
      sessionOf(trace).ask({ at: about?.record ?? trace.cursor.n, pc: true });
      app.show('why');
    },
    whyNot,
  ),
  onTrace(
    { id: 'why-only', title: 'Show only the steps of the value', menu: 'View', words: 'slice filter instructions why' },
    ({ slice }) => (slice.only = !slice.only),
    ({ slice }) => (slice.numbers.length > 0 ? null : 'Ask why a register or memory has its value first.'),
  ),
];

/** Returns the reason why there are too many bytes to explain; null if there are not. */
function tooMany(trace: Trace | undefined, about: Facts | undefined): string | null {
  const subject = trace?.accessSearch.subject;
  const chosen = subject?.kind === 'memory' ? subject.span : undefined;
  const span = about ? !about.register && about.address : chosen;
  return span && span.bytes > WHY_BYTES_MOST
    ? `The origin of at most ${WHY_BYTES_MOST} bytes can be requested. Choose fewer.`
    : null;
}

/** Returns the reason why no value of a trace can be explained; null if it may be possible. */
export function whyNot({ info, opened }: Trace): string | null {
  const hasInstructions =
    opened.instructions === true || info?.index.complete !== true || (info.kinds.instruction ?? 0) > 0;
  return hasInstructions
    ? null
    : `This trace has no records of executed instructions, so it does not show what made a value.`;
}
