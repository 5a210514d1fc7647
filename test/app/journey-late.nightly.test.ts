/** A slow engine: the journey holds answers back, does something else, and then releases them. The user's later actions must win. */
import { writeFileSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestName } from '../../shared/requests/requests.ts';
import { openStage, whySkipped, withCallsAlone, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey with late answers');

describe.skipIf(missing !== undefined)('late answers in the browser', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      for (const name of ['first.txt', 'second.txt']) {
        const lines = Array.from({ length: 200 }, (_, i) => `${i} clk IT (${i}) 00008000 e3a00001 A svc : mov r0, #1`);
        writeFileSync(path(name), `${lines.join('\n')}\n`);
      }
      writeFileSync(path('symbols.txt'), '00008000 T main\n');
      return path('first.txt');
    });
    page = stage.page;
    await page.goto(withCallsAlone(stage.host.url));
    await page.locator('footer').getByText('of 0 to 199').waitFor();
  });
  afterAll(() => stage.close());

  /** Holds answers to a request until the test releases them one by one; waits for the request. */
  async function hold(
    name: RequestName,
  ): Promise<{ readonly letGo: () => Promise<void>; readonly end: () => Promise<void> }> {
    const held: Route[] = [];
    const waiters: (() => void)[] = [];
    const pattern = `**/api/${name}`;
    await page.route(pattern, (route) => {
      held.push(route);
      waiters.shift()?.();
    });
    const come = async (): Promise<Route> => {
      if (held.length === 0) await new Promise<void>((settle) => waiters.push(settle));
      const route = held.shift();
      if (!route) throw new Error('no request was held');
      return route;
    };
    return {
      async letGo() {
        const route = await come();
        const response = await route.fetch();
        await route.fulfill({ response });
        // The page has read the answer and shown the result.
        await page.evaluate(() => new Promise((settle) => requestAnimationFrame(() => requestAnimationFrame(settle))));
      },
      async end() {
        await page.unroute(pattern);
        // The page has given up some of the requests.
        for (const route of held) if (route.request().failure() === null) await route.continue();
      },
    };
  }

  async function leaveDialog(): Promise<void> {
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  }

  function record(): Promise<string | null> {
    return page.locator('footer b').first().textContent();
  }

  it('keeps the focus where the user moved it while a note was removed, and sends no requests for a closed pane', async () => {
    await page.getByRole('tab', { name: 'Notes', exact: true }).click();
    for (const n of ['30', '20', '10']) {
      await page.locator('[data-record="0"]').click();
      await page.keyboard.press('g');
      await page.getByRole('combobox', { name: 'Record number' }).fill(n);
      await page.keyboard.press('Enter');
      await expect.poll(record).toBe(n);
      await page.keyboard.press('b');
      await page.getByRole('status').getByText(`Bookmark added: record ${n}`).waitFor();
      await page.keyboard.press('g');
      await page.getByRole('combobox', { name: 'Record number' }).fill('0');
      await page.keyboard.press('Enter');
      await expect.poll(record).toBe('0');
    }
    const rows = page.locator('[data-note] [data-main]');
    const changes = await hold('changeNotebook');
    await rows.first().focus();
    await page.keyboard.press('Delete');
    await page.keyboard.press('Control+7');
    const pane = () => page.evaluate(() => document.activeElement?.closest('[data-pane]')?.getAttribute('data-pane'));
    await expect.poll(pane).toBe('registers');
    await changes.letGo();
    await expect.poll(() => rows.count()).toBe(2);
    expect(await pane()).toBe('registers');

    await rows.first().focus();
    await page.keyboard.press('Delete');
    await page.getByRole('tab', { name: 'Memory', exact: true }).click();
    await changes.letGo();
    await page.getByRole('status').getByText('The bookmark was removed').waitFor();
    await changes.end();
    expect(stage.errors).toEqual([]);
  });

  it('does not jump to a time after its dialog was closed, and closes no other dialog', async () => {
    const times = await hold('recordAtTime');
    await page.keyboard.press('g');
    await page.getByRole('combobox', { name: 'Record number' }).fill('t:50');
    await page.keyboard.press('Enter');
    await leaveDialog();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard and pointer' });
    await sheet.waitFor();
    await times.letGo();
    await times.end();
    expect([await sheet.isVisible(), await record()]).toEqual([true, '0']);
    await leaveDialog();
  });

  it('does not show the error of earlier text for newly typed text', async () => {
    const times = await hold('recordAtTime');
    await page.keyboard.press('g');
    const place = page.getByRole('combobox', { name: 'Record number' });
    await place.fill('t:5000');
    await place.press('Enter');
    await place.fill('7');
    await times.letGo();
    await times.end();
    expect(await page.locator('#place-meaning').textContent()).toBe('Go to record 7');
    await leaveDialog();
  });

  it("shows bytes with their own record, even while the pinned record's bytes are loading", async () => {
    const memory = page.getByRole('region', { name: 'Memory', exact: true });
    await memory.getByText('at record 0', { exact: true }).waitFor();
    // The bytes have arrived, and all are unknown.
    await memory.locator('.word').getByText('··').first().waitFor();
    const bytes = await hold('memory');
    await page.keyboard.press('ArrowDown');
    await page.locator('footer').getByText('Record 1 of').waitFor();
    await memory.getByRole('button', { name: 'Pin to this record' }).click();
    expect(await memory.getByText('pinned at').count()).toBe(0);
    await bytes.letGo();
    await memory.getByText('pinned at 1', { exact: true }).waitFor();
    await bytes.end();
    await memory.getByRole('button', { name: 'Pin to this record' }).click();
  });

  it('does not go to a symbol in memory after the text has changed', async () => {
    const field = page.getByLabel('Address or symbol to show in Memory');
    const symbols = await hold('symbols');
    await field.fill('main');
    await field.press('Enter');
    await field.fill('9000');
    await symbols.letGo();
    expect([await field.inputValue(), await field.getAttribute('aria-invalid')]).toEqual(['9000', 'false']);
    await field.press('Escape');
    await symbols.end();
  });

  it('does not export a report that was cancelled while its notes were being saved', async () => {
    const requested: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/report')) requested.push(request.postData() ?? '');
    });
    await page.keyboard.press('Shift+P');
    const title = page.getByLabel('Title of the report');
    const changes = await hold('changeNotebook');
    await title.fill('Given up');
    await page.keyboard.press('Control+Shift+E');
    const dialog = page.getByRole('dialog', { name: 'Export report' });
    const button = dialog.getByRole('button', { name: 'Export' });
    await button.click();
    await expect.poll(() => button.isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await changes.letGo();
    await changes.end();
    await page.getByText('saved with the notes').waitFor();
    expect(requested.filter((text) => text.includes('first.txt-report'))).toEqual([]);
    await page.getByRole('button', { name: 'Close Report' }).click();
  });

  it('applies images to the trace for which they were chosen, even if another trace came forward', async () => {
    const opens = await hold('open');
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace').fill(stage.folder.path('second.txt'));
    await page.keyboard.press('Enter');
    await leaveDialog();
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('Program images');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Program images' });
    await dialog.waitFor();
    await opens.letGo();
    await opens.end();
    await page.getByRole('tab', { name: 'second.txt' }).waitFor();
    await dialog.getByLabel('Path of an image').fill(stage.folder.path('symbols.txt'));
    await dialog.getByRole('button', { name: 'Add and use' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('tab', { name: 'second.txt', selected: true }).count()).toBe(1);
    await page.getByRole('tab', { name: 'first.txt' }).click();
    await page.locator('[data-record="0"]').getByText('main').waitFor();
  });

  it('does not report a trace as free of errors before its unreadable records are counted', async () => {
    writeFileSync(stage.folder.path('bad.txt'), '1 clk IT (1) 00008000 e3a00001 A svc : mov r0, #1\n2 clk IT zz\n');
    const counted = Promise.withResolvers<undefined>();
    await page.route('**/api/info', async (route) => {
      await counted.promise;
      await route.fallback();
    });
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace').fill(stage.folder.path('bad.txt'));
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'bad.txt', selected: true }).waitFor();
    await page.keyboard.press('Control+5');
    await page.locator('footer').getByText('of 0 to 1').waitFor();
    await page.locator('[data-pane=diagnostics]').getByText('Reading…').waitFor();
    counted.resolve(undefined);
    await page.locator('[data-pane=diagnostics]').getByText('1 place').waitFor();
  });

  it('ends a search that could move the cursor away from the record that a person went to', async () => {
    const searches = await hold('find');
    const running = page.locator('footer').getByText('Searching for match');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('mov');
    await page.keyboard.press('Enter');
    await running.waitFor();
    await page.locator('#records').focus();
    await page.keyboard.press('g');
    await page.getByRole('combobox', { name: 'Record number' }).fill('0');
    await page.keyboard.press('Enter');
    await running.waitFor({ state: 'detached' });
    await searches.end();
    expect(await record()).toBe('0');
  });
});
