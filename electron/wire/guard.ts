/**
 * Access control of the wire: accepts requests to one of our origins, from our own page or from outside a browser, with the
 * token where there is one. Checking the origin that a request is addressed to keeps out pages that have their own name
 * resolve to this machine.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { PLAIN_HEADERS } from './serve-page.ts';

/** The response that turns a request away, or undefined when it may pass. */
export type Guard = (request: Request) => Response | undefined;

export function createGuard(origins: readonly string[], token: string | undefined): Guard {
  return (request) => {
    const url = new URL(request.url);
    // `origin` of a URL with a private scheme is 'null'.
    const own = `${url.protocol}//${url.host}`;
    if (!origins.includes(own)) return refuse('This address is not served here.');
    const from = request.headers.get('origin');
    if (from !== null && !origins.includes(from)) return refuse('Requests from other pages are refused.');
    if (token === undefined) return undefined;

    const cookie = cookieName(url);
    const offered = url.searchParams.get('token');
    if (request.method === 'GET' && url.pathname === '/' && offered !== null && same(offered, token)) {
      return signIn(cookie, token);
    }
    const given = bearer(request) ?? readCookie(request, cookie);
    if (given !== undefined && same(given, token)) return undefined;
    return refuse('Open the address that tracebench printed: it carries the token.');
  };
}

/** Keeps the token in a cookie that no script reads, and takes it out of the address bar and the history. */
function signIn(cookie: string, token: string): Response {
  return new Response(null, {
    status: 303,
    headers: { ...PLAIN_HEADERS, Location: '/', 'Set-Cookie': `${cookie}=${token}; Path=/; HttpOnly; SameSite=Strict` },
  });
}

/** Cookies do not distinguishes ports: two servers on one machine must not overwrite each other's. */
function cookieName(url: URL): string {
  return `tracebench-${url.port}`;
}

function bearer(request: Request): string | undefined {
  return /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

function readCookie(request: Request, name: string): string | undefined {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Hashed first, so that neither content nor length shows in the time it takes. */
function same(given: string, secret: string): boolean {
  return timingSafeEqual(createHash('sha256').update(given).digest(), createHash('sha256').update(secret).digest());
}

function refuse(text: string): Response {
  return new Response(`${text}\n`, { status: 403, headers: PLAIN_HEADERS });
}
