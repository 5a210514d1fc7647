/**
 * A bundle opens without its trace: notes, a report and cited records, whose numbers here and in the whole trace are both on the screen. With
 * the trace open, both are compared and the notes taken over. The real engine and the built page, by keys and by pointer.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sample } from '../../electron/sample/sample.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';
import { runInside } from './run-cli.ts';

const missing = whySkipped('The journey through a bundle');

const HOSTILE = '<script>document.title = "ran"</script>';

describe.skipIf(missing !== undefined)('a bundle in the browser', () => {
  let stage: Stage;
  let page: Page;
  let bundle: string;
  let trace: string;

  beforeAll(async () => {
    stage = await openStage(
      async ({ path }) => {
        trace = path('run.log');
        bundle = path('finding.zip');
        const made = await sample({ format: 'tarmac', size: 600_000, path: trace, seed: 3, locality: 'local' });
        expect(made.ok).toBe(true);
        const note = ['notes', 'add', trace, '--index-dir', path('other-index')];
        await runInside([
          ...note,
          '--at',
          '5000',
          '--title',
          'First write',
          '--text',
          `It **begins** here. ${HOSTILE}`,
        ]);
        await runInside([...note, '--at', '9000', '--to', '9040', '--title', 'Wrong loop']);
        const written = await runInside(['bundle', trace, '-o', bundle, '--index-dir', path('other-index')]);
        expect(written.code, written.stderr).toBe(0);
        // The trace and its notebook are away until the last test.
        renameSync(trace, path('away'));
        renameSync(`${trace}.notebook`, path('away.kept'));
        return bundle;
      },
      { viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' },
    );
    ({ page } = stage);
    await page.goto(stage.host.url);
  });
  afterAll(() => stage.close());

  const dialog = () => page.getByRole('dialog', { name: /Evidence bundle/ });
  const contents = () => dialog().getByRole('navigation', { name: 'Contents' });

  it('says of which trace it is and what is missing', async () => {
    await dialog().getByText('The trace is not in this bundle').waitFor();
    await dialog().getByText('The bundle is as it was written.').waitFor();
    expect(await contents().getByRole('button').allInnerTexts()).toEqual([
      'Overview',
      expect.stringMatching(/^First write\s+record 5,000$/),
      expect.stringMatching(/^Wrong loop\s+record 9,000$/),
      'run.log',
      '4,895 to 5,105',
      expect.stringMatching(/^8,8\d\d to 9,1\d\d$/),
    ]);
    await keepScreenshot(page, 'journey-bundle-1-overview');
    expect(await violations(page)).toEqual([]);
  });

  it('is among the recent files, and opens from there', async () => {
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    const recent = page.getByRole('region', { name: 'Recent traces' });
    await recent.getByText('evidence bundle').waitFor();
    expect(await recent.getByRole('button').allInnerTexts()).toEqual([
      expect.stringMatching(/^finding\.zip\s[^]*evidence bundle$/),
      '',
    ]);
    await keepScreenshot(page, 'journey-bundle-0-recent');
    expect(await violations(page)).toEqual([]);
    await recent.getByRole('button', { name: /evidence bundle/ }).focus();
    await page.keyboard.press('Enter');
    await dialog().getByText('The bundle is as it was written.').waitFor();
  });

  it('shows the report with its figures, and runs nothing in it', async () => {
    await contents().getByRole('button', { name: 'run.log' }).click();
    const frame = dialog().frameLocator('iframe');
    await frame.getByRole('heading', { name: 'First write' }).first().waitFor();
    expect(await frame.locator('svg').count()).toBeGreaterThan(0);
    await keepScreenshot(page, 'journey-bundle-2-report');
    expect(await page.title()).not.toBe('ran');
  });

  it('opens the record of a note in a slice, and names both numbers', async () => {
    await contents()
      .getByRole('button', { name: /First write/ })
      .focus();
    await page.keyboard.press('Enter');
    await dialog().getByText('begins', { exact: true }).waitFor();
    await keepScreenshot(page, 'journey-bundle-3-note');
    expect(await violations(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Show record 5,000' }).focus();
    await page.keyboard.press('Enter');
    const bar = page.getByRole('status', { name: 'Slice' });
    await bar.getByText(/is record 5,000 of run\.log/).waitFor();
    await page.getByRole('tab', { name: /run\.log\.records-4895-to-5105\.log/ }).waitFor();
    await bar.getByText('Only records 4,895 to 5,105 of run.log').waitFor();
    await keepScreenshot(page, 'journey-bundle-4-slice');
    expect(await violations(page)).toEqual([]);
    // The first lines of the slice set registers.
    await page.keyboard.press('Control+Home');
    await bar.getByText(/Record 0 sets a register and is not in run\.log/).waitFor();
    await page.reload();
    await bar.getByText(/Record 0 sets a register and is not in run\.log/).waitFor();
    await bar.getByRole('button', { name: 'Show the bundle' }).click();
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('compares with the trace and takes over the notes', async () => {
    const { path } = stage.folder;
    writeFileSync(trace, readFileSync(path('away')));
    await page.getByRole('tab', { name: /records-4895/ }).waitFor();
    await openPath(trace);
    await page.getByRole('tab', { name: 'run.log', exact: true }).waitFor();
    await openPath(bundle);
    await dialog().getByRole('button', { name: 'Compare with run.log' }).click();
    await dialog()
      .getByText(/The bundle matches run\.log: \d+ parts were compared/)
      .waitFor();
    await dialog().getByRole('button', { name: 'Add the notes to run.log' }).click();
    await dialog().getByText('run.log: 2 added, 0 changed.').waitFor();
    await keepScreenshot(page, 'journey-bundle-5-compared');
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1440, height: 900 });
    await contents().getByRole('button', { name: '4,895 to 5,105' }).click();
    await dialog().getByText('Cited by:').waitFor();
    await keepScreenshot(page, 'journey-bundle-6-light');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  it('exports a bundle that matches the trace', async () => {
    await dialog().waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('evidence bundle');
    await page.keyboard.press('Enter');
    const sheet = page.getByRole('dialog', { name: 'Export evidence bundle' });
    await sheet.waitFor();
    await keepScreenshot(page, 'journey-bundle-7-export');
    expect(await violations(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await sheet.getByRole('button', { name: 'Export' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('run.log-bundle.zip');
    const again = stage.folder.path('again.zip');
    await file.saveAs(again);
    await sheet.waitFor({ state: 'detached' });
    const index = ['--index-dir', stage.folder.path('other-index')];
    const verified = await runInside(['verify', again, trace, ...index]);
    expect(verified.code, verified.stderr).toBe(0);
    const info = await runInside(['info', again, '--json']);
    expect(JSON.parse(info.stdout)).toMatchObject({ notes: 2, problems: [] });
    expect(stage.errors).toEqual([]);
  });

  async function openPath(file: string): Promise<void> {
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace on this computer').fill(file);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Open trace' }).waitFor({ state: 'detached' });
  }
});
