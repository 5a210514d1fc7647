/**
 * Reading a heatmap: the list of the hottest addresses, the lens, and what a selection offers. The real engine behind the localhost host,
 * and the built page in a real browser.
 */
import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { makeTrace } from './journey-driver.ts';
import { indexed, openStage, whySkipped, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey over the heatmap');

describe.skipIf(missing !== undefined)('the heatmap in the browser', () => {
  let stage: Stage;
  let page: Page;
  let trace = '';

  beforeAll(async () => {
    stage = await openStage(async ({ path }) => {
      await makeTrace('tarmac', path('program.txt'), 6_000_000);
      writeFileSync(
        path('program.nm'),
        '00008000 00000400 T start\n00008400 00000c00 T work\n00009000 00002000 T rest\n',
      );
      return { path: path('program.txt'), images: [{ path: path('program.nm') }] };
    });
    page = stage.page;
    await page.goto(stage.host.url);
    trace = await indexed(stage.host, stage.folder.path('program.txt'));
    await page.locator('[data-settled=true]').waitFor();
  });
  afterAll(() => stage.close());

  const list = () => page.getByRole('region', { name: 'Hottest addresses' });

  it('lists the hottest pages and symbols of what is shown', async () => {
    await list().getByRole('row').nth(1).waitFor();
    await shots('1-list');
    expect(trace).not.toBe('');
    await page.keyboard.press('l');
    await page.getByRole('group', { name: 'Lens' }).waitFor();
    await page.locator('[data-settled=true]').waitFor();
    await shots('2-lens');
    expect(await violations(page)).toEqual([]);
  });

  /** Keeps screenshots in both sizes and themes. */
  async function shots(name: string): Promise<void> {
    if (process.env['TRACEBENCH_SCREENSHOTS'] !== '1') return;
    for (const [width, height] of [
      [1280, 720],
      [1440, 900],
    ] as const) {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
        await page.locator('[data-settled=true]').waitFor();
        await keepScreenshot(page, `journey-heatmap-${name}-${String(width)}-${colorScheme}`);
      }
    }
    await page.emulateMedia({ colorScheme: 'dark' });
  }
});
