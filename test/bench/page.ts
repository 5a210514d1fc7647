// Times of the page as a person feels them, in Chromium, on a trace that is indexed already:
//
//     node test/bench/page.ts TRACE [ROUNDS] [FOLDER]
//
// Each time starts with the event in the page and ends with the frame after which nothing more is drawn: the wanted row is there, and no
// pane waits for an answer. FOLDER keeps the index for the next run. Needs dist/, Chromium and Node 24, and an idle machine.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { findBrowser } from '../../build/setup/browser.mjs';
import { createRandom } from '../../electron/sample/random.ts';
import { installClock, timed } from './page-clock.ts';

const [path = '', wanted = '30', folder = join(tmpdir(), 'tracebench-page')] = process.argv.slice(2);
const rounds = Number(wanted);
const SIZE = { width: 1440, height: 900 };
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** Conditions, as expressions in the page. */
const NO_PANE_WAITS = `!document.querySelector('[data-pane] .busy.on')`;
const HEATMAP_IS_FINE = `document.querySelector('.chart[data-settled]')?.dataset.settled === 'true'`;
const ROWS_ARE_THERE = `document.querySelector('#records [data-record][aria-selected=true]') !== null`;
const ONLY_CHARTS_WAIT = `[...document.querySelectorAll('[data-pane]:has(.busy.on)')].every((pane) => pane.querySelector('canvas'))`;

mkdirSync(folder, { recursive: true });
const found = findBrowser();
if ('reason' in found) throw new Error(found.reason);
const environment = { ...process.env, HOME: folder, XDG_CACHE_HOME: folder, XDG_DATA_HOME: folder };
const server = spawn(process.execPath, [CLI, 'serve', '--any-file', '--port', '0', resolve(path)], {
  env: environment,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({ executablePath: found.path, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'dark' });
  page.setDefaultTimeout(300_000);
  await page.addInitScript(installClock);
  await page.goto(await addressOf());
  const records = await indexedRecords(page);
  console.log(`${path}: ${String(records)} records, ${String(SIZE.width)} x ${String(SIZE.height)}`);
  console.log('what                                        p50     p95     most, ms');
  await rest(page);
  await keys(page);
  await jumps(page, records);
  await zooms(page);
  await frames(page);
  await reopens(page);
} finally {
  await browser.close();
  server.kill();
}

async function keys(page: Page): Promise<void> {
  await page.locator('#records').focus();
  for (const key of ['ArrowDown', 'PageDown', 'ArrowUp', 'PageUp']) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const before = await cursor(page);
      const isThere = `(() => { const row = document.querySelector('#records [data-record][aria-selected=true]');
        return row !== null && row.dataset.record !== '${before}'; })()`;
      times.push(await timed(page, 'keydown', isThere, () => page.keyboard.press(key)));
      await rest(page);
    }
    report(`${key} to painted row`, times);
  }
}

async function jumps(page: Page, records: number): Promise<void> {
  const random = createRandom(1);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const record = Math.floor((random.below(1_000_000) / 1_000_000) * records);
    await page.keyboard.press('g');
    await page.keyboard.type(String(record));
    const isThere = `${NO_PANE_WAITS} && ${ROWS_ARE_THERE} && Number(document.querySelector('#records [data-record][aria-selected=true]').dataset.record) <= ${String(record)} && document.querySelector('dialog[open]') === null`;
    times.push(await timed(page, 'keydown', isThere, () => page.keyboard.press('Enter')));
    await rest(page);
  }
  report('jump to a record, all panes', times);
}

/** Zooms with the wheel around random places of the chart, eight steps deep, and out again. */
async function zooms(page: Page): Promise<void> {
  const random = createRandom(2);
  const chart = page.locator('canvas[data-chart=heatmap]');
  const box = (await chart.boundingBox())!;
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const x = box.x + box.width * (0.1 + random.below(80) / 100);
    const y = box.y + box.height * (0.1 + random.below(80) / 100);
    await page.mouse.move(x, y);
    for (let step = 0; step < 8; step++)
      times.push(await timed(page, 'wheel', HEATMAP_IS_FINE, () => page.mouse.wheel(0, -200)));
    await page.keyboard.press('0');
    await rest(page);
  }
  report('heatmap zoom to full detail', times);
  report('  without the first ten', times.slice(10));
}

