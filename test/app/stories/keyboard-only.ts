/** Keyboard only: going, searching, stepping, asking, noting and finding help without a mouse. */
import { expect } from 'vitest';
import { at, command, end, go, pane, type Scene } from './scene.ts';

export async function keyboardOnly(scene: Scene): Promise<void> {
  const { page, facts } = scene;
  const { text, record } = facts.search;
  await go(page, '0');
  await page.keyboard.press('Control+3');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Control+f');
  await page.keyboard.insertText(text);
  await page.keyboard.press('Enter');
  await at(page, record);
  // The first Escape stops a search that still lists matches, and the next one leaves the field.
  await expect
    .poll(async () => {
      await page.keyboard.press('Escape');
      return pane(page, 'Search').locator('input:focus').count();
    })
    .toBe(0);
  await page.keyboard.press('n');
  await page.keyboard.insertText('Look here');
  await page.keyboard.press('Control+Enter');
  await pane(page, 'Notes').getByText('Look here').first().waitFor();
  await command(page, 'Last record');
  await at(page, facts.last);
  await page.keyboard.press('Alt+ArrowLeft');
  await at(page, record);
  await page.keyboard.press('?');
  await page
    .getByRole('dialog', { name: 'Keyboard and pointer' })
    .getByText('Who wrote this', { exact: true })
    .waitFor();
  await end(scene, 'keyboard-only', 'dialog');
  await page.keyboard.press('Escape');
}
