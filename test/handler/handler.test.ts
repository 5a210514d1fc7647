// The wire as Request and Response objects: access control, page files, and refused requests that never reach the engine.
import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { STYLE } from '../../electron/engine/report/html/style.ts';
import { previewHtml } from '../../present/text/report-preview.ts';
import { createHandlers, JSON_TYPE, ORIGIN } from './handlers.ts';

const { web, desktop, dispose } = createHandlers();
afterAll(dispose);

describe('access control', () => {
  test.each([
    ['the cookie', {}],
    ['own origin', { origin: ORIGIN }],
    ['own other name', { origin: 'http://localhost:8123' }],
  ])('accepts a request with %s', async (_, headers) => {
    const { handler, base, cookie } = web();
    const all = { cookie: `other=1; ${cookie}`, ...headers };
    expect((await handler(new Request(base, { headers: all }))).status).toBe(200);
  });

  test.each([
    ['no cookie', 'session', {}],
    ['a wrong cookie', 'session', { cookie: 'tracebench=nope' }],
    ['another name of the cookie', 'session', { cookie: 'tracebench-8123=SECRET' }],
    ['the secret as bearer', 'session', { authorization: 'Bearer SECRET' }],
    ['a wrong code', 'session', {}, '?code=nope'],
    ['the secret as code', 'session', {}, '?code=SECRET'],
    ['the code in the address of a file', 'file', {}, '?code=CODE'],
    ['the code in an address without the path', 'root', {}, '?code=CODE'],
    ['a foreign origin', 'session', { cookie: 'tracebench=SECRET', origin: 'http://evil.example' }],
    ['the origin of a sandboxed page', 'session', { cookie: 'tracebench=SECRET', origin: 'null' }],
    ['an origin on another port', 'session', { cookie: 'tracebench=SECRET', origin: 'http://127.0.0.1:9999' }],
  ] as const)('refuses a request with %s', async (_, at, headers, query?: string) => {
    const { handler, client, session, base, cookie } = web();
    const secret = cookie.slice('tracebench='.length);
    const filled = (text: string): string => text.replace('SECRET', secret).replace('CODE', session.code());
    const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]));
    const places = { session: base, file: `${base}assets/main-Ab12_-9z.js`, root: `${ORIGIN}/` };
    for (const [method, address] of [
      ['GET', places[at]],
      ['POST', `${base}api/formats`],
    ] as const) {
      const body = method === 'POST' ? '{}' : null;
      const request = new Request(address + filled(query ?? ''), { method, headers: { ...JSON_TYPE, ...own }, body });
      expect((await handler(request)).status).toBe(403);
    }
    expect(client.reached).toEqual([]);
  });

  test('refuses a foreign host name even with the cookie', async () => {
    const { handler, session, cookie } = web();
    const response = await handler(new Request(`http://evil.example:8123${session.path}`, { headers: { cookie } }));
    expect(response.status).toBe(403);
  });

  test('a code signs in one browser, with a cookie that scripts cannot read and that other servers do not receive', async () => {
    const { handler, session, base } = web();
    const address = `${base}?code=${session.code()}`;
    const response = await handler(new Request(address));
    expect([response.status, response.headers.get('location')]).toEqual([303, session.path]);
    expect(response.headers.get('set-cookie')).toMatch(
      new RegExp(`^tracebench=[\\w-]{43}; Path=${session.path}; HttpOnly; SameSite=Lax$`),
    );
    expect(session.path).toMatch(/^\/[\w-]{43}\/$/);
    expect((await handler(new Request(address))).status).toBe(403);
    expect((await handler(new Request(`${base}?code=${session.code()}`))).status).toBe(303);
  });

  test('a browser that has signed in uses up no code', async () => {
    const { handler, session, base, cookie } = web();
    const code = session.code();
    const response = await handler(new Request(`${base}?code=${code}`, { headers: { cookie } }));
    expect([response.status, response.headers.get('location')]).toEqual([303, session.path]);
    expect(session.code()).toBe(code);
  });

  test('serves nothing outside of its path', async () => {
    const { handler, cookie } = web();
    expect((await handler(new Request(`${ORIGIN}/index.html`, { headers: { cookie } }))).status).toBe(404);
  });

  test("the desktop's private scheme needs no cookie but its own origin", async () => {
    const { handler } = desktop();
    expect((await handler(new Request('app://tracebench/'))).status).toBe(200);
    expect((await handler(new Request('app://other/'))).status).toBe(403);
    expect(
      (await handler(new Request('app://tracebench/', { headers: { origin: 'https://evil.example' } }))).status,
    ).toBe(403);
  });
});

/** Hashes of the report preview's style sheet, as a browser computes them. */
function previewHashes(): string {
  return (['dark', 'light'] as const)
    .map((theme) => {
      const html = previewHtml(`<head><style>\n${STYLE}</style></head>`, theme, 0);
      const style = html.slice(html.indexOf('<style>') + 7, html.indexOf('</style>'));
      return `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
    })
    .join(' ');
}

describe('page files', () => {
  test('serves the page with a policy against inline code and other origins', async () => {
    const response = await get('/');
    expect(await response.text()).toBe('<!doctype html><title>Tracebench</title>');
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'no-cache',
      'content-length': '40',
      // The only inline style is the report preview's, in two themes.
      'content-security-policy':
        `default-src 'none'; script-src 'self'; style-src 'self' ${previewHashes()}; ` +
        "img-src 'self' data: blob:; font-src 'self'; " +
        "connect-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });

  test('caches files named by their content, and serves scripts with their type', async () => {
    const { headers } = await get('/assets/main-Ab12_-9z.js');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
  });

  test.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '//secret.txt',
    '/link.txt',
    '/%00',
    '/index.html%00.js',
    '/%ff',
    '/C:%5csecret.txt',
    '/assets',
    '/assets/',
    '/missing.js',
  ])('%s is not found', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(await response.text()).toBe('There is no such page.\n');
  });

  test('a name longer than any file name is not found', async () => {
    expect((await get(`/${'a'.repeat(5000)}`)).status).toBe(404);
  });

  test('HEAD returns no body, and other methods are refused', async () => {
    const { handler } = desktop();
    const head = await handler(new Request('app://tracebench/', { method: 'HEAD' }));
    expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([200, '', '40']);
    expect((await handler(new Request('app://tracebench/', { method: 'DELETE' }))).status).toBe(405);
  });
});

function get(path: string): Promise<Response> {
  const { handler, base, cookie } = web();
  return handler(new Request(base.slice(0, -1) + path, { headers: { cookie } }));
}
