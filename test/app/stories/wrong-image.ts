/** Wrong image: a person adds the image of another program, the page says so, and the right image replaces it. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { command, end, goField, type Scene } from './scene.ts';

export async function wrongImage(scene: Scene): Promise<void> {
  const { page, facts, stage } = scene;
  const { says, matches, symbol } = facts.image;
  const dialog = page.getByRole('dialog', { name: 'Program images' });
  await command(page, 'Program images');
  await dialog.getByLabel('Path of an image').fill(stage.folder.path('wrong.elf'));
  await page.keyboard.press('Enter');
  await dialog.locator('.match').getByText(says).waitFor();
  if (!facts.image.isRefused) await end(scene, 'wrong-image', 'dialog');
  const warning = page.getByRole('alert', { name: 'Program image' });
  await dialog.getByRole('button', { name: 'Use these images' }).click();
  await isInUse(page, 'wrong.elf');
  if (facts.image.isRefused) {
    await warning.getByText(says).waitFor();
    await end(scene, 'wrong-image', '.banner');
  }
  await command(page, 'Program images');
  await dialog.getByRole('button', { name: /^Remove .*wrong\.elf$/ }).click();
  await dialog.getByLabel('Path of an image').fill(stage.folder.path('right.elf'));
  await page.keyboard.press('Enter');
  await dialog.locator('.match').getByText(matches).waitFor();
  await dialog.getByRole('button', { name: 'Use these images' }).click();
  await isInUse(page, 'right.elf');
  await warning.waitFor({ state: 'detached' });
  // Names of the image are places to go to.
  const field = await goField(page);
  await field.fill(symbol);
  await page
    .getByRole('option', { name: new RegExp(`^${symbol}`) })
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
}

/** Waits until the trace has been opened again with an image, which the card about its format then lists. */
async function isInUse(page: Page, image: string): Promise<void> {
  const card = page.getByRole('dialog', { name: 'Format of this trace' });
  await expect
    .poll(async () => {
      if ((await card.count()) === 0) await page.getByTitle('Format of this trace').click();
      return (await card.allInnerTexts()).join('');
    })
    .toContain(image);
  await page.keyboard.press('Escape');
  await card.waitFor({ state: 'detached' });
}
