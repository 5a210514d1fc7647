/**
 * Answers one request of the program over HTTP: checks the body, the arguments and the files that they name, passes them to the
 * engine, and streams its events and its answer as frames.
 */
import { resolve } from 'node:path';
import {
  REQUESTS,
  checkArguments,
  isRequestName,
  type Answer,
  type Arguments,
  type Client,
  type ImagesBeside,
  type Kept,
  type RequestName,
} from '../../shared/requests/requests.ts';
import type { RequestDefinition } from '../../shared/requests/request.ts';
import type { PaperSize } from '../../shared/requests/reports.ts';
import { fail, ok } from '../../shared/base/result.ts';
import type { Result } from '../../shared/base/result.ts';
import { FRAMES_TYPE, encodeFrame } from '../../shared/wire/frames.ts';
import type { AllowedFiles } from '../allowed-files.ts';
import { UNCACHED_HEADERS } from './serve-page.ts';

export interface AnswerSettings {
  readonly client: Client;
  readonly allowed: AllowedFiles;
  readonly print?: PrintReport;
}

/** Prints a report in HTML to PDF. */
export type PrintReport = (html: Uint8Array, paper: PaperSize, cancel: AbortSignal) => Promise<Result<Uint8Array>>;

export async function answerRequest(settings: AnswerSettings, request: Request, name: string): Promise<Response> {
  if (!isRequestName(name)) {
    return refusal(404, 'unknown-request', `There is no request named ${JSON.stringify(name)}.`);
  }
  if (request.method !== 'POST') {
    return refusal(405, 'usage', 'A request must be sent with POST.', { Allow: 'POST' });
  }
  const type = request.headers.get('content-type') ?? '';
  if (type.split(';')[0]!.trim().toLowerCase() !== 'application/json') {
    return refusal(415, 'usage', 'The arguments of a request must be sent as application/json.');
  }

  const { bodyBytes = BODY_BYTES }: RequestDefinition = REQUESTS[name];
  const body = await readText(request, bodyBytes);
  if (body === undefined) {
    return refusal(413, 'usage', `The arguments of a request may have at most ${bodyBytes} bytes.`, {
      Connection: 'close',
    });
  }
  const value = parse(body);
  if (!value.ok) return refusal(400, value.error.code, value.error.message);
  const checked = checkArguments(name, value.value);
  if (!checked.ok) return refusal(400, checked.error.code, checked.error.message);

  const args = withAbsolutePaths(checked.value);
  const refused = filesOf(args).find((path) => !settings.allowed.allows(path));
  if (refused !== undefined) {
    return refusal(403, 'not-opened', `${refused}: this page may not read this file; ${settings.allowed.advice}.`);
  }
  return stream(settings, name, args, request.signal);
}

function withAbsolutePaths(args: Arguments<RequestName>): Arguments<RequestName> {
  return {
    ...args,
    ...('path' in args && { path: resolve(args.path) }),
    ...('images' in args && { images: args.images.map((image) => ({ ...image, path: resolve(image.path) })) }),
  };
}

/** Returns the files that a request reads. */
function filesOf(args: Arguments<RequestName>): readonly string[] {
  const images = 'images' in args ? args.images : [];
  return [...('path' in args ? [args.path] : []), ...images.map(({ path }) => path)];
}

/** Upper limit of the arguments of most requests. */
const BODY_BYTES = 65_536;

/** Returns the body as text, or undefined if it is longer than `most` bytes; the rest is then not read. */
async function readText(request: Request, most: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  if (!request.body) return text;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    length += chunk.byteLength;
    if (length > most) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): Result<unknown> {
  try {
    return ok(JSON.parse(text) as unknown);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fail('usage', 'The arguments of a request must be one JSON object; this is not JSON.');
  }
}

/**
 * While the reader does not keep up, a new event replaces the waiting one: each describes the current state, so only the newest
 * matters, and a page that sleeps costs no memory.
 */
function stream<N extends RequestName>(
  settings: AnswerSettings,
  name: N,
  args: Arguments<N>,
  signal: AbortSignal,
): Response {
  const cancel = new AbortController();
  if (signal.aborted) cancel.abort();
  signal.addEventListener('abort', () => cancel.abort(), { once: true });
  let waiting: unknown;
  let open = true;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const onEvent = (event: unknown) => {
        if (!open) return;
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encodeFrame({ event }));
        else waiting = event;
      };
      const finish = (given: Result<unknown>) => {
        if (!open) return;
        const answer = given.ok ? ok(permitted(settings.allowed, name, given.value)) : given;
        open = false;
        if (waiting !== undefined) controller.enqueue(encodeFrame({ event: waiting }));
        controller.enqueue(encodeFrame({ answer }));
        controller.close();
      };
      answer(settings, name, args, cancel.signal, onEvent).then(finish, (error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        finish(fail('internal', `The request ${name} failed: ${why}.`));
      });
    },
    pull(controller) {
      if (waiting === undefined) return;
      controller.enqueue(encodeFrame({ event: waiting }));
      waiting = undefined;
    },
    cancel() {
      open = false;
      cancel.abort();
    },
  });
  return new Response(body, { headers: { ...UNCACHED_HEADERS, 'Content-Type': FRAMES_TYPE } });
}

/**
 * Lets the page open what an answer offers: a sample, images beside its trace, and those that the user chose for its trace earlier. Marks
 * kept traces that it may not open.
 */
function permitted(allowed: AllowedFiles, name: RequestName, value: unknown): unknown {
  if (name === 'imagesBeside') {
    for (const { place } of (value as ImagesBeside).candidates) allowed.grant?.(place.path);
  }
  if (name === 'makeSample') allowed.grant?.((value as Answer<'makeSample'>).path);
  if (name !== 'kept') return value;
  const kept = value as Kept;
  const traces = kept.traces.map((trace) => {
    if (!allowed.allows(trace.path)) return { ...trace, refused: allowed.advice };
    for (const image of trace.images ?? []) allowed.grant?.(image.path);
    return trace;
  });
  return { ...kept, traces } satisfies Kept;
}

/** Returns the answer of the client. A PDF is made here from its HTML, because only the host can print. */
async function answer<N extends RequestName>(
  { client, print }: AnswerSettings,
  name: N,
  args: Arguments<N>,
  signal: AbortSignal,
  onEvent: (event: unknown) => void,
): Promise<Result<unknown>> {
  const given: Arguments<RequestName> = args;
  if (!print || !('as' in given) || given.as !== 'pdf') return client.request(name, args, { signal, onEvent });
  const { paper = 'A4', name: file = 'report', ...rest } = given;
  const made = await client.request('report', { ...rest, as: 'html' }, { signal, onEvent });
  const html = made.ok ? made.value.files[0]?.bytes : undefined;
  if (!made.ok || !html) return made;
  onEvent({ done: 1, of: 1, what: 'printing' });
  const pdf = await print(html, paper, signal);
  return pdf.ok ? ok({ files: [{ name: `${file}.pdf`, bytes: pdf.value }] }) : pdf;
}

/** Returns a refusal as a frame, like any answer, so that the page reads both in one way. */
function refusal(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body = encodeFrame({ answer: fail(code, message) });
  return new Response(body, { status, headers: { ...UNCACHED_HEADERS, ...headers, 'Content-Type': FRAMES_TYPE } });
}
