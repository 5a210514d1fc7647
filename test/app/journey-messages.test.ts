/**
 * Branch messages with the program image: below each message are the instructions since the previous one, calls fold, and all of it
 * fits a small window. The test's program knows every executed instruction.
 */
import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asCapture, runPentium } from '../engine/btm-programs.ts';
import { createRandom } from '../laws/random.ts';
import { few } from '../short-form.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey of branch messages');

describe.skipIf(missing !== undefined)('branch messages in the browser', () => {
  const run = runPentium(createRandom(3), 300);
  const records = run.taken.length * 2;
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      writeFileSync(path('capture.csv'), asCapture(run, 'normal'));
      writeFileSync(path('program.elf'), run.elf);
      return path('capture.csv');
    });
    page = stage.page;
    await page.goto(stage.host.url);
    await page
      .locator('footer')
      .getByText(`of 0 to ${records - 1}`)
      .waitFor();
  });
  afterAll(() => stage.close());

  it('shows no instructions between messages without a program image', async () => {
    await page.locator('[data-record="1"]').waitFor();
    expect(await page.locator('.run').count()).toBe(0);
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('Program images');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Program images' });
    await dialog.getByLabel('Path of an image').fill(stage.folder.path('program.elf'));
    await page.keyboard.press('Enter');
    await dialog.getByText(/^ELF/).waitFor();
    await dialog.getByRole('button', { name: 'Use these images' }).click();
    await page.locator('.run').first().waitFor();
  });

  it('lists the instructions executed before a message below it', async () => {
    await page.keyboard.press('g');
    await page.keyboard.type('41');
    await page.keyboard.press('Enter');
    await page
      .locator('footer')
      .getByText(`Record 41 of 0 to ${records - 1}`)
      .waitFor();
    await page.locator('[data-record="41"] + .run').waitFor();
    const listed = await page.locator('#records .rows').evaluate((rows) => {
      const below: Record<string, string[]> = {};
      let message = '';
      for (const row of rows.children) {
        if (row.id.startsWith('record-')) message = row.id.slice('record-'.length);
        else (below[message] ??= []).push([...row.children].map(({ textContent }) => textContent).join(' '));
      }
      return below;
    });
    let whole = 0;
    for (const [message, rows] of Object.entries(listed)) {
      // Two rows of the capture are one message; the second one gives the branch address.
      const { ran, how } = run.taken[(Number(message) - 1) / 2]!;
      const addresses = rows.map((text) => Number(/0x[0-9a-f]+/.exec(text)?.[0]));
      expect(addresses).toEqual(ran.slice(0, addresses.length));
      if (addresses.length === ran.length && how !== 'irq') whole++;
    }
    expect(whole).toBeGreaterThan(1);
    // The target of a call in these rows has its name, and can be followed.
    const target = page.locator('.run [data-follow]').first();
    expect(await target.innerText()).toMatch(/^0x[0-9a-f]+\s<\w+/);
    const address = await target.getAttribute('data-follow');
    await target.click();
    await page.locator('footer').getByText(address!).waitFor();
    await keepScreenshot(page, 'journey-messages-1-ran');
  });

  it('hides and shows these instructions, folds calls, and is accessible in a small window', async () => {
    await page.getByRole('button', { name: 'Show instructions between messages' }).click();
    await page.locator('.run').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show instructions between messages' }).click();
    await page.locator('.run').first().waitFor();
    const call = 2 * run.taken.findIndex(({ kind }) => kind === 'call') + 1;
    await page.keyboard.press('g');
    await page.keyboard.type(String(call));
    await page.keyboard.press('Enter');
    const row = page.locator(`[data-record="${call}"]`);
    await row.locator('[data-fold=open]').click();
    await row.getByText(/⋯ \d+ records? folded/).waitFor();
    expect(await page.locator(`[data-record="${call + 1}"]`).count()).toBe(0);
    await keepScreenshot(page, 'journey-messages-2-folded');
    await page.keyboard.press('Control+9');
    await page.keyboard.press('Shift+B');
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.getByRole('grid', { name: /^Edges/ }).waitFor();
    for (const theme of few(['dark', 'light'] as const, 1)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      expect(
        await violations(page, { changed: 'section[aria-label=Branches], section[aria-label=Instructions]' }),
      ).toEqual([]);
      await keepScreenshot(page, `journey-messages-3-${theme}`);
    }
    expect(stage.errors).toEqual([]);
  });
});
