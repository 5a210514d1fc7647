/**
 * The page's connection to the engine: each request becomes a call, whose events and answer come back as frames. Hidden characters in
 * text of traces and images are made visible here, for all panes.
 */
import { CANCELLED } from '../../shared/requests/failures.ts';
import type { Answer, Client, RequestEvent, RequestName } from '../../shared/requests/requests.ts';
import { fail } from '../../shared/base/result.ts';
import type { Result } from '../../shared/base/result.ts';
import { createVisibleAnswers } from '../../shared/requests/visible-answers.ts';
import { createSender } from './sender.ts';

/** Answers of at least this many bytes are handed on in a task of their own, so that pending key presses are handled first. */
const LARGE = 1_000_000;

/**
 * @param base address of the page, ending with a slash: `location.origin + '/'`, or `./`
 * @param alone sends each call by itself
 */
export function createClient(base: string, alone = false): Client {
  const send = createSender(base, alone);
  const shown = createVisibleAnswers();
  return {
    request(name, args, options = {}) {
      return new Promise((settle) => {
        const { signal, onEvent } = options;
        if (signal?.aborted) {
          settle(cancelled(name));
          return;
        }
        const answered = (answer: Result<Answer<typeof name>>): void => {
          signal?.removeEventListener('abort', abort);
          settle(answer);
        };
        const cancel = send({
          name,
          args: JSON.stringify(shown.originals(args)),
          // The traces of a page that is left are closed, and their views kept.
          outlivesPage: name === 'close' || name === 'keepTrace',
          // The casts are safe: both ends are built from the same shared/requests/requests.ts.
          receive(frame, bytes) {
            if (!('answer' in frame)) onEvent?.(frame.event as RequestEvent<typeof name>);
            else if (bytes <= LARGE) answered(frame.answer as Result<Answer<typeof name>>);
            else setTimeout(() => !signal?.aborted && answered(frame.answer as Result<Answer<typeof name>>));
          },
          receiveText(frame) {
            if ('answer' in frame) shown.answer(name, frame.answer);
            else shown.event(name, frame.event);
          },
          refuse: (text) => answered(fail('refused', text)),
          lose: (error) => answered(error === undefined ? cutOff() : disconnected(error)),
        });
        const abort = (): void => {
          cancel();
          answered(cancelled(name));
        };
        signal?.addEventListener('abort', abort);
      });
    },
  };
}

export function cancelled(name: RequestName) {
  return fail(CANCELLED, `The request ${name} was cancelled.`);
}

function cutOff() {
  return fail(
    'disconnected',
    'The answer was cut off because Tracebench has stopped. Start it again and open the address that it prints.',
  );
}

function disconnected(error: unknown) {
  const why = error instanceof Error ? error.message : String(error);
  return fail(
    'disconnected',
    `Tracebench does not answer (${why}). Start it again and open the address that it prints.`,
  );
}
