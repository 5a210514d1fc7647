/**
 * Access control of the wire: accepts requests to one of our origins, from our own page or from outside a browser, and of browsers
 * that are signed in where there is a session. Checking the origin that a request is addressed to keeps out pages that have their
 * own name resolve to this machine.
 */
import { PLAIN_HEADERS } from './serve-page.ts';
import type { Session } from './session.ts';

/** Returns the response that turns a request away or signs its browser in; undefined if the request may pass. */
export type Guard = (request: Request) => Response | undefined;

export interface GuardSettings {
  readonly origins: readonly string[];
  readonly session?: Session;
}

export function createGuard({ origins, session }: GuardSettings): Guard {
  return (request) => {
    const url = new URL(request.url);
    // `origin` of a URL with a private scheme is 'null'.
    const own = `${url.protocol}//${url.host}`;
    if (!origins.includes(own)) return refuse('This address is not served here.');
    const from = request.headers.get('origin');
    if (from !== null && !origins.includes(from)) return refuse('Requests from other pages are refused.');
    if (session === undefined) return undefined;

    const isEntry = request.method === 'GET' && url.pathname === session.path;
    const code = isEntry ? url.searchParams.get('code') : null;
    if (session.isSignedIn(request)) return code === null ? undefined : goTo(session.path);
    if (code !== null && session.redeem(code)) return goTo(session.path, { 'Set-Cookie': session.setCookie });
    return refuse('Open the address that tracebench printed last: each signs in one browser.');
  };
}

/** Takes a code out of the address bar. The browser keeps the fragment. */
function goTo(path: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 303, headers: { ...PLAIN_HEADERS, ...headers, Location: path } });
}

function refuse(text: string): Response {
  return new Response(`${text}\n`, { status: 403, headers: PLAIN_HEADERS });
}
