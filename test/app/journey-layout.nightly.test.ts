/**
 * Small windows and large text: titles and tools of neighbouring panes, columns below their heads, and messages during and after
 * indexing.
 */
import { truncateSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepScreenshot } from './browser.ts';
import { makeTrace } from './journey-driver.ts';
import { openStage, whySkipped, withCallsAlone, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey of small windows');

/** Keys of all panes in the columns, so that tabs are crowded; the last one accepts letters as text. */
const PANES = ['Control+5', 'Control+6', 'Control+7', 'Shift+N', 'Shift+B', 'Control+9', 'Control+8'];

describe.skipIf(missing !== undefined)('the workbench in a small window', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(
      async ({ path }) => {
        await makeTrace('tarmac', path('program.txt'), 2_000_000);
        return path('program.txt');
      },
      { viewport: { width: 1024, height: 700 }, colorScheme: 'light' },
    );
    page = stage.page;
    await page.goto(withCallsAlone(stage.host.url));
    await page.locator('[data-settled=true]').waitFor();
    // Without indexing in progress, the branches are there at once.
    await page.locator('footer progress').waitFor({ state: 'detached' });
    for (const key of PANES) await page.keyboard.press(key);
    await page.locator('[data-row="0"]').first().waitFor();
  });
  afterAll(() => stage.close());

  for (const [width, height] of [
    [1280, 720],
    [1024, 700],
    [960, 600],
  ] as const) {
    it(`shows all titles and tools completely at ${width} x ${height}`, async () => {
      await page.setViewportSize({ width, height });
      for (const key of PANES) {
        await page.keyboard.press(key);
        expect({ key, ...(await crowding(page)) }).toEqual({ key, over: [], outside: [] });
      }
      await keepScreenshot(page, `journey-narrow-${width}`);
    });
  }

  it('keeps matches visible and fields reachable in a low pane', async () => {
    await page.setViewportSize({ width: 901, height: 600 });
    await page.keyboard.press('Control+f');
    const pane = page.locator('section[data-pane=search]');
    const fields = page.getByRole('search').locator('.fields > *');
    // Without matches, the whole form is visible and its lines are aligned on the left.
    const { y = 0, height = 0 } = (await pane.boundingBox()) ?? {};
    const places = await fields.evaluateAll((all) => all.map((field) => field.getBoundingClientRect()));
    expect(Math.max(...places.map(({ bottom }) => bottom))).toBeLessThanOrEqual(y + height);
    expect(Math.min(...places.map(({ left }) => left))).toBe(places[0]?.left);
    await page.getByLabel('Search text').fill('mov');
    await page.keyboard.press('Enter');
    const end = async (): Promise<number> => {
      const row = await page.locator('#match-1').boundingBox();
      return row ? row.y + row.height : Infinity;
    };
    await expect.poll(end).toBeLessThanOrEqual(y + height);
    await keepScreenshot(page, 'journey-narrow-search');
    const register = pane.getByRole('textbox', { name: 'Register' });
    await register.focus();
    const head = await page.locator('#matches').boundingBox();
    const field = await register.boundingBox();
    expect((field?.y ?? Infinity) + (field?.height ?? 0)).toBeLessThanOrEqual(head?.y ?? 0);
    await page.getByLabel('Search text').fill('');
    await page.keyboard.press('Escape');
  });

  it('aligns columns with their heads', async () => {
    await page.setViewportSize({ width: 1024, height: 700 });
    await page.keyboard.press('Control+9');
    await page.keyboard.press('Shift+B');
    await page.locator('#branch-edges [data-row="0"]').waitFor();
    expect(await columnsOf(page, '#branch-edges')).toEqual([]);
    expect(await columnsOf(page, '#records')).toEqual([]);
  });

  it('causes no errors', () => {
    expect(stage.errors).toEqual([]);
  });
});

