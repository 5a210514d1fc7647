/**
 * Answers the requests of a page over HTTP: checks the body, the arguments and the files that they name, and passes them to the
 * engine. A call that is made together with others is refused by a frame of its own.
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
import { createLru } from '../../shared/base/lru.ts';
import { fail, ok } from '../../shared/base/result.ts';
import type { Result } from '../../shared/base/result.ts';
import { MOST_CANCELLED, TOGETHER, TOGETHER_BYTES, checkTogether, type Together } from '../../shared/wire/together.ts';
import { FRAMES_TYPE, encodeFrame } from '../../shared/wire/frames.ts';
import type { AllowedFiles } from '../allowed-files.ts';
import { withPaths } from '../request-paths.ts';
import { UNCACHED_HEADERS } from './serve-page.ts';
import { streamCalls, type Call } from './stream-calls.ts';
import { jsonValue } from '../../shared/base/json-value.ts';

export interface AnswerSettings {
  readonly client: Client;
  readonly allowed: AllowedFiles;
  readonly print?: PrintReport;
}

/** Prints a report in HTML to PDF. */
export type PrintReport = (html: Uint8Array, paper: PaperSize, cancel: AbortSignal) => Promise<Result<Uint8Array>>;

/** Answers requests to `api/NAME`: one call, or those of a page that were made together. */
export function createAnswers(settings: AnswerSettings): (request: Request, name: string) => Promise<Response> {
  /** Calls that run, by the names that the page gave them. */
  const running = new Map<string, AbortController>();
  /** Names that were cancelled while no such call ran: it may arrive on a slower connection. */
  const cancelledEarly = createLru<string, true>(MOST_CANCELLED);

  return async (request, name) => {
    if (name !== TOGETHER && !isRequestName(name)) return refusal(404, UNKNOWN_REQUEST, noRequest(name));
    if (request.method !== 'POST') {
      return refusal(405, 'usage', 'A request must be sent with POST.', { Allow: 'POST' });
    }
    const type = request.headers.get('content-type') ?? '';
    if (type.split(';')[0]!.trim().toLowerCase() !== 'application/json') {
      return refusal(415, 'usage', 'The arguments of a request must be sent as application/json.');
    }

    const most = name === TOGETHER ? TOGETHER_BYTES : bodyBytesOf(name);
    const body = await readText(request, most);
    if (body === undefined) {
      return refusal(413, 'usage', `The arguments of a request may have at most ${most} bytes.`, {
        Connection: 'close',
      });
    }
    const value = parse(body);
    if (!value.ok) return refusal(400, value.error.code, value.error.message);
    if (name === TOGETHER) return answerTogether(value.value, request.signal);
    return answerOne(name, value.value, request.signal);
  };

  function answerOne(name: RequestName, given: unknown, signal: AbortSignal): Response {
    const args = permittedArguments(settings, name, given);
    if (!args.ok) return refusal(args.error.code === NOT_OPENED ? 403 : 400, args.error.code, args.error.message);
    const run: Call['run'] = (cancel, onEvent) => answer(settings, name, args.value, cancel, onEvent);
    return streamCalls([{ name, cancel: new AbortController(), run }], signal);
  }

  function answerTogether(given: unknown, signal: AbortSignal): Response {
    const checked = checkTogether(given);
    if (!checked.ok) return refusal(400, checked.error.code, checked.error.message);
    for (const id of checked.value.cancelled) {
      const its = running.get(id);
      if (its) its.abort();
      else cancelledEarly.set(id, true);
    }
    const calls = checked.value.calls.map((call): Call => {
      const cancel = new AbortController();
      if (cancelledEarly.get(call.id)) cancel.abort();
      running.set(call.id, cancel);
      const run: Call['run'] = (itsSignal, onEvent) =>
        answerAmongOthers(call, itsSignal, onEvent).finally(() => running.delete(call.id));
      return { name: call.name, id: call.id, cancel, run };
    });
    if (calls.length === 0) return new Response(null, { status: 204, headers: UNCACHED_HEADERS });
    return streamCalls(calls, signal);
  }

  async function answerAmongOthers(
    { name, args: given }: Together['calls'][number],
    signal: AbortSignal,
    onEvent: (event: unknown) => void,
  ): Promise<Result<unknown>> {
    if (!isRequestName(name)) return fail(UNKNOWN_REQUEST, noRequest(name));
    const args = permittedArguments(settings, name, given);
    return args.ok ? answer(settings, name, args.value, signal, onEvent) : args;
  }
}

