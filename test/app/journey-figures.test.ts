/**
 * Charts as files, from the page: the real engine and the built page. Covers the menu of each chart, the command for the active one,
 * SVG and PNG, the page's theme, and axe's judgement of an opened figure.
 */
import { PNG } from 'pngjs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { contentOf, keepScreenshot } from './browser.ts';
import { makeTrace } from './journey-driver.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey of figures');

describe.skipIf(missing !== undefined)('figures in the browser', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(
      async ({ path }) => {
        await makeTrace('byu6', path('run.byu'), 300_000);
        return undefined;
      },
      { reducedMotion: 'reduce' },
    );
    page = stage.page;
    const open = stage.folder.path('run.byu');
    await page.goto(`${stage.host.url}#${new URLSearchParams({ open }).toString()}`);
    await page.locator('footer').getByText('Record 0 of 0 to 49,999').waitFor();
  });
  afterAll(() => stage.close());

  it('the menu of a chart exports SVG in the theme of the page', async () => {
    await page.getByRole('button', { name: 'Export figure of the overview' }).click();
    await keepScreenshot(page, 'journey-figures-1-menu');
    expect(await violations(page, { include: 'section[aria-label="Overview"]' })).toEqual([]);
    const svg = await downloaded(() => page.getByRole('menuitem', { name: 'SVG' }).click());
    expect(svg.name).toBe('run.byu.overview.svg');
    expect(svg.bytes.toString()).toContain('<title>Overview of run.byu</title>');
    expect(svg.bytes.toString()).toContain('fill="#12171f"');
  });

  it('the export command applies to the active chart, or to the heatmap if the active pane has none', async () => {
    await page.getByRole('application', { name: /^Overview of the trace/ }).focus();
    await page.keyboard.press('Shift+E');
    await page.locator(':focus', { hasText: 'SVG' }).waitFor();
    await page.keyboard.press('ArrowDown');
    const overview = await downloaded(() => page.keyboard.press('Enter'));
    expect(overview.name).toBe('run.byu.overview.png');
    await page
      .getByRole('region', { name: 'Instructions' })
      .or(page.locator('section[aria-label="Instructions"]'))
      .first()
      .click();
    await page.keyboard.press('Shift+E');
    await page.locator(':focus', { hasText: 'SVG' }).waitFor();
    // The item before last: the report follows the files.
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    const heat = await downloaded(() => page.keyboard.press('Enter'));
    expect(heat.name).toBe('run.byu.heatmap@2x.png');
    expect(PNG.sync.read(heat.bytes).width).toBe(2 * PNG.sync.read(overview.bytes).width);
  });

  it("a figure shows the chart's records and kinds", async () => {
    await page.getByRole('button', { name: /^Fetch/ }).click();
    await page.getByRole('button', { name: 'Export figure of the heatmap' }).click();
    const svg = await downloaded(() => page.getByRole('menuitem', { name: 'SVG' }).click());
    const text = svg.bytes.toString();
    expect(text).toMatch(
      /<desc>Heatmap of run.byu, records 0 to 49,999 [^<]* It counts read, write, I\/O read, interrupt acknowledge, I\/O write: [\d,]+ in all cells/,
    );
    const alone = await stage.browser.newPage();
    await alone.goto(`data:image/svg+xml;base64,${svg.bytes.toString('base64')}`);
    expect(await alone.locator('image').count()).toBeGreaterThan(0);
    await keepScreenshot(alone, 'journey-figures-2-alone');
    await alone.close();
  });

  it('causes no errors', () => {
    expect(stage.errors).toEqual([]);
  });

  async function downloaded(act: () => Promise<void>): Promise<{ readonly name: string; readonly bytes: Buffer }> {
    const [download] = await Promise.all([page.waitForEvent('download'), act()]);
    return { name: download.suggestedFilename(), bytes: await contentOf(download) };
  }
});
