/** A program beside the trace is offered and used, and a wrong program image is noticed and dropped. */
import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { few } from '../short-form.ts';
import { writeArmCode } from '../unit/elf-writer.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey with a wrong image');

describe.skipIf(missing !== undefined)('images that match the trace or not', () => {
  let stage: Stage;
  let page: Page;

  const code = Array.from({ length: 32 }, (_, i) => 0xe2821000 + i);
  const elf = (words: readonly number[]): Uint8Array => writeArmCode(words, 'the_code');

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      const lines = code.map(
        (word, i) =>
          `${i} clk 0 IT (${i}) ${(0x8000 + 4 * i).toString(16).padStart(8, '0')} ${word.toString(16)} A svc : add r1, r2, #${i}`,
      );
      writeFileSync(path('program.txt'), `${lines.join('\n')}\n`);
      writeFileSync(path('program.elf'), elf(code));
      writeFileSync(path('old.elf'), elf([...code.slice(0, 4), 0xe1a00000, ...code.slice(4)]));
      return path('program.txt');
    });
    page = stage.page;
    await page.goto(stage.host.url);
    await page.locator('footer').getByText('of 0 to 31').waitFor();
  });
  afterAll(() => stage.close());

  it('offers the ELF file beside the trace that matches, and uses it', async () => {
    const offer = page.getByRole('status', { name: 'Program image' });
    await offer.getByText('Beside this trace: program.elf matches 100 % of 32 executed opcodes.').waitFor();
    expect(await violations(page, { include: '.banner' })).toEqual([]);
    await keepScreenshot(page, 'journey-image-match-1-offer');
    await offer.getByRole('button', { name: 'Use it' }).click();
    await page.locator('[data-record="1"]').getByText('the_code+0x4', { exact: true }).waitFor();
    await offer.waitFor({ state: 'detached' });
  });

  it('warns of an image of another build, shows the first difference and drops the image', async () => {
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('Program images');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Program images' });
    await dialog.getByText('program.elf matches 100 % of 32 executed opcodes.').waitFor();
    await dialog.getByRole('button', { name: /^Remove .*program\.elf$/ }).click();
    await dialog.getByLabel('Path of an image').fill(stage.folder.path('old.elf'));
    await dialog.getByLabel('Path of an image').press('Enter');
    await dialog.getByText('ELF, ARM, from 0x8000, 1 symbol').waitFor();
    await dialog.getByText('old.elf is probably another program or another build').waitFor();
    await dialog.getByRole('button', { name: 'Use these images' }).click();

    const warning = page.getByRole('alert', { name: 'Program image' });
    await warning
      .getByText(
        'old.elf is probably another program or another build: it matches 12.5 % of 32 executed opcodes. First difference: record 4 at 0x8010 executes 0xe2821004, and the image has 0xe1a00000.',
      )
      .waitFor();
    expect(await violations(page, { include: '.banner' })).toEqual([]);
    await keepScreenshot(page, 'journey-image-match-2-warning');
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('Program images');
    await page.keyboard.press('Enter');
    await dialog.getByText('old.elf is probably another program or another build').waitFor();
    for (const theme of few(['light', 'dark'] as const, 1)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      expect(await violations(page, { include: 'dialog' })).toEqual([]);
      await keepScreenshot(page, `journey-image-match-3-dialog-${theme}`);
    }
    await page.keyboard.press('Escape');
    await warning.getByRole('button', { name: 'Show the record' }).click();
    await page.locator('footer').getByText('Record 4 of').waitFor();
    await warning.getByRole('button', { name: 'Drop it' }).click();
    await page.getByRole('columnheader', { name: 'Symbol' }).waitFor({ state: 'detached' });
    await page.locator('footer').getByText('Record 4 of').waitFor();
  });

  it('dismisses the offer', async () => {
    const offer = page.getByRole('status', { name: 'Program image' });
    await offer.waitFor();
    await page.getByRole('button', { name: 'Dismiss the message about the program image' }).click();
    await offer.waitFor({ state: 'detached' });
    expect(stage.errors).toEqual([]);
  });
});
