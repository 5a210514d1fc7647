/** Two processors with interleaved records: calls of one processor do not affect the other's rows in the record list. */
import { writeFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepScreenshot } from './browser.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey of two processors');

// Processor 0 calls 0x8100 and returns; processor 1 only adds, with one instruction after each of processor 0's.
const TRACE = [
  '1 clk 0 IT (1) 00008000 e1a00000 A svc : nop',
  '2 clk 1 IT (2) 00009000 e2811001 A svc : add r1, r1, #1',
  '3 clk 0 IT (3) 00008004 eb00003d A svc : bl 0x8100',
  '4 clk 1 IT (4) 00009004 e2811001 A svc : add r1, r1, #1',
  '5 clk 0 IT (5) 00008100 e1a00000 A svc : nop',
  '6 clk 1 IT (6) 00009008 e2811001 A svc : add r1, r1, #1',
  '7 clk 0 IT (7) 00008104 e12fff1e A svc : bx lr',
  '8 clk 1 IT (8) 0000900c e2811001 A svc : add r1, r1, #1',
  '9 clk 0 IT (9) 00008008 e1a00000 A svc : nop',
  '10 clk 1 IT (10) 00009010 e2811001 A svc : add r1, r1, #1',
];

describe.skipIf(missing !== undefined)('records of two processors', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      for (const name of ['two.txt', 'other.txt', 'third.txt']) writeFileSync(path(name), `${TRACE.join('\n')}\n`);
      return path('two.txt');
    });
    page = stage.page;
    await page.goto(stage.host.url);
    await page.locator('[data-record="2"] [data-fold=open]').waitFor();
  });
  afterAll(() => stage.close());

  it('indents calls only for the processor that makes them', async () => {
    const levels = await page
      .locator('[data-record]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-level')));
    expect(levels).toEqual(['1', '1', '1', '1', '2', '1', '2', '1', '1', '1']);
  });

  it('states that a folded call also hides records of the other processor', async () => {
    await page.locator('[data-record="2"] [data-fold=open]').click();
    // Records 4 to 7: two of the call, and two of the other processor in between.
    await page.locator('[data-record="2"]').getByText('4 records of all CPUs folded').waitFor();
    expect(await page.locator('[data-record="5"]').count()).toBe(0);
    await page.locator('[data-record="2"] [data-fold=folded]').click();
    await page.locator('[data-record="5"]').waitFor();
  });

  it('shows tracks of the CPU that the calls in time show, and names it', async () => {
    const overview = page.getByRole('region', { name: 'Overview', exact: true });
    const tracks = page.getByRole('button', { name: 'Tracks' });
    await tracks.click();
    await page.getByRole('menuitem', { name: 'Show Call depth' }).click();
    await overview.getByText('Call depth of CPU 0').waitFor();
    await overview.locator('[data-track=depth] .scale').getByText('0 to 1').waitFor();
    await tracks.click();
    await page.getByRole('menuitem', { name: 'Show calls of CPU 1' }).click();
    await overview.getByText('Call depth of CPU 1').waitFor();
    await keepScreenshot(page, 'journey-processors-1-tracks');
    await page.getByRole('tab', { name: 'Call tree' }).click();
    await page.getByRole('button', { name: 'Time order' }).click();
    const cpu = page.getByRole('region', { name: 'Call tree' }).getByRole('combobox', { name: 'CPU' });
    await expect.poll(() => cpu.inputValue()).toBe('1');
    await cpu.selectOption('CPU 0');
    await overview.getByText('Call depth of CPU 0').waitFor();
  });

  it('compares one CPU of two traces after a person has chosen it', async () => {
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.insertText('Compare with');
    await page.keyboard.press('Enter');
    await page.getByLabel('Path of the trace on this computer').fill(stage.folder.path('third.txt'));
    await page.keyboard.press('Enter');
    const pane = page.getByRole('region', { name: 'Compare', exact: true });
    const records = () =>
      page
        .locator('#compare-rows .row [data-side=a] .number')
        .evaluateAll((cells) => cells.map((cell) => Number(cell.textContent.trim())));
    await pane.getByRole('button', { name: 'CPU 1', exact: true }).click();
    await expect.poll(records).toEqual([1, 3, 5, 7, 9]);
    await pane.getByTitle('Compare another CPU').click();
    await pane.getByRole('button', { name: 'CPU 0', exact: true }).click();
    await expect.poll(records).toEqual([0, 2, 4, 6, 8]);
    await pane.getByText('No difference').waitFor();
    await page.getByRole('button', { name: 'Close Compare' }).click();
  });

  it('restores panes as they were when they or their trace come forward again', async () => {
    const tab = (name: string): Promise<void> => page.getByRole('tab', { name, exact: true }).click();
    const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
    const graph = page.getByRole('region', { name: 'Call graph' });
    const cpu = page.getByRole('region', { name: 'Call tree' }).getByRole('combobox', { name: 'CPU' });
    await tab('Branches');
    await button('Events').click();
    await page.getByRole('group', { name: 'Kinds of branches' }).getByText('return').click();
    await tab('Call tree');
    await button('Time order').click();
    await cpu.selectOption('CPU 1');

    await tab('Notes');
    await tab('Call graph');
    await graph.getByRole('button', { name: 'Show as table' }).click();
    await tab('Branches');
    await tab('Call tree');
    await expectLeft();

    await button('Open another trace').click();
    await page.getByPlaceholder('/path/to/trace').fill(stage.folder.path('other.txt'));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Left-heavy', pressed: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Edges', pressed: true }).count()).toBe(1);
    await page.getByRole('tab', { name: /two.txt/ }).click();
    await expectLeft();
    await tab('Call graph');
    await graph.getByRole('button', { name: 'Show as table', pressed: true }).waitFor();

    async function expectLeft(): Promise<void> {
      await page.getByRole('button', { name: 'Time order', pressed: true }).waitFor();
      await cpu.waitFor();
      expect(await cpu.inputValue()).toBe('1');
      await page.getByRole('button', { name: 'Events', pressed: true }).waitFor();
      await page.getByRole('button', { name: /return/, pressed: true }).waitFor();
    }
  });
});
