/** Yesterday's work is opened again: by another server, on another port, in a browser that knows nothing of it. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KeptTrace } from '../../shared/requests/requests.ts';
import { writeElf } from '../unit/elf-writer.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { startHost, type Host } from './journey-driver.ts';
import { openStage, whySkipped, withCallsAlone, type Stage } from './journey-stage.ts';

const CODE = Array.from({ length: 8 }, () => [0x01, 0x00, 0xa0, 0xe3]).flat();

const missing = whySkipped("The journey with yesterday's work");

describe.skipIf(missing !== undefined)("yesterday's work", () => {
  let stage: Stage;
  let trace = '';
  /** State on the host after the first browser was closed. */
  let left: KeptTrace | undefined;
  let host: Host | undefined;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      const lines = Array.from(
        { length: 200 },
        (_, i) => `${i} clk 0 IT (${i}) 000080${i % 2}0 e3a00001 A svc : mov r0, #1`,
      );
      for (const name of ['program.txt', 'other.txt']) writeFileSync(path(name), `${lines.join('\n')}\n`);
      writeFileSync(
        path('program.elf'),
        writeElf({
          bits: 32,
          endian: 'little',
          machine: 40,
          sections: [{ name: '.text', address: 0x8000, bytes: CODE }],
          symbols: [{ name: 'the_loop', value: 0x8000, size: 32 }],
        }),
      );
      return path('program.txt');
    });
    trace = stage.folder.path('program.txt');
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(() => stage.close());

  /** A server on another port, and a page in a browser profile of its own. */
  async function start(openFirst?: string, anyFile = true): Promise<Page> {
    const own = await startHost(
      stage.folder.path('index'),
      openFirst === undefined ? undefined : { path: openFirst },
      0,
      anyFile,
    );
    host = own;
    const context = await stage.browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'dark' });
    closing.push(
      () => own.close(),
      () => context.close(),
    );
    const page = await context.newPage();
    await page.goto(own.url);
    return page;
  }

  async function keptTrace(of: Host): Promise<KeptTrace | undefined> {
    const kept = await of.client.request('kept', { path: trace });
    return kept.ok ? kept.value.traces[0] : undefined;
  }

  it('is left with an image, a range, a zoom, a closed pane and another theme', async () => {
    const page = await start(trace);
    await page.locator('footer').getByText('of 0 to 199').waitFor();
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('Program images');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Program images' });
    await dialog.getByLabel('Path of an image').fill(stage.folder.path('program.elf'));
    await page.keyboard.press('Enter');
    await dialog.getByText('ELF, ARM, from 0x8000, 1 symbol').waitFor();
    await dialog.getByRole('button', { name: 'Use these images' }).click();
    await page.locator('[data-record="6"]').getByText('the_loop', { exact: true }).waitFor();

    await page.locator('[data-record="7"]').click();
    await page.keyboard.press('+');
    const heatmap = page.getByRole('application', { name: /^Heatmap/ });
    await heatmap.hover();
    await page.mouse.wheel(0, -300);
    await page.getByRole('button', { name: 'Close Memory' }).click();
    await page.keyboard.press('Control+Shift+L');
    await page.locator('html[data-theme=light]').waitFor();
    await page.locator('[data-record="7"]').click();
    // Left at once after the last step: the page writes it while it closes.
    await page.keyboard.press('ArrowDown');
    await page.goto('about:blank');
    await expect.poll(async () => (await keptTrace(host!))?.view).toContain('"n":8,');
    left = await keptTrace(host!);
    expect(left).toMatchObject({ images: [{ path: stage.folder.path('program.elf') }], state: 'same' });
    const view = JSON.parse(left?.view ?? '{}') as { stretch: { bottom: number; top: number }; range?: object };
    expect(view.stretch.top - view.stretch.bottom).toBeLessThan(1);
    expect(view.range).toBeDefined();
  });

  it('is listed with its images and place, and one click restores all of it', async () => {
    const page = await start();
    await page.locator('html[data-theme=light]').waitFor();
    const recent = page.getByRole('region', { name: 'Recent traces' });
    await recent.getByText(/^record 8 · range [0-9]+ to [0-9]+ · program\.elf$/).waitFor();
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'journey-kept-1-start');
    await recent.getByRole('button', { name: /^program\.txt/ }).click();

    await page.locator('[data-record="8"][aria-selected=true]').getByText('the_loop', { exact: true }).waitFor();
    await page.locator('section[aria-label=Instructions]').waitFor();
    expect(await page.locator('section[aria-label=Memory]').count()).toBe(0);
    await keepScreenshot(page, 'journey-kept-2-restored');
    // The next step is kept, and nothing else has changed since yesterday.
    await page.keyboard.press('ArrowUp');
    await expect.poll(async () => (await keptTrace(host!))?.view).toBe(left?.view?.replace('"n":8,', '"n":7,'));
    expect((await keptTrace(host!))?.images).toEqual(left?.images);
  });

  it('lists the files of this computer, folder by folder', async () => {
    mkdirSync(stage.folder.path('runs'));
    copyFileSync(trace, stage.folder.path('runs/run-2.txt'));
    const page = await start();
    const recent = Promise.withResolvers<undefined>();
    await page.route('**/api/kept', async (route) => {
      if (route.request().postData()?.includes('settingsOnly') !== true) await recent.promise;
      await route.fallback();
    });
    await page.goto(withCallsAlone(page.url()));
    await page.reload();
    // A click before the recent traces are known: the dialog waits for them.
    await page.getByRole('button', { name: 'Browse…' }).click();
    await page.getByText('Listing…').waitFor();
    recent.resolve(undefined);
    const files = page.getByRole('grid', { name: /^Files in/ });
    // The folder of the trace that was left last.
    await files.getByText('program.elf').waitFor();
    expect(await violations(page, { include: 'dialog' })).toEqual([]);
    await keepScreenshot(page, 'journey-kept-5-files');
    await files.getByText('runs/').click();
    await files.getByText('run-2.txt').waitFor();
    await page.keyboard.press('Backspace');
    await files.getByText('program.elf').waitFor();
    // The folder that was left is the current row.
    await page.keyboard.press('Enter');
    await files.getByText('run-2.txt').click();
    await page.getByRole('tab', { name: 'run-2.txt' }).waitFor();
    await page.getByRole('button', { name: 'Close trace run-2.txt' }).click();
  });

  it('begins with sample traces, each opened with one click', async () => {
    const page = await start(stage.folder.path('other.txt'), false);
    await page.locator('footer').getByText('of 0 to 199').waitFor();
    await page.getByRole('button', { name: 'Close trace other.txt' }).click();
    for (const name of ['Who wrote this?', 'Follow the calls', 'A Pentium bus']) {
      await page
        .getByRole('region', { name: 'Sample traces' })
        .getByRole('button', { name: new RegExp(`^${name.replace('?', '[?]')}`) })
        .click();
      await page.locator('[data-record="0"]').waitFor();
      if (name === 'Who wrote this?') await takeTour(page);
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.getByRole('button', { name: /^Close trace / }).click();
    }
    await keepScreenshot(page, 'journey-kept-3-samples');
    expect(await violations(page)).toEqual([]);
  });

  /** Walks through the tour that begins with the first sample, in both directions, and leaves it. */
  async function takeTour(page: Page): Promise<void> {
    const card = page.getByRole('dialog');
    for (const [step, title] of ['The whole trace', 'One cursor', 'Ask about what you see'].entries()) {
      await card.getByRole('heading', { name: title }).waitFor();
      expect(await card.evaluate((one) => one === document.activeElement)).toBe(true);
      await keepScreenshot(page, `journey-kept-4-tour-${step}`);
      await page.keyboard.press('ArrowRight');
    }
    await card.getByText('Step 4 of 4').waitFor();
    await card.getByText('writes a note at the cursor').waitFor();
    await page.keyboard.press('ArrowLeft');
    await card.getByText('Shift+W').waitFor();
    expect(await violations(page, { include: '[role=dialog]' })).toEqual([]);
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });
  }

  it('keeps what panes show: zoom, filter, order, centre, and a pinned view of memory', async () => {
    const before = await start();
    const samples = before.getByRole('region', { name: 'Sample traces' });
    await samples.getByRole('button', { name: /^Follow the calls/ }).click();
    await before.locator('[data-record="0"]').waitFor();
    await before.keyboard.press('Shift+T');
    await before.getByRole('button', { name: 'Left-heavy' }).click();
    await before.getByRole('application', { name: /^Call tree/ }).waitFor();
    await before.keyboard.press('Shift+T');
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await before.keyboard.press(key);
    await before.getByRole('button', { name: 'Zoom out' }).waitFor();
    await before.getByLabel('Find functions in the tree by name').fill('o');
    await before.keyboard.press('Control+6');
    await before.keyboard.press('Shift+H');
    await before.getByRole('columnheader', { name: 'Calls' }).getByRole('button').click();
    await before.keyboard.press('Shift+G');
    await before.getByRole('combobox', { name: /^Find a function/ }).click();
    await before.keyboard.press('ArrowDown');
    await before.keyboard.press('ArrowDown');
    await before.keyboard.press('Enter');
    await keepScreenshot(before, 'journey-kept-6-before');
    const centre = await before.locator('.centre').first().getAttribute('data-box');
    await before.keyboard.press('Control+6');
    await before.getByRole('button', { name: 'Add a memory view next to this one' }).click();
    await before.getByRole('button', { name: 'Pin to this record' }).nth(1).click();
    await before.goto('about:blank');

    const page = await start();
    await page.getByRole('region', { name: 'Recent traces' }).getByRole('button').first().click();
    await page.locator(`.centre[data-box="${centre}"]`).waitFor();
    await page.keyboard.press('Shift+T');
    await page.getByRole('button', { name: 'Zoom out' }).waitFor();
    expect(await page.getByLabel('Find functions in the tree by name').inputValue()).toBe('o');
    await page.keyboard.press('Shift+H');
    await page.locator('[role=columnheader][aria-sort=descending]').getByText('Calls').waitFor();
    await page.keyboard.press('Control+6');
    await page.locator('section[aria-label="Memory 2"]').getByText('pinned at 0').waitFor();
    await keepScreenshot(page, 'journey-kept-6-after');
  });

  it('opens without an image that is gone, and says so', async () => {
    const page = await start();
    const renamed = await host!.client.request('keepTrace', {
      path: trace,
      images: [{ path: stage.folder.path('gone.elf') }],
      view: left?.view ?? '{}',
    });
    expect(renamed.ok).toBe(true);
    await page.reload();
    await page.getByRole('button', { name: /^program\.txt/ }).click();
    await page.locator('[data-record="8"][aria-selected=true]').waitFor();
    await page.getByText('The trace was opened without its earlier images').waitFor();
  });

  it('is listed but refused in words by a server for another trace', async () => {
    const page = await start(stage.folder.path('other.txt'), false);
    await page.locator('footer').getByText('of 0 to 199').waitFor();
    await page.getByRole('button', { name: 'Close trace other.txt' }).click();
    const recent = page.getByRole('region', { name: 'Recent traces' });
    await recent
      .getByRole('button', { name: /^program\.txt/ })
      .getByText('this server shows one trace, so start it with --any-file to read others')
      .waitFor();
    expect(await recent.getByRole('button', { name: /^program\.txt/ }).isDisabled()).toBe(true);
    expect(await recent.getByRole('button', { name: /^other\.txt/ }).isEnabled()).toBe(true);
    expect(await violations(page)).toEqual([]);
  });
});
