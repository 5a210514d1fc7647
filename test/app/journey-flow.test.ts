/**
 * Program flow: the real engine and the built page. Covers edges and single branches, open calls, and steps over and out of them, all
 * by keyboard and accessible. The program: main calls `twice` three times, which calls `leaf` two times each.
 */
import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { few } from '../short-form.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';
import { nestedCalls } from './nested-calls.ts';

const missing = whySkipped('The journey of program flow');

describe.skipIf(missing !== undefined)('program flow in the browser', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      writeFileSync(path('program.txt'), `${nestedCalls(0).join('\n')}\n`);
      return path('program.txt');
    });
    page = stage.page;
    await page.goto(stage.host.url);
    await stands(0);
  });
  afterAll(() => stage.close());

  it('lists edges, most frequent first, and walks the branches of one', async () => {
    await page.keyboard.press('Shift+B');
    const edges = page.getByRole('grid', { name: /^Edges/ });
    // Three call sites of twice, and two of leaf in it; each call has its return.
    await page.getByText('18 branches on 10 edges').waitFor();
    expect(await edges.getAttribute('aria-rowcount')).toBe('11');
    await page.getByRole('button', { name: /call ?9$/ }).click();
    await page.getByText('9 branches on 5 edges').waitFor();
    await page.keyboard.press('Shift+B');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await stands(4);
    await page.keyboard.press('c');
    await stands(15);
    await page.keyboard.press('c');
    await stands(26);
    await page.keyboard.press('c');
    await page.getByText('There is no later call of this edge (').waitFor();
    await page.keyboard.press('Shift+C');
    await stands(15);
    await page.getByRole('button', { name: 'Events' }).click();
    const events = page.getByRole('grid', { name: /^Branches around/ });
    await events.locator('[aria-selected=true]').getByText('15').waitFor();
    expect(await events.locator('[data-row]').count()).toBe(9);
    await keepScreenshot(page, 'journey-flow-1-branches');
    // The list covers the whole trace, and so do the numbers above it, whatever the charts show.
    await page.getByRole('button', { name: 'Edges', exact: true }).click();
    await page.keyboard.press('Control+3');
    for (let times = 0; times < 6; times += 1) await page.keyboard.press('+');
    await page.getByText('in the range').waitFor();
    await page.getByRole('button', { name: 'Events' }).click();
    await page.getByRole('button', { name: /call ?9$/ }).waitFor();
    await page.keyboard.press('0');
  });

  it('ends a brushed range with the trace, even if few records remain', async () => {
    const strip = await page.locator('canvas[data-chart=overview]').boundingBox();
    if (!strip) throw new Error('there is no overview');
    const right = strip.x + strip.width;
    await page.mouse.move(right - 1, strip.y + 20);
    await page.mouse.down();
    await page.mouse.move(right - 12, strip.y + 20, { steps: 3 });
    await page.mouse.up();
    const [, end] = /of 0 to ([\d,]+)/.exec(await page.locator('footer').innerText()) ?? [];
    const last = Number(end);
    await page
      .locator('footer')
      .getByText(`Range ${last - 11} to ${last}`)
      .waitFor();
    await page.keyboard.press('Control+3');
    await page.keyboard.press('0');
  });

  it('shows the open calls, goes to a call, steps over and out', async () => {
    await goTo('16');
    await page.keyboard.press('Control+9');
    const stack = page.getByRole('grid', { name: /^Open calls/ });
    await page.getByText('3 frames at record 16').waitFor();
    expect(await names(stack)).toEqual(['0x9000', '0x8800', '(unknown)']);
    await keepScreenshot(page, 'journey-flow-2-stack');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await stands(12);
    await page.getByText('1 frame at record 12').waitFor();
    await page.keyboard.press('o');
    await stands(22);
    await page.keyboard.press('Shift+O');
    await stands(12);
    await goTo('16');
    await page.keyboard.press('u');
    await stands(17);
    await page.keyboard.press('Shift+U');
    await stands(12);
  });

  it('indents by calls, folds a call into its row and unfolds it when the cursor enters', async () => {
    await goTo('12');
    const records = page.locator('#records');
    await records.locator('[data-record="14"] .levels').waitFor();
    const widths = await records.locator('.levels').evaluateAll((all) => all.map((one) => one.clientWidth));
    const numbers = await records.locator('[data-record]').evaluateAll((all) => all.map((one) => one.id.slice(7)));
    const depthOf = (n: number): number => widths[numbers.indexOf(String(n))]!;
    expect([12, 13, 15, 17, 22].map((n) => depthOf(n) - depthOf(12))).toEqual([0, 8, 16, 8, 0]);
    const depths = await records.locator('[data-record] .depth').allInnerTexts();
    const shown = (n: number): number => Number(depths[numbers.indexOf(String(n))]?.replace('~', ''));
    expect([12, 13, 15, 17, 22].map((n) => shown(n) - shown(12))).toEqual([0, 1, 2, 1, 0]);

    await records.locator('[data-record="12"]').click();
    await page.keyboard.press('ArrowLeft');
    await records.locator('[data-record="12"]').getByText('⋯ 9 records folded').waitFor();
    expect(await records.locator('[data-record="13"]').count()).toBe(0);
    expect(await records.locator('[data-record="12"]').getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('ArrowDown');
    await stands(22);
    await page.keyboard.press('ArrowUp');
    await stands(12);
    await keepScreenshot(page, 'journey-flow-4-folded');
    await goTo('15');
    await records.locator('[data-record="13"]').waitFor();
    await page.keyboard.press('Shift+F');
    await stands(14);
    await records.locator('[data-record="14"]').getByText('⋯ 2 records folded').waitFor();
    await page.getByRole('button', { name: 'Unfold all' }).click();
    await records.locator('[data-record="15"]').waitFor();
  });

  it('is accessible', async () => {
    for (const theme of few(['dark', 'light'] as const, 1)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      expect(await violations(page, { changed: 'section[aria-label=Branches]' })).toEqual([]);
      await keepScreenshot(page, `journey-flow-3-${theme}`);
    }
    expect(stage.errors).toEqual([]);
  });

  async function stands(n: number): Promise<void> {
    await page.locator('footer').getByText(`Record ${n} of 0 to 34`).waitFor();
  }

  async function goTo(place: string): Promise<void> {
    await page.keyboard.press('g');
    await page.keyboard.type(place);
    await page.keyboard.press('Enter');
    await stands(Number(place));
  }
});

async function names(stack: ReturnType<Page['getByRole']>): Promise<readonly string[]> {
  return await stack.locator('[data-row] b').allInnerTexts();
}
