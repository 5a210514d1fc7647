/**
 * The one wire of the program: a standard Request becomes a Response, for the desktop's private scheme and for localhost.
 *
 *     POST /api/<name>   JSON arguments in; frames out (shared/wire/frames.ts): events while it works, the answer last.
 *                        Aborting the HTTP request, or no longer reading its body, cancels the request.
 *     POST /api/together several of them at once, and the names of earlier ones to cancel (shared/wire/together.ts).
 *     GET  /...          the page's own files, nothing else.
 *
 * Paths are those behind the path of the session, if there is one.
 *
 * It knows nothing of sockets or windows and reads no file but the page's: traces are read by the engine alone, and only
 * those that `allowed` says the person opened.
 */
import type { Client } from '../../shared/requests/requests.ts';
import type { AllowedFiles } from '../allowed-files.ts';
import { createAnswers, type PrintReport } from './answer-request.ts';
import { createGuard } from './guard.ts';
import { PLAIN_HEADERS, servePage } from './serve-page.ts';
import type { Session } from './session.ts';

export type Wire = (request: Request) => Promise<Response>;

export interface WireSettings {
  readonly client: Client;
  /** Folder of the bundled page. */
  readonly pageDirectory: string;
  readonly allowed: AllowedFiles;
  /** Makes a PDF of a report; where the host has a way of its own, or none, it is left out. */
  readonly print?: PrintReport;
  /** The page's own origins, such as `http://127.0.0.1:8123`: a request to or from another one is refused. */
  readonly origins: readonly string[];
  /** Sign-in of browsers where other programs can reach this wire; absent on the private scheme. */
  readonly session?: Session;
}

export function createWire(settings: WireSettings): Wire {
  const guard = createGuard(settings);
  const answer = createAnswers(settings);
  const root = settings.session?.path ?? '/';
  return async (request) => {
    const refusal = guard(request);
    if (refusal) return refusal;
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith(root))
      return new Response('There is no such page.\n', { status: 404, headers: PLAIN_HEADERS });
    const path = pathname.slice(root.length - 1);
    if (path.startsWith('/api/')) return answer(request, path.slice('/api/'.length));
    if (request.method === 'GET' || request.method === 'HEAD') {
      return servePage(settings.pageDirectory, path, request.method);
    }
    return new Response('Only GET is possible here.\n', {
      status: 405,
      headers: { ...PLAIN_HEADERS, Allow: 'GET, HEAD' },
    });
  };
}