async function frames(page: Page): Promise<void> {
  const chart = page.locator('canvas[data-chart=heatmap]');
  const box = (await chart.boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  for (let step = 0; step < 4; step++) await page.mouse.wheel(0, -200);
  await rest(page);
  await smooth(page, 'panning the heatmap', async () => {
    await page.mouse.down();
    for (let step = 0; step < 240; step++) {
      await page.mouse.move(x + 150 * Math.sin(step / 20), y + 60 * Math.sin(step / 31));
      await delay(12);
    }
    await page.mouse.up();
  });
  const rows = (await page.locator('#records').boundingBox())!;
  await page.mouse.move(rows.x + rows.width / 2, rows.y + rows.height / 2);
  await smooth(page, 'scrolling the instructions', async () => {
    for (let step = 0; step < 240; step++) {
      await page.mouse.wheel(0, 60);
      await delay(12);
    }
  });
  await page.keyboard.press('0');
  await rest(page);
}

async function smooth(page: Page, what: string, act: () => Promise<void>): Promise<void> {
  await page.evaluate('bench.watchFrames()');
  await act();
  const gaps = await page.evaluate<number[]>('bench.frames()');
  const smoothOnes = gaps.filter((gap) => gap <= 20).length / gaps.length;
  report(`${what}: ${(smoothOnes * 100).toFixed(1)} % of ${String(gaps.length)} frames within 20 ms`, gaps);
}

async function reopens(page: Page): Promise<void> {
  const painted: number[] = [];
  const complete: number[] = [];
  for (let round = 0; round < Math.min(rounds, 10); round++) {
    for (const times of [painted, complete]) {
      await page
        .getByRole('button', { name: /^Close (?!.*pane)/ })
        .first()
        .waitFor();
      await page.locator('[role=tab]').first().click({ button: 'middle' });
      const recent = page.locator('button.recent').first();
      await recent.waitFor();
      const isThere =
        times === painted
          ? `${ROWS_ARE_THERE} && ${ONLY_CHARTS_WAIT}`
          : `${ROWS_ARE_THERE} && ${NO_PANE_WAITS} && ${HEATMAP_IS_FINE}`;
      times.push(await timed(page, 'click', isThere, () => recent.click()));
      await rest(page);
    }
  }
  report('reopened, panes painted', painted);
  report('reopened, charts at full detail', complete);
}

async function rest(page: Page): Promise<void> {
  await page.evaluate(`bench.armNow(() => ${NO_PANE_WAITS} && ${HEATMAP_IS_FINE})`);
  await page.evaluate('bench.time()');
}

async function cursor(page: Page): Promise<string> {
  const row = page.locator('#records [data-record][aria-selected=true]');
  return (await row.first().getAttribute('data-record')) ?? '';
}

async function indexedRecords(page: Page): Promise<number> {
  const total = page.locator('footer').getByText(/ of 0 to [\d,]+$/);
  await total.waitFor();
  let text = '';
  // The last record stays the same once the index is complete.
  for (let same = 0; same < 4;) {
    const now = (await total.first().textContent()) ?? '';
    same = now === text ? same + 1 : 0;
    text = now;
    await delay(500);
  }
  return Number(/to ([\d,]+)$/.exec(text)?.[1]?.replaceAll(',', '')) + 1;
}

async function addressOf(): Promise<string> {
  let text = '';
  for await (const chunk of server.stdout) {
    text += String(chunk);
    const address = /http:\/\/\S+/.exec(text)?.[0];
    if (address !== undefined) return address;
  }
  throw new Error('the server ended without an address');
}

function report(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN).toFixed(0).padStart(7);
  console.log(`${what.padEnd(40)} ${at(0.5)} ${at(0.95)} ${at(1)}`);
}
