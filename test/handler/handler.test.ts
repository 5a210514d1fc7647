// The wire as Request and Response objects: access control, page files, and refused requests that never reach the engine.
import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { STYLE } from '../../electron/engine/report/html/style.ts';
import { previewHtml } from '../../present/text/report-preview.ts';
import { BEARER, createHandlers, JSON_TYPE, ORIGIN, TOKEN } from './handlers.ts';

const { web, desktop, dispose } = createHandlers();
afterAll(dispose);

describe('access control', () => {
  test.each([
    ['bearer', BEARER],
    ['cookie', { cookie: `other=1; tracebench-8123=${TOKEN}` }],
    ['own origin', { ...BEARER, origin: ORIGIN }],
    ['own other name', { ...BEARER, origin: 'http://localhost:8123' }],
  ])('accepts a request with %s', async (_, headers) => {
    expect((await web().handler(new Request(`${ORIGIN}/`, { headers }))).status).toBe(200);
  });

  test.each([
    ['no token', '/', {}],
    ['a wrong bearer', '/', { authorization: 'Bearer a-token-of-some-lengtH' }],
    ['a wrong token in the address', '/?token=nope', {}],
    ['the token in the address of a file', `/assets/main-Ab12_-9z.js?token=${TOKEN}`, {}],
    ["another port's cookie", '/', { cookie: `tracebench-9999=${TOKEN}` }],
    ['a foreign origin', '/', { ...BEARER, origin: 'http://evil.example' }],
    ['the origin of a sandboxed page', '/', { ...BEARER, origin: 'null' }],
    ['an origin on another port', '/', { ...BEARER, origin: 'http://127.0.0.1:9999' }],
  ])('refuses a request with %s', async (_, path, headers) => {
    const { handler, client } = web();
    for (const [method, at] of [
      ['GET', path],
      ['POST', '/api/formats'],
    ] as const) {
      const body = method === 'POST' ? '{}' : null;
      const response = await handler(new Request(ORIGIN + at, { method, headers: { ...JSON_TYPE, ...headers }, body }));
      expect(response.status).toBe(403);
    }
    expect(client.reached).toEqual([]);
  });

  test('refuses a foreign host name even with a token', async () => {
    const response = await web().handler(new Request('http://evil.example:8123/', { headers: BEARER }));
    expect(response.status).toBe(403);
  });

  test('the sign-in address sets a cookie that scripts cannot read and leaves the token out of the history', async () => {
    const { handler } = web();
    const response = await handler(new Request(`${ORIGIN}/?token=${TOKEN}`));
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/');
    expect(response.headers.get('set-cookie')).toBe(`tracebench-8123=${TOKEN}; Path=/; HttpOnly; SameSite=Strict`);
  });

  test("the desktop's private scheme needs no token but its own origin", async () => {
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
  return web().handler(new Request(ORIGIN + path, { headers: BEARER }));
}
