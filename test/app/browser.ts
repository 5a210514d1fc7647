// A real browser for the journeys: the one that set-up found, started headless and without background requests.
// Without a browser, a journey skips itself and gives the reason: `test.skipIf(!browser.path)(...)`, `browser.reason`.
import { mkdirSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Download, type Page } from 'playwright-core';
import { inject } from 'vitest';
import { findBrowser } from '../../build/setup/browser.mjs';

const found = findBrowser();

/** Path of the browser, or the reason why there is none. */
export const browser: { readonly path?: string; readonly reason?: string } = found;

/** Timeout of page operations in milliseconds: long enough for a busy machine, so only a broken page exceeds it. */
const PATIENCE_MS = 200_000;

/** Connects to the browser that all journeys share. Closing the connection closes only the contexts opened through it. */
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

/** Returns the content of a downloaded file: a shared browser gives streams, not paths. */
export async function contentOf(download: Download): Promise<Buffer> {
  return buffer(await download.createReadStream());
}

/** Saves a screenshot in `artefacts/` for people who look at the run, if TRACEBENCH_SCREENSHOTS is 1 as in the nightly run. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (process.env['TRACEBENCH_SCREENSHOTS'] !== '1') return;
  const folder = fileURLToPath(new URL('../../artefacts/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}${name}.png` });
}

/** Keeps screenshots in both sizes and themes, each taken after `atRest`. */
export async function keepScreenshots(page: Page, name: string, atRest?: () => Promise<void>): Promise<void> {
  if (process.env['TRACEBENCH_SCREENSHOTS'] !== '1') return;
  for (const [width, height] of [
    [1280, 720],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
      await atRest?.();
      await keepScreenshot(page, `${name}-${width}-${colorScheme}`);
    }
  }
}
