/**
 * A bundle opens without its trace: notes, a report and cited records, whose numbers here and in the whole trace are both on the screen. With
 * the trace open, both are compared and the notes taken over. The real engine and the built page, by keys and by pointer.
 */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sample } from '../../electron/sample/sample.ts';
import { draftOf } from '../../renderer/trace/notes/note-drafts.ts';
import { queryView } from '../../renderer/trace/sql/saved-queries.ts';
import type { Notebook } from '../../shared/requests/notes.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { indexed, openStage, whySkipped, type Stage } from './journey-stage.ts';
import { runInside } from './run-cli.ts';

const missing = whySkipped('The journey through a bundle');

const HOSTILE = '<script>document.title = "ran"</script>';

describe.skipIf(missing !== undefined)('a bundle in the browser', () => {
  let stage: Stage;
  let page: Page;
  let bundle: string;
  let trace: string;
  let other: string;

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
        await addViews(trace, path('notes.json'), path('other-index'));
        const written = await runInside(['bundle', trace, '-o', bundle, '--index-dir', path('other-index')]);
        expect(written.code, written.stderr).toBe(0);
        // The trace and its notebook are away until the last tests.
        renameSync(trace, path('away'));
        renameSync(`${trace}.notebook`, path('away.kept'));
        other = path('other.log');
        expect((await sample({ format: 'tarmac', size: 70_000, path: other, seed: 4, locality: 'local' })).ok).toBe(
          true,
        );
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

  it('compares with the trace', async () => {
    const { path } = stage.folder;
    // Its owner has the notebook of the bundle, in an earlier state: one of its notes is missing, and one is changed below.
    writeFileSync(trace, readFileSync(path('away')));
    writeFileSync(`${trace}.notebook`, readFileSync(path('away.kept')));
    await page.getByRole('tab', { name: /records-4895/ }).waitFor();
    await openPath(trace);
    await page.getByRole('tab', { name: 'run.log', exact: true }).waitFor();
    await openPath(bundle);
    await dialog().getByRole('button', { name: 'Compare with run.log' }).click();
    await dialog()
      .getByText(/The bundle matches run\.log: \d+ parts were compared/)
      .waitFor();
    await keepScreenshot(page, 'journey-bundle-5-compared');
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1440, height: 900 });
    await contents().getByRole('button', { name: '4,895 to 5,105' }).click();
    await dialog().getByText('Cited by:').waitFor();
    await keepScreenshot(page, 'journey-bundle-6-light');
    expect(await violations(page)).toEqual([]);
  });

  const merge = () => page.getByRole('dialog', { name: 'Merge finding.zip into the notes of run.log' });

  it('says that a bundle whose notes are all there has nothing new', async () => {
    await contents().getByRole('button', { name: 'Overview' }).click();
    await dialog().getByRole('button', { name: 'Merge into run.log…' }).click();
    await merge().getByText('All notes, views and queries of this bundle are in the notebook already.').waitFor();
    expect(await merge().getByRole('button').allInnerTexts()).toEqual(['', 'Close']);
    await page.keyboard.press('Escape');
    await merge().waitFor({ state: 'detached' });
  });

  it('says what a bundle would add, merges it and takes it back, by keys', async () => {
    const held = await notebook();
    const [first, loop] = held.notes;
    const query = held.views.find(({ name }) => name === 'Writes')!;
    await stage.host.client.request('changeNotebook', {
      trace: await indexed(stage.host, trace),
      put: [{ ...draftOf(first!, first!.revision), title: 'First write, checked' }],
      remove: [{ id: loop!.id }],
      removeViews: [{ id: query.id }],
    });
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('colleague import');
    await page.getByRole('option', { name: /Merge a bundle/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Merge a bundle into the notes of run.log' }).waitFor();
    await page.getByLabel('Path of the bundle on this computer').fill(bundle);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await merge().getByRole('heading', { name: 'New: 1 note, 1 saved query' }).waitFor();
    await merge().getByRole('heading', { name: 'In another version: 1 note' }).waitFor();
    const items = (name: string) =>
      merge().getByRole('list', { name, exact: true }).getByRole('listitem').allInnerTexts();
    expect(await items('New')).toEqual(['Wrong loop', 'Writes']);
    expect(await items('In another version')).toEqual(['First write']);
    await merge().getByText('1 note or view is in the notebook already.').waitFor();
    await keepScreenshot(page, 'journey-bundle-8-merge-light');
    expect(await violations(page)).toEqual([]);
    expect(titles(await notebook())).toEqual(['First write, checked']);
    await merge().getByRole('button', { name: 'Merge', exact: true }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await merge().waitFor({ state: 'detached' });
    await said(
      'finding.zip was merged: 1 note, 1 saved query added; 1 note kept in two versions. Ctrl+Z takes this back',
    );
    const merged = await notebook();
    expect(titles(merged)).toEqual(['First write, checked', 'First write (earlier)', 'Wrong loop']);
    expect(merged.views.map(({ name }) => name)).toEqual(['Crash', 'Writes']);
    await page.getByRole('region', { name: 'Notes' }).getByText('earlier version').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 1280, height: 720 });
    await keepScreenshot(page, 'journey-bundle-9-merged');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Control+z');
    await said('Undone: import');
    expect(titles(await notebook())).toEqual(['First write, checked']);
    await page.keyboard.press('Control+Shift+z');
    await said('Redone: import');
    expect(titles(await notebook())).toEqual(titles(merged));
  });

  it('refuses a bundle of another trace in one sentence that names both', async () => {
    await openPath(other);
    await page.getByRole('tab', { name: 'other.log', selected: true }).waitFor();
    await openPath(bundle);
    await dialog().getByRole('button', { name: 'Merge into other.log…' }).click();
    const refused = page.getByRole('dialog', { name: 'Merge finding.zip into the notes of other.log' });
    const sentence = refused.getByRole('alert');
    await sentence.waitFor();
    const [size, own] = [trace, other].map((file) => statSync(file).size.toLocaleString('en'));
    expect(await sentence.innerText()).toBe(
      `${bundle}: this bundle is about another trace, run.log of ${size!} bytes, and not about other.log of ${own!} bytes; open run.log to merge it`,
    );
    await keepScreenshot(page, 'journey-bundle-10-refused');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await refused.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Close trace other.log' }).click();
    await page.getByRole('tab', { name: 'run.log', exact: true, selected: true }).waitFor();
  });

  it('exports a bundle that matches the trace', async () => {
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('export evidence bundle');
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
    expect(JSON.parse(info.stdout)).toMatchObject({ notes: 3, problems: [] });
    expect(stage.errors).toEqual([]);
  });

  async function notebook(): Promise<Notebook> {
    const held = await stage.host.client.request('notebook', { trace: await indexed(stage.host, trace) });
    if (!held.ok) throw new Error(held.error.message);
    return held.value;
  }

  function titles({ notes }: Notebook): readonly string[] {
    return notes.map(({ title, conflictOf }) => (conflictOf === undefined ? title : `${title} (earlier)`));
  }

  async function said(text: string): Promise<void> {
    await page.locator('footer').getByText(text).waitFor();
  }

  async function openPath(file: string): Promise<void> {
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace on this computer').fill(file);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Open trace' }).waitFor({ state: 'detached' });
  }
});

/** Adds a saved query and a saved view to the notebook of a trace, as an import of a colleague's does. */
async function addViews(trace: string, file: string, index: string): Promise<void> {
  const common = ['--index-dir', index];
  const exported = JSON.parse((await runInside(['notes', 'export', trace, ...common])).stdout) as object;
  const query = queryView({ title: 'Writes', sql: 'SELECT n FROM accesses', set: {} }, undefined);
  const view = { id: 'crash', name: 'Crash', content: '{"n":5000}' };
  const views = [query, view].map((one) => ({ ...one, changed: '2026-01-31T12:00:00.000Z', revision: 1 }));
  writeFileSync(file, JSON.stringify({ ...exported, views }));
  const imported = await runInside(['notes', 'import', trace, file, ...common]);
  expect(imported.code, imported.stderr).toBe(0);
}
