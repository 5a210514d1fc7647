/**
 * Sign-in of browsers to a server on localhost. The address that the server prints holds a code that works once. The code is exchanged
 * for a cookie, which holds the secret of the session: it never stands in an address, and no script of the page reads it.
 *
 * Browsers send cookies to every port of a host. This one is bound to a path of random letters, under which the server serves everything,
 * so that other servers on this machine do not receive it.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Session {
  /** Path under which everything is served: `/` at both ends. */
  readonly path: string;
  /** Code that signs in the next browser. */
  code(): string;
  /** Returns true if this is the current code, which is then replaced. */
  redeem(code: string): boolean;
  /** Value of the header `Set-Cookie` that signs in a browser. */
  readonly setCookie: string;
  /** True if the request has the cookie. */
  isSignedIn(request: Request): boolean;
}

/** `onSignIn` is called after each code that is redeemed. */
export function createSession(onSignIn: () => void = () => undefined): Session {
  const path = `/${randomText()}/`;
  const secret = randomText();
  let code = randomText();
  return {
    path,
    code: () => code,
    redeem(offered) {
      if (!isSame(offered, code)) return false;
      code = randomText();
      onSignIn();
      return true;
    },
    // A strict cookie would not be sent after a redirect of a browser that comes from a file.
    setCookie: `${COOKIE}=${secret}; Path=${path}; HttpOnly; SameSite=Lax`,
    isSignedIn(request) {
      const given = readCookie(request);
      return given !== undefined && isSame(given, secret);
    },
  };
}

const COOKIE = 'tracebench';

/** 256 random bits. */
function randomText(): string {
  return randomBytes(32).toString('base64url');
}

function readCookie(request: Request): string | undefined {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
}

/** Compares hashes, so that neither content nor length shows in the time taken. */
function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(createHash('sha256').update(given).digest(), createHash('sha256').update(secret).digest());
}
