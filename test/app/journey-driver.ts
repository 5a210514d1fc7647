/** The localhost host with the real engine and a real page, for journeys: the page's view and the engine's answers. */
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { printPdf } from '../../electron/cli/print-pdf.ts';
import { startEngine } from '../../electron/engine/engine.ts';
import { sample } from '../../electron/sample/sample.ts';
import type { PrintReport } from '../../electron/wire/answer-request.ts';
import { startWeb, type OpenFirst } from '../../electron/wire/web.ts';
import type { Client, IndexReport } from '../../shared/requests/requests.ts';

const pageDirectory = fileURLToPath(new URL('../../dist/page/', import.meta.url));

/** Reason why the page cannot be served, or undefined: set-up builds it. */
export const missingPage: string | undefined = existsSync(join(pageDirectory, 'index.html'))
  ? undefined
  : 'dist/page is missing: npm run setup builds it';

export interface Host {
  readonly url: string;
  /** The engine that the page uses. */
  readonly client: Client;
  /** Every answer of `index` so far. */
  readonly reports: readonly IndexReport[];
  close(): Promise<void>;
}

export async function startHost(
  indexDirectory: string,
  openFirst?: OpenFirst,
  port = 0,
  anyFile = true,
): Promise<Host> {
  const beside = (name: string): string => join(dirname(indexDirectory), name);
  const engine = startEngine({ indexDirectory, stateDirectory: beside('state'), dataDirectory: beside('data') });
  const reports: IndexReport[] = [];
  const client: Client = {
    async request(name, args, options) {
      const result = await engine.request(name, args, options);
      if (name === 'index' && result.ok) reports.push(result.value as IndexReport);
      return result;
    },
  };
  const print: PrintReport = (html, paper, cancel) => printPdf(html, paper === 'A4' ? paper : 'letter', cancel);
  const web = await startWeb({
    client,
    pageDirectory,
    port,
    anyFile,
    print,
    ...(openFirst !== undefined && { openFirst }),
  });
  if (!web.ok) {
    await engine.close();
    throw new Error(web.error.message);
  }
  return {
    get url() {
      return web.value.url;
    },
    client: engine,
    reports,
    async close() {
      await web.value.close();
      await engine.close();
    },
  };
}

export interface Folder {
  readonly path: (name: string) => string;
  readonly remove: () => void;
}

export function makeFolder(): Folder {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tracebench-journey-')));
  return { path: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export async function makeTrace(format: string, path: string, size: number): Promise<void> {
  const made = await sample({ format, path, size, seed: 7, locality: 'spread' });
  if (!made.ok) throw new Error(made.error.message);
}

/** Every error of the page: exceptions, refused inline code, failed loads. */
export function recordErrors(page: Page): readonly string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  return errors;
}

/** Number of different colours in a chart's picture. */
export async function coloursOf(page: Page, chart: string): Promise<number> {
  return inPicture(page, chart, (pixels) => new Set(pixels).size);
}

/** A point in the upper half of the heatmap that is far brighter than its dark background, in CSS pixels from its corner. */
export async function brightPlace(page: Page): Promise<{ readonly x: number; readonly y: number }> {
  const place = await inPicture(page, 'heatmap', (pixels, width, height) => {
    for (let x = Math.floor(width * 0.6); x < width; x += 1)
      for (let y = 4; y < height / 2; y += 1)
        if ((pixels[y * width + x]! & 0xff) > 200) return { x: x + 0.5, y: y + 0.5 };
    return undefined;
  });
  if (place === undefined) throw new Error('no cell of the heatmap is bright');
  return place;
}

/**
 * Runs a function in the page, with the picture of a chart at one pixel per CSS pixel: each number has red in its lowest byte.
 * The picture stays in the page, because sending it takes seconds.
 */
async function inPicture<T>(
  page: Page,
  chart: string,
  look: (pixels: Uint32Array, width: number, height: number) => T,
): Promise<T> {
  const looker = await page.evaluateHandle<(pixels: Uint32Array, width: number, height: number) => T>(
    `(${look.toString()})`,
  );
  return page.locator(`canvas[data-chart=${chart}]`).evaluate((canvas: HTMLCanvasElement, inPage) => {
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    if (!copy) throw new Error('the browser has no canvas');
    copy.drawImage(canvas, 0, 0, width, height);
    return inPage(new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer), width, height);
  }, looker);
}
