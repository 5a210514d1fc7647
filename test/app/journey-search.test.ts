/**
 * Searching a trace: the real engine and the built page. Covers a search by text with its list and marks, next and previous, a value, a
 * register and an invalid expression, all by keyboard and accessible.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, FindAllArguments } from '../../shared/requests/requests.ts';
import { few } from '../short-form.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { makeTrace } from './journey-driver.ts';
import { indexed, openStage, whySkipped, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey of a search');

describe.skipIf(missing !== undefined)('search in the browser', () => {
  let stage: Stage;
  let page: Page;
  let trace = '';

  beforeAll(async () => {
    stage = await openStage(async ({ path }) => {
      await makeTrace('tarmac', path('program.txt'), 8_000_000);
      return path('program.txt');
    });
    page = stage.page;
    await page.goto(stage.host.url);
    await page
      .locator('footer')
      .getByText(/of 0 to \d/)
      .waitFor();
    trace = await indexed(stage.host, stage.folder.path('program.txt'));
  });
  afterAll(() => stage.close());

  it('lists all matches, marks them on the overview and walks them', async () => {
    const all = await findAll({ text: 'svc #0x10' });
    const before = await lane(page);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('svc #0x10');
    await page.keyboard.press('Enter');
    await pane(page)
      .getByText(`${count(all.found)} matches`)
      .waitFor();
    await page
      .locator('footer')
      .getByText(`Record ${count(all.numbers[0]!)} of`)
      .waitFor();
    expect(await lane(page)).toBeGreaterThan(before);
    await keepScreenshot(page, 'journey-search-1-text');

    await page.keyboard.press('F3');
    await pane(page)
      .getByText(`2 of ${count(all.found)} matches`)
      .waitFor();
    await page.keyboard.press('Shift+F3');
    await pane(page)
      .getByText(`1 of ${count(all.found)} matches`)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('End');
    await page
      .locator('footer')
      .getByText(`Record ${count(all.numbers.at(-1)!)} of`)
      .waitFor();
    await page.keyboard.press('ArrowUp');
    await pane(page)
      .getByText(`${count(all.found - 1)} of ${count(all.found)} matches`)
      .waitFor();
    await page.locator('[data-match]').getByText('svc', { exact: true }).first().waitFor();
  });

  it('searches for parts of values, kinds and registers', async () => {
    const all = await findAll({ value: '0x60', width: 1, kinds: ['write'] });
    await page.keyboard.press('/');
    await page.keyboard.press('Delete');
    await field(page, 'Value').fill('0x60');
    await page.getByLabel('Bytes of the value').selectOption('1');
    await page.getByRole('combobox', { name: /^Kind/ }).selectOption('write');
    await page.keyboard.press('Control+f');
    await page.keyboard.press('Enter');
    await pane(page)
      .getByText(`${count(all.found)} matches`)
      .waitFor();

    await field(page, 'Value').fill('');
    await page.getByRole('combobox', { name: /^Kind/ }).selectOption('');
    await field(page, 'Register').fill('r13');
    await page.getByRole('search').getByRole('button', { name: 'Search' }).click();
    const sets = await findAll({ register: 'r13' });
    await pane(page)
      .getByText(`${count(sets.found)} matches`)
      .waitFor();
    await field(page, 'Register').fill('no such register');
    await page.keyboard.press('Enter');
    await pane(page).getByText('Nothing matches.').waitFor();
  });

  it('reports invalid expressions and values, and is accessible', async () => {
    await page.keyboard.press('Control+f');
    await page.keyboard.type('ldr(');
    await page.getByText('This is not a valid regular expression: Unterminated group.').waitFor();
    expect(await page.getByRole('textbox', { name: /^Search text/ }).getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('ldr');
    await field(page, 'Register').fill('');
    await field(page, 'Value').fill('0x12345');
    await page.getByLabel('Bytes of the value').selectOption('2');
    await page.getByText('0x12345 does not fit in 2 bytes.').waitFor();
    await field(page, 'Value').fill('');
    await page.keyboard.press('Enter');
    await page.locator('[data-match]').first().waitFor();
    for (const theme of few(['dark', 'light'] as const, 1)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      expect(await violations(page, { changed: 'section[aria-label=Search]' })).toEqual([]);
      await keepScreenshot(page, `journey-search-2-${theme}`);
    }
    expect(stage.errors).toEqual([]);
  });

  async function findAll(criteria: Omit<FindAllArguments, 'trace'>): Promise<Answer<'findAll'>> {
    const all = await stage.host.client.request('findAll', { trace, ...criteria, most: 1_000_000 });
    if (!all.ok) throw new Error(all.error.message);
    expect(all.value.found).toBeGreaterThan(1);
    return all.value;
  }
});

function pane(page: Page) {
  return page.getByRole('region', { name: 'Search' });
}

function field(page: Page, name: string) {
  return page.getByRole('search').getByRole('textbox', { name });
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Pixels at the overview's bottom that are as bright as text. */
async function lane(page: Page): Promise<number> {
  const strip = page.locator('canvas[data-chart=overview]');
  return await strip.evaluate((canvas: HTMLCanvasElement) => {
    const { width, height } = canvas;
    const context = new OffscreenCanvas(width, 5).getContext('2d');
    context?.drawImage(canvas, 0, height - 5, width, 5, 0, 0, width, 5);
    const pixels = context?.getImageData(0, 0, width, 5).data ?? [];
    let bright = 0;
    for (let at = 0; at < pixels.length; at += 4)
      if (pixels[at]! > 200 && pixels[at + 1]! > 200 && pixels[at + 2]! > 200) bright++;
    return bright;
  });
}
