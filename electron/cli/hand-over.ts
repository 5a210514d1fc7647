/**
 * Hands an address to the user's browser without naming it in the arguments of a process, which every user of the machine can read: the
 * browser opens a file that only this user can read, and the file leads on to the address.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface HandOver {
  /** Removes the file. */
  remove(): void;
}

/** Opens an address in the default browser. Calls `onFailure` if no browser can be started. */
export async function openInBrowser(url: string, onFailure: () => void): Promise<HandOver> {
  // The folder that this makes has mode 0700.
  const folder = mkdtempSync(join(tmpdir(), 'tracebench-open-'));
  const file = join(folder, 'workbench.html');
  const escaped = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const page = `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${escaped}">
<title>Tracebench</title>
<p><a href="${escaped}">Open the workbench</a></p>
`;
  writeFileSync(file, page, { mode: 0o600 });
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const { spawn } = await import('node:child_process');
  const child = spawn(program, [...args, file], { detached: true, stdio: 'ignore' });
  child.on('error', onFailure);
  child.unref();
  return {
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Programs that open a file in the default browser. On Windows, `start` would take a quoted first argument as a title. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
