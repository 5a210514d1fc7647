/** Set-up shared by all journeys: files in a separate folder, the host, and a page in a browser that records errors. */
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { browser as found, openBrowser } from './browser.ts';
import type { Arguments } from '../../shared/requests/requests.ts';
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

/** Address of the page with each call in a request of its own, for journeys that hold or read calls by their names. */
export function withCallsAlone(url: string): string {
  return `${url}${url.includes('#') ? '&' : '#'}calls=alone`;
}

/** How a journey sees the page; by default in dark colours, in a window of 1440 x 900 pixels. */
export interface View {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'dark' | 'light';
  readonly reducedMotion?: 'reduce';
}

/**
 * The page that the journeys of a process share, and the port of their hosts, so that the browser keeps the compiled scripts. Another
 * page or origin takes several times as long to open.
 */
interface Shared {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  port: number;
}
let shared: Promise<Shared> | undefined;

async function startShared(): Promise<Shared> {
  const browser = await openBrowser();
  const context = await browser.newContext();
  return { browser, context, page: await context.newPage(), port: 0 };
}

/** The trace that the host opens first: its path, or the arguments of `open`. */
type First = string | Arguments<'open'> | undefined;

/** `files` writes the journey's files and returns the trace that the host opens. The page is still empty. */
export async function openStage(
  files: (folder: Folder) => First | Promise<First>,
  { viewport = { width: 1440, height: 900 }, colorScheme = 'dark', reducedMotion }: View = {},
): Promise<Stage> {
  const folder = makeFolder();
  const first = await files(folder);
  const session = await (shared ??= startShared());
  const openFirst = typeof first === 'string' ? { path: first } : first;
  const start = (port?: number): Promise<Host> => startHost(folder.path('index'), openFirst, port);
  // Another program may have taken the port since the last journey.
  const host = await start(session.port).catch(() => start());
  session.port = Number(new URL(host.url).port);
  const { browser, context, page } = session;
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme, reducedMotion: reducedMotion ?? null });
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
      // Only events that journeys listen to: Playwright listens to others itself.
      context.removeAllListeners('request');
      for (const event of ['pageerror', 'console', 'request']) page.removeAllListeners(event);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.mouse.move(0, 0);
      // A place of the same origin without the workbench, which saves its open traces until it is left.
      await page.route('**/none', (route) => route.fulfill({ body: '' }));
      await page.goto(new URL('/none', host.url).href);
      await page.unroute('**/none');
      await page.evaluate(() => {
        localStorage.clear();
        sessionStorage.clear();
      });
      await page.goto('about:blank');
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