describe.skipIf(missing !== undefined)('the workbench during indexing', () => {
  let stage: Stage;
  let page: Page;
  let trace = '';
  /** Requests of the page that wait to be passed on. */
  let index: Route[];
  let bands: Route[];

  beforeAll(async () => {
    stage = await openStage(
      async ({ path }) => {
        await makeTrace('tarmac', path('program.txt'), 2_000_000);
        return path('program.txt');
      },
      { viewport: { width: 1280, height: 720 }, colorScheme: 'light' },
    );
    page = stage.page;
    trace = stage.folder.path('program.txt');
    index = [];
    bands = [];
    await page.route('**/api/index', (route) => void index.push(route));
    await page.goto(withCallsAlone(stage.host.url));
    await page.locator('[data-record="0"]').waitFor();
  });
  afterAll(() => stage.close());

  it('shows no estimate before indexing has begun', async () => {
    expect(await page.locator('footer').innerText()).not.toContain('about');
    expect(await page.getByText('One mark per record').count()).toBe(0);
  });

  it('does not claim that a trace has no addresses before it is indexed, and updates the reachable range', async () => {
    await page.keyboard.press('g');
    await page.getByPlaceholder('Record, t:time, 0xaddress or symbol').fill('5000');
    await page.keyboard.press('Enter');
    await page.getByText('The indexed part ends with record 199.').waitFor();

    await page.route('**/api/bands', (route) => void bands.push(route));
    await expect.poll(() => index.length).toBe(1);
    await index[0]?.continue();
    await page.getByText('Go to record 5,000').waitFor();
    await expect.poll(() => bands.length).toBeGreaterThan(0);
    expect(await page.getByText('No record of this trace has an address').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.locator('[data-record="5000"][aria-selected=true]').waitFor();
    await page.unroute('**/api/bands');
    for (const route of bands) await route.continue();
    await page.locator('[data-settled=true]').waitFor();
  });

  it('reports in each pane why a truncated file cannot be read', async () => {
    await page.keyboard.press('Shift+B');
    truncateSync(trace, 4096);
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Control+6');
    for (const pane of ['Instructions', 'Memory'])
      await page.locator(`section[aria-label=${pane}] .error`).getByText('program.txt').waitFor();
  });
});

/** Titles and tools that overlap or extend out of their pane. */
async function crowding(
  page: Page,
): Promise<{ readonly over: readonly string[]; readonly outside: readonly string[] }> {
  return page.evaluate(() => {
    const over: string[] = [];
    const outside: string[] = [];
    for (const section of document.querySelectorAll('section:has(> header)')) {
      const parts = [...section.querySelectorAll('header :is(button, .note, h2, select, input)')].flatMap((part) => {
        const box = part.getBoundingClientRect();
        return box.width === 0 ? [] : [{ name: part.getAttribute('aria-label') ?? part.textContent.trim(), box }];
      });
      const frame = section.getBoundingClientRect();
      for (const [place, { name, box }] of parts.entries()) {
        if (box.left < frame.left || box.right > frame.right) outside.push(name);
        for (const other of parts.slice(place + 1)) {
          const width = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
          const height = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
          if (width > 1 && height > 1) over.push(`${name} and ${other.name}`);
        }
      }
    }
    return { over, outside };
  });
}

/** Heads of a grid that are not above the cells of its first row. */
async function columnsOf(page: Page, grid: string): Promise<readonly string[]> {
  return page.locator(grid).evaluate((element) => {
    const heads = [...element.querySelectorAll('[role=columnheader]')];
    const cells = [...(element.querySelector('[role=rowgroup] [role=row]')?.querySelectorAll('[role=gridcell]') ?? [])];
    return heads.flatMap((head, place) => {
      const a = head.getBoundingClientRect();
      const b = cells[place]?.getBoundingClientRect();
      return b && Math.abs(a.left - b.left) < 1 ? [] : [`${head.textContent}: ${a.left} and ${b?.left ?? 'nowhere'}`];
    });
  });
}
