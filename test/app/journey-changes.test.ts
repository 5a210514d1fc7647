/** Two runs in the panes Coverage and Hot spots: what ran, and what it cost, in this trace and in another one that a person chooses. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';
import { keepPictures } from './stories/pictures.ts';
import { command, pane, says } from './stories/scene.ts';

const missing = whySkipped('The journey through the changes of code');

const sample = (name: string): string =>
  fileURLToPath(new URL(`../samples/tarmac/fault-off-by-one/${name}`, import.meta.url));

describe.skipIf(missing !== undefined)('the changes of code between two runs in the browser', () => {
  let stage: Stage;
  let page: Page;
  let second = '';

  beforeAll(async () => {
    stage = await openStage(
      ({ path }) => {
        copyFileSync(sample('trace.txt'), path('first.txt'));
        // The other run ends in the loop of sum_of: copy and show never run.
        const text = readFileSync(sample('trace.txt'), 'utf8');
        second = path('second.txt');
        writeFileSync(second, text.slice(0, text.indexOf('\n', text.indexOf('IT (40)')) + 1));
        return { path: path('first.txt'), format: 'tarmac', images: [{ path: sample('program.elf') }] };
      },
      { viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' },
    );
    page = stage.page;
    await page.goto(stage.host.url);
    await page.locator('footer').getByText('of 0 to 189').waitFor();
  });
  afterAll(() => stage.close());

  it('asks for the other trace, and shows in Coverage what ran in one run only', async () => {
    await command(page, 'Coverage');
    await coverage().getByRole('button', { name: 'Changes' }).click();
    await coverage().getByText('What ran in one run only?').waitFor();
    expect(await violations(page, { changed: '[data-pane=coverage]' })).toEqual([]);
    await coverage().getByRole('button', { name: 'Choose the other trace…' }).click();
    await page.getByLabel('Path of the trace on this computer').fill(second);
    await page.keyboard.press('Enter');
    await coverage().getByText('B is second.txt').waitFor();
    await coverage().getByRole('button', { name: 'Open fault-off-by-one.c' }).click();
    // All instructions of copy ran in A, and none in B: those of lines 19 and 21.
    const copy = row(coverage(), 'copy');
    await until(() => cells(copy)).toEqual(['copy', '100 %', '0 %', '-8', '2', '0', '1 → 0']);
    await copy.click();
    await coverage().getByText('2 lines ran in A only').waitFor();
    await pane(page, 'Source').waitFor();
    await keepPictures(page, 'journey-changes-1-coverage');
    expect(await violations(page, { changed: '[data-pane=coverage]' })).toEqual([]);
  });

  it('sorts by a column, finds rows, and adds the changes to the report', async () => {
    await coverage().getByRole('columnheader', { name: 'Only A' }).getByRole('button').click();
    await coverage().locator('[aria-sort=descending]').getByText('Only A').waitFor();
    await coverage().getByRole('searchbox').fill('show');
    await until(() => coverage().locator('[data-row]').count()).toBe(2);
    await coverage().getByRole('button', { name: 'Add the coverage to the report' }).click();
    await says(page, 'Added to the report');
    await coverage().getByRole('searchbox').fill('');
  });

  it('shows in Hot spots what functions and lines cost in both runs', async () => {
    await command(page, 'Hot spots');
    await hot().getByRole('button', { name: 'Changes' }).click();
    await until(async () => (await cells(row(hot(), 'copy'))).slice(0, 4)).toEqual(['copy', '24', '–', '-24']);
    await row(hot(), 'copy').click();
    await page.locator('footer').getByText('Record 115').waitFor();
    await keepPictures(page, 'journey-changes-2-functions');
    expect(await violations(page, { changed: '[data-pane=profile]' })).toEqual([]);
    await hot().getByRole('button', { name: 'Code', exact: true }).click();
    // copy writes five items.
    await until(async () => (await cells(row(hot(), 'c:21'))).slice(-2)).toEqual(['5', '0']);
    await row(hot(), 'c:21').click();
    await pane(page, 'Source').getByText('is named by the image').waitFor();
    await page.keyboard.press('Shift+H');
    await keepPictures(page, 'journey-changes-3-lines');
    expect(await violations(page, { changed: '[data-pane=profile]' })).toEqual([]);
    await hot().getByRole('button', { name: 'Loops' }).click();
    await hot().getByRole('button', { name: 'Changes' }).and(page.locator(':disabled')).waitFor();
  });

  function coverage(): Locator {
    return pane(page, 'Coverage');
  }

  function hot(): Locator {
    return pane(page, 'Hot spots');
  }

  /** The row of what has a name. */
  function row(of: Locator, name: string): Locator {
    return of.locator('[data-row]').filter({ hasText: name }).last();
  }

  async function cells(of: Locator): Promise<readonly string[]> {
    return (await of.getByRole('gridcell').allInnerTexts()).map((text) => text.trim());
  }

  function until<T>(state: () => Promise<T>) {
    return expect.poll(state);
  }
});
