/** Wrong image: a person adds the image of another program, the page says so, and the right image replaces it. */
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
  await dialog.getByRole('button', { name: 'Use these images' }).click();
  const warning = page.getByRole('alert', { name: 'Program image' });
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
  await warning.waitFor({ state: 'detached' });
  // The trace is opened again with the image, whose names then are places to go to.
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
