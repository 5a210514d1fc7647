/** Two long runs side by side: where they part is shown while everything after that is still being aligned. */
import { writeFileSync } from 'node:fs';
import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../laws/random.ts';
import { violations } from './axe.ts';
import { openStage, whySkipped, withCallsAlone, type Stage } from './journey-stage.ts';
import { keepPictures } from './stories/pictures.ts';

const missing = whySkipped('The journey through two long runs');

/** As many records as a comparison has that shows its first rows early. */
const RECORDS = 1_000_400;

/** Returns a run of 64 functions with four instructions each, in no order. Instructions of `other` are at another address. */
function run(other: readonly number[]): string {
  const random = createRandom(1);
  let base = 0;
  const lines = Array.from({ length: RECORDS }, (_, n) => {
    if (n % 4 === 0) base = 0x8000 + 16 * random.below(64);
    const address = other.includes(n) ? 0x9000 : base + 4 * (n % 4);
    const code = n % 4 === 3 ? 'eafffffb A svc : b away' : 'e1a00000 A svc : nop';
    return `${n} clk IT (${n}) ${address.toString(16).padStart(8, '0')} ${code}\n`;
  });
  return lines.join('');
}

describe.skipIf(missing !== undefined)('two long runs in the browser', () => {
  let stage: Stage;
  let page: Page;
  let other: string;
  /** Requests for the alignment, which wait until the test lets them go; undefined afterwards. */
  let held: Route[] | undefined = [];

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      other = path('b.txt');
      writeFileSync(path('a.txt'), run([]));
      writeFileSync(other, run([5001, 700_002]));
      return { path: path('a.txt'), format: 'tarmac' };
    });
    page = stage.page;
    await page.goto(withCallsAlone(stage.host.url));
    await page.locator('footer').getByText('of 0 to 1,000,399').waitFor();
  });
  afterAll(() => stage.close());

  it('shows where they part before they are aligned, and moves on when they are', async () => {
    await page.route('**/api/diff', async (route) => {
      if (held !== undefined && route.request().postData()?.includes('"regions"') === true) held.push(route);
      else await route.continue();
    });
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.insertText('Compare with');
    await page.keyboard.press('Enter');
    await page.getByLabel('Path of the trace on this computer').fill(other);
    await page.keyboard.press('Enter');
    await pane().getByText('The paths part here first; what follows is being aligned').waitFor();
    await until(numbers).toEqual(['5,001', '5,001']);
    expect(await violations(page, { changed: '[data-pane=compare]' })).toEqual([]);

    // The rows before can be read meanwhile.
    await page.keyboard.press('ArrowUp');
    await until(numbers).toEqual(['5,000', '5,000']);
    await page.keyboard.press('F8');
    await until(numbers).toEqual(['5,001', '5,001']);
    await page.keyboard.press('F8');
    await page.locator('footer').getByText('What follows is still being aligned.').waitFor();

    const waiting = held ?? [];
    held = undefined;
    for (const route of waiting) await route.continue();
    await pane().getByText('> 99.9 % of the instructions are aligned').waitFor();
    await page.keyboard.press('Shift+F8');
    await page.locator('footer').getByText('There is no earlier difference.').waitFor();
    await page.keyboard.press('F8');
    await until(async () => (await numbers()).join()).toContain('700,002');
    await keepPictures(page, 'journey-compare-long');
    expect(stage.errors).toEqual([]);
  });

  function pane(): Locator {
    return page.getByRole('region', { name: 'Compare', exact: true });
  }

  /** Records of both sides of the row of the cursor. */
  function numbers(): Promise<readonly string[]> {
    return page.locator('#compare-rows .row.now .number').allTextContents();
  }

  function until<T>(read: () => Promise<T>) {
    return expect.poll(read);
  }
});
