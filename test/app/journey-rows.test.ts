/**
 * The list of instructions in a window of 1280 x 720, on a real excerpt of a sorting program: one row for each instruction, its records,
 * columns, symbols that can be followed, and several searches at once.
 */
import { copyFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey through rows');

const excerpt = fileURLToPath(new URL('../samples/tarmac/arm-sort/trace.txt', import.meta.url));

describe.skipIf(missing !== undefined)('rows of instructions in the browser', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(
      ({ path }) => {
        copyFileSync(excerpt, path('sort.txt'));
        writeFileSync(
          path('sort.nm'),
          '00008034 00000010 t copy_data\n000082b8 00000030 t digits\n0000874c 4 R data\n',
        );
        return { path: path('sort.txt'), images: [{ path: path('sort.nm') }] };
      },
      { viewport: { width: 1280, height: 720 } },
    );
    page = stage.page;
    await page.goto(stage.host.url);
    await page.locator('footer').getByText('of 0 to 199').waitFor();
  });
  afterAll(() => stage.close());

  it('shows an instruction with its effects as one row, and its records when the row is opened', async () => {
    // Records 1 and 2 belong to instruction 0, 4 and 5 to 3, and so on.
    await until(async () => (await numbers()).slice(0, 6)).toEqual([0, 3, 6, 9, 12, 16]);
    expect(await row(0).locator('code').allInnerTexts()).toEqual(['[0x8068]→', 'r0=0x7c000']);
    await row(0).getByText('ARM svc').waitFor();
    expect(await row(3).getByText('svc').count()).toBe(0);
    await row(0).click();
    await page.keyboard.press('j');
    await at(3);
    await page.keyboard.press('ArrowRight');
    await until(async () => (await numbers()).slice(0, 5)).toEqual([0, 3, 4, 5, 6]);
    await page.keyboard.press('ArrowDown');
    await at(4);
    await page.keyboard.press('ArrowLeft');
    await at(3);
    await until(async () => (await numbers()).slice(0, 3)).toEqual([0, 3, 6]);
    await row(3).locator('.more').click();
    await until(async () => (await numbers()).slice(0, 4)).toEqual([0, 3, 4, 5]);
    await page.keyboard.press('i');
    await until(async () => (await numbers()).slice(0, 3)).toEqual([0, 3, 6]);
  });

  it('opens the row of a hidden record that the cursor goes to, and steps by rows', async () => {
    await row(0).getByText('r0=0x7c000').click();
    await at(2);
    await go(170);
    expect((await numbers()).filter((n) => n >= 167 && n < 175)).toEqual([167, 169, 170, 171, 173]);
    await page.keyboard.press('k');
    await at(169);
    await page.keyboard.press('k');
    await at(167);
    await page.keyboard.press('Shift+I');
    await row(168).waitFor();
    await page.keyboard.press('Shift+I');
    await row(168).waitFor({ state: 'detached' });
    await page.keyboard.press('PageDown');
    const page1 = await numbers();
    expect(page1).not.toContain(168);
    await page.keyboard.press('Control+End');
    await at(199);
  });

  it('names the target of a branch, and follows it', async () => {
    await go(47);
    await row(47).getByText('<copy_data>').click();
    await page.locator('footer').getByText('0x8034').waitFor();
    await at(47);
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Follow 0x8034 <copy_data>' }).click();
  });

  it('resizes, hides, moves and resets columns, and keeps them', async () => {
    const before = await heads();
    expect(before).toEqual(
      ['Record', 'Address', 'Symbol', 'Kind', 'Depth', 'Text and effects'].filter((name) => before.includes(name)),
    );
    const address = head('Address');
    const width = async (): Promise<number> => (await address.boundingBox())?.width ?? 0;
    const narrow = await width();
    await address.focus();
    for (let i = 0; i < 5; i += 1) await page.keyboard.press('Shift+ArrowRight');
    await until(width).toBeGreaterThan(narrow + 30);
    const wide = await width();
    const box = await address.boundingBox();
    await page.mouse.move(box!.x + box!.width - 3, box!.y + 8);
    await page.mouse.down();
    await page.mouse.move(box!.x + box!.width + 40, box!.y + 8, { steps: 4 });
    await page.mouse.up();
    await until(width).toBeGreaterThan(wide + 30);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Move left' }).click();
    await until(heads).toEqual(['Address', ...before.filter((name) => name !== 'Address')]);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Show Time' }).click();
    await head('Time').waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Hide Address' }).click();
    await until(heads).not.toContain('Address');
    await page.reload();
    await head('Time').waitFor();
    expect(await heads()).not.toContain('Address');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Reset columns' }).click();
    await until(heads).toEqual(before);
  });

  it('highlights several searches, each with a colour and a sign', async () => {
    await go(0);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('msr cpsr');
    await page.keyboard.press('Enter');
    // Records 12, 18 and 23 change the mode.
    await row(12).locator('mark', { hasText: 'msr cpsr' }).waitFor();
    await page.getByRole('button', { name: 'Pin the search' }).click();
    await page.getByRole('textbox', { name: /^Search text/ }).fill('');
    await page.getByRole('search').getByRole('textbox', { name: 'Register' }).fill('r14');
    await page.keyboard.press('Enter');
    // The match is record 14, which belongs to 12: its row has both signs.
    await at(14);
    await page.getByRole('button', { name: 'Pin the search' }).click();
    await until(() => signs(12)).toEqual(['1']);
    await until(() => signs(14)).toEqual(['2']);
    await go(23);
    await until(() => signs(23)).toEqual(['1', '2']);
    // Not all effects fit beside the signs: the number of the others is marked.
    const others = row(23).locator('.match', { hasText: '+2' });
    await others.waitFor();
    expect(await others.getAttribute('title')).toMatch(/^2 more effects: \S+=\S+, \S+=\S+\. Matches .*r14/);
    await others.click();
    await row(24).waitFor();
    await page.keyboard.press('i');
    await row(24).waitFor({ state: 'detached' });
    // Another search in the same text has a colour of its own; where both match, the first one's, and both are named.
    await page.getByRole('search').getByRole('textbox', { name: 'Register' }).fill('');
    await page.getByRole('textbox', { name: /^Search text/ }).fill('cpsr');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Pin the search' }).click();
    await go(23);
    // The search went to a record of the row, which opened it: only its own record counts.
    await until(() => signs(23)).toEqual(['1', '3']);
    await until(() => row(23).locator('mark').allInnerTexts()).toEqual(['msr ', 'cpsr']);
    expect(await row(23).locator('mark').last().getAttribute('title')).toBe('Matches msr cpsr and cpsr');
    for (const [width, height] of [
      [1440, 900],
      [1920, 1080],
      [1280, 720],
    ] as const) {
      await page.setViewportSize({ width, height });
      await keepScreenshot(page, `journey-rows-2-${width}`);
    }
    await page.getByRole('region', { name: 'Instructions' }).getByRole('button', { name: 'Remove cpsr' }).click();
    await page.getByRole('textbox', { name: /^Search text/ }).fill('');
    await page.getByRole('search').getByRole('textbox', { name: 'Register' }).fill('r14');
    await page.keyboard.press('Enter');
    await go(23);
    await until(() => signs(23)).toEqual(['1']);
    await page.getByRole('region', { name: 'Instructions' }).getByRole('button', { name: 'Highlight r14' }).click();
    await until(() => signs(23)).toEqual(['1']);
    await page.getByRole('region', { name: 'Instructions' }).getByRole('button', { name: 'Highlight r14' }).click();
    for (const theme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      expect(await violations(page, { changed: 'section[aria-label=Instructions]' })).toEqual([]);
      await keepScreenshot(page, `journey-rows-1-${theme}`);
    }
    await page.reload();
    await until(() => signs(23)).toEqual(['1', '2']);
    await page.getByRole('region', { name: 'Instructions' }).getByRole('button', { name: 'Remove r14' }).click();
    await until(() => signs(23)).toEqual(['1']);
    expect(stage.errors).toEqual([]);
  });

  function row(n: number) {
    return page.locator(`[data-record="${n}"]`);
  }

  function head(name: string) {
    return page.locator('#records').getByRole('columnheader', { name, exact: true });
  }

  function heads(): Promise<readonly string[]> {
    return page.locator('#records').getByRole('columnheader').allInnerTexts();
  }

  async function numbers(): Promise<readonly number[]> {
    const all = await page.locator('#records [data-record]').evaluateAll((rows) => rows.map((one) => one.id.slice(7)));
    return all.map(Number);
  }

  function signs(n: number): Promise<readonly string[]> {
    return row(n).locator('.signs b').allInnerTexts();
  }

  async function go(n: number): Promise<void> {
    await page.locator('#records').focus();
    await page.keyboard.press('g');
    await page.getByPlaceholder('Record, t:time, 0xaddress or symbol').fill(String(n));
    await page.keyboard.press('Enter');
    await at(n);
  }

  async function at(n: number): Promise<void> {
    await page.locator(`[data-record="${n}"][aria-selected=true]`).waitFor();
  }
});

/** Waits as long as a slow machine needs: only a broken page times out. */
function until<T>(look: () => T | Promise<T>) {
  return expect.poll(look);
}
