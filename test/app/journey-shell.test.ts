/**
 * The parts around the panes: menus of the tabs by mouse and keyboard, the dialog of images while a path is typed, the help sheet in
 * small windows, and messages that stay true while the view changes.
 */
import { writeFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey around the panes');

describe.skipIf(missing !== undefined)('the page around the panes', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      const lines = Array.from(
        { length: 200 },
        (_, i) => `${i} clk 0 IT (${i}) 000080${i % 2}0 e3a00001 A svc : mov r0, #1`,
      );
      for (const name of ['first.txt', 'second.txt', 'third.txt']) writeFileSync(path(name), `${lines.join('\n')}\n`);
      writeFileSync(path('program.nm'), '00008000 T the_loop\n');
      return undefined;
    });
    page = stage.page;
    const open = ['first.txt', 'second.txt', 'third.txt'].map((name) => ['open', stage.folder.path(name)]);
    await page.goto(`${stage.host.url}#${new URLSearchParams(open).toString()}`);
    for (const name of ['first.txt', 'second.txt', 'third.txt']) {
      await tab(name).click();
      await page.locator('[data-record="0"]').waitFor();
    }
  });
  afterAll(() => stage.close());

  it('a right click on a tab opens its menu and closes nothing', async () => {
    await tab('first.txt').click({ button: 'right' });
    await item('Close others').waitFor();
    expect(await names()).toEqual(['first.txt', 'second.txt', 'third.txt']);
    await keepScreenshot(page, 'journey-shell-1-menu');
    await page.keyboard.press('Escape');
    await menu().waitFor({ state: 'detached' });
  });

  it('the menu of a tab works by keyboard, is accessible, and returns the focus', async () => {
    await tab('third.txt').click();
    for (const key of ['Shift+F10', 'ContextMenu']) {
      await page.keyboard.press(key);
      await page.locator('[role=menuitem]:focus', { hasText: 'Close' }).waitFor();
      expect(await violations(page, { include: '[role=menu]:popover-open' })).toEqual([]);
      await page.keyboard.press('End');
      await page.locator('[role=menuitem]:focus', { hasText: 'Read as another format' }).waitFor();
      await page.keyboard.press('p');
      await page.locator('[role=menuitem]:focus', { hasText: 'Program images' }).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('[role=tab]:focus', { hasText: 'third.txt' }).waitFor();
    }
    const { x = 0, y = 0, height = 0 } = (await tab('third.txt').boundingBox()) ?? {};
    await page.keyboard.press('Shift+F10');
    const box = await menu().boundingBox();
    expect([Math.round(box?.x ?? 0), (box?.y ?? 0) >= y + height]).toEqual([Math.round(x), true]);
    await page.keyboard.press('Tab');
    await menu().waitFor({ state: 'detached' });
  });

  it('copies the path of a trace', async () => {
    await tab('third.txt').click({ button: 'right' });
    await item('Copy path').click();
    await page
      .locator('footer')
      .getByText(`Copied: ${stage.folder.path('third.txt')}`)
      .waitFor();
    await page.keyboard.press('Control+f');
    await page.getByLabel('Search text').press('Control+v');
    expect(await page.getByLabel('Search text').inputValue()).toBe(stage.folder.path('third.txt'));
    await page.getByLabel('Search text').fill('');
  });

  it('the middle button closes a tab, and the menu closes the others', async () => {
    await tab('second.txt').click({ button: 'middle' });
    await tab('second.txt').waitFor({ state: 'detached' });
    expect(await names()).toEqual(['first.txt', 'third.txt']);
    await tab('first.txt').click({ button: 'right' });
    await item('Close others').click();
    await tab('third.txt').waitFor({ state: 'detached' });
    expect(await names()).toEqual(['first.txt']);
  });

  it('the primary button of the dialog of images adds a typed path', async () => {
    await tab('first.txt').click({ button: 'right' });
    await item('Program images').click();
    const dialog = page.getByRole('dialog', { name: 'Program images' });
    const primary = dialog.locator('button.solid');
    expect(await primary.isDisabled()).toBe(true);
    await dialog.getByLabel('Path of an image').fill(stage.folder.path('gone.nm'));
    await keepScreenshot(page, 'journey-shell-2-images');
    await primary.click();
    expect(await dialog.getByRole('alert').textContent()).toContain('gone.nm');
    await dialog.getByLabel('Path of an image').fill(stage.folder.path('program.nm'));
    await primary.click();
    await page.locator('[data-record="0"]').getByText('the_loop', { exact: true }).waitFor();
    expect(await dialog.count()).toBe(0);
    await page.locator('[data-record="0"]').click();
  });

  it('every key of the help sheet can be reached in windows of any size', async () => {
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard and pointer' });
    const sheet = dialog.getByRole('region', { name: 'Keys and gestures' });
    // The last one is a window of 1280 x 720 at 200 %.
    for (const [width, height] of [
      [1440, 900],
      [1280, 720],
      [640, 360],
    ] as const) {
      await page.setViewportSize({ width, height });
      const [across, room] = await sheet.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
      expect([width, across]).toEqual([width, room]);
      await dialog.getByText('On the call graph and the call tree').scrollIntoViewIfNeeded();
      await keepScreenshot(page, `journey-shell-3-help-${width}`);
      for (const words of ['zoom time and addresses', 'go to the first call', 'Switch between dark and light'])
        await expectInside(dialog.getByText(words), dialog);
    }
    expect(await violations(page, { include: 'dialog' })).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press('Escape');
  });

  it('keys can be changed in the help sheet, and conflicts are named', async () => {
    await page.keyboard.press('?');
    const dialog = page.locator('dialog');
    const key = dialog.locator('[data-command=step-back]');
    await key.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('g');
    await dialog.getByText('g already runs “Go to record, time, address or symbol”.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByText('The key was not changed.').waitFor();
    await key.click();
    await page.keyboard.press('p');
    await dialog.getByText('p now runs “Previous record”.').waitFor();
    expect(await key.locator('kbd').allInnerTexts()).toEqual(['p']);
    await keepScreenshot(page, 'journey-shell-5-keys');
    expect(await violations(page, { include: 'dialog' })).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('p');
    await page.locator('footer').getByText('Record 0 of 0 to 199').waitFor();
    await page.keyboard.press('?');
    await dialog.getByRole('button', { name: 'Reset the key of Previous record' }).click();
    expect(await key.locator('kbd').allInnerTexts()).toEqual(['Up', 'k']);
    await page.keyboard.press('Escape');
  });

  it('a message about the shown range ends when the range changes', async () => {
    await page.keyboard.press('0');
    const message = page.locator('footer').getByText('The charts already show all records.');
    await message.waitFor();
    await page.keyboard.press('+');
    await page.locator('footer').getByText('Range').waitFor();
    expect(await message.count()).toBe(0);
    await page.keyboard.press('0');
  });

  it('the last record is not counted as the one before the last', async () => {
    await page.keyboard.press('Control+End');
    await page.locator('footer').getByText('Record 199 of 0 to 199').waitFor();
  });

  it('memory that only instructions touch names them as such', async () => {
    await page.keyboard.press('Control+6');
    const memory = page.locator('section[data-pane=memory]');
    await memory.getByText('No record up to 199 reads or writes memory at these addresses.').waitFor();
    await memory.locator('[data-address="32768"]').first().click();
    const previous = memory.locator('dl > div', { hasText: 'Previous' });
    await previous.getByText('198').waitFor();
    await previous.getByText('instruction', { exact: true }).waitFor();
    await keepScreenshot(page, 'journey-shell-4-memory');
  });

  it('causes no errors', () => {
    expect(stage.errors).toEqual([]);
  });

  function tab(name: string): Locator {
    return page.getByRole('tab', { name });
  }

  function menu(): Locator {
    return page.locator('[role=menu]:popover-open');
  }

  function item(name: string): Locator {
    return page.getByRole('menuitem', { name });
  }

  async function names(): Promise<readonly string[]> {
    return page.getByRole('tablist', { name: 'Open traces' }).getByRole('tab').allInnerTexts();
  }

  /** Scrolls an element into view, and expects it to be inside another one. */
  async function expectInside(element: Locator, outer: Locator): Promise<void> {
    await element.first().scrollIntoViewIfNeeded();
    const own = await element.first().boundingBox();
    const box = await outer.boundingBox();
    if (!own || !box) throw new Error('the element is not shown');
    expect(own.x).toBeGreaterThanOrEqual(box.x);
    expect(own.x + own.width).toBeLessThanOrEqual(box.x + box.width);
    expect(own.y + own.height).toBeLessThanOrEqual(box.y + box.height);
  }
});
