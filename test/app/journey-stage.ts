/** Set-up shared by all journeys: files in a separate folder, the host, and a page in a browser that records errors. */
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { browser as found, openBrowser } from './browser.ts';
import { recordErrors, makeFolder, missingPage, startHost, type Folder, type Host } from './journey-driver.ts';

export interface Stage {
  readonly folder: Folder;
  readonly host: Host;
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors reported by the page. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/**
 * Maximum random delay of answers in milliseconds, as on a busy machine: `LATE_ANSWERS=300 npm test`. A page or journey that mistakes a
 * late answer for the expected one fails with it.
 */
const LATE = Number(process.env['LATE_ANSWERS'] ?? 0);

/** Reason why journeys cannot run here, which is printed; undefined if they can. */
export function whySkipped(journey: string): string | undefined {
  const missing = found.path === undefined ? (found.reason ?? 'no browser') : missingPage;
  if (missing !== undefined) console.warn(`${journey} is skipped: ${missing}`);
  return missing;
}

/** `files` writes the journey's files and returns the path of the trace that the host opens. The page is still empty. */
export async function openStage(
  files: (folder: Folder) => string | undefined | Promise<string | undefined>,
  view: BrowserContextOptions = {},
): Promise<Stage> {
  const folder = makeFolder();
  const first = await files(folder);
  const host = await startHost(folder.path('index'), first);
  const browser = await openBrowser();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'dark', ...view });
  const page = await context.newPage();
  if (LATE > 0) {
    await page.route('**/api/**', async (route) => {
      await setTimeout(Math.random() * LATE);
      await route.fallback();
    });
  }
  return {
    folder,
    host,
    browser,
    context,
    page,
    errors: recordErrors(page),
    async close() {
      await browser.close();
      await host.close();
      folder.remove();
    },
  };
}

/** Opens the page's trace for the test, and waits for its index; the engine is the page's. */
export async function indexed({ client }: Host, path: string): Promise<string> {
  const opened = await client.request('open', { path });
  if (!opened.ok) throw new Error(opened.error.message);
  const { trace } = opened.value;
  const index = await client.request('index', { trace });
  if (!index.ok || !index.value.complete) throw new Error('the trace is not indexed');
  return trace;
}
