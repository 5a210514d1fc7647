// How long the pane Compare takes to show where two runs part, in Chromium, on two traces that are indexed already:
//
//     node test/bench/compare-times.ts A B [ROUNDS] [FOLDER]
//
// Times start with the choice of the other trace. It is open in a tab, or is opened by the choice. FOLDER keeps the indexes for the next
// run. Each round restarts the host, with an empty folder of state: nothing is in memory, and no comparison is restored. Needs dist/, Chromium
// and Node 24, and an idle machine.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { findBrowser } from '../../build/setup/browser.mjs';
import { installClock, timed } from './page-clock.ts';

const [one = '', other = '', wanted = '5', folder = join(tmpdir(), 'tracebench-compare')] = process.argv.slice(2);
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const ROW = `(() => { const row = document.querySelector('#compare-rows .row.now');
  return row !== null && row.querySelector('[data-side]') !== null && row.querySelector('.waiting') === null; })()`;
const IS_COMPLETE = `${ROW} && !document.querySelector('[data-pane=compare] .busy.on')`;

mkdirSync(folder, { recursive: true });
const found = findBrowser();
if ('reason' in found) throw new Error(found.reason);
const environment = { ...process.env, HOME: folder, XDG_CACHE_HOME: folder, XDG_DATA_HOME: folder };
for (const path of [one, other])
  spawnSync(process.execPath, [CLI, 'index', resolve(path)], { env: environment, stdio: 'inherit' });
const browser = await chromium.launch({ executablePath: found.path, args: ['--no-sandbox'] });
const painted: number[] = [];
const complete: number[] = [];
try {
  for (let round = 0; round < Number(wanted); round++)
    for (const [times, condition] of [
      [painted, ROW],
      [complete, IS_COMPLETE],
    ] as const)
      await inNewHost(async (page) => {
        await page.keyboard.press('Control+Shift+P');
        await page.keyboard.insertText('Compare with');
        await page.keyboard.press('Enter');
        await page.getByLabel('Path of the trace on this computer').fill(resolve(other));
        times.push(await timed(page, 'keydown', condition, () => page.keyboard.press('Enter')));
      });
} finally {
  await browser.close();
}
console.log('what                                        p50     most, ms');
report('first difference painted', painted);
report('all values compared', complete);

async function inNewHost(act: (page: Page) => Promise<void>): Promise<void> {
  const state = mkdtempSync(join(folder, 'state-'));
  const server = spawn(process.execPath, [CLI, 'serve', '--any-file', '--port', '0', resolve(one)], {
    env: { ...environment, XDG_STATE_HOME: state, XDG_DATA_HOME: state },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: 'dark' });
    page.setDefaultTimeout(300_000);
    await page.addInitScript(installClock);
    let text = '';
    for await (const chunk of server.stdout) {
      text += String(chunk);
      if (/http:\/\/\S+\s/.test(text)) break;
    }
    await page.goto(/http:\/\/\S+/.exec(text)?.[0] ?? '');
    await page.locator('footer').getByText('of 0 to').waitFor();
    await page.evaluate(`bench.armNow(() => !document.querySelector('[data-pane] .busy.on'))`);
    await page.evaluate('bench.time()');
    await act(page);
    await page.close();
  } finally {
    const ended = once(server, 'exit');
    server.kill();
    await ended;
    rmSync(state, { recursive: true });
  }
}

function report(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const half = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  console.log(
    `${what.padEnd(40)} ${half.toFixed(0).padStart(7)} ${(sorted.at(-1) ?? Number.NaN).toFixed(0).padStart(7)}`,
  );
}
