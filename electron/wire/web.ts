/**
 * The localhost host: the same handler as the desktop's, on 127.0.0.1 alone, for browsers that signed in.
 * It only turns node's requests into standard ones and back, as streams: a slow reader holds back the writer, and a
 * reader that goes away aborts the request.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Client, ImagePlace } from '../../shared/requests/requests.ts';
import type { Settings } from '../../shared/format/format.ts';
import { fail, ok } from '../../shared/base/result.ts';
import type { Result } from '../../shared/base/result.ts';
import { createGrantedFiles, EVERY_FILE, type AllowedFiles } from '../allowed-files.ts';
import { createSession } from './session.ts';
import { createWire } from './wire.ts';
import type { PrintReport } from './answer-request.ts';
import type { Wire } from './wire.ts';

export interface WebHost {
  /** Address that signs in the next browser. */
  readonly url: string;
  /** Aborts what runs and frees the port. */
  close(): Promise<void>;
}

export interface WebSettings {
  readonly client: Client;
  readonly pageDirectory: string;
  /** 0: any free port. */
  readonly port: number;
  /** Makes a PDF of a report; without it there is none. */
  readonly print?: PrintReport;
  /** A trace that the page opens first; a format that is not named is detected. */
  readonly openFirst?: OpenFirst;
  /** The page may read any file, although a trace is opened first. Without a trace it always may. */
  readonly anyFile?: boolean;
  /** Called after a browser signed in, with the address for the next one. */
  readonly onSignIn?: (url: string) => void;
}

export interface OpenFirst {
  readonly path: string;
  readonly format?: string;
  readonly options?: Settings;
  /** Program images of the trace. */
  readonly images?: readonly ImagePlace[];
  /** Folders that are searched for its source files. */
  readonly folders?: readonly string[];
}

export async function startWeb(settings: WebSettings): Promise<Result<WebHost>> {
  const { openFirst, onSignIn } = settings;
  const server = createServer();
  const listening = await listen(server, settings.port);
  if (!listening.ok) return listening;

  const port = listening.value;
  const origins = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
  const fragment = openFirst === undefined ? '' : `#${requested(openFirst)}`;
  const session = createSession(() => onSignIn?.(address()));
  const address = (): string => `http://127.0.0.1:${port}${session.path}?code=${session.code()}${fragment}`;
  const handler = createWire({
    ...settings,
    allowed: allowedFiles(settings),
    origins,
    session,
  });
  server.on('request', (incoming, outgoing) => void respond(handler, incoming, outgoing));
  return ok({
    get url() {
      return address();
    },
    close: () => close(server),
  });
}

/** A server for one trace reads that trace, its images and folders of sources, and the images beside it that the engine offers. */
function allowedFiles({ openFirst, anyFile = false }: WebSettings): AllowedFiles {
  if (openFirst === undefined || anyFile) return EVERY_FILE;
  const files = createGrantedFiles('this server shows one trace, so start it with --any-file to read others');
  files.grant(openFirst.path);
  for (const { path } of openFirst.images ?? []) files.grant(path);
  for (const folder of openFirst.folders ?? []) files.grant(folder);
  return files;
}

/** Fragment of the page's address. */
function requested({ path, format, options, images, folders }: OpenFirst): string {
  const words = [
    ['open', path],
    ['format', format],
    ['options', options && JSON.stringify(options)],
    ['images', images && JSON.stringify(images)],
    ['folders', folders && JSON.stringify(folders)],
  ] as const;
  return words
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&');
}

function listen(server: Server, port: number): Promise<Result<number>> {
  return new Promise((settle) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE' ? 'another program uses it' : error.message;
      settle(fail('port', `port ${port} on 127.0.0.1 cannot be opened: ${taken}; choose another one with --port`));
    });
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      settle(ok(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((settle) => {
    server.close(() => settle());
    server.closeAllConnections();
  });
}

async function respond(handler: Wire, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const request = toRequest(incoming, gone.signal);
  try {
    await send(request ? await handler(request) : badRequest(), outgoing, gone.signal);
  } catch (error) {
    // A reader that went away is not an error of ours; what it had asked for is aborted by now.
    if (gone.signal.aborted) return;
    process.stderr.write(`tracebench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    if (!outgoing.headersSent) outgoing.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' });
    outgoing.end('The request failed inside tracebench.\n');
  }
}

/** Undefined for what is no ordinary request: an absolute target, a missing or senseless Host. */
function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { host } = incoming.headers;
  const { url = '', method = 'GET' } = incoming;
  const address = `http://${host ?? ''}${url}`;
  if (host === undefined || !url.startsWith('/') || !/^[\w.:[\]-]+$/.test(host) || !URL.canParse(address))
    return undefined;
  if (method === 'CONNECT' || method === 'TRACE' || method === 'TRACK') return undefined;
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  if (method === 'GET' || method === 'HEAD') return new Request(address, { method, headers, signal });
  const init = { method, headers, signal, body: toBody(incoming), duplex: 'half' } as const;
  return new Request(address, init);
}

function toBody(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = incoming[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}

async function send(response: Response, outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
  outgoing.writeHead(response.status);
  if (!response.body) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  await pipeline(response.body as AsyncIterable<Uint8Array>, outgoing, { signal });
}

function badRequest(): Response {
  return new Response('This request cannot be understood.\n', { status: 400 });
}
