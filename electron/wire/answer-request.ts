/** Answers one request from the wire: checks its arguments, passes it to the engine and streams events and the answer as frames. */
import { resolve } from 'node:path';
import type { Arguments, RequestName, Client } from '../../shared/requests/requests.ts';
import type { PaperSize } from '../../shared/report/report.ts';
import { fail, ok } from '../../shared/base/result.ts';
import type { Result } from '../../shared/base/result.ts';
import { FRAMES_TYPE, encodeFrame } from '../../shared/wire/frames.ts';
import type { AllowedFiles } from '../allowed-files.ts';
import { checkArguments, isRequestName } from './check-arguments.ts';
import { UNCACHED_HEADERS } from './serve-page.ts';

export interface AnswerSettings {
  readonly client: Client;
  readonly allowed: AllowedFiles;
  readonly print?: PrintReport;
}

/** A report as HTML to a PDF of it. */
export type PrintReport = (html: Uint8Array, paper: PaperSize, cancel: AbortSignal) => Promise<Result<Uint8Array>>;

export async function answerRequest(settings: AnswerSettings, request: Request, name: string): Promise<Response> {
  if (!isRequestName(name))
    return refusal(404, 'unknown-request', `There is no request named ${JSON.stringify(name)}.`);
  if (request.method !== 'POST') return refusal(405, 'usage', 'A request must be sent with POST.', { Allow: 'POST' });
  const type = request.headers.get('content-type') ?? '';
  if (type.split(';')[0]!.trim().toLowerCase() !== 'application/json') {
    return refusal(415, 'usage', 'The arguments of a request must be sent as application/json.');
  }

  const most = BODIES[name] ?? BODY_MOST;
  const body = await readText(request, most);
  if (body === undefined) {
    return refusal(413, 'usage', `The arguments of a request may have at most ${most} bytes.`, {
      Connection: 'close',
    });
  }
  const value = parse(body);
  if (!value.ok) return refusal(400, value.error.code, value.error.message);
  const checked = checkArguments(name, value.value);
  if (!checked.ok) return refusal(400, checked.error.code, checked.error.message);

  const args = { ...checked.value };
  if ('path' in args) args.path = resolve(args.path);
  if ('images' in args) args.images = args.images.map((image) => ({ ...image, path: resolve(image.path) }));
  const refused = filesOf(args).find((path) => !settings.allowed.allows(path));
  if (refused !== undefined) {
    return refusal(403, 'not-opened', `${refused}: this page may not read this file; choose it in the open dialog.`);
  }
  return stream(settings, name, args, request.signal);
}

/** Returns the files that a request reads. */
function filesOf(args: Arguments<RequestName>): readonly string[] {
  const images = 'images' in args ? (args.images ?? []) : [];
  return [...('path' in args ? [args.path] : []), ...images.map(({ path }) => path)];
}

const BODY_MOST = 65_536;
/** Of calls that carry what somebody wrote. */
const BODIES: Readonly<Partial<Record<RequestName, number>>> = {
  changeNotebook: 64 * 1024 * 1024,
  importNotes: 256 * 1024 * 1024,
  report: 64 * 1024 * 1024,
  verify: 512 * 1024 * 1024,
};

/** The body as text; undefined when it is longer than `most`, without taking in the rest. */
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
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fail('usage', 'The arguments of a request must be one JSON object; this is not JSON.');
  }
}

/**
 * Events that come while the reader is behind replace one another: each tells where things stand, so only the newest
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
  let late: unknown;
  let open = true;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const onEvent = (event: unknown) => {
        if (!open) return;
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encodeFrame({ event }));
        else late = event;
      };
      const finish = (answer: Result<unknown>) => {
        if (!open) return;
        open = false;
        if (late !== undefined) controller.enqueue(encodeFrame({ event: late }));
        controller.enqueue(encodeFrame({ answer }));
        controller.close();
      };
      answer(settings, name, args, cancel.signal, onEvent).then(finish, (error: unknown) => {
        finish(
          fail('internal', `The request ${name} failed: ${error instanceof Error ? error.message : String(error)}.`),
        );
      });
    },
    pull(controller) {
      if (late === undefined) return;
      controller.enqueue(encodeFrame({ event: late }));
      late = undefined;
    },
    cancel() {
      open = false;
      cancel.abort();
    },
  });
  return new Response(body, { headers: { ...UNCACHED_HEADERS, 'Content-Type': FRAMES_TYPE } });
}

/** What the client answers, but for the PDF of a report: the engine makes HTML, and what prints is the host's. */
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

/** Refusals are frames like any answer, so that the page needs one way to read them. */
function refusal(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body = encodeFrame({ answer: fail(code, message) });
  return new Response(body, { status, headers: { ...UNCACHED_HEADERS, ...headers, 'Content-Type': FRAMES_TYPE } });
}
