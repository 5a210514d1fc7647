/**
 * Opening and following traces: the real engine behind the localhost host, and the built page in a real browser. Covers opening,
 * indexing, the heatmap, jumps, steps, search, a second trace, and a reload.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FindArguments } from '../../shared/requests/requests.ts';
import { toHex, type Hex } from '../../shared/base/units.ts';
import { few, NIGHTLY, rounds } from '../short-form.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { brightPlace, coloursOf, makeTrace, startHost, type Host } from './journey-driver.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey');

describe.skipIf(missing !== undefined)('the workbench in the browser', () => {
  let stage: Stage;
  let page: Page;
  let text = '';
  let binary = '';
  /** The record and address that a click on the heatmap chose. */
  let address: { readonly low: Hex; readonly high: Hex } = { low: '0x0', high: '0x0' };

  beforeAll(async () => {
    stage = await openStage(async ({ path }) => {
      await makeTrace('tarmac', path('program.txt'), rounds(6_000_000, 12_000_000));
      await makeTrace('byu6', path('program.byu'), 3_000_000);
      return undefined;
    });
    page = stage.page;
    text = stage.folder.path('program.txt');
    binary = stage.folder.path('program.byu');
  });
  afterAll(() => stage.close());

  it('starts with an accessible choice of traces', async () => {
    await page.goto(stage.host.url);
    // Records if a progress bar was ever on the page, even briefly.
    await page.evaluate(() => {
      new MutationObserver(() => {
        if (document.querySelector('progress')) document.documentElement.dataset['sawProgress'] = 'yes';
      }).observe(document, { subtree: true, childList: true });
    });
    await page.getByText('BYU 6-byte Pentium address trace').waitFor();
    for (const theme of few(['dark', 'light'] as const, 1)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      expect(await violations(page)).toEqual([]);
    }
    await keepScreenshot(page, 'journey-1-start');
    await page.emulateMedia({ colorScheme: 'dark' });
  });

  it('explains in a sentence what is wrong with a file, and where', async () => {
    const folderPath = stage.folder.path('a folder');
    const empty = stage.folder.path('empty.txt');
    mkdirSync(folderPath);
    writeFileSync(empty, '');
    for (const path of [folderPath, empty, stage.folder.path('not there')]) {
      await page.getByLabel('Path of the trace').fill(path);
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page
        .getByRole('alert')
        .filter({ hasText: path.split('/').at(-1) ?? path })
        .waitFor();
      await page.getByRole('button', { name: 'Dismiss' }).click();
    }
  });

  it('opens a trace: first records, progress, a complete index', async () => {
    await page.getByLabel('Path of the trace').fill(text);
    await page.keyboard.press('Enter');
    await page.locator('[data-record="0"]').getByText('0x00008000').waitFor();
    await page.locator('html[data-saw-progress=yes]').waitFor({ state: 'attached' });
    await indexed(page);
    expect(stage.host.reports.map(({ built, complete }) => [built, complete])).toEqual([[true, true]]);
    expect(await page.locator('footer').innerText()).toContain(`of 0 to ${count((await recordsOf(stage.host)) - 1)}`);
  });

  it('draws a heatmap and an overview with different colours', async () => {
    await until(() => coloursOf(page, 'heatmap')).toBeGreaterThan(20);
    await until(() => coloursOf(page, 'overview')).toBeGreaterThan(4);
    await keepScreenshot(page, 'journey-2-open');
  });

  it('shows the cell under the pointer, and a click goes there', async () => {
    await page.locator('[data-settled=true]').waitFor();
    const place = await brightPlace(page);
    const chart = page.locator('canvas[data-chart=heatmap]');
    const box = await chart.boundingBox();
    await page.mouse.move((box?.x ?? 0) + place.x, (box?.y ?? 0) + place.y);
    const tip = await page.locator('.tip').innerText();
    const low = BigInt(/0x[0-9a-f]{8}/.exec(tip)?.[0] ?? '0x0');
    const [from = 0, to = 0] = (/Records ([\d,]+) to ([\d,]+)/.exec(tip) ?? [])
      .slice(1)
      .map((part) => Number(part.replaceAll(',', '')));
    const size = /([\d.]+) (B|KiB|MiB)/.exec(tip.slice(10));
    const unit = { B: 1, KiB: 1024, MiB: 1_048_576 }[size?.[2] ?? ''] ?? 0;
    // The size is shown with three digits.
    const bytes = BigInt(Math.ceil(Number(size?.[1]) * unit * 1.005));
    await page.mouse.down();
    await page.mouse.up();

    await until(() => cursorOf(page)).toBeGreaterThanOrEqual(from);
    const n = await cursorOf(page);
    expect(n).toBeLessThanOrEqual(to);
    const answer = await stage.host.client.request('records', { trace: 't1', from: n, count: 1 });
    const record = answer.ok ? answer.value.records[0] : undefined;
    const start = BigInt(record?.address ?? '0x0');
    expect(start + BigInt(record?.size ?? 1) > low && start < low + bytes).toBe(true);
    address = { low: toHex(start), high: toHex(start + BigInt(record?.size ?? 1) - 1n) };
    await page
      .locator(`[data-record="${n}"][aria-selected=true]`)
      .getByText(record?.address?.slice(2) ?? 'none')
      .waitFor();
    await page.getByRole('tab', { name: 'Bytes' }).click();
    await page
      .locator('section[aria-label=Bytes]')
      .getByText(`Record ${count(n)}`, { exact: true })
      .waitFor();
  });

  it('steps, jumps, goes back, and finds the next access, the writer and a text', async () => {
    const start = await cursorOf(page);
    await page.keyboard.press('ArrowDown');
    await at(page, start + 1);
    await page.keyboard.press('g');
    await page.getByPlaceholder('Record, t:time, 0xaddress or symbol').fill('12,345');
    await page.keyboard.press('Enter');
    await at(page, 12_345);
    await page.keyboard.press('Alt+ArrowLeft');
    await at(page, start + 1);

    const next = await first(stage.host, { address, after: start + 1 });
    const writer = await first(stage.host, { address, kinds: ['write', 'bus-write'], before: start + 1 });
    await page.keyboard.press('Shift+W');
    await at(page, writer ?? start + 1);
    if (writer === undefined) await page.getByRole('status').getByText('There is no earlier write').waitFor();
    else await page.keyboard.press('Alt+ArrowLeft');
    await at(page, start + 1);
    await page.keyboard.press('x');
    await at(page, next ?? start + 1);

    const from = await cursorOf(page);
    const match = await first(stage.host, { text: 'blx? ', after: from });
    await page.keyboard.press('Control+f');
    await page.keyboard.type('blx? ');
    await page.keyboard.press('Enter');
    expect(match).toBeGreaterThan(from);
    await at(page, match ?? -1);
    await page.keyboard.press('Escape');
  });

  it('selects, zooms down to single records and back', async () => {
    const chart = page.locator('canvas[data-chart=heatmap]');
    const box = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + 60, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 260, box.y + 300, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.getByRole('group', { name: 'Selection' }).getByText('accesses').waitFor();
    await page.keyboard.press('z');
    await page.locator('footer').getByText('Range').waitFor();
    await page.keyboard.press('Control+2');
    for (let turn = 0; turn < 12; turn += 1) await page.keyboard.press('+');
    await page.getByText('One mark per record').waitFor();
    await keepScreenshot(page, 'journey-3-marks');
    await page.keyboard.press('0');
    await page.locator('section[aria-label=Heatmap]').getByText('whole trace').waitFor();
  });

  it('charts are usable by keyboard, cell by cell, with spoken values, and as tables', async () => {
    await page.keyboard.press('Control+2');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page
      .locator('section[aria-label=Heatmap] [aria-live]')
      .getByText(/access.*records? [\d,]+/)
      .waitFor();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('Space');
    await page.getByRole('group', { name: 'Selection' }).getByText('accesses').waitFor();
    const selected = /^([\d,]+ to [\d,]+)/.exec(await page.getByRole('group', { name: 'Selection' }).innerText())?.[1];
    await page.keyboard.press('z');
    await page
      .locator('footer')
      .getByText(`Range ${selected ?? ''}`)
      .waitFor();
    await page.keyboard.press('0');
    await page.keyboard.press('Control+1');
    await page.keyboard.press('ArrowRight');
    await page
      .locator('section[aria-label=Overview] [aria-live]')
      .getByText(/Records [\d,]+ to [\d,]+: /)
      .waitFor();
    for (const button of await page.getByRole('button', { name: 'Show as table' }).all()) await button.click();
    await page.getByRole('region', { name: 'Heatmap as a table' }).waitFor();
    expect(await violations(page)).toEqual([]);
    // At any zoom, each column reports its start.
    await page.keyboard.press('Control+3');
    await page.keyboard.press('Control+End');
    for (let turn = 0; turn < 12; turn += 1) await page.keyboard.press('+');
    const shown = /Range ([\d,]+) to/.exec(await page.locator('footer').innerText())?.[1] ?? '';
    const heads = page.getByRole('region', { name: 'Heatmap as a table' }).getByRole('columnheader');
    await heads.getByText(shown).first().waitFor();
    const places = await heads.allInnerTexts();
    expect(new Set(places).size).toBe(places.length);
    await page.keyboard.press('0');
    for (const button of await page.getByRole('button', { name: 'Show as table' }).all()) await button.click();
  });

  it('opens a second trace in its own tab and keeps the places of both', async () => {
    const first = await cursorOf(page);
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace on this computer').fill(binary);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'program.byu', selected: true }).waitFor();
    await indexed(page);
    await at(page, 0);
    await until(() => coloursOf(page, 'heatmap')).toBeGreaterThan(20);
    await idle(page);
    await keepScreenshot(page, 'journey-4-second');
    await page.getByRole('tab', { name: 'program.txt' }).click();
    await at(page, first);
  });

  it('is accessible, and fits a small window and a page zoomed to 200 %', async () => {
    for (const theme of few(['light', 'dark'] as const, 1)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      await idle(page);
      expect(await violations(page)).toEqual([]);
      await keepScreenshot(page, `journey-5-${theme}`);
    }
    for (const [width, height] of [
      [1280, 720],
      [640, 360],
    ] as const) {
      await page.setViewportSize({ width, height });
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(await violations(page)).toEqual([]);
      await keepScreenshot(page, `journey-6-${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('opens the same traces again after a reload, without indexing', async () => {
    const before = stage.host.reports.length;
    await page.reload();
    await page.getByRole('tab', { name: 'program.byu' }).waitFor();
    await page.getByRole('tab', { name: 'program.txt' }).waitFor();
    await until(() => stage.host.reports.length).toBe(before + 2);
    expect(stage.host.reports.slice(before).map(({ built, complete }) => [built, complete])).toEqual([
      [false, true],
      [false, true],
    ]);
  });

  if (NIGHTLY) {
    it('uses the index of an earlier run for a trace named on the command line', async () => {
      const later = await startHost(stage.folder.path('index'), { path: text });
      try {
        const fresh = await stage.browser.newPage({ viewport: { width: 1280, height: 720 } });
        await fresh.goto(later.url);
        await fresh.getByRole('tab', { name: 'program.txt' }).waitFor();
        await until(() => coloursOf(fresh, 'heatmap')).toBeGreaterThan(20);
        await until(() => later.reports.map(({ built }) => built)).toEqual([false]);
        await fresh.close();
      } finally {
        await later.close();
      }
    });
  }

  it('asks for the format if none fits, with the first records of each', async () => {
    const odd = stage.folder.path('odd.bin');
    // Multiples of 37 contain well-formed and malformed records of six bytes.
    writeFileSync(
      odd,
      Uint8Array.from({ length: 600 }, (_, index) => (index * 37) & 0xff),
    );
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace on this computer').waitFor();
    await page.keyboard.insertText(odd);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Which format is this?' });
    await dialog.waitFor();
    await page.keyboard.press('Space');
    await dialog.getByRole('radio', { name: 'BYU 6-byte Pentium address trace', checked: true }).waitFor();
    const preview = dialog.getByRole('region', { name: 'First records' });
    // Record 1 begins with de 03 28 4d: its lowest three bits are not part of the address.
    await preview.getByText('0xde032848', { exact: true }).waitFor();
    await dialog.getByLabel('endian').selectOption('little');
    await preview.getByText('0x4d2803d8', { exact: true }).waitFor();
    await dialog.getByText(/[0-9]+ problems?: /).waitFor();
    expect(await violations(page, { changed: 'dialog[open]' })).toEqual([]);
    await keepScreenshot(page, 'journey-7-format');
    await dialog.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('tab', { name: 'odd.bin', selected: true }).waitFor();
    await page.locator('footer').getByText('of 0 to 99').waitFor();
    await page.locator('[data-record="1"]').getByText('0x4d2803d8').waitFor();
  });

  it('reads an open trace again as another format or with other options', async () => {
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('read as another');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Read as another format' });
    const endian = dialog.getByLabel('endian');
    await until(() => endian.inputValue()).toBe('little');
    // A value that the format cannot read is refused in a sentence next to the option.
    await dialog.getByText('Pentium bus capture').click();
    // By content, the file would be read as binary records, which have no columns.
    await dialog.getByLabel('dialect').selectOption('text');
    const columns = dialog.getByLabel('columns');
    await columns.fill('w/r:nowhere');
    await dialog.getByRole('alert').filter({ hasText: 'columns=w/r:nowhere' }).waitFor();
    expect(await columns.getAttribute('aria-invalid')).toBe('true');
    expect(await violations(page, { changed: 'dialog[open]' })).toEqual([]);
    await keepScreenshot(page, 'journey-7-refused');
    await dialog.getByText('BYU 6-byte Pentium address trace').click();
    await endian.selectOption('big');
    await dialog.getByRole('region', { name: 'First records' }).getByText('0xde032848', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.locator('[data-record="1"]').getByText('0xde032848').waitFor();
    await until(() => page.getByRole('tab', { name: 'odd.bin' }).count()).toBe(1);
  });

  it('lists unreadable records, by keyboard, and goes to the first of each', async () => {
    await page.getByRole('button', { name: /[0-9] problems?$/ }).click();
    const list = page.getByRole('treegrid', { name: /Problems in the trace/ });
    await list.getByText('misaligned-address').waitFor();
    const walked = list.locator('.walked');
    for (let down = 0; down < 30; down += 1) {
      await page.keyboard.press('ArrowDown');
      if ((await walked.innerText()).includes('misaligned-address')) break;
    }
    // Big-endian addresses of four bytes, then byte enables, then a control byte whose upper half may name a cycle.
    const byteOf = (n: number, at: number): number => ((n * 6 + at) * 37) & 0xff;
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    const wanted = numbers.findIndex(
      (n) => ![0, 2, 4, 6, 10, 11].includes(byteOf(n, 5) >> 4) && (byteOf(n, 3) & 7) !== 0,
    );
    await page.keyboard.press('Enter');
    await at(page, wanted);
    await page.keyboard.press('Control+4');
    await page
      .locator('section[aria-label=Bytes]')
      .getByText(`byte ${count(wanted * 6)},`)
      .waitFor();
    await page.keyboard.press('Control+5');
    for (const theme of few(['light', 'dark'] as const, 1)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      await idle(page);
      expect(await violations(page, { changed: 'section[aria-label=Diagnostics]' })).toEqual([]);
      await keepScreenshot(page, `journey-8-diagnostics-${theme}`);
    }
    await page.getByRole('tab', { name: 'program.txt' }).click();
    // Each trace has its own layout.
    await page.locator('section[aria-label=Diagnostics]').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('Diagnostics');
    await page.keyboard.press('Enter');
    await page.getByText('No problems found.').waitFor();
    await page.getByRole('tab', { name: 'odd.bin' }).click();
    await page.getByRole('button', { name: 'Close Diagnostics' }).click();
    await page.getByRole('button', { name: 'Close trace odd.bin' }).click();
    await page.getByRole('tab', { name: 'odd.bin' }).waitFor({ state: 'detached' });
  });

  it('violates no content policy and causes no errors', () => {
    expect(stage.errors).toEqual([]);
  });
});

/** Waits as long as a slow machine needs: only a broken page times out. */
function until<T>(look: () => T | Promise<T>) {
  return expect.poll(look);
}

async function cursorOf(page: Page): Promise<number> {
  const text = await page.locator('footer').innerText();
  return Number((/Record ([\d,]+) of/.exec(text)?.[1] ?? 'NaN').replaceAll(',', ''));
}

/** Waits until the cursor is at the record and its row is visible and selected. */
async function at(page: Page, n: number): Promise<void> {
  await page.locator(`[data-record="${n}"][aria-selected=true]`).waitFor();
  expect(await cursorOf(page)).toBe(n);
}

async function indexed(page: Page): Promise<void> {
  await expect.poll(() => page.locator('progress').count()).toBe(0);
  await page.locator('footer').getByText('about').waitFor({ state: 'detached' });
}

/** Waits until no pane waits for an answer. */
async function idle(page: Page): Promise<void> {
  await until(() => page.locator('.busy.on').count()).toBe(0);
}

/** Number of the first matching record. */
async function first(host: Host, wanted: Omit<FindArguments, 'trace'>): Promise<number | undefined> {
  const found = await host.client.request('find', { trace: 't1', ...wanted });
  if (!found.ok) throw new Error(found.error.message);
  return found.value.records[0]?.n;
}

async function recordsOf(host: Host): Promise<number> {
  const info = await host.client.request('info', { trace: 't1' });
  return info.ok ? info.value.records : -1;
}

function count(n: number): string {
  return n.toLocaleString('en-US');
}
