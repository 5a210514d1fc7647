// The localhost host on a real socket, for behaviour that only a socket shows (Host, raw paths, streams, disconnects), with the page's
// client.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { readOpenRequest } from '../../renderer/shell/open-request.ts';
import { startWeb, type WebSettings } from '../../electron/wire/web.ts';
import type { WebHost } from '../../electron/wire/web.ts';
import { createClient } from '../../renderer/client/client.ts';
import { ok } from '../../shared/base/result.ts';
import { createFakeClient } from './fake-client.ts';
import type { FakeClient } from './fake-client.ts';

let pageDirectory: string;
const hosts: WebHost[] = [];

beforeAll(() => {
  pageDirectory = mkdtempSync(join(tmpdir(), 'tracebench-web-'));
  writeFileSync(join(pageDirectory, 'index.html'), 'the page');
});

afterEach(async () => {
  vi.unstubAllGlobals();
  for (const host of hosts.splice(0)) await host.close();
});

afterAll(() => rmSync(pageDirectory, { recursive: true }));

test('the printed address signs in one browser and leads to the page', async () => {
  const addresses: string[] = [];
  const { host, url, base, cookie } = await start({ onSignIn: (next) => addresses.push(next) });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/\?code=[\w-]{43}$/);
  const page = await fetch(base, { headers: { cookie } });
  expect([page.status, await page.text()]).toEqual([200, 'the page']);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect((await fetch(base)).status).toBe(403);

  expect(addresses).toEqual([host.url]);
  expect((await fetch(url)).status).toBe(403);
  const another = await fetch(host.url, { redirect: 'manual' });
  expect([another.status, another.headers.get('set-cookie')?.split(';')[0]]).toEqual([303, cookie]);
  expect(addresses).toHaveLength(2);
});

test.each([
  ['the trace', {}, '/t/trace.byu', true],
  ['another trace', {}, '/t/other.byu', false],
  ['another trace with --any-file', { anyFile: true }, '/t/other.byu', true],
])('a server for one trace reads %s: %s %s %s', async (_, settings, path, isRead) => {
  const client = createFakeClient(() => ok([]));
  const { page } = await start({ client, openFirst: { path: '/t/trace.byu' }, ...settings });
  const answer = await page.request('detect', { path });
  expect(client.reached).toHaveLength(isRead ? 1 : 0);
  expect(answer.ok ? '' : answer.error.message).toBe(
    isRead
      ? ''
      : '/t/other.byu: this page may not read this file; this server shows one trace, so start it with --any-file to read others.',
  );
});

test('a server for one trace searches the folders of sources that it was started with, and no other', async () => {
  const client = createFakeClient(() => ok({ tried: [] }));
  const { page } = await start({ client, openFirst: { path: '/t/trace.byu', folders: ['/src'] } });
  const search = (folder: string) => page.request('sourceFile', { trace: 't1', file: 'a.c', folders: [folder] });
  expect(await search('/src')).toMatchObject({ ok: true });
  expect(await search('/src/other')).toMatchObject({ ok: false, error: { code: 'not-opened' } });
  expect(client.reached).toHaveLength(1);
});

test('the first file is in the address fragment, which the server does not see', async () => {
  const { url } = await start({ openFirst: { path: '/a folder/trace#1.byu' } });
  expect(new URL(url).hash).toBe('#open=%2Fa%20folder%2Ftrace%231.byu');
});

test('the fragment holds format, options, images and folders in the form that the page reads', async () => {
  const openFirst = {
    path: '/a & b=c',
    format: 'xscale',
    options: { checkpoints: '0x8000,0x9000', state: 'thumb' },
    images: [{ path: '/a & b.elf', base: '0x8000' }],
    folders: ['/a & b', '/c'],
  } as const;
  expect(readOpenRequest(new URL((await start({ openFirst })).url).hash)).toEqual([openFirst]);
  expect(readOpenRequest(new URL((await start({ openFirst: { path: '/t' } })).url).hash)).toEqual([{ path: '/t' }]);
  expect(readOpenRequest('')).toEqual([]);
});

