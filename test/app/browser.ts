// A real browser for the journeys: the one that set-up found, started without a window and without calling home.
// A journey skips itself, with the reason, where there is none: `test.skipIf(!browser.path)(...)`, `browser.reason`.
import { mkdirSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Download, type Page } from 'playwright-core';
import { inject } from 'vitest';
import { findBrowser } from '../../build/setup/browser.mjs';

const found = findBrowser();

/** Where the browser is, or why there is none. */
export const browser: { readonly path?: string; readonly reason?: string } = found;

/** Milliseconds that a page may take for anything: only a broken page reaches this, however busy the machine is. */
const PATIENCE_MS = 200_000;

/** Connects to the browser that all journeys share. Closing the connection closes only the contexts that were opened through it. */
export async function openBrowser(): Promise<Browser> {
  const endpoint = inject('browserEndpoint');
  if (endpoint === undefined) throw new Error(browser.reason ?? 'no browser was started');
  const connection = await chromium.connect(endpoint);
  const newContext = connection.newContext.bind(connection);
  connection.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return connection;
}

/** Returns the content of a file that the page offered for download: a shared browser gives streams, not paths. */
export async function contentOf(download: Download): Promise<Buffer> {
  return buffer(await download.createReadStream());
}

/** Keeps a picture of the page in `artefacts/`, for people who look at the run. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = fileURLToPath(new URL('../../artefacts/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}${name}.png` });
}
