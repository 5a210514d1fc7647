/**
 * Notes in the page: the real engine and the built page. Covers bookmarks and notes by one key, marks on the charts, safe Markdown,
 * change, undo, order, filter, views, export and import, a second window, and a reload.
 */
import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Note } from '../../shared/requests/notes.ts';
import { few, NIGHTLY } from '../short-form.ts';
import { violations } from './axe.ts';
import { contentOf, keepScreenshot } from './browser.ts';
import { makeTrace } from './journey-driver.ts';
import { indexed, openStage, whySkipped, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey of notes');

const HOSTILE = [
  '# Why',
  '',
  'It writes `r3` **before** the check: <script>window.harm = 1</script><img src="https://harm.example/a.png">',
  '',
  '![a map](https://harm.example/b.png) [there](https://example.org/) [bad](javascript:window.harm=2)',
  '',
  '| reg | value |',
  '|-----|------:|',
  '| r3  | 0x10  |',
].join('\n');

describe.skipIf(missing !== undefined)('notes in the browser', () => {
  let stage: Stage;
  let page: Page;
  let trace = '';
  const outside: string[] = [];

  beforeAll(async () => {
    stage = await openStage(async ({ path }) => {
      await makeTrace('tarmac', path('program.txt'), 4_000_000);
      return path('program.txt');
    });
    page = stage.page;
    stage.context.on('request', (request) => {
      if (!request.url().startsWith(new URL(stage.host.url).origin)) outside.push(request.url());
    });
    await page.goto(stage.host.url);
    await page
      .locator('footer')
      .getByText(/of 0 to \d/)
      .waitFor();
    trace = await indexed(stage.host, stage.folder.path('program.txt'));
  });
  afterAll(() => stage.close());

  it('adds a bookmark by one key and marks it in all panes', async () => {
    const before = [await inked(page, 'overview-notes'), await inked(page, 'heatmap-notes')];
    await go(page, 5000);
    await page.keyboard.press('b');
    await expectStatus(page, 'Bookmark added: record 5,000');
    expect(await kept()).toMatchObject([{ title: '', text: '', place: { n: 5000 } }]);
    await page.locator('[data-record="5000"] [data-note-mark]').waitFor();
    expect(before).toEqual([0, 0]);
    await until(() => inked(page, 'overview-notes')).toBeGreaterThan(20);
    await until(() => inked(page, 'heatmap-notes')).toBeGreaterThan(20);
    await page.keyboard.press('b');
    await expectStatus(page, 'Bookmark removed: record 5,000');
    await page.keyboard.press('Control+z');
    await expectStatus(page, 'Undone: bookmark');
    expect(await kept()).toHaveLength(1);
  });

  it('takes a note at once and renders it safely', async () => {
    const record = page.locator('[data-record="5003"]');
    await record.click();
    await page.keyboard.press('n');
    await page.keyboard.type('The <b>first</b> store');
    await page.keyboard.press('Tab');
    await page.keyboard.insertText(HOSTILE);
    await pane(page).getByLabel('orange').check();
    await pane(page).getByRole('textbox', { name: 'Tags', exact: true }).fill('bug, loop');
    await keepScreenshot(page, 'journey-notes-1-typing');
    await page.keyboard.press('Control+Enter');
    const row = noteRow(page, 'The <b>first</b> store');
    await row.getByRole('heading', { name: 'Why' }).waitFor();
    await row.getByRole('cell', { name: '0x10' }).waitFor();
    await row.getByText('<script>window.harm = 1</script>').waitFor();
    expect(await row.locator('img, script').count()).toBe(0);
    expect(
      await row
        .getByRole('link')
        .evaluateAll((links) =>
          links.map((link) => [link.textContent, link.getAttribute('href'), link.getAttribute('rel')]),
        ),
    ).toEqual([['there', 'https://example.org/', 'noopener noreferrer']]);
    expect(await page.evaluate(() => 'harm' in window)).toBe(false);
    expect((await kept())[1]).toMatchObject({ text: HOSTILE, colour: 'orange', tags: ['bug', 'loop'] });
    await axe(page, 'journey-notes-2-note');
  });

  it('edits in place; Ctrl+Z applies to the typed text while editing, and to the notes elsewhere', async () => {
    const row = noteRow(page, 'The <b>first</b> store');
    await row.locator('[data-main]').focus();
    await page.keyboard.press('F2');
    const title = pane(page).getByRole('textbox', { name: 'Title', exact: true });
    await title.fill('The first store');
    await title.press('End');
    await page.keyboard.type('!');
    await page.keyboard.press('Control+z');
    expect((await kept()).map((note) => note.title)).toEqual(['', 'The <b>first</b> store']);
    await title.fill('The first store');
    await title.press('Enter');
    await noteRow(page, 'The first store').locator('[data-main]:focus').waitFor();
    await page.keyboard.press('F2');
    await pane(page).locator('form :focus').waitFor();
    await page.keyboard.press('Escape');
    await noteRow(page, 'The first store').locator('[data-main]:focus').waitFor();
    await grid(page).focus();
    await page.keyboard.press('Control+z');
    await expectStatus(page, 'Undone: note changed');
    await noteRow(page, 'The <b>first</b> store').waitFor();
    await page.keyboard.press('Control+Shift+z');
    await noteRow(page, 'The first store').waitFor();
    expect((await kept()).map((note) => note.title)).toEqual(['', 'The first store']);
  });

  it('discards typed text with Escape', async () => {
    await grid(page).focus();
    await page.keyboard.press('n');
    await page.keyboard.type('never');
    await page.keyboard.press('Escape');
    await pane(page).getByRole('form', { name: 'New note' }).waitFor({ state: 'detached' });
    expect(await kept()).toHaveLength(2);
  });

  it('adds a note about the selected range, and goes back to it', async () => {
    await page.locator('[data-settled=true]').waitFor();
    const box = await page.locator('canvas[data-chart=heatmap]').boundingBox();
    if (!box) throw new Error('the heatmap is not there');
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.3);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.9, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.getByRole('group', { name: 'Selection' }).waitFor();
    await page.keyboard.press('n');
    await page.keyboard.type('A stretch');
    await page.keyboard.press('Enter');
    await noteRow(page, 'A stretch').waitFor();
    const { place } = (await kept())[2]!;
    expect(place.to).toBeGreaterThan(place.n + 1);
    expect(place.length).toBeGreaterThan(1);
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    await grid(page).focus();
    await page.keyboard.press('Control+Home');
    await noteRow(page, 'A stretch').locator('[data-main]').click();
    await page
      .locator('footer')
      .getByText(`Record ${count(place.n)} of`)
      .waitFor();
    await page
      .locator('footer')
      .getByText(`Range ${count(place.n)} to ${count((place.to ?? 0) - 1)}`)
      .waitFor();
    await page
      .locator('footer')
      .getByText(place.address ?? '')
      .waitFor();
    await grid(page).focus();
    await page.keyboard.press('0');
  });

  it('names the visible notes by the visible records', async () => {
    const legend = page.locator('section[aria-label=Heatmap]').getByRole('list', { name: 'Kinds' });
    const overview = page.locator('section[aria-label=Overview]').getByRole('list', { name: 'Kinds' });
    await page.keyboard.press('0');
    await legend.getByTitle(/^Write: [1-9]/).waitFor();
    await go(page, 10);
    // A legend without counts shows no zeros.
    expect(await overview.getByTitle('Write', { exact: true }).count()).toBe(1);
    await noteRow(page, 'A stretch').locator('[data-main]').click();
    await legend.getByTitle('Write', { exact: true }).waitFor();
    await page.keyboard.press('v');
    await page.keyboard.press('Enter');
    const { n, to = 0 } = (await kept())[2]!.place;
    const last = (to - 1).toLocaleString('en');
    await pane(page)
      .getByText(`range: records ${n.toLocaleString('en')} to ${last}`)
      .waitFor();
    await pane(page).getByRole('button', { name: 'Remove the view View 1' }).click();
    await pane(page).getByText('A saved view restores the cursor').waitFor();
    await pane(page).getByRole('button', { name: 'Notes', exact: true }).click();
    await page.keyboard.press('0');
  });

  it('reorders notes by keys and by dragging', async () => {
    const titles = async (): Promise<readonly string[]> => (await kept()).map((note) => note.title);
    expect(await titles()).toEqual(['', 'The first store', 'A stretch']);
    await noteRow(page, 'A stretch').locator('[data-main]').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await until(titles).toEqual(['', 'A stretch', 'The first store']);
    await until(() => shownTitles(page)).toEqual(['Bookmark', 'A stretch', 'The first store']);
    const from = await noteRow(page, 'The first store').boundingBox();
    const to = await noteRow(page, 'Bookmark').boundingBox();
    if (!from || !to) throw new Error('a row is out of sight');
    await page.mouse.move(from.x + 10, from.y + 22);
    await page.mouse.down();
    await page.mouse.move(from.x + 10, from.y, { steps: 3 });
    // Meanwhile another writer changes another note, and back.
    for (const title of ['A longer stretch', 'A stretch']) {
      const [, stretch] = await kept();
      if (stretch) await stage.host.client.request('changeNotebook', { trace, put: [{ ...stretch, title }] });
      await until(() => shownTitles(page)).toEqual(['Bookmark', title, 'The first store']);
    }
    await page.mouse.move(to.x + 10, to.y + 5, { steps: 4 });
    await page.mouse.up();
    await until(titles).toEqual(['The first store', '', 'A stretch']);
    await until(() => shownTitles(page)).toEqual(['The first store', 'Bookmark', 'A stretch']);
    await grid(page).focus();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await until(titles).toEqual(['', 'The first store', 'A stretch']);
  });

  it('filters by text, tag and colour', async () => {
    const rows = pane(page).locator('[data-note]');
    const filter = pane(page).getByRole('textbox', { name: /^Filter notes/ });
    await filter.fill('STRETCH');
    await until(() => rows.count()).toBe(1);
    await pane(page).getByText('1 of 3 notes').waitFor();
    await filter.fill('');
    await pane(page).getByRole('combobox', { name: 'Tag' }).selectOption('loop');
    await until(() => rows.count()).toBe(1);
    await noteRow(page, 'The first store').waitFor();
    await filter.press('Escape');
    await until(() => rows.count()).toBe(3);
    await pane(page)
      .getByRole('button', { name: /^yellow/ })
      .click();
    await noteRow(page, 'Bookmark').waitFor();
    await until(() => rows.count()).toBe(1);
    await pane(page)
      .getByRole('button', { name: /^yellow/ })
      .click();
  });

  it('saves a search match as a note', async () => {
    await page.keyboard.press('Control+f');
    await page.keyboard.type('svc #0x10');
    await page.keyboard.press('Enter');
    await page
      .getByRole('region', { name: 'Search' })
      .getByText(/[\d,]+ of [\d,]+ match/)
      .waitFor();
    await page.getByRole('button', { name: 'Keep the match as a note' }).click();
    await expectStatus(page, 'Note added');
    expect((await kept()).at(-1)).toMatchObject({ title: 'svc #0x10', tags: ['search'] });
  });

  it('walks notes by record', async () => {
    await grid(page).focus();
    await page.keyboard.press('Control+Home');
    const all = (await kept()).map((note) => note.place.n).sort((a, b) => a - b);
    for (const n of all.filter((n) => n > 0)) {
      await page.keyboard.press('m');
      await page
        .locator('footer')
        .getByText(`Record ${count(n)} of`)
        .waitFor();
    }
    await page.keyboard.press('m');
    await expectStatus(page, 'There is no later note');
  });

  it('saves a view with its panes, and restores it', async () => {
    await page.keyboard.press('Shift+N');
    await go(page, 7000);
    await page.getByRole('button', { name: 'Close Overview' }).click();
    await page.keyboard.press('v');
    await page.keyboard.type('Without overview');
    await page.keyboard.press('Enter');
    await expectStatus(page, 'The view Without overview was saved');
    await page.getByRole('navigation', { name: 'Closed panes' }).getByRole('button', { name: 'Overview' }).click();
    await go(page, 10);
    const view = pane(page).getByRole('listitem').filter({ hasText: 'Without overview' });
    await axe(page, 'journey-notes-3-views', 'section[aria-label=Notes]');
    await view
      .getByRole('button', { name: 'Restore this view' })
      .or(view.getByText('Without overview'))
      .first()
      .click();
    await page.locator('footer').getByText('Record 7,000 of').waitFor();
    expect(await page.getByRole('region', { name: 'Overview' }).count()).toBe(0);
    await pane(page).getByRole('button', { name: 'Rename Without overview' }).click();
    await page.keyboard.type('Narrow');
    await page.keyboard.press('Enter');
    await expectStatus(page, 'The view was renamed to Narrow');
    await pane(page).getByRole('button', { name: 'Remove the view Narrow' }).click();
    await pane(page).getByText('A saved view restores the cursor').waitFor();
    await grid(page).focus();
    await page.keyboard.press('Control+z');
    await pane(page).getByText('Narrow').waitFor();
    await page.getByRole('navigation', { name: 'Closed panes' }).getByRole('button', { name: 'Overview' }).click();
    await pane(page).getByRole('button', { name: 'Notes', exact: true }).click();
  });

  it('exports notes as a file, and imports them without duplicates', async () => {
    const download = page.waitForEvent('download');
    await pane(page).getByRole('button', { name: 'Export notes' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('program.txt.notes.json');
    const text = (await contentOf(file)).toString();
    expect(text).toContain('The first store');
    const notes = await kept();
    await noteRow(page, 'A stretch').locator('[data-main]').focus();
    await page.keyboard.press('Delete');
    await until(async () => (await kept()).length).toBe(notes.length - 1);
    const path = stage.folder.path('handed on.json');
    writeFileSync(path, text);
    await choose(page, path);
    await expectStatus(page, '1 added');
    expect((await kept()).map((note) => note.id)).toEqual(notes.map((note) => note.id));
    await choose(page, path);
    await expectStatus(page, '0 added');
    writeFileSync(path, 'no notes');
    await choose(page, path);
    await until(async () => (await page.locator('footer').innerText()).includes('added')).toBe(false);
    // Browsers fail like this if a file changed after it was chosen.
    await page.evaluate(() => {
      const read = Object.getOwnPropertyDescriptor(Blob.prototype, 'text')!;
      Object.defineProperty(Blob.prototype, 'text', {
        ...read,
        value: () => {
          Object.defineProperty(Blob.prototype, 'text', read);
          return Promise.reject(new DOMException('changed', 'NotReadableError'));
        },
      });
    });
    await choose(page, path);
    await expectStatus(page, 'handed on.json could not be read');
    expect(await kept()).toHaveLength(notes.length);
  });

  if (NIGHTLY) {
    it('follows a second window, and keeps both texts of a conflict', async () => {
      const other = await stage.context.newPage();
      await other.goto(stage.host.url);
      await other.getByRole('tab', { name: 'Notes' }).click();
      await noteRow(other, 'A stretch').locator('[data-main]').click();
      await noteRow(page, 'A stretch').locator('[data-main]').focus();
      await page.keyboard.press('F2');
      await pane(page).getByRole('textbox', { name: 'Text, in Markdown' }).fill('mine');

      await noteRow(other, 'A stretch').getByRole('button', { name: 'Edit' }).click();
      await pane(other).getByRole('textbox', { name: 'Text, in Markdown' }).fill('theirs');
      await other.keyboard.press('Control+Enter');
      await noteRow(other, 'A stretch').getByText('theirs').waitFor();
      await other.close();

      await page.bringToFront();
      const alert = pane(page)
        .getByRole('alert')
        .filter({ hasText: 'Someone else changed this note while you were editing it' });
      await alert.getByText('theirs', { exact: true }).waitFor();
      expect(await pane(page).getByRole('textbox', { name: 'Text, in Markdown' }).inputValue()).toBe('mine');
      await axe(page, 'journey-notes-4-conflict', 'section[aria-label=Notes]');
      await alert.getByRole('button', { name: 'Keep both' }).click();
      await alert.waitFor({ state: 'detached' });
      const texts = (await kept()).filter((note) => note.title === 'A stretch').map((note) => note.text);
      expect(texts).toEqual(['theirs', 'mine']);
    });
  }

  it('restores everything after a reload, including text being typed', async () => {
    await page.bringToFront();
    await grid(page).focus();
    await page.keyboard.press('n');
    await page.keyboard.type('half a sentence');
    await page.reload();
    await page.getByRole('tab', { name: 'Notes' }).click();
    await noteRow(page, 'The first store').waitFor();
    const title = pane(page).getByRole('textbox', { name: 'Title', exact: true });
    expect(await title.inputValue()).toBe('half a sentence');
    await title.press('Enter');
    await noteRow(page, 'half a sentence').waitFor();
    expect([outside, stage.errors]).toEqual([[], []]);
  });

  async function kept(): Promise<readonly Note[]> {
    const answer = await stage.host.client.request('notebook', { trace });
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.value.notes;
  }
});

function pane(page: Page) {
  return page.getByRole('region', { name: 'Notes' });
}

function grid(page: Page) {
  return page.locator('#records');
}

function noteRow(page: Page, title: string) {
  return page.locator('[data-note]').filter({ has: page.locator('[data-main] b').getByText(title, { exact: true }) });
}

/** Notes in the order of the page. */
function shownTitles(page: Page): Promise<readonly string[]> {
  return page.locator('[data-note] [data-main] b').allInnerTexts();
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

async function go(page: Page, n: number): Promise<void> {
  await grid(page).focus();
  await page.keyboard.press('g');
  await page.keyboard.type(String(n));
  await page.keyboard.press('Enter');
  await page
    .locator('footer')
    .getByText(`Record ${count(n)} of`)
    .waitFor();
}

async function expectStatus(page: Page, text: string): Promise<void> {
  await page.locator('footer [role=status]').getByText(text).waitFor();
}

/** Chooses a file for the import. */
async function choose(page: Page, path: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await pane(page).getByRole('button', { name: 'Import notes' }).click();
  await (await chooser).setFiles(path);
}

function until<T>(ask: () => T | Promise<T>) {
  return expect.poll(ask);
}

/** `changed` selects the part that differs from states judged before. */
async function axe(page: Page, name: string, changed?: string): Promise<void> {
  for (const theme of few(['dark', 'light'] as const, 1)) {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-theme=${theme}]`).waitFor();
    expect(await violations(page, changed === undefined ? {} : { changed })).toEqual([]);
    await keepScreenshot(page, `${name}-${theme}`);
  }
  await page.emulateMedia({ colorScheme: 'dark' });
}

/** Number of drawn pixels of a layer. */
async function inked(page: Page, chart: string): Promise<number> {
  return page.locator(`canvas[data-chart=${chart}]`).evaluate((canvas: HTMLCanvasElement) => {
    const { width, height } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    copy?.drawImage(canvas, 0, 0);
    const pixels = copy?.getImageData(0, 0, width, height).data ?? [];
    let inked = 0;
    for (let at = 3; at < pixels.length; at += 4) if (pixels[at]! > 0) inked += 1;
    return inked;
  });
}
