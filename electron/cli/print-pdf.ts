/** Prints a report to PDF with an installed Chromium, without network access. The report itself forbids scripts. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CANCELLED } from '../../shared/requests/failures.ts';
import { fail, ok, type Result } from '../../shared/base/result.ts';
import { findBrowser } from './find-browser.ts';

export const PAPERS = ['A4', 'letter'] as const;
export type Paper = (typeof PAPERS)[number];

const MOST_MS = 180_000;

/** Fails with `report-browser`, or with `report-pdf` if printing fails. */
export async function printPdf(html: Uint8Array, paper: Paper, signal: AbortSignal): Promise<Result<Uint8Array>> {
  const browser = findBrowser();
  if (!browser.ok) return browser;
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), 'tracebench-pdf-'));
    const page = join(folder, 'report.html');
    const file = join(folder, 'report.pdf');
    // The report does not choose the paper: a person who prints the HTML does.
    await writeFile(page, [html, `<style>@page { size: ${paper}; }</style>\n`]);
    const args = [...FLAGS, ...rootFlags(), `--user-data-dir=${join(folder, 'profile')}`, `--print-to-pdf=${file}`];
    const problem = await run(browser.value, [...args, pathToFileURL(page).href], signal);
    if (signal.aborted) return fail(CANCELLED, 'interrupted');
    const pdf = problem === undefined ? await readPrinted(file) : undefined;
    if (pdf !== undefined) return ok(pdf);
    return fail(
      'report-pdf',
      `${browser.value} did not print the report (${problem ?? 'it wrote nothing'}); write .html and print it from a browser`,
    );
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return fail(
      'report-pdf',
      `printing needs a temporary file in ${tmpdir()}, which cannot be written (${error.message}); write .html instead`,
    );
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Block the network: no host name resolves, and addresses go to a proxy that does not exist. */
const FLAGS = [
  '--headless',
  '--disable-gpu',
  '--no-pdf-header-footer',
  '--generate-pdf-document-outline',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-quic',
  '--disable-sync',
];

/** Chromium does not start for root with its sandbox. */
function rootFlags(): readonly string[] {
  return process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];
}

/** Returns the reason of a failure, or undefined. */
async function run(program: string, args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const { spawn } = await import('node:child_process');
  return new Promise((settle) => {
    const child = spawn(program, args, { stdio: 'ignore', windowsHide: true });
    const kill = (): void => void child.kill('SIGKILL');
    const timer = setTimeout(kill, MOST_MS);
    signal.addEventListener('abort', kill, { once: true });
    const end = (problem: string | undefined): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
      settle(problem);
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, by) =>
      end(code === 0 ? undefined : by === null ? `exit code ${String(code)}` : `ended by ${by}`),
    );
  });
}

async function readPrinted(file: string): Promise<Uint8Array | undefined> {
  try {
    const bytes = await readFile(file);
    return bytes.subarray(0, 5).toString('latin1') === '%PDF-' ? bytes : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
