/** Watches in the page, on a real excerpt of a sorting program: values at the cursor, changes, the history as a table and as a line. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import fixtures from '../unit/debug-programs.json' with { type: 'json' };
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';
import { idle } from './stories/scene.ts';

const missing = whySkipped('The journey through watches');

const excerpt = fileURLToPath(new URL('../samples/tarmac/arm-sort/trace.txt', import.meta.url));

/** Writes to `head`, a pointer to `pool[0]`, and to two fields of it: `key` = -2, and a byte with `low` = 5 and `high` = -1. */
const PROGRAM = `1 clk 0 IT (1) 00008000 e5801000 A svc : str r1, [r0]
1 clk MW4 000090b8 000090c4
2 clk 0 IT (2) 00008004 e1c010b0 A svc : strh r1, [r0]
2 clk MW2 000090c8 fffe
3 clk 0 IT (3) 00008008 e5c01000 A svc : strb r1, [r0]
3 clk MW1 000090d0 fd
4 clk 0 IT (4) 0000800c e5c01000 A svc : strb r1, [r0]
4 clk MW1 000090bc fe
`;

describe.skipIf(missing !== undefined)('watches in the browser', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      copyFileSync(excerpt, path('sort.txt'));
      return path('sort.txt');
    });
    page = stage.page;
    await page.goto(stage.host.url);
    await page.locator('footer').getByText('of 0 to 199').waitFor();
  });
  afterAll(() => stage.close());

  it('watches a register and memory, with the changes around the cursor', async () => {
    await page.keyboard.press('Shift+V');
    await pane().getByText('Nothing is watched yet').waitFor();
    await add('r0');
    await add('0x4000c');
    await go(170);
    // Record 73 writes four zeros, 170 the byte 0x30 over the first of them, 191 over the second.
    await until(() => cells(1)).toEqual(['◆changed by this record', '0x4000c', '0x00000030', 'hex 32', '73', '191']);
    await until(() => cells(0)).toEqual(['', 'r0', '0x00000018', 'hex 32', '162', '182']);
    await keepScreenshot(page, 'journey-watches-1-values');
  });

  it('chooses a watch that is added in the workbench in the window of the pane too', async () => {
    await pane().getByRole('grid').first().focus();
    const opened = page.waitForEvent('popup');
    await page.keyboard.press('Control+Shift+X');
    const popup = await opened;
    await popup.locator('#watches-0').waitFor();
    await page.getByRole('tab', { name: 'Registers' }).click();
    await page.getByRole('button', { name: /^r1 / }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Watch', exact: true }).click();
    await popup.locator('#watches-2[aria-selected=true]').getByText('r1').waitFor();
    await popup.locator('#watches').press('Delete');
    await popup.locator('#watches-1[aria-selected=true]').waitFor();
    await popup.close();
    await page.getByRole('tab', { name: 'Watches' }).click();
    await row(1).waitFor();
    await until(() => pane().locator('[data-row]').count()).toBe(2);
  });

  it('goes from change to change by key', async () => {
    await row(1).click();
    await page.keyboard.press('.');
    await at(191);
    await until(async () => (await cells(1)).slice(2)).toEqual(['0x00003030', 'hex 32', '170', 'none']);
    await page.keyboard.press(',');
    await at(170);
    await page.keyboard.press(',');
    await at(73);
    await page.keyboard.press(',');
    await page.getByRole('status').getByText('There is no earlier change of 0x4000c.').waitFor();
  });

  it('shows the history as a table and as a line', async () => {
    await page.keyboard.press('Shift+V');
    await page.locator('#watches:focus').waitFor();
    await page.keyboard.press('Enter');
    await until(() => page.locator('#watch-history .row [role=gridcell]').allInnerTexts()).toEqual([
      ...['73', '0x00000000', 'write', '0x8054', ''],
      ...['170', '0x00000030', 'write', '0x82d8', ''],
      ...['191', '0x00003030', 'write', '0x82d8', ''],
    ]);
    await pane().getByText('3 changes. Before: unknown.').waitFor();
    await keepScreenshot(page, 'journey-watches-2-history');
    await pane().getByRole('button', { name: 'Plot' }).click();
    await pane().getByText('3 changes. Hatched: unknown').waitFor();
    await pane().getByRole('application').focus();
    await page.keyboard.press('End');
    await pane().locator('[aria-live]').getByText('Record 199: 0x3030').waitFor();
    await page.keyboard.press('Home');
    await pane().locator('[aria-live]').getByText('Record 0: unknown').waitFor();
    await keepScreenshot(page, 'journey-watches-3-plot');
    await pane().getByRole('button', { name: 'Values' }).click();
  });

  it('watches what a context menu is about, and keeps the watches with the view', async () => {
    await page.getByRole('tab', { name: 'Registers' }).click();
    await page.getByRole('button', { name: /^r5 / }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Watch', exact: true }).click();
    await until(async () => (await cells(2))[1]).toBe('r5');
    await row(2).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Show as unsigned' }).click();
    await until(async () => (await cells(2))[3]).toBe('unsigned 32');
    await page.keyboard.press('Shift+V');
    await page.locator('#watches:focus').waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await until(async () => (await cells(1))[1]).toBe('r5');
    await pane().getByRole('button', { name: 'Remove the watch' }).click();
    await until(async () => (await cells(1))[1]).toBe('0x4000c');
    expect(await row(2).count()).toBe(0);
    await page.getByRole('button', { name: 'Close trace sort.txt' }).click();
    await page
      .getByRole('button', { name: /sort\.txt/ })
      .first()
      .click();
    await page.locator('footer').getByText('of 0 to 199').waitFor();
    await until(async () => (await cells(1))[1]).toBe('0x4000c');
  });

  it('unfolds a variable of the program, and follows a pointer', async () => {
    const { path } = stage.folder;
    writeFileSync(path('program.elf'), gunzipSync(Buffer.from(fixtures.programs.arm5, 'base64')));
    writeFileSync(path('program.txt'), PROGRAM);
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace on this computer').fill(path('program.txt'));
    await page.keyboard.press('Enter');
    await page.locator('footer').getByText('of 0 to 7').waitFor();
    await addImage(path('program.elf'));
    await add('head');
    await add('paint');
    await page.keyboard.press('Control+End');
    await until(() => cells(1)).toEqual([
      '◆first known at this record',
      'paint',
      'BLUE (-2)',
      'enum colour',
      'none',
      'none',
    ]);
    await pane().getByRole('button', { name: 'Unfold head' }).click();
    await pane().getByRole('button', { name: 'Unfold *head' }).click();
    await until(async () => (await cells(3)).slice(1, 5)).toEqual(['key', '-2', 'short int', '3']);
    await until(async () => (await cells(5)).slice(1, 5)).toEqual(['low', '5', 'unsigned int : 3', '5']);
    await until(async () => (await cells(6)).slice(1, 5)).toEqual(['high', '-1', 'int : 5', '5']);
    await add('head->key');
    // The list is scrolled down to it, so that `head`, whose value decides which rows there are, is out of sight.
    await until(async () => (await cells(9)).slice(1, 5)).toEqual(['head->key', '-2', 'short int', '3']);
    // Before record 3 it is not known; what the pointer points to is followed at each record.
    await pane()
      .getByRole('combobox', { name: /^Add a watch/ })
      .fill('head->nxt');
    await pane().getByText("Struct node has no member 'nxt'; it has next, key").waitFor();
    await page.keyboard.press('Escape');
    await idle(page);
    await pane().locator('#watches').press('Home');
    await row(0).click();
    await pane().getByText('Local variables and parameters of').waitFor();
    await keepScreenshot(page, 'journey-watches-5-variables');
  });

  it('shows the contents of the image before the first access, and never as observed', async () => {
    const { path } = stage.folder;
    // The file has this instruction, and hidden = 7, which the second record writes.
    writeFileSync(path('initial.txt'), '1 clk 0 IT (1) 00008000 e52db004 A svc : push\n1 clk MW4 000090c0 00000009\n');
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace on this computer').fill(path('initial.txt'));
    await page.keyboard.press('Enter');
    await page.locator('footer').getByText('of 0 to 1').waitFor();
    await addImage(path('program.elf'));
    await page.keyboard.press('Shift+V');
    await add('hidden');
    await until(async () => (await cells(0))[2]).toBe('image7, from the image, not observed');
    await pane().getByRole('button', { name: 'History' }).click();
    await pane().getByText('1 change. Before: 7, from the image, not observed.').waitFor();
    await pane().getByRole('button', { name: 'Values' }).click();
    await keepScreenshot(page, 'journey-watches-6-image');
    await page.keyboard.press('Control+End');
    await until(async () => (await cells(0))[2]).toBe('9');
  });

  function pane(): Locator {
    return page.getByRole('region', { name: 'Watches' });
  }

  async function addImage(path: string): Promise<void> {
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('Program images');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Program images' });
    await dialog.getByLabel('Path of an image').fill(path);
    await page.keyboard.press('Enter');
    await dialog.getByText('ELF, ARM').waitFor();
    await dialog.getByRole('button', { name: 'Use these images' }).click();
    // The trace is opened again with the image.
    await page.locator('button[aria-label="Show bytes of the image before the first access"]:enabled').waitFor();
  }

  async function add(text: string): Promise<void> {
    const field = pane().getByRole('combobox', { name: /^Add a watch/ });
    await field.fill(text);
    await pane().getByRole('option').first().waitFor();
    await field.press('Enter');
    await field.press('Escape');
  }

  function row(index: number): Locator {
    return page.locator(`#watches-${index}`);
  }

  async function cells(index: number): Promise<string[]> {
    return (await row(index).getByRole('gridcell').allTextContents()).map((text) => text.trim());
  }

  async function go(n: number): Promise<void> {
    await page.keyboard.press('g');
    await page.getByPlaceholder('Record, t:time, 0xaddress or symbol').fill(String(n));
    await page.keyboard.press('Enter');
    await at(n);
  }

  async function at(n: number): Promise<void> {
    await page.locator(`[data-record="${n}"][aria-selected=true]`).waitFor();
  }

  function until<T>(read: () => Promise<T>) {
    return expect.poll(read);
  }

  it('has no errors and no violations', async () => {
    for (const [width, height, theme] of [
      [1280, 720, 'light'],
      [1440, 900, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      for (const view of ['History', 'Plot', 'Values']) {
        await pane().getByRole('button', { name: view }).click();
        await until(() => page.locator('.busy.on').count()).toBe(0);
        expect(await violations(page, { changed: 'section[aria-label=Watches]' })).toEqual([]);
        await keepScreenshot(page, `journey-watches-4-${view}-${width}-${theme}`);
      }
    }
    expect(stage.errors).toEqual([]);
  });
});