const UNKNOWN_REQUEST = 'unknown-request';
/** Code of a refusal because of a file. */
const NOT_OPENED = 'not-opened';

function noRequest(name: string): string {
  return `There is no request named ${JSON.stringify(name)}.`;
}

function bodyBytesOf(name: RequestName): number {
  const { bodyBytes = BODY_BYTES }: RequestDefinition = REQUESTS[name];
  return bodyBytes;
}

/** Returns checked arguments whose files this page may read. */
function permittedArguments<N extends RequestName>(
  { allowed }: AnswerSettings,
  name: N,
  given: unknown,
): Result<Arguments<N>> {
  const checked = checkArguments(name, given);
  if (!checked.ok) return checked;
  const args = withPaths(checked.value, (path) => resolve(path));
  const refused = filesOf(args).find((path) => !allowed.allows(path));
  if (refused === undefined) return ok(args);
  return fail(NOT_OPENED, `${refused}: this page may not read this file; ${allowed.advice}.`);
}

/** Returns the files that a request reads, and the folders that it searches. */
function filesOf(args: Arguments<RequestName>): readonly string[] {
  const images = 'images' in args ? args.images : [];
  return [
    ...('path' in args ? [args.path] : []),
    ...('second' in args ? [args.second] : []),
    ...images.map(({ path }) => path),
    ...('folders' in args ? args.folders : []),
    ...('maps' in args ? args.maps.map(({ to }) => to) : []),
  ];
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
  const value = jsonValue(text);
  return value === undefined
    ? fail('usage', 'The arguments of a request must be one JSON object; this is not JSON.')
    : ok(value);
}

/**
 * Lets the page open what an answer offers: a sample, a slice of a bundle, images beside its trace, and images and folders of sources that the user chose for its
 * trace earlier. Marks kept traces that it may not open.
 */
function permitted(allowed: AllowedFiles, name: RequestName, value: unknown): unknown {
  if (name === 'imagesBeside') {
    for (const { place } of (value as ImagesBeside).candidates) allowed.grant?.(place.path);
  }
  if (name === 'bundleSlice') allowed.grant?.((value as Answer<'bundleSlice'>).path);
  if (name === 'makeSample') allowed.grant?.((value as Answer<'makeSample'>).path);
  if (name !== 'kept') return value;
  const kept = value as Kept;
  const traces = kept.traces.map((trace) => {
    if (!allowed.allows(trace.path)) return { ...trace, refused: allowed.advice };
    for (const image of trace.images ?? []) allowed.grant?.(image.path);
    for (const folder of trace.folders ?? []) allowed.grant?.(folder);
    for (const { to } of trace.maps ?? []) allowed.grant?.(to);
    return trace;
  });
  return { ...kept, traces } satisfies Kept;
}

async function answer<N extends RequestName>(
  settings: AnswerSettings,
  name: N,
  args: Arguments<N>,
  signal: AbortSignal,
  onEvent: (event: unknown) => void,
): Promise<Result<unknown>> {
  const given = await ask(settings, name, args, signal, onEvent);
  return given.ok ? ok(permitted(settings.allowed, name, given.value)) : given;
}

/** Returns the answer of the client. A PDF is made here from its HTML, because only the host can print. */
async function ask<N extends RequestName>(
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
