/**
 * The user adds the program: an invalid image is reported, names appear next to addresses without losing the place, and they are there
 * again after a reload.
 */
import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeElf } from '../unit/elf-writer.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { openStage, whySkipped, withCallsAlone, type Stage } from './journey-stage.ts';
import { NIGHTLY } from '../short-form.ts';

/** MOV r0, #1, eight times. */
const CODE = Array.from({ length: 8 }, () => [0x01, 0x00, 0xa0, 0xe3]).flat();

const missing = whySkipped('The journey with images');

describe.skipIf(missing !== undefined)('program images in the browser', () => {
  let stage: Stage;
  let page: Page;
  const bands = Promise.withResolvers<undefined>();

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      const lines = Array.from(
        { length: 200 },
        (_, i) => `${i} clk 0 IT (${i}) 000080${i % 2}0 e3a00001 A svc : mov r0, #1`,
      );
      writeFileSync(path('program.txt'), `${lines.join('\n')}\n`);
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
    page = stage.page;
    await page.route('**/api/bands', async (route) => {
      await bands.promise;
      await route.fallback();
    });
    await page.goto(withCallsAlone(stage.host.url));
    await page.locator('footer').getByText('of 0 to 199').waitFor();
  });
  afterAll(() => stage.close());

  it('keeps the text of an address field, and its selection, while an answer moves the view', async () => {
    const memory = page.locator('section[aria-label=Memory]');
    const field = memory.getByRole('textbox', { name: 'Address or symbol to show' });
    await field.click();
    bands.resolve(undefined);
    // The view begins at 0x8000, the lowest address of the trace.
    await memory.locator('.word [data-address="32768"]').waitFor();
    await page.keyboard.type('9000');
    expect(await field.inputValue()).toBe('9000');
    await page.keyboard.press('Enter');
    await memory.locator('.word [data-address="36864"]').waitFor();
    await field.focus();
    expect(await field.inputValue()).toBe('0x00009000');
    await page.keyboard.type('8000');
    // In a narrow pane, the tools have a line of their own below the head.
    await page.setViewportSize({ width: 1000, height: 900 });
    await page.evaluate(() => new Promise((settle) => requestAnimationFrame(() => requestAnimationFrame(settle))));
    expect(await field.inputValue()).toBe('8000');
    await page.keyboard.press('Escape');
    expect(await field.inputValue()).toBe('0x00009000');
    await memory.locator('.body .tools').waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await memory.locator('header .tools button').first().waitFor();
  });

  it('shows symbol names without losing the place', async () => {
    await page.locator('[data-record="3"]').click();
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('Program images');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Program images' });
    const input = dialog.getByLabel('Path of an image');

    await input.fill(stage.folder.path('program.txt'));
    await input.press('Enter');
    expect(await dialog.getByRole('alert').textContent()).toMatch(
      /neither an ELF, Intel HEX or S-record file nor a list/,
    );
    await input.fill(stage.folder.path('program.elf'));
    await input.press('Enter');
    await dialog.getByText('ELF, ARM, from 0x8000, 1 symbol').waitFor();
    expect(await violations(page, { include: 'dialog' })).toEqual([]);
    await keepScreenshot(page, 'journey-images-1-dialog');

    await dialog.getByRole('button', { name: 'Use these images' }).click();
    // Keys have a trace while it is being opened again.
    await page.keyboard.press('g');
    await page.keyboard.type('7');
    await page.keyboard.press('Enter');
    await page.locator('[data-record="6"]').getByText('the_loop', { exact: true }).waitFor();
    await page.locator('[data-record="7"]').getByText('the_loop+0x10', { exact: true }).waitFor();
    await page.locator('footer').getByText('Record 7 of').waitFor();
    await page.locator('footer').getByText('0x8010').waitFor();
    expect(await page.getByRole('columnheader', { name: 'Symbol' }).count()).toBe(1);
    await keepScreenshot(page, 'journey-images-2-names');
  });

  it('goes to a symbol, in time and in memory', async () => {
    await page.keyboard.press('g');
    const field = page.getByRole('combobox', { name: 'Record number, time, address or symbol' });
    await field.fill('nothing_like_it');
    await page.getByText('No symbol matches.').waitFor();
    await field.fill('LOOP');
    await page.getByRole('option', { name: 'the_loop function 0x8000' }).waitFor();
    await page.getByText('Go to the next access to the_loop, 0x8000').waitFor();
    expect(await violations(page, { include: 'dialog' })).toEqual([]);
    await keepScreenshot(page, 'journey-images-3-symbol');
    await field.press('Enter');
    await page.locator('footer').getByText('Record 8 of').waitFor();
    await page.locator('footer').getByText('0x8000').waitFor();

    const address = page.getByRole('textbox', { name: 'Address or symbol to show in Memory' });
    await address.fill('the_loop+0x10');
    await address.press('Enter');
    await page.locator('footer').getByText('0x8010').waitFor();
    await address.fill('nothing_like_it');
    await address.press('Enter');
    await page.locator('[aria-invalid="true"]').waitFor();
    expect(await address.getAttribute('title')).toMatch(/^No program image has a symbol nothing_like_it/);

    await address.press('Escape');
    await page.keyboard.press('g');
    await field.fill('loop+0x10');
    await page.getByRole('option', { name: 'the_loop function 0x8000' }).click();
    await page.locator('footer').getByText('Record 9 of').waitFor();
  });

  it('shows bytes of the image for memory that no record accesses, and marks them', async () => {
    await page.getByRole('button', { name: 'Show bytes of the image before the first access' }).click();
    const byte = page.locator('[data-address="32786"][title]');
    await page.locator('.memory-byte.image').first().waitFor();
    expect([await byte.getAttribute('title'), await byte.textContent()]).toEqual([
      '0x00008012: a0, from the image',
      'a0',
    ]);
    await page.getByRole('button', { name: 'Show bytes of the image before the first access' }).click();
    await page.locator('.memory-byte.image').first().waitFor({ state: 'detached' });
  });

  if (NIGHTLY) {
    it('keeps the images after a reload, until they are removed', async () => {
      await page.reload();
      await page.locator('[data-record="1"]').getByText('the_loop+0x10', { exact: true }).waitFor();
      await page.keyboard.press('Control+Shift+P');
      await page.keyboard.type('Program images');
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Program images' });
      await dialog.getByRole('button', { name: /^Remove .*program\.elf$/ }).click();
      await dialog.getByRole('button', { name: 'Use no images' }).click();
      await page.getByRole('columnheader', { name: 'Symbol' }).waitFor({ state: 'detached' });
      await page.locator('footer').getByText('of 0 to 199').waitFor();
      await page.locator('[data-record="1"]').getByText('mov').waitFor();
      expect(stage.errors).toEqual([]);
    });
  }
});