test.each([
  ['a foreign Host', 'GET / HTTP/1.1\r\nHost: evil.example', '403'],
  ["another port's Host", 'GET / HTTP/1.1\r\nHost: 127.0.0.1:1', '403'],
  ['no Host', 'GET / HTTP/1.0', '400'],
  ['an invalid Host', 'GET / HTTP/1.1\r\nHost: a/b', '400'],
  ['an absolute target', 'GET http://evil.example/ HTTP/1.1\r\nHost: SELF', '400'],
  ['a path with ..', 'GET /../../../../etc/passwd HTTP/1.1\r\nHost: SELF', '404'],
  ['an encoded path with ..', 'GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: SELF', '404'],
  ['the TRACE method', 'TRACE / HTTP/1.1\r\nHost: SELF', '400'],
  ['its own Host', 'GET / HTTP/1.1\r\nHost: SELF', '200'],
])('answers a request with %s', async (_, head, status) => {
  const { port, cookie, base } = await start();
  const path = new URL(base).pathname;
  const own = head.replace('SELF', `127.0.0.1:${port}`).replace('GET /', `GET ${path}`);
  const request = `${own}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`;
  expect((await raw(Number(port), request)).split(' ')[1]).toBe(status);
});

test("the page's client receives events, number arrays and errors", async () => {
  const { client, page } = await start();
  const events: unknown[] = [];
  const next = client.next();
  const requested = page.request('index', { trace: 't' }, { onEvent: (event) => events.push(event) });
  const reached = await next;
  reached.emit({ bytes: 7 });
  reached.answer(ok({ counts: new Float64Array([1.5, 2]) }));
  expect(await requested).toEqual(ok({ counts: new Float64Array([1.5, 2]) }));
  expect(events).toEqual([{ bytes: 7 }]);

  expect(await page.request('records', { trace: 't', from: 0, count: 0 })).toEqual({
    ok: false,
    error: { code: 'usage', message: 'records: count must be a whole number from 1 to 10000.' },
  });
});

test('cancelling a request in the page stops it in the engine', async () => {
  const { client, page } = await start();
  const abort = new AbortController();
  const next = client.next();
  const requested = page.request('index', { trace: 't' }, { signal: abort.signal });
  const reached = await next;
  abort.abort();
  expect(await requested).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  await vi.waitUntil(() => reached.aborted());
});

test('closing the host ends running requests, and the page reports a lost connection', async () => {
  const { client, page, host } = await start();
  const next = client.next();
  const requested = page.request('index', { trace: 't' });
  const reached = await next;
  await host.close();
  expect(await requested).toMatchObject({ ok: false, error: { code: 'disconnected' } });
  await vi.waitUntil(() => reached.aborted());
  expect(await page.request('formats', {})).toMatchObject({ ok: false, error: { code: 'disconnected' } });
});

test('a page that has not signed in gets an explanation', async () => {
  const { base } = await start();
  vi.unstubAllGlobals();
  expect(await createClient(base).request('formats', {})).toEqual({
    ok: false,
    error: { code: 'refused', message: 'Open the address that tracebench printed last: each signs in one browser.' },
  });
});

test('transfers a large answer completely', async () => {
  const counts = Float64Array.from({ length: 1_000_000 }, (_, i) => i);
  const { page } = await start({ client: createFakeClient(() => ok({ counts })) });
  expect(await page.request('formats', {})).toEqual(ok({ counts }));
});

test('explains in one sentence that a port is in use', async () => {
  const { port } = await start();
  const second = await startWeb({ client: createFakeClient(), pageDirectory, port: Number(port) });
  expect(second).toEqual({
    ok: false,
    error: {
      code: 'port',
      message: `port ${port} on 127.0.0.1 cannot be opened: another program uses it; choose another one with --port`,
    },
  });
});

async function start({
  client = createFakeClient(),
  ...settings
}: { readonly client?: FakeClient } & Pick<WebSettings, 'openFirst' | 'anyFile' | 'onSignIn'> = {}) {
  const started = await startWeb({ client, pageDirectory, port: 0, ...settings });
  if (!started.ok) throw new Error(started.error.message);
  hosts.push(started.value);
  const { url } = started.value;
  const signIn = await fetch(url, { redirect: 'manual' });
  const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  browserWith(cookie);
  const base = new URL(signIn.headers.get('location') ?? '', url).href;
  return { client, host: started.value, url, base, cookie, port: new URL(url).port, page: createClient(base) };
}

/** Acts as the browser of a signed-in page: sends the cookie with the page's requests. */
function browserWith(cookie: string): void {
  const real = globalThis.fetch;
  vi.stubGlobal('fetch', (url: string, init: RequestInit = {}) =>
    real(
      url,
      url.includes('/api/') ? { ...init, headers: { ...(init.headers as Record<string, string>), cookie } } : init,
    ),
  );
}

/** Sends bytes that no regular client would send. */
function raw(port: number, request: string): Promise<string> {
  return new Promise((settle, refuse) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.on('end', () => settle(text));
    socket.on('error', refuse);
  });
}
