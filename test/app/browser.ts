// A real browser for the journeys: the one that set-up found, started without a window and without calling home.
// A journey skips itself, with the reason, where there is none: `test.skipIf(!browser.path)(...)`, `browser.reason`.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findBrowser } from '../../build/setup/browser.mjs';

const found = findBrowser();

/** Where the browser is, or why there is none. */
export const browser: { readonly path?: string; readonly reason?: string } = found;

const quiet = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function openBrowser(): Promise<Browser> {
  if (!('path' in found)) throw new Error(found.reason);
  return await chromium.launch({ executablePath: found.path, args: quiet });
}

/** Keeps a picture of the page in `artefacts/`, for people who look at the run. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = fileURLToPath(new URL('../../artefacts/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}${name}.png` });
}
