/** The browser is started without a secret in its arguments, which every user of the machine can read. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openInBrowser } from '../../electron/cli/hand-over.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'tracebench-hand-over-'));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

// Windows and macOS start other programs, which cannot be replaced by a script in PATH.
test.skipIf(process.platform !== 'linux')('hands the address over in a file of this user alone', async () => {
  const said = path.join(folder, 'arguments');
  const opener = path.join(folder, 'xdg-open');
  writeFileSync(opener, `#!/bin/sh\nprintf '%s' "$*" >'${said}.part' && mv '${said}.part' '${said}'\n`);
  chmodSync(opener, 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`);

  const url = 'http://127.0.0.1:8123/room/?code=secret#open=%2Ft&format=byu6';
  const handOver = await openInBrowser(url, () => expect.unreachable('the browser did not start'));
  await vi.waitUntil(() => existsSync(said));
  const file = readFileSync(said, 'utf8');
  expect(file).not.toContain('secret');
  expect(readFileSync(file, 'utf8')).toContain(
    'url=http://127.0.0.1:8123/room/?code=secret#open=%2Ft&amp;format=byu6"',
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  handOver.remove();
  expect(existsSync(path.dirname(file))).toBe(false);
});
