// Handlers as both hosts create them, with a page of two files, a file outside of the page, and the page's requests.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGrantedFiles } from '../../electron/allowed-files.ts';
import { createSession } from '../../electron/wire/session.ts';
import { createWire } from '../../electron/wire/wire.ts';
import { ok } from '../../shared/base/result.ts';
import { createFrameReader } from '../../shared/wire/frames.ts';
import type { Frame } from '../../shared/wire/frames.ts';
import { createFakeClient } from './fake-client.ts';

export const ORIGIN = 'http://127.0.0.1:8123';
export const JSON_TYPE = { 'content-type': 'application/json' };

export function createHandlers() {
  const folder = mkdtempSync(join(tmpdir(), 'tracebench-handler-'));
  const pageDirectory = join(folder, 'page');
  mkdirSync(join(pageDirectory, 'assets'), { recursive: true });
  writeFileSync(join(pageDirectory, 'index.html'), '<!doctype html><title>Tracebench</title>');
  writeFileSync(join(pageDirectory, 'assets', 'main-Ab12_-9z.js'), 'export {};');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  symlinkSync(join(folder, 'secret.txt'), join(pageDirectory, 'link.txt'));

  function web() {
    const client = createFakeClient(() => ok([]));
    const origins = [ORIGIN, 'http://localhost:8123'];
    const session = createSession();
    return {
      client,
      session,
      /** Cookie of a browser that signed in. */
      cookie: session.setCookie.split(';')[0]!,
      /** Address of the page. */
      base: ORIGIN + session.path,
      handler: createWire({ client, pageDirectory, allowed: createGrantedFiles(), origins, session }),
    };
  }

  function desktop() {
    const client = createFakeClient();
    const allowed = createGrantedFiles();
    return {
      client,
      allowed,
      handler: createWire({ client, pageDirectory, allowed, origins: ['app://tracebench'] }),
    };
  }

  return { folder, pageDirectory, web, desktop, dispose: () => rmSync(folder, { recursive: true }) };
}

export function call(name: string, args: unknown, init: RequestInit = {}): Request {
  const body = JSON.stringify(args);
  return new Request(`app://tracebench/api/${name}`, { method: 'POST', headers: JSON_TYPE, body, ...init });
}

export async function readFrames(response: Response): Promise<Frame[]> {
  return [...createFrameReader().push(new Uint8Array(await response.arrayBuffer()))];
}

export async function refusal(response: Response): Promise<string> {
  const [frame] = await readFrames(response);
  if (!frame || !('answer' in frame) || frame.answer.ok) throw new Error('the request was not refused');
  return `${String(response.status)} ${frame.answer.error.code} ${frame.answer.error.message}`;
}
