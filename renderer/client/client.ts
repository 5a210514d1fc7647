/**
 * The page's connection to the engine, and its only access to the network. A request is sent with fetch; its events and its answer
 * come back as frames. Hidden characters in text of traces and images are made visible here, for all panes.
 */
import { CANCELLED } from '../../shared/requests/failures.ts';
import type {
  Answer,
  RequestEvent,
  RequestName,
  RequestOptions,
  Arguments,
  Client,
} from '../../shared/requests/requests.ts';
import { fail } from '../../shared/base/result.ts';
import type { Result } from '../../shared/base/result.ts';
import { FRAMES_TYPE, createFrameReader } from '../../shared/wire/frames.ts';
import { createVisibleAnswers, type VisibleAnswers } from '../../shared/requests/visible-answers.ts';

/** @param base address of the page, ending with a slash: `location.origin + '/'`, or `./` */
export function createClient(base: string): Client {
  const shown = createVisibleAnswers();
  return {
    async request(name, args, options = {}) {
      const abort = new AbortController();
      const cancel = () => abort.abort();
      if (options.signal?.aborted) return cancelled(name);
      options.signal?.addEventListener('abort', cancel);
      try {
        return await exchange(base, name, args, options, abort.signal, shown);
      } catch (error) {
        return abort.signal.aborted ? cancelled(name) : disconnected(error);
      } finally {
        options.signal?.removeEventListener('abort', cancel);
      }
    },
  };
}

/** Answers of at least this many bytes are handed on in a task of their own, so that pending key presses are handled first. */
const LARGE = 1_000_000;

async function nextTask(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  signal.throwIfAborted();
}

async function exchange<N extends RequestName>(
  base: string,
  name: N,
  args: Arguments<N>,
  { onEvent }: RequestOptions<N>,
  signal: AbortSignal,
  shown: VisibleAnswers,
): Promise<Result<Answer<N>>> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify(shown.originals(args));
  // A page that is left closes its traces and keeps their views: the browser must send that after the page is gone.
  const keepalive = name === 'close' || name === 'keepTrace';
  const response = await fetch(`${base}api/${name}`, { method: 'POST', headers, body, signal, keepalive });
  if (response.headers.get('content-type') !== FRAMES_TYPE || !response.body) {
    return fail('refused', (await response.text()).trim());
  }
  const decoder = new TextDecoder('latin1');
  const frames = createFrameReader({
    text: (ascii) => decoder.decode(ascii),
    onOtherText: (frame) => {
      if ('answer' in frame) shown.answer(name, frame.answer);
      else shown.event(name, frame.event);
    },
  });
  const reader = response.body.getReader();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done)
      return fail(
        'disconnected',
        'The answer was cut off because Tracebench has stopped. Start it again and open the address that it prints.',
      );
    bytes += value.length;
    for (const frame of frames.push(value)) {
      // The cast is safe: both ends are built from the same shared/requests/requests.ts.
      if ('answer' in frame) {
        if (bytes > LARGE) await nextTask(signal);
        return frame.answer as Result<Answer<N>>;
      }
      if (!signal.aborted) onEvent?.(frame.event as RequestEvent<N>);
    }
  }
}

export function cancelled(name: RequestName) {
  return fail(CANCELLED, `The request ${name} was cancelled.`);
}

function disconnected(error: unknown) {
  const why = error instanceof Error ? error.message : String(error);
  return fail(
    'disconnected',
    `Tracebench does not answer (${why}). Start it again and open the address that it prints.`,
  );
}
