/** Pipes, sockets, folders and links where SQLite expects a file: each is named, and nothing waits for it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openIndexFile } from '../../electron/engine/index/store/open-index.ts';
import { openNotebookFile } from '../../electron/engine/notebook/notebook-file.ts';
import { peek } from '../../electron/engine/notebook/peek.ts';
import { readCopy } from '../../electron/engine/notebook/read-copy.ts';
import type { Result } from '../../shared/base/result.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tracebench-special-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

type Make = (place: string) => unknown;
const pipe: Make = (place) => execFileSync('mkfifo', [place]);
const socket: Make = (place) =>
  new Promise((made) => {
    const server = createServer().listen(place, () => {
      made(undefined);
    });
    server.unref();
  });
const link: Make = (place) => {
  symlinkSync(path.join(folder, 'elsewhere'), place);
};

// Windows has neither pipes nor sockets in folders.
const CASES = (['-journal', '-wal', '-shm'] as const).flatMap((end) => [
  [end, 'a pipe', pipe] as const,
  [end, 'a socket', socket] as const,
  [end, 'a folder', mkdirSync as Make] as const,
  [end, 'a link', link] as const,
]);

test
  .skipIf(process.platform === 'win32')
  .each([
    ['', 'a pipe', pipe] as const,
    ['', 'a socket', socket] as const,
    ['', 'a folder', mkdirSync as Make] as const,
    ...CASES,
  ])('names %s as %s instead of waiting for it', async (end, kind, make) => {
  const file = path.join(folder, 't');
  const made = openNotebookFile(file, 'tracebench-trace:1:0', 't', 0o600);
  if (made.ok) made.value.close();
  rmSync(file + end, { force: true });
  await make(file + end);
  const named = `${file}${end}: this is ${kind} and no ordinary file`;

  const notebook = `${named}; move it away, or name another notebook with --notebook`;
  expect(messageOf(openNotebookFile(file, 'tracebench-trace:1:0', 't'))).toBe(notebook);
  expect(messageOf(openNotebookFile(file, 'tracebench-trace:1:0', 't', 0o600))).toBe(notebook);
  expect(messageOf(readCopy(file))).toBe(notebook);
  expect(messageOf(openIndexFile(file))).toBe(`${named}; remove it, or choose another folder with --index-dir`);
  // The identity of a notebook is read from its own bytes.
  expect(peek(file).kind).toBe(end === '' ? 'foreign' : 'notebook');
});

test('a link may lead to a database', () => {
  const file = path.join(folder, 'real');
  writeFileSync(file, '');
  symlinkSync(file, path.join(folder, 'link'));
  const opened = openNotebookFile(path.join(folder, 'link'), 'tracebench-trace:1:0', 't', 0o600);
  expect(opened.ok).toBe(true);
  if (opened.ok) opened.value.close();
});

function messageOf(result: Result<unknown>): string {
  return result.ok ? 'opened' : result.error.message;
}
