/**
 * Context menus of all panes: the real engine and the built page. Each pane opens its menu by mouse and by keyboard, and one item of it is
 * run. The program: main calls `twice` three times, which calls `leaf` two times each; `leaf` writes memory.
 */
import { writeFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { few } from '../short-form.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';
import { nestedCalls } from './nested-calls.ts';

const missing = whySkipped('The journey of context menus');

describe.skipIf(missing !== undefined)('context menus in the browser', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      writeFileSync(path('program.txt'), program());
      return path('program.txt');
    });
    page = stage.page;
    await stage.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(stage.host.url);
    await stands(0);
  });
  afterAll(async () => {
    await stage.context.clearPermissions();
    await stage.close();
  });

  it('instructions: goes to a record, finds who wrote its memory, notes it', async () => {
    const records = page.locator('#records');
    // A write is an effect in the row of its instruction.
    const write = records.locator('[data-effect]', { hasText: '←' }).first();
    const n = Number(await write.getAttribute('data-effect'));
    await write.click({ button: 'right' });
    await expectMenu(`Record ${n}`);
    await keepScreenshot(page, 'journey-menus-1-instructions');
    expect(await violations(page, { changed: '[role=menu]:popover-open' })).toEqual([]);
    await item('Go there').click();
    await stands(n);
    await write.click({ button: 'right' });
    expect(await item('Go there').getAttribute('title')).toBe('The cursor is at this record.');
    expect(await item('Who wrote this').locator('kbd').innerText()).toBe('Shift+W');
    await page.keyboard.press('Escape');

    await openByKey(records, `Record ${n}`);
    await page.keyboard.press('Escape');
    await expectFocus(records);
    await openByKey(records, `Record ${n}`, 'ContextMenu');
    await choose('Next write');
    await stands(n + STEP);
    await openByKey(records, `Record ${n + STEP}`);
    await choose('Bookmark here');
    await footer(`Bookmark added: record ${n + STEP}`);
    await openByKey(records, `Record ${n + STEP}`);
    await choose('Copy row as CSV');
    await footer('Copied: the row as CSV');
    const [head, row] = (await copied()).trim().split('\n');
    expect(head).toMatch(/^n,offset,bytes,/);
    expect(row).toMatch(new RegExp(`^${n + STEP},.*,write,`));
  });

  it('memory: finds who wrote a byte', async () => {
    const memory = pane('memory');
    await memory.locator('[data-address="4096"]').first().click({ button: 'right' });
    await expectMenu(/^0x0*1000/);
    expect(await item('Copy address').count()).toBe(1);
    await keepScreenshot(page, 'journey-menus-2-memory');
    await choose('Copy table as CSV');
    await footer('Copied: the table as CSV');
    const [head, ...bytes] = (await copied()).trim().split('\n');
    expect(head).toBe('address,value,known,last written by,last touched by');
    expect(bytes[0]).toMatch(/^0x0*1000,0x[0-9a-f]{2},read or written,\d+,\d+$/);
    await memory.locator('[data-address="4096"]').first().click({ button: 'right' });
    await choose('Next write');
    await stands(21);
    await page.keyboard.press('Control+6');
    await openByKey(memory.getByRole('application'), /^0x0*1000/);
    await choose('Who wrote this');
    await stands(12);
  });

  it('registers: finds who set one, and says why reads are not found', async () => {
    const registers = pane('registers');
    const r1 = registers.locator('[data-register=r1]');
    await r1.click({ button: 'right' });
    await expectMenu(/^r1 = 0x/);
    expect(await item('Next read').getAttribute('title')).toBe('The trace records writes of r1, but not reads.');
    await keepScreenshot(page, 'journey-menus-3-registers');
    await choose('Copy table as CSV');
    await footer('Copied: the table as CSV');
    expect(await copied()).toMatch(/^register,value,set by record\n/);
    await openByKey(r1, /^r1 = 0x/);
    await choose('Who wrote this');
    await footer('r1');
  });

  it('stack: shows callers and callees of a frame', async () => {
    await goTo(recordOf('add r0, r0, #1'));
    await page.keyboard.press('Control+9');
    const stack = page.getByRole('grid', { name: /^Open calls/ });
    await stack.locator('[data-row="1"]').click({ button: 'right' });
    await expectMenu('0x8800');
    await page.keyboard.press('Escape');
    await expectFocus(stack);
    await openByKey(stack, /^0x/);
    await choose('Show callers and callees');
    await pane('graph').getByRole('group', { name: 'Selected function or edge' }).getByText('0x9000').first().waitFor();
  });

  it('call graph: goes to the first call of a box', async () => {
    const ground = pane('graph').getByRole('application');
    const box = await boxOf(ground);
    await ground.click({ button: 'right', position: { x: box.width / 2, y: box.height / 2 } });
    await expectMenu(/^0x/);
    await keepScreenshot(page, 'journey-menus-4-graph');
    await page.keyboard.press('Escape');
    // The box that the arrow keys moved to stays so after its menu.
    await ground.blur();
    await ground.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    for (let times = 0; times < 2; times += 1) {
      await page.keyboard.press('Shift+F10');
      await expectMenu('0x8800');
      await page.keyboard.press('Escape');
    }
    await openByKey(ground, /^0x/);
    await choose('Go to the first call');
    await pane('graph').getByRole('button', { name: 'Show as table' }).click();
    const table = pane('graph').getByRole('grid');
    await table.locator('[data-row="0"]').click({ button: 'right' });
    await choose('Copy table as CSV');
    await footer('Copied: the table as CSV');
    expect(await copied()).toMatch(/^function,address,other names,total /);
    await pane('graph').getByRole('button', { name: 'Show as table' }).click();
  });

  it('call tree: zooms to a call in time', async () => {
    await page.keyboard.press('Shift+T');
    const tree = pane('tree');
    await tree.getByRole('button', { name: 'Time order' }).click();
    const ground = tree.getByRole('application');
    await ground.click({ button: 'right', position: { x: (await boxOf(ground)).width / 5, y: 28 } });
    await page.locator(MENU).waitFor();
    await choose('Zoom to these records');
    await footer('Range');
    await ground.focus();
    await page.keyboard.press('ArrowDown');
    await openByKey(ground, /./);
    await choose('Show all records');
  });

  it('branches: follows the edge of a row', async () => {
    await page.keyboard.press('Shift+B');
    const edges = page.getByRole('grid', { name: /^Edges/ });
    await edges.locator('[data-row="0"]').click({ button: 'right' });
    await expectMenu(/→/);
    await choose('Go to the last branch');
    const at = await recordOfCursor();
    await edges.focus();
    await openByKey(edges, /→/);
    await choose('Previous of this edge');
    await page.waitForFunction(
      (before) => !document.querySelector('footer')?.textContent.includes(`Record ${before} `),
      at,
    );
  });

  it('heatmap: searches the addresses of a cell, and zooms to a selection', async () => {
    await page.keyboard.press('Control+2');
    const ground = pane('heatmap').getByRole('application');
    await pane('heatmap').locator('[data-settled=true]').waitFor();
    await ground.focus();
    await page.keyboard.press('ArrowRight');
    await openByKey(ground, /./);
    await keepScreenshot(page, 'journey-menus-5-heatmap');
    await choose('Search for these addresses');
    await pane('search').getByText(/match/).first().waitFor();
    await pane('heatmap').locator('[data-settled=true]').waitFor();
    const box = await boxOf(ground);
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + 40, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + box.height - 10, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await ground.click({ button: 'right', position: { x: 100, y: box.height / 2 } });
    await expectMenu('Selection');
    await choose('Zoom to the selection');
    await footer('Range');
    await page.keyboard.press('0');
  });

  it('overview: notes a range', async () => {
    const strip = pane('overview').getByRole('application');
    const box = await boxOf(strip);
    await strip.click({ button: 'right', position: { x: box.width / 2, y: box.height / 2 } });
    await expectMenu(/^Record/);
    await choose('Add to report');
    await footer('report');
    await strip.focus();
    await openByKey(strip, /^Record/);
    await choose('Note here…');
    await pane('notes').getByRole('textbox').first().waitFor();
    await page.keyboard.press('Escape');
  });

  it('bytes: copies a field', async () => {
    await page.keyboard.press('Control+4');
    const hex = page.getByRole('application', { name: /^Bytes of the file/ });
    await hex.locator('[data-offset]').first().click({ button: 'right' });
    await expectMenu(/^Byte /);
    await page.keyboard.press('Escape');
    await openByKey(hex, /^Byte /);
    await choose('Copy position in the file');
    await footer('Copied: ');
    expect(await copied()).toMatch(/^\d+$/);
  });

  it('search results: keeps a match as a note', async () => {
    await page.keyboard.press('Control+8');
    const matches = page.getByRole('grid', { name: /^Matches/ });
    await matches.locator('[data-match]').first().click({ button: 'right' });
    await expectMenu(/^Record /);
    await page.keyboard.press('Escape');
    await openByKey(matches, /^Record /);
    await choose('Keep the match as a note');
    await footer('Note added');
    await matches.locator('[data-match]').first().click({ button: 'right' });
    await choose('Copy table as CSV');
    await footer('Copied: the table as CSV');
    const rows = (await copied()).trim().split('\n');
    expect(rows.length).toBe(1 + Number(await matches.getAttribute('aria-rowcount')) - 1);
    // Text fields keep the menu of the browser.
    const field = pane('search').getByRole('textbox').first();
    await field.click({ button: 'right' });
    expect(await page.locator(MENU).count()).toBe(0);
    await page.locator('#records').focus();
  });

  it('notes: edits and moves one', async () => {
    await page.keyboard.press('Shift+N');
    const row = pane('notes').locator('[data-main]');
    await row.first().click({ button: 'right' });
    expect(await item('Move up').getAttribute('title')).toBe('This is the first note.');
    await keepScreenshot(page, 'journey-menus-6-notes');
    await page.keyboard.press('Escape');
    await row.first().focus();
    await openByKey(row.first(), /./);
    await choose('Move down');
    await row.nth(1).waitFor();
  });

  it('diagnostics: copies the sample', async () => {
    await page.keyboard.press('Control+5');
    const grid = page.getByRole('treegrid', { name: /^Problems/ });
    await grid.getByRole('row').nth(1).click({ button: 'right' });
    await choose('Copy sample');
    await footer('Copied: ');
    expect(await copied()).toContain('=cmd');
    await grid.focus();
    await page.keyboard.press('ArrowDown');
    await openByKey(grid, /./);
    await choose('Copy table as CSV');
    await footer('Copied: the table as CSV');
    expect(await copied()).toContain("'=cmd");
  });

  it('selected text keeps the menu of the browser', async () => {
    const records = page.locator('#records');
    const row = records.locator('[data-record]').first();
    await row.evaluate((element) => getSelection()?.selectAllChildren(element));
    await row.click({ button: 'right' });
    expect(await page.locator(MENU).count()).toBe(0);
    await page.evaluate(() => getSelection()?.empty());
  });

  it('is accessible with an open menu', async () => {
    const records = page.locator('#records');
    for (const theme of few(['dark', 'light'] as const, 1)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      await openByKey(records, /^Record/);
      expect(await violations(page, { changed: '[role=menu]:popover-open' })).toEqual([]);
      await keepScreenshot(page, `journey-menus-7-${theme}`);
      await page.keyboard.press('Escape');
    }
    expect(stage.errors).toEqual([]);
  });

  const MENU = '[role=menu]:popover-open';

  function pane(id: string): Locator {
    return page.locator(`section[data-pane=${id}]`);
  }

  function item(name: string): Locator {
    return page.locator(MENU).getByRole('menuitem', { name });
  }

  async function choose(name: string): Promise<void> {
    await item(name).click();
    await page.locator(MENU).waitFor({ state: 'detached' });
  }

  async function expectMenu(name: string | RegExp): Promise<void> {
    const menu = page.locator(MENU);
    await menu.waitFor();
    expect(await menu.getAttribute('aria-label')).toMatch(name);
  }

  async function openByKey(element: Locator, name: string | RegExp, key = 'Shift+F10'): Promise<void> {
    await element.focus();
    await element.press(key);
    await expectMenu(name);
    // The first item has the focus.
    expect(
      await page
        .locator(MENU)
        .getByRole('menuitem')
        .first()
        .evaluate((one) => one === document.activeElement),
    ).toBe(true);
  }

  async function expectFocus(element: Locator): Promise<void> {
    expect(await element.evaluate((one) => one === document.activeElement)).toBe(true);
  }

  async function boxOf(element: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
    const box = await element.boundingBox();
    if (!box) throw new Error('the element is not shown');
    return box;
  }

  async function footer(text: string): Promise<void> {
    await page.locator('footer').getByText(text).first().waitFor();
  }

  async function copied(): Promise<string> {
    return page.evaluate(() => navigator.clipboard.readText());
  }

  async function recordOfCursor(): Promise<string> {
    return /Record ([\d,]+) of/.exec(await page.locator('footer').innerText())?.[1] ?? '';
  }

  function recordOf(text: string): number {
    return program()
      .split('\n')
      .findIndex((line) => line.includes(text));
  }

  async function stands(n: number): Promise<void> {
    await page.locator('footer').getByText(`Record ${n} of 0 to`).waitFor();
  }

  async function goTo(n: number): Promise<void> {
    await page.keyboard.press('g');
    await page.keyboard.type(String(n));
    await page.keyboard.press('Enter');
    await stands(n);
  }
});

/** Number of records between two writes of the first function. */
const STEP = 6;

/** A run in QEMU4V form, whose last line is not a record. */
function program(): string {
  const lines = nestedCalls(1, (time) => {
    const value = `000000${time.toString(16).padStart(2, '0')}`;
    return [`${time} clk R r1 ${value}`, `${time} clk MW4 00001000 ${value}`];
  });
  return `${lines.join('\n')}\n=cmd|' /C calc'!A0\n`;
}
