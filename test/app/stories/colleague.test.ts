/**
 * Two stories of the user's guide that go from person to person: a question that no pane answers, and a colleague without the trace. The
 * program copies one item too many (test/engine/compiled/programs/fault-off-by-one.c), which overwrites the total behind the items.
 */
import { copyFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from '../axe.ts';
import { openStage, whySkipped, type Stage } from '../journey-stage.ts';
import { runInside } from '../run-cli.ts';
import { keepGuidePicture, keepPictures } from './pictures.ts';
import { at, command, idle, pane, says } from './scene.ts';

const missing = whySkipped('The stories of a question and a colleague');

const sample = (name: string): string =>
  fileURLToPath(new URL(`../../samples/tarmac/fault-off-by-one/${name}`, import.meta.url));

const STATEMENT = [
  'SELECT sym(address) AS place, count(*) AS writes,',
  '  min(n) AS first_n, max(n) AS last_n',
  'FROM accesses',
  "WHERE kind = 'write' AND sym(address) IS NOT NULL",
  'GROUP BY place ORDER BY writes DESC, last_n',
].join('\n');

describe.skipIf(missing !== undefined)('the stories of a question and a colleague', () => {
  let stage: Stage;
  let page: Page;
  let trace = '';
  let finding = '';

  beforeAll(async () => {
    stage = await openStage(
      ({ path }) => {
        [trace, finding] = [path('order.tarmac'), path('finding.zip')];
        copyFileSync(sample('trace.txt'), trace);
        copyFileSync(sample('program.elf'), path('program.elf'));
        return { path: trace, images: [{ path: path('program.elf') }] };
      },
      { viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' },
    );
    page = stage.page;

    await page.goto(stage.host.url);
    await page.locator('footer').getByText('of 0 to 189').waitFor();
  });
  afterAll(() => stage.close());

  it('a question that no pane answers: finds the variable that was written twice', async () => {
    await page.keyboard.press('Alt+q');
    const sql = pane(page, 'SQL');
    await sql.getByRole('textbox', { name: /^Statement of SQL/ }).fill(STATEMENT);
    await page.keyboard.press('Control+Enter');
    await sql.getByText(/^6 rows in /).waitFor();
    // `order` has four items and their total behind them: records 106 and 163 write at order+0x10.
    const row = sql.getByRole('row', { name: /order\+0x10/ });
    expect(await row.getByRole('gridcell').allInnerTexts()).toEqual(['order+0x10', '2', '106', '163']);
    await row.getByRole('button', { name: '163' }).click();
    await at(page, 163);
    await pane(page, 'Stack').getByText('copy').first().waitFor();
    await sql.getByRole('textbox', { name: 'Title of the query' }).fill('Places by writes');
    await sql.getByRole('button', { name: 'Save in the notebook' }).click();
    await says(page, 'The query Places by writes was saved in the notebook');
    await idle(page);
    expect(await violations(page, { changed: '[data-pane=sql]' })).toEqual([]);
    await keepGuidePicture(page, 'sql');
    await keepPictures(page, 'story-question');
  });

  it('a colleague without the trace: opens the note and the records that it cites', async () => {
    await command(page, 'Note here');
    await pane(page, 'Notes').getByRole('form', { name: 'New note' }).locator('input:focus').waitFor();
    await page.keyboard.insertText('copy overwrites the total');
    await page.keyboard.press('Tab');
    await page.keyboard.insertText('`copy` writes **five** items, and `order` has room for four.');
    await page.keyboard.press('Control+Enter');
    await pane(page, 'Notes').getByText('copy overwrites the total').first().waitFor();
    await command(page, 'Export evidence bundle');
    const sheet = page.getByRole('dialog', { name: 'Export evidence bundle' });
    await sheet.getByRole('textbox', { name: 'Name' }).fill('finding');
    const download = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    await (await download).saveAs(finding);
    await sheet.waitFor({ state: 'detached' });

    // The colleague has neither the trace nor its notebook.
    await command(page, 'Close trace');
    await page.getByRole('region', { name: 'Recent traces' }).waitFor();
    for (const name of [trace, `${trace}.notebook`]) renameSync(name, `${name}.away`);
    await page.getByRole('textbox', { name: /path/i }).fill(finding);
    await page.keyboard.press('Enter');
    const bundle = page.getByRole('dialog', { name: 'Evidence bundle finding.zip' });
    await bundle.getByText('The trace is not in this bundle').waitFor();
    await keepGuidePicture(page, 'bundle');
    await keepPictures(page, 'story-bundle');
    await bundle.getByRole('button', { name: /copy overwrites the total/ }).click();
    await bundle.getByText('five', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await bundle.getByRole('button', { name: 'Show record 163' }).click();
    await page
      .getByRole('status', { name: 'Slice' })
      .getByText(/is record 163 of order\.tarmac/)
      .waitFor();
    await command(page, 'Close trace');
    for (const name of [trace, `${trace}.notebook`]) renameSync(`${name}.away`, name);
  });

  it('merges the bundle that a colleague sends back', async () => {
    // The colleague has the trace by now, takes over the notes, and adds one.
    const theirs = stage.folder.path('theirs.tarmac');
    copyFileSync(trace, theirs);
    const own = ['--index-dir', stage.folder.path('their-index'), '--notebook', stage.folder.path('their.notebook')];
    for (const args of [
      ['notes', 'import', theirs, finding],
      ['notes', 'add', theirs, '--at', '159', '--title', 'The fifth price is behind the list'],
      ['bundle', theirs, '-o', stage.folder.path('answer.zip'), '--no-reports'],
    ]) {
      const done = await runInside([...args, ...own]);
      expect(done.code, done.stderr).toBe(0);
    }
    await page.getByRole('textbox', { name: /path/i }).fill(trace);
    await page.keyboard.press('Enter');
    await at(page, 163);
    await command(page, 'Merge a bundle');
    await page.getByLabel('Path of the bundle on this computer').fill(stage.folder.path('answer.zip'));
    await page.keyboard.press('Enter');
    const merge = page.getByRole('dialog', { name: 'Merge answer.zip into the notes of order.tarmac' });
    await merge.getByRole('heading', { name: 'New: 1 note' }).waitFor();
    await merge.getByText('The fifth price is behind the list').waitFor();
    await idle(page);
    expect(await violations(page)).toEqual([]);
    await keepGuidePicture(page, 'merge');
    await keepPictures(page, 'story-merge');
    await merge.getByRole('button', { name: 'Merge', exact: true }).click();
    await says(page, 'answer.zip was merged: 1 note added. Ctrl+Z takes this back');
    await pane(page, 'Notes').getByText('The fifth price is behind the list').first().waitFor();
    expect(stage.errors).toEqual([]);
  });
});
