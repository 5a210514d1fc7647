/** Streams the events and answers of calls as frames in the body of one response. */
import { encodeFrame, FRAMES_TYPE, type Frame } from '../../shared/wire/frames.ts';
import { fail, type Result } from '../../shared/base/result.ts';
import { UNCACHED_HEADERS } from './serve-page.ts';

/** A call that has been checked. */
export interface Call {
  readonly name: string;
  /** Marks its frames among those of other calls; undefined for a call of its own. */
  readonly id?: string;
  readonly cancel: AbortController;
  readonly run: (signal: AbortSignal, onEvent: (event: unknown) => void) => Promise<Result<unknown>>;
}

/**
 * Runs the calls, and ends the body with the last answer. A reader that goes away cancels them.
 *
 * While the reader does not keep up, a new event replaces the waiting one of its call: each describes the current state, so only the
 * newest matters, and a page that sleeps costs no memory.
 */
export function streamCalls(calls: readonly Call[], signal: AbortSignal): Response {
  const cancelAll = (): void => calls.forEach(({ cancel }) => cancel.abort());
  if (signal.aborted) cancelAll();
  signal.addEventListener('abort', cancelAll, { once: true });
  const waiting = new Map<Call, unknown>();
  let unanswered = calls.length;
  let isRead = true;

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const call of calls) {
        let isAnswered = false;
        const onEvent = (event: unknown): void => {
          if (!isRead || isAnswered) return;
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encode(call, { event }));
          else waiting.set(call, event);
        };
        const finish = (answer: Result<unknown>): void => {
          if (!isRead) return;
          isAnswered = true;
          if (waiting.has(call)) controller.enqueue(encode(call, { event: waiting.get(call) }));
          waiting.delete(call);
          controller.enqueue(encode(call, { answer }));
          unanswered -= 1;
          if (unanswered === 0) controller.close();
        };
        call.run(call.cancel.signal, onEvent).then(finish, (error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          finish(fail('internal', `The request ${call.name} failed: ${why}.`));
        });
      }
    },
    pull(controller) {
      for (const [call, event] of waiting) controller.enqueue(encode(call, { event }));
      waiting.clear();
    },
    cancel() {
      isRead = false;
      cancelAll();
    },
  });
  return new Response(body, { headers: { ...UNCACHED_HEADERS, 'Content-Type': FRAMES_TYPE } });
}

function encode({ id }: Call, frame: Frame): Uint8Array {
  return encodeFrame(id === undefined ? frame : { ...frame, call: id });
}
