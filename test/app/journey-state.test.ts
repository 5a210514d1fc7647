/**
 * The machine's state in the page, on a real excerpt of a sorting program: memory and registers at a record, the writer of a byte, a
 * pinned pane, effects of instructions, and copied text.
 */
import { copyFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { few } from '../short-form.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { makeTrace } from './journey-driver.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey through states');

const excerpt = fileURLToPath(new URL('../samples/tarmac/arm-sort/trace.txt', import.meta.url));

describe.skipIf(missing !== undefined)("the machine's state in the browser", () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      copyFileSync(excerpt, path('sort.txt'));
      return path('sort.txt');
    });
    page = stage.page;
    await page.goto(stage.host.url);
    // The browser's clipboard is shared by all journeys, so this reads what the page puts there.
    await page.evaluate(() => {
      addEventListener('copy', (event) => {
        const text = event.defaultPrevented ? event.clipboardData?.getData('text/plain') : undefined;
        document.documentElement.dataset['copied'] = text ?? '';
      });
    });
    await page.locator('footer').getByText('of 0 to 199').waitFor();
  });
  afterAll(() => stage.close());

  it('shows memory and registers after a record has taken effect', async () => {
    await go(199);
    // Record 45 wrote 0x01234567, 63 to 73 zeros, 170 and 191 a byte 0x30 each.
    await until(() => row('Memory', 0x40000)).toBe('67 45 23 01 00 00 00 00 00 00 00 00 30 30 00 00');
    await until(() => register('r0')).toBe('00000014');
    await until(() => register('r12')).toBe('00000000');
    await until(() => register('cpsr')).toBe('000000d3');
    await page.getByRole('group', { name: 'Flags' }).getByText('svc').waitFor();
  });

  it('finds the writer of a byte and goes there', async () => {
    await byte('Memory', 0x4000c).click();
    const writer = pane('Memory').getByRole('button', { name: '170' }).first();
    await writer.click();
    await at(170);
    await until(() => row('Memory', 0x40000)).toBe('67 45 23 01 00 00 00 00 00 00 00 00 30 00 00 00');
    expect(await byte('Memory', 0x4000c).getAttribute('class')).toContain('writes');
    await until(() => register('r12')).toBe('00040004');
    await pane('Memory').getByText('00 → 30').first().waitFor();
  });

  it('keeps a pinned pane while another follows the cursor', async () => {
    await page.getByRole('button', { name: 'Add a memory view next to this one' }).click();
    await pane('Memory').getByRole('button', { name: 'Pin to this record' }).click();
    await go(199);
    await until(() => row('Memory 2', 0x40008)).toBe('00 00 00 00 30 30 00 00');
    expect(await row('Memory', 0x40008)).toBe('00 00 00 00 30 00 00 00');
    await pane('Memory').getByText('pinned at 170').waitFor();
    await pane('Memory 2').getByLabel('Bytes in a word').selectOption('4');
    await until(() => row('Memory 2', 0x40008)).toBe('00000000 00003030');
    await idle();
    await keepScreenshot(page, 'journey-state-1-pinned');
    await page.getByRole('button', { name: 'Close Memory 2' }).click();
    await pane('Memory').getByRole('button', { name: 'Pin to this record' }).click();
  });

  it('answers the same requests by key, for an address and for a register', async () => {
    await page.getByRole('button', { name: /^r5 / }).click();
    await page.keyboard.press('Shift+W');
    await at(154);
    await page.getByRole('status').getByText('r5 last set by record 154').waitFor();
    await page.getByRole('status').getByText('0x40044 → 0x8738').waitFor();
    await page.keyboard.press('Shift+R');
    await page.getByRole('status').getByText('but not reads').waitFor();
    await page.getByRole('button', { name: 'Follow as address' }).click();
    await page.keyboard.press('r');
    await at(159);
    await page.keyboard.press('Shift+X');
    await page.getByRole('status').getByText('There is no earlier access to 0x8738').waitFor();
    await page.keyboard.press('r');
    await at(180);
  });

  it('shows the effects of instructions next to them', async () => {
    await go(168);
    await page.locator('[data-record="169"]').getByText('[0x4000c]←0x30').click();
    await at(170);
    await page.locator('[data-record="171"]').getByText('r2=0x30').waitFor();
    await page.keyboard.press('j');
    await at(171);
    expect(await page.locator('[data-record="172"]').count()).toBe(0);
    await page.keyboard.press('i');
    await page.locator('[data-record="172"]').getByText('r2', { exact: true }).waitFor();
  });

  it('copies bytes and registers as plain text', async () => {
    await show(0x40000);
    await byte('Memory', 0x40000).hover();
    await page.mouse.down();
    await byte('Memory', 0x40003).hover();
    await page.mouse.up();
    await page.keyboard.press('Control+c');
    expect(await copied()).toBe('67 45 23 01');
    await page.getByRole('button', { name: /^r12 / }).click();
    await page.keyboard.press('Control+c');
    expect(await copied()).toBe('0x40004');
  });

  it('is usable by keyboard alone and by screen reader', async () => {
    await show(0x40000);
    await page.keyboard.press('Control+6');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await pane('Memory').locator('[aria-live]').getByText('0x00040011').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await at(45);
    await page.keyboard.press('Shift+ArrowRight');
    await page.locator('footer').getByText('(2 B)').waitFor();
    await page.keyboard.press('Shift+ArrowDown');
    await page.locator('footer').getByText('(18 B)').waitFor();
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.locator('footer').getByText('(2 B)').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+7');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.locator('footer').getByText('Register r1').waitFor();
  });

  it('keeps the registers of several cpus apart', async () => {
    await open(fileURLToPath(new URL('../samples/tarmac/cpus/trace.txt', import.meta.url)));
    await go(41);
    const cpu = pane('Registers').getByLabel('CPU', { exact: true });
    await until(() => cpu.locator('option').allInnerTexts()).toEqual(['No CPU', 'CPU 0', 'CPU 1', 'CPU 2']);
    await cpu.selectOption('CPU 1');
    await until(() => register('r1')).toBe('0000000a');
    await until(() => register('cpsr')).toBe('00000030');
    await cpu.selectOption('CPU 2');
    await until(() => register('r1')).toBe('0000000b');
  });

  it('shows wide registers completely at any width', async () => {
    const values = {
      X1: '0fedcba987654321',
      TTBR0_EL1: '00000000811c5006',
      V0: '0123456789abcdef0123456789abcdee',
      Z1: '8123456789abcdef'.repeat(32),
    };
    const lines = Object.entries(values).map(([name, value]) => `1 clk cpu0 R ${name} ${value}`);
    writeFileSync(
      stage.folder.path('wide.txt'),
      ['1 clk cpu0 IT (1) 8000 d503201f O EL1h_n : NOP', ...lines, ''].join('\n'),
    );
    await open(stage.folder.path('wide.txt'));
    await page.locator('footer').getByText('of 0 to 4').waitFor();
    await go(4);
    await until(() => register('X1')).toBe(values.X1);
    expect(await register('V0')).toBe(values.V0.padStart(512, '0'));
    for (const width of [1440, 1024, 640]) {
      await page.setViewportSize({ width, height: 900 });
      await idle();
      const cut = await pane('Registers')
        .getByRole('button', { name: /changed|set by/ })
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
      expect(cut).toEqual([]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Close trace wide.txt' }).click();
    await page.getByRole('tab', { name: 'wide.txt' }).waitFor({ state: 'detached' });
  });

  it('shows accesses to memory, and that there are no registers, for a trace of addresses only', async () => {
    await makeTrace('byu6', stage.folder.path('addresses.byu'), 60_000);
    await open(stage.folder.path('addresses.byu'));
    await page.keyboard.press('Control+End');
    await pane('Memory').getByText('The trace has no values here').waitFor();
    await pane('Memory').locator('.word .unknown.written').first().click();
    const writer = pane('Memory')
      .getByRole('button', { name: /^[\d,]+$/ })
      .first();
    const n = Number((await writer.innerText()).replaceAll(',', ''));
    await writer.click();
    await at(n);
    await pane('Memory').locator('.word .unknown.writes.chosen').first().waitFor();
    await page.keyboard.press('Control+7');
    await pane('Registers').getByText('This trace has no register records').waitFor();
    await page.getByRole('tab', { name: 'sort.txt' }).click();
  });

  it('is accessible, and fits a small window and a page zoomed to 200 %', async () => {
    for (const theme of few(['light', 'dark'] as const, 1)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      await idle();
      expect(await violations(page, { changed: 'section[aria-label=Memory], section[aria-label=Registers]' })).toEqual(
        [],
      );
      await keepScreenshot(page, `journey-state-2-${theme}`);
    }
    for (const [width, height] of [
      [1280, 720],
      [640, 360],
    ] as const) {
      await page.setViewportSize({ width, height });
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    }
    expect(stage.errors).toEqual([]);
  });

  function pane(name: string): Locator {
    return page.locator(`section[aria-label="${name}"]`);
  }

  function byte(name: string, address: number): Locator {
    return pane(name).locator(`.word [data-address="${address}"]`);
  }

  /** Bytes or words of the row at an address, as displayed. */
  async function row(name: string, address: number): Promise<string> {
    const line = byte(name, address).locator('xpath=ancestor::*[contains(@class, "line")]');
    return (await line.locator('.word').allInnerTexts()).join(' ');
  }

  async function register(name: string): Promise<string> {
    return page
      .getByRole('button', { name: new RegExp(`^${name} `) })
      .locator('.value')
      .innerText();
  }

  async function open(path: string): Promise<void> {
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace on this computer').fill(path);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: path.split('/').at(-1) ?? path, selected: true }).waitFor();
    await page
      .locator('footer')
      .getByText(/^Record [\d,]+ of 0 to [\d,]+$/)
      .waitFor();
  }

  async function show(address: number): Promise<void> {
    await pane('Memory').getByLabel('Address or symbol to show').fill(address.toString(16));
    await page.keyboard.press('Enter');
    await byte('Memory', address).waitFor();
    await idle();
  }

  async function go(n: number): Promise<void> {
    await page.keyboard.press('g');
    await page.getByPlaceholder('Record, t:time, 0xaddress or symbol').fill(String(n));
    await page.keyboard.press('Enter');
    await at(n);
  }

  /** Waits until the cursor is at the record and its row is visible and selected. */
  async function at(n: number): Promise<void> {
    await page.locator(`[data-record="${n}"][aria-selected=true]`).waitFor();
  }

  /** Waits until no pane waits for an answer. */
  async function idle(): Promise<void> {
    await until(() => page.locator('.busy.on').count()).toBe(0);
  }

  function copied(): Promise<string | null> {
    return page.locator('html').getAttribute('data-copied');
  }
});

/** Waits as long as a slow machine needs: only a broken page times out. */
function until<T>(look: () => T | Promise<T>) {
  return expect.poll(look);
}
