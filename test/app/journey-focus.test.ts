/**
 * Keyboard focus stays with the user's work: keys for typed text, focus after closing and opening panes, and the status line at the
 * cursor.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../shared/base/result.ts';
import { encodeFrame, FRAMES_TYPE } from '../../shared/wire/frames.ts';
import { keepScreenshot } from './browser.ts';
import { makeTrace } from './journey-driver.ts';
import { openStage, whySkipped, withCallsAlone, type Stage } from './journey-stage.ts';
import { NIGHTLY } from '../short-form.ts';

const missing = whySkipped('The journey of the keyboard');

describe.skipIf(missing !== undefined)('the keyboard', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(async ({ path }) => {
      await makeTrace('tarmac', path('program.txt'), 1_000_000);
      return path('program.txt');
    });
    page = stage.page;
    await page.goto(withCallsAlone(stage.host.url));
    await page.locator('[data-settled=true]').waitFor();
  });
  afterAll(() => stage.close());

  it('leaves Ctrl+Home and Ctrl+End to a focused text field', async () => {
    await at('0');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('bl');
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('x');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('y');
    expect(await page.getByLabel('Search text').inputValue()).toBe('xbly');
    await at('0');
  });

  it('accepts a key right after the one that closes a dialog', async () => {
    await page.keyboard.press('Control+3');
    await page.locator('section[data-pane=instructions] :focus').waitFor();
    await page.keyboard.press('g');
    await page.getByRole('combobox', { name: 'Record number' }).waitFor();
    // The keys follow directly, as when the page is busy while the user types on.
    await page.evaluate(() => {
      document.querySelector('dialog')?.close();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'B', shiftKey: true, bubbles: true }));
    });
    await page.locator('section[data-pane=branches]:focus-within').waitFor();
    expect(await page.locator('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Close Branches' }).click();
    await page.keyboard.press('Control+f');
  });

  it('moves the focus to the pane that comes forward, or to the button that reopens a closed pane', async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Close Search' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('section[aria-label=Memory] :focus').count()).toBe(1);

    await page.getByRole('button', { name: 'Close Overview' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.locator(':focus').innerText()).toBe('Overview');
    await page.keyboard.press('Enter');
    expect(await page.locator('section[aria-label=Overview] :focus').count()).toBe(1);
  });

  it('focuses a pane that is still empty, and does not focus content that appears later by itself', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    await page.route('**/api/stack', async (route) => {
      await released;
      await route.fallback();
    });
    await page.getByRole('button', { name: 'Close Stack' }).click();
    await page.keyboard.press('Control+f');
    await page.keyboard.press('Control+9');
    await page.locator('section[data-pane=stack]:focus').waitFor();
    await page.keyboard.press('Shift+B');
    await page.locator('section[data-pane=branches] :focus').waitFor();
    await page.keyboard.press('Control+9');
    await page.locator('section[data-pane=stack]:focus').waitFor();
    await keepScreenshot(page, 'journey-focus-1-waits');
    release(undefined);
    await page.locator('#stack-frames:focus').waitFor();

    await page.unroute('**/api/stack');
    const none = ok({ frames: [], notes: ['None is known here.'] });
    await page.route('**/api/stack', (route) =>
      route.fulfill({ contentType: FRAMES_TYPE, body: Buffer.from(encodeFrame({ answer: none })) }),
    );
    await page.locator('[data-record]').nth(1).click();
    await page.locator('section[data-pane=stack]').getByText('None is known here.').waitFor();
    await page.unroute('**/api/stack');
    await page.locator('[data-record]').nth(2).click();
    await page.locator('#stack-frames').waitFor();
    expect(await page.locator('#stack-frames:focus').count()).toBe(0);
    await page.keyboard.press('Control+Home');
    await at('0');
    await page.keyboard.press('Control+6');
    await page.getByRole('button', { name: 'Close Stack' }).click();
  });

  it('keeps the focus in Registers if no register is known', async () => {
    const answer = ok({ at: 0, files: [] });
    await page.route('**/api/registers', (route) =>
      route.fulfill({ contentType: FRAMES_TYPE, body: Buffer.from(encodeFrame({ answer })) }),
    );
    await page.keyboard.press('Control+9');
    await page.locator('section[data-pane=stack] :focus').waitFor();
    await page.keyboard.press('Control+7');
    await page.locator('section[data-pane=registers]').getByText('No register has been set').waitFor();
    expect(await page.locator('section[data-pane=registers]:focus').count()).toBe(1);
    await page.unroute('**/api/registers');
    await page.keyboard.press('Control+6');
  });

  it('scrolls the focused pane into view in a narrow window', async () => {
    await page.setViewportSize({ width: 900, height: 600 });
    for (const key of ['Control+f', 'Shift+N']) {
      await page.keyboard.press('Control+4');
      await page.locator('section[data-pane=bytes] :focus').waitFor();
      await page.keyboard.press(key);
      const pane = page.locator('section[data-pane=search]:focus-within, section[data-pane=notes]:focus-within');
      await pane.waitFor();
      const { y = -1, height = 0 } = (await pane.boundingBox()) ?? {};
      expect([key, y >= 0 && y + height <= 600]).toEqual([key, true]);
    }
    await page.keyboard.press('Control+2');
    await page.locator('section[data-pane=heatmap] :focus').waitFor();
    await page.getByRole('button', { name: 'Export figure of the heatmap' }).and(page.locator(':enabled')).waitFor();
    await page.keyboard.press('Control+4');
    await page.locator('section[data-pane=bytes] :focus').waitFor();
    await page.keyboard.press('Shift+E');
    const menu = page.getByRole('menu', { name: /Export figure of the (heatmap|overview)/ });
    await menu.waitFor();
    const { y = -1, height = 0 } = (await menu.boundingBox()) ?? {};
    expect(y >= 0 && y + height <= 600).toBe(true);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('opens the figure menu below its button, by key and by pointer', async () => {
    await page.locator('button[aria-label="Export figure of the heatmap"]:enabled').waitFor();
    await page.keyboard.press('Control+2');
    await page.keyboard.press('Shift+E');
    const button = await page.getByRole('button', { name: 'Export figure of the heatmap' }).boundingBox();
    const menu = await page.getByRole('menu', { name: 'Export figure of the heatmap' }).boundingBox();
    expect(menu?.y).toBeGreaterThan(button?.y ?? Number.POSITIVE_INFINITY);
    expect((menu?.x ?? 0) + (menu?.width ?? 0)).toBeGreaterThanOrEqual((button?.x ?? 0) + (button?.width ?? 0));
    await page.keyboard.press('Escape');
  });

  it('copies the current row, or the selected rows, as tab-separated lines', async () => {
    await page.evaluate(() => {
      addEventListener('copy', (event) => {
        document.documentElement.dataset['copied'] = event.clipboardData?.getData('text/plain') ?? '';
      });
    });
    const copied = async (): Promise<readonly string[]> => {
      await page.keyboard.press('Control+c');
      const text = await page.locator('html').getAttribute('data-copied');
      return (text ?? '').split('\n');
    };
    // Wide enough for the column of times.
    await page.setViewportSize({ width: 1920, height: 1080 });
    await page.locator('[role=columnheader]', { hasText: 'Time' }).waitFor();
    await page.keyboard.press('Control+3');
    const [row] = await copied();
    const cells = await page.locator('[data-record="0"] [role=gridcell]').allInnerTexts();
    expect(row?.split('\t').length).toBe(cells.length);
    expect(row).toMatch(/^0\t1\t0x00008000\tIT\t/);

    const rows = page.locator('[data-record]');
    const from = await rows.nth(1).boundingBox();
    const to = await rows.nth(3).boundingBox();
    await page.mouse.move((from?.x ?? 0) + 40, (from?.y ?? 0) + 10);
    await page.mouse.down();
    await page.mouse.move((to?.x ?? 0) + 300, (to?.y ?? 0) + 10, { steps: 4 });
    await page.mouse.up();
    const numbers = await rows.evaluateAll((all) => all.slice(1, 4).map((one) => one.id.slice('record-'.length)));
    expect((await copied()).map((line) => line.split('\t')[0])).toEqual(numbers);
    await page.evaluate(() => getSelection()?.empty());
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('removes a message about notes when the cursor moves', async () => {
    await page.keyboard.press('b');
    await page.locator('footer').getByText('Bookmark added').waitFor();
    await page.keyboard.press('Shift+M');
    const message = page.locator('footer').getByText('There is no earlier note');
    await message.waitFor();
    await page.keyboard.press('Control+End');
    await page.locator('footer b').first().getByText('0', { exact: true }).waitFor({ state: 'detached' });
    expect(await message.count()).toBe(0);
  });

  if (NIGHTLY) {
    it('keeps the focus on the page when the focused element disappears', async () => {
      const focused = page.locator(':focus');
      // A clicked pane comes forward with its own tabs.
      await page.getByRole('tab', { name: 'Notes', exact: true }).click();
      await page.locator('#tab-notes:focus').waitFor();
      await page.keyboard.press('n');
      await page.keyboard.type('Kept');
      await page.keyboard.press('Control+Enter');
      await page.locator('section[data-pane=notes]:focus, section[data-pane=notes] [data-main]:focus').waitFor();

      await page.keyboard.press('Control+Home');
      const back = page.getByRole('button', { name: 'Back', exact: true });
      await back.focus();
      while ((await back.getAttribute('aria-disabled')) === 'false') await page.keyboard.press('Enter');
      expect(await focused.getAttribute('aria-label')).toBe('Back');
      await page.keyboard.press('Enter');
      await page.locator('footer').getByText('There is no earlier place to go back to.').waitFor();

      await page.keyboard.press('Shift+T');
      await page.locator('section[data-pane=tree] [role=application]:focus').waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Zoom out' }).and(page.locator('section[data-pane=tree] *')).focus();
      await page.keyboard.press('Enter');
      await page.locator('section[data-pane=tree] [role=application]:focus').waitFor();

      await page.keyboard.press('Shift+P');
      await page.getByRole('button', { name: 'Close Report' }).focus();
      await page.keyboard.press('Enter');
      await page.locator('section[data-pane] :focus').waitFor();

      await page.keyboard.press('Control+3');
      await page.keyboard.press('Control+w');
      await page.locator('#path:focus').waitFor();
      await page.getByRole('button', { name: /program.txt/ }).focus();
      await page.keyboard.press('Enter');
      await page.locator('#records:focus').waitFor();
    });
  }

  it('causes no errors', () => {
    expect(stage.errors).toEqual([]);
  });

  async function at(n: string): Promise<void> {
    await page.locator('footer b').first().getByText(n, { exact: true }).waitFor();
  }
});
