/** The page in trouble: a trace whose names hide characters, and a host that ends while its page is open. */
import { writeFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NIGHTLY } from '../short-form.ts';
import { keepScreenshot } from './browser.ts';
import type { Folder, Host } from './journey-driver.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey in trouble');

const PROGRAM = [
  '1 clk 0 IT (1) 00008000 e3a00001 A svc : mov r0, #1',
  'log \u202etxet \u001b[2J',
  '2 clk 0 IT (2) 00008004 eb000001 A svc : bl #0x8010',
  '3 clk 0 IT (3) 00008010 e12fff1e A svc : bx lr',
  '4 clk 0 IT (4) 00008008 e3a00001 A svc : mov r0, #1',
  '4 clk R r\u200b0 00000001',
  '',
];

describe.skipIf(missing !== undefined)('the workbench in trouble', () => {
  let stage: Stage;
  let folder: Folder;
  let host: Host;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      const list = path('names.nm');
      writeFileSync(path('tr\u202eace.txt'), PROGRAM.join('\n'));
      writeFileSync(list, '00008000 T st\u2066art\n00008010 T le\u202eaf\u200b\n');
      return { path: path('tr\u202eace.txt'), images: [{ path: list }] };
    });
    ({ folder, host, browser, page } = stage);
    await page.goto(host.url);
    await page.locator('[data-settled=true]').waitFor();
  });
  afterAll(() => stage.close());

  it('shows hidden characters in names and text, in every pane', async () => {
    const records = page.getByRole('treegrid', { name: /Records/ });
    await records.getByText('le[U+202E]af[U+200B]').first().waitFor();
    await records.getByText('log [U+202E]txet [U+001B][2J').waitFor();
    await page.getByRole('tab', { name: 'tr[U+202E]ace.txt' }).waitFor();
    for (const key of ['Shift+B', 'Shift+G', 'Shift+T', 'Control+9', 'Control+7', 'Control+5']) {
      await page.keyboard.press(key);
      await expect.poll(() => page.locator('.busy.on').count()).toBe(0);
      expect({ key, hidden: await hiddenOn(page) }).toEqual({ key, hidden: [] });
    }
    await keepScreenshot(page, 'journey-trouble-names');
  });

  it('reports a range without calls instead of a missing image, and offers the calls of the whole trace', async () => {
    const late = folder.path('late.txt');
    const before = Array.from({ length: 100 }, (_, at) => `${at} clk R r0 ${at.toString(16).padStart(8, '0')}\n`);
    writeFileSync(late, [...before, ...PROGRAM.slice(2, 5).map((line) => `${line}\n`)].join(''));
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace on this computer').fill(late);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'late.txt' }).waitFor();
    await page.keyboard.press('Shift+G');
    await page.getByText('2 functions, 1 edge').waitFor();
    const strip = await page.locator('canvas[data-chart=overview]').boundingBox();
    if (!strip) throw new Error('there is no overview');
    await page.mouse.move(strip.x + 2, strip.y + 20);
    await page.mouse.down();
    await page.mouse.move(strip.x + strip.width / 2, strip.y + 20, { steps: 3 });
    await page.mouse.up();
    const none = 'No calls are known in the range of the charts. Add a program image to find more.';
    await page.getByText(none).waitFor();
    await page.getByRole('button', { name: 'Range only' }).click();
    await page.getByText('2 functions, 1 edge').waitFor();
    await page.keyboard.press('Shift+T');
    await page.getByText(none).waitFor();
    await page.getByRole('button', { name: 'Close trace late.txt' }).click();
  });

  it('explains why a figure cannot be exported, and opens its menu once per request', async () => {
    const registers = folder.path('registers.txt');
    writeFileSync(registers, '1 clk R r0 00000001\n2 clk R r1 00000002\n');
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace on this computer').fill(registers);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'registers.txt' }).waitFor();
    await page.keyboard.press('Control+2');
    await page.getByText('No record of this trace has an address, so there is nothing to chart.').waitFor();
    await page.keyboard.press('Shift+E');
    await page.getByRole('status').getByText('there is no heatmap to export').waitFor();
    await page.keyboard.press('Shift+G');
    const none = 'This trace contains no branches, exceptions or instructions.';
    await page.getByText(`Calls are unknown. ${none}`).waitFor();
    // A program image would not help either.
    expect(await page.getByRole('button', { name: 'Program images…' }).count()).toBe(0);
    await page.keyboard.press('Shift+T');
    await page.getByText(`Calls are unknown. ${none}`).waitFor();
    await page.keyboard.press('Shift+B');
    await page.getByText(none, { exact: true }).waitFor();
    await page.keyboard.press('Shift+G');
    await page.keyboard.press('Shift+E');
    await page.getByRole('status').getByText('there is no call graph to export').waitFor();

    await page.getByRole('tab', { name: 'tr[U+202E]ace.txt' }).click();
    await page.getByRole('tab', { name: 'Heatmap' }).click();
    await page.locator('button[aria-label="Export figure of the heatmap"]:enabled').waitFor();
    await page.keyboard.press('Control+2');
    await page.keyboard.press('Shift+E');
    await page.locator(':popover-open').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Call tree' }).click();
    await page.getByRole('tab', { name: 'Heatmap' }).click();
    await page.locator('button[aria-label="Export figure of the heatmap"]:enabled').waitFor();
    expect(await page.locator(':popover-open').count()).toBe(0);
  });

  it('suggests no image if samples run backwards in time', async () => {
    const samples = folder.path('samples.txt');
    const line = '0x4011f0/0x4011d8/M/-/-/5/RET 0x4011d0/0x4011e8/P/-/-/7/CALL 0x401000/0x4011d0/P/-/-/9/CALL\n';
    writeFileSync(samples, line.repeat(20));
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace on this computer').fill(samples);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'samples.txt' }).waitFor();
    await page.getByRole('tab', { name: 'Stack', exact: true }).click();
    const why = 'The records of this trace run backwards in time, so the open calls at a record are unknown.';
    await page.getByRole('region', { name: 'Stack' }).getByText(why, { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Call tree' }).click();
    await page.getByRole('button', { name: 'Time order' }).click();
    const tree = page.getByRole('region', { name: 'Call tree' });
    await tree.getByText(why, { exact: true }).waitFor();
    expect(await tree.getByRole('button', { name: 'Program images…' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Left-heavy' }).click();
    await page.getByRole('button', { name: 'Close trace samples.txt' }).click();
  });

  if (NIGHTLY) {
    it('shows the ends of names that differ only there', async () => {
      const named = folder.path('named.txt');
      const list = folder.path('long.nm');
      const name = (end: string): string => `std::${'_Executor<char_const*>::'.repeat(12)}${end}`;
      writeFileSync(named, PROGRAM.join('\n'));
      writeFileSync(list, `00008000 T ${name('first')}\n00008010 T ${name('second')}\n`);
      const other = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      const requested = new URLSearchParams({ open: named, images: JSON.stringify([{ path: list }]) });
      await other.goto(`${host.url.replace(/#.*/, '')}#${requested.toString()}`);
      await other.getByRole('tab', { name: 'named.txt' }).waitFor();
      await other.keyboard.press('g');
      await other.keyboard.type('executor');
      await expect.poll(() => endsIn(other, '#place-symbols .name')).toEqual(['first', 'second']);
      await other.keyboard.press('Escape');
      await other.keyboard.press('Shift+G');
      await other.getByPlaceholder('Find a function').fill('executor');
      await expect.poll(() => endsIn(other, '[data-pane=graph] [role=option] .name')).toEqual(['first', 'second']);
      await other.keyboard.press('Escape');
      await other.getByRole('tab', { name: 'Stack', exact: true }).click();
      await other.locator('[data-record="3"]').click();
      await expect.poll(() => endsIn(other, '[data-pane=stack] .function b')).toEqual(['second', 'first']);
      await other.close();
    });

    it("keeps the active trace's tab visible among many, with distinguishable names", async () => {
      const other = await browser.newPage({ viewport: { width: 1280, height: 720 } });
      await other.goto(host.url.replace(/#.*/, ''));
      const names = Array.from({ length: 14 }, (_, i) => `capture_of_the_same_program_${i}.txt`);
      for (const name of names) {
        writeFileSync(folder.path(name), PROGRAM.join('\n'));
        await other.keyboard.press('Control+o');
        await other.getByLabel('Path of the trace on this computer').fill(folder.path(name));
        await other.keyboard.press('Enter');
        await other.getByRole('tab', { name, selected: true }).waitFor();
        await other.getByRole('dialog').waitFor({ state: 'detached' });
      }
      const list = other.getByRole('tablist', { name: 'Open traces' });
      expect(await endsIn(other, '[role=tablist][aria-label="Open traces"] .name')).toEqual(names);
      expect(await list.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true);
      for (const at of [names.length - 1, 0]) {
        await expect.poll(() => isWithin(list.getByRole('tab').nth(at), list)).toBe(true);
        await list.getByRole('tab').nth(at).focus();
        await other.keyboard.press('ArrowRight');
      }
      await other.close();
    });
  }

  it("shows no values of another record if the cursor's values cannot be read", async () => {
    const changed = folder.path('changed.txt');
    const text =
      '1 clk 0 IT (1) 00008000 e5810000 A svc : str r0, [r1]\n1 clk R r0 deadbeef\n1 clk MW4 00008010 deadbeef\n';
    writeFileSync(changed, text);
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace on this computer').fill(changed);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'changed.txt' }).waitFor();
    for (const name of ['Registers', 'Memory']) await page.getByRole('tab', { name, exact: true }).click();
    const registers = page.getByRole('region', { name: 'Registers' });
    const memory = page.getByRole('region', { name: 'Memory' });
    await page.locator('[data-effect="2"]').click();
    await registers.getByRole('button', { name: /r0/ }).waitFor();
    await memory.locator('.memory-byte').getByText('ef', { exact: true }).waitFor();
    writeFileSync(changed, text.slice(0, 20));
    await page.locator('[data-record="0"]').click();
    await registers.locator('.empty').getByText('the file became shorter while it was open').waitFor();
    await memory.locator('.error').getByText('the file became shorter while it was open').waitFor();
    expect(await registers.getByText('deadbeef').count()).toBe(0);
    expect(await memory.locator('.memory-byte').getByText('ef', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Close trace changed.txt' }).click();
  });

  it('reports a lost connection once and keeps the content', async () => {
    await page.keyboard.press('Control+7');
    const shown = await page.locator('#records').innerText();
    await host.close();
    await page.getByRole('alert').getByText('Tracebench does not answer').waitFor();
    await page.keyboard.press('Control+6');
    await page.keyboard.press('Control+4');
    await page.keyboard.press('b');
    await page.getByRole('status').getByText('does not answer').waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await page.locator('section .error').allInnerTexts()).toEqual([]);
    expect(await page.locator('#records').innerText()).toBe(shown);
    await keepScreenshot(page, 'journey-trouble-gone');
  });
});

/** Texts, names and titles on the page that contain invisible characters. */
async function hiddenOn(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const texts = [document.title];
    for (const element of document.querySelectorAll('*'))
      for (const name of ['title', 'aria-label', 'aria-valuetext']) texts.push(element.getAttribute(name) ?? '');
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) texts.push(walker.currentNode.textContent ?? '');
    return texts.filter((text) => /[^\P{C}\s]/u.test(text));
  });
}

async function isWithin(inner: Locator, outer: Locator): Promise<boolean> {
  const [a, b] = await Promise.all([inner.boundingBox(), outer.boundingBox()]);
  return a !== null && b !== null && a.x >= b.x && a.x + a.width <= b.x + b.width;
}

/** Names, or their part after the last colon; empty for names whose end is not visible. */
async function endsIn(page: Page, cells: string): Promise<readonly string[]> {
  return page.locator(cells).evaluateAll((found) =>
    found.map((cell) => {
      const end = document.createRange();
      end.selectNode(cell.querySelector('.cut')!.lastChild!);
      const isSeen = end.getBoundingClientRect().right <= cell.getBoundingClientRect().right + 1;
      return isSeen ? cell.querySelector('.spoken')!.textContent.replace(/.*:/, '') : '';
    }),
  );
}
