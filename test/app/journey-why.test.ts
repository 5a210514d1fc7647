/** Why a value is what it is, on a real excerpt of a sorting program: ask, walk the steps, mark them, filter by them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { keepScreenshots } from './browser.ts';
import { openStage, whySkipped, withCallsAlone, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey through the origin of a value');

const excerpt = fileURLToPath(new URL('../samples/tarmac/arm-sort/trace.txt', import.meta.url));

/** Numbers the instructions of an excerpt from one to the next, as if none were missing. */
function asWhole(text: string): string {
  let count = 0;
  return text.replaceAll(/^\d+(.*? I[TS] )\(\d+\)|^\d+/gm, (_, between?: string) =>
    between === undefined ? `${count}` : `${++count}${between}(${count})`,
  );
}

const withoutInstructions = fileURLToPath(new URL('../samples/btm/k5/trace.csv', import.meta.url));

describe.skipIf(missing !== undefined)('the origin of a value in the browser', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      writeFileSync(path('sort.txt'), asWhole(readFileSync(excerpt, 'utf8')));
      return path('sort.txt');
    });
    page = stage.page;
    await page.goto(withCallsAlone(stage.host.url));
    await page.locator('footer').getByText('of 0 to 199').waitFor();
  });
  afterAll(() => stage.close());

  it('explains a register from its context menu, youngest step first', async () => {
    await go(191);
    await page.getByRole('tab', { name: 'Registers' }).click();
    await page.getByRole('button', { name: /^r12 / }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Why this value' }).click();
    // add ip, r3, ip: r3 was loaded from memory that nothing wrote, ip goes back to mov r7, #0, which was stored, loaded and moved.
    await until(steps).toEqual([
      '#0 r12 = 0x40005 | computed | 185',
      '├ #4 r3 = 0x7f000 | input | 9',
      expect.stringMatching(/^#1 r12 = 0x1 .* 183$/),
      expect.stringMatching(/^#2 r14.* = 0x1 .* 173$/),
      'copied 3 times | copies | ',
      '#3 r7 = 0x0 | constant | 58',
    ]);
    await pane().getByText('Complete: every value is followed to where it came from.').waitFor();
  });

  it('moves the cursor of all panes from step to step, and shows folded copies', async () => {
    await page.keyboard.press('Home');
    await at(185);
    await page.keyboard.press('j');
    await at(9);
    await page.keyboard.press('ArrowDown');
    await at(183);
    await page.keyboard.press('k');
    await at(9);
    await page.keyboard.press('End');
    await at(58);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    await until(async () => (await steps()).slice(4)).toEqual([
      'copied 3 times | copies | ',
      '  copy | copy | 147',
      '  copy | copy | 142',
      '  copy | copy | 67',
      '#3 r7 = 0x0 | constant | 58',
    ]);
    await page.keyboard.press('ArrowDown');
    await at(147);
    await shoot('1-register');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await pane().getByRole('group', { name: 'Chosen step' }).getByText('#3 r7 = 0x0').waitFor();
    expect(await violations(page, { changed: '[data-pane=why]' })).toEqual([]);
  });

  it('shows only the steps in the list of records, until the chip removes them', async () => {
    await pane().getByRole('button', { name: 'Only the slice in Instructions' }).click();
    await until(listed).toEqual(['9', '58', '173', '183', '185']);
    await shoot('2-slice');
    expect(await violations(page, { changed: '[data-pane=instructions]' })).toEqual([]);
    await page.getByRole('button', { name: 'Show all records' }).click();
    await until(async () => (await listed()).includes('60')).toBe(true);
  });

  it('follows addresses too, and refers to steps with several users', async () => {
    await pane().getByRole('button', { name: 'Addresses' }).click();
    await page.locator('#why-steps').getByText('see #').first().waitFor();
    await shoot('3-addresses');
  });

  it('asks for other places, and goes back to the question before', async () => {
    await field().fill('0x4000c+2');
    await page.keyboard.press('Enter');
    await pane().getByText('Why [0x4000c+2] = 30 30 after record 191').waitFor();
    await shoot('4-memory');
    await field().fill('r99');
    await page.keyboard.press('Enter');
    await pane().getByText("The processor has no register 'r99'.").waitFor();
    for (let question = 0; question < 2; question += 1)
      await pane().getByRole('button', { name: 'Previous question' }).click();
    await pane().getByText('Why r12 = 0x40005 after record 191').waitFor();
  });

  it('explains the result of the instruction at the cursor by key, and keeps it as a note', async () => {
    await go(183);
    await page.locator('[data-record="183"]').click();
    await page.keyboard.press('y');
    await pane().getByText('Why r12 = 0x1 after record 184').waitFor();
    await pane().getByRole('button', { name: 'Add to notes' }).click();
    await page.getByRole('status').getByText('Note added: record 184').waitFor();
  });

  it('shows where a value went by key, oldest step first, with the ends of values', async () => {
    await go(183);
    await page.locator('[data-record="183"]').click();
    await page.keyboard.press('Alt+y');
    await pane().getByText('Where r12 = 0x1 went after record 184').waitFor();
    // add ip, r3, ip makes the address of strb r4, [ip, #8], and lsr at 197 overwrites it.
    await until(steps).toEqual(['#0 r12 = 0x40005 | computed | 185', '#1 address[0x4000d] = 30 | copy | 190']);
    await pane().getByRole('button', { name: 'Addresses' }).click();
    await until(steps).toEqual(['#0 r12 = 0x40005 | computed | 185']);
    await pane().getByText('overwritten at record 197 by lsr ip, r1, r0').first().waitFor();
    await go(166);
    await pane().getByRole('button', { name: 'Ask at the cursor' }).click();
    await field().fill('r0');
    await page.keyboard.press('Enter');
    await pane().getByText('Where r0 = 0x18 went after record 166').waitFor();
    // cmn compares r0 and sets four flags, and the next cmn overwrites them.
    await until(async () => (await steps()).slice(0, 2)).toEqual([
      expect.stringMatching(/^├ #0 cpsr\.n = 0x0, .* 167$/),
      '├ #1 r12 = 0x0 | computed | 176',
    ]);
    await pane().getByText('overwritten at record 189 by cmn r0, #4').first().waitFor();
    await shoot('5-forward');
    expect(await violations(page, { changed: '[data-pane=why]' })).toEqual([]);
    await page.locator('#why-steps .row').filter({ hasText: 'cpsr.n = 0x0' }).first().click();
    await at(167);
    await pane().getByRole('button', { name: 'Where it went' }).click();
    await pane().getByText('Why r0 = 0x18 after record 166').waitFor();
  });

  it('explains why an instruction was reached, and goes on to a value that decided it', async () => {
    await go(178);
    await page.keyboard.press('h');
    // The branch at 175 was taken because cmn r0, #4 at 167 cleared the flag Z.
    await pane().getByText('Why record 178 was reached').waitFor();
    await until(async () => (await steps())[0]).toBe('#0 pc = 0x82b8 | computed | 175');
    await shoot('6-reached');
    await page.locator('#why-steps .row').filter({ hasText: 'r0 = 0x18' }).first().click();
    await pane().getByRole('button', { name: 'Why r0' }).click();
    await pane().getByText('Why r0 = 0x18 after record 166').waitFor();
  });

  it('shows the steps so far when it is stopped, and continues', async () => {
    // The search is held before it begins, so that it is stopped before its first step.
    const held = Promise.withResolvers<undefined>();
    await page.route('**/api/why', async (route) => {
      await held.promise;
      await route.continue();
    });
    await field().fill('r1');
    await page.keyboard.press('Enter');
    const stopping = page.waitForResponse('**/api/stopWhy');
    await pane().getByRole('button', { name: 'Stop: Following the value back, at record' }).click();
    await stopping;
    held.resolve(undefined);
    await pane().getByText('Stopped before the end.').waitFor();
    await page.locator('#why-steps').getByText('the search was stopped before it was found').waitFor();
    await pane().getByText('Stopped before the first step was found.').waitFor();
    await shoot('6-stopped');
    expect(await violations(page, { changed: '[data-pane=why]' })).toEqual([]);
    await pane().getByRole('button', { name: 'Continue' }).click();
    await until(async () => (await steps())[0]).toMatch(/^#0 r1 = 0x7d000 /);
    await page.unroute('**/api/why');
    await pane().getByRole('button', { name: 'Previous question' }).click();
    await pane().getByText('Why r0 = 0x18 after record 166').waitFor();
  });

  it('adds the question to the report, which shows its steps', async () => {
    await pane().getByRole('button', { name: 'Add to the report' }).click();
    await page.getByRole('status').getByText('Added to the report').waitFor();
    await page.keyboard.press('Shift+P');
    const part = page.locator('[data-part]').filter({ hasText: 'Why r0' });
    await part.getByText('after record 166, at most 50 steps').waitFor();
    const preview = page.frameLocator('iframe:not([inert])');
    await preview.getByRole('heading', { name: 'Why r0 = 0x18 after record 166' }).waitFor();
    // sub r0, r0, #4 at 161 made it of the constant of mov r0, #0x1c at 145.
    await preview.getByRole('cell', { name: 'r0 = 0x1c (#1)' }).waitFor();
    await preview.getByRole('cell', { name: 'mov r0, #0x1c' }).waitFor();
    await shoot('7-report');
    expect(await violations(page, { changed: '[data-pane=report]' })).toEqual([]);
  });

  it('says in a sentence why a trace without instructions has no answer', async () => {
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace on this computer').fill(withoutInstructions);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: /trace\.csv/ }).waitFor();
    await page.keyboard.press('Shift+Y');
    await pane().getByText('This trace has no records of executed instructions').waitFor();
    await shoot('8-none');
  });

  function shoot(name: string): Promise<void> {
    return keepScreenshots(page, `journey-why-${name}`);
  }

  function pane(): Locator {
    return page.getByRole('region', { name: 'Why' });
  }

  function field(): Locator {
    return pane().getByRole('textbox', { name: 'Register, address or symbol to explain' });
  }

  /** Visible rows as `lines step | kind | record`. */
  function steps(): Promise<readonly string[]> {
    return page.locator('#why-steps .row').evaluateAll((rows) =>
      rows.map((row) => {
        const lines = [...row.querySelectorAll('.line')].map((line) =>
          line.matches('.tee') ? '├' : line.matches('.corner') ? '└' : line.matches('.pass') ? '│' : ' ',
        );
        const cells = [...row.querySelectorAll<HTMLElement>('[role=gridcell]')].map((cell) => {
          const copy = cell.cloneNode(true) as HTMLElement;
          for (const part of copy.querySelectorAll('.spoken, [aria-hidden=true]')) part.remove();
          return copy.textContent.trim();
        });
        const shown = [cells[0]?.replace(/^(#\d+)/, '$1 '), cells[1], cells[3]].join(' | ');
        return `${lines.join('')}${lines.length > 0 ? ' ' : ''}${shown}`;
      }),
    );
  }

  function listed(): Promise<readonly (string | undefined)[]> {
    return page
      .locator('#records [data-record]')
      .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset['record']));
  }

  function until<T>(read: () => Promise<T>) {
    return expect.poll(read);
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
});
