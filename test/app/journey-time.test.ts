/** The overview answers what happened over time: phases, functions, depths and values on one axis, by mouse and by keyboard. */
import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';
import { idle } from './stories/scene.ts';

const missing = whySkipped('The journey through time');

/** `main` calls `fill`, which counts 200 instructions in r0, and then `add`, which does so in r1. */
function traceText(): string {
  const lines: string[] = [];
  let id = 0;
  const run = (address: number, code: string, text: string): void => {
    id++;
    lines.push(`${id} clk 0 IT (${id}) ${address.toString(16).padStart(8, '0')} ${code} A svc : ${text}`);
  };
  const body = (start: number, register: string): void => {
    for (let at = 0; at < 200; at++) {
      run(start + 4 * at, 'e1a00000', 'nop');
      lines.push(`${id} clk R ${register} ${(at + 1).toString(16).padStart(8, '0')}`);
    }
    run(start + 800, 'e12fff1e', 'bx lr');
  };
  run(0x8000, 'eb00003e', 'bl 8100 <fill>');
  body(0x8100, 'r0');
  run(0x8004, 'eb00017d', 'bl 8600 <add>');
  body(0x8600, 'r1');
  run(0x8008, 'e1a00000', 'nop');
  return `${lines.join('\n')}\n`;
}

const SYMBOLS = '00008000 00000020 T main\n00008100 00000400 T fill\n00008600 00000400 T add\n';
/** Records 0, 402 and 804 are of `main`; 401 records of each function follow the first two. Columns are 3 or 4 records wide. */
const [FIRST, SECOND] = [/Records 0 to 402: fill (99|100) %/, /Records 403 to 804: add (99|100) %/];

describe.skipIf(missing !== undefined)('what happened over time', () => {
  let stage: Stage;
  let page: Page;
  const pane = () => page.getByRole('region', { name: 'Overview', exact: true });
  const strip = () => page.getByRole('application', { name: /^Overview of the trace/ });

  beforeAll(async () => {
    stage = await openStage(
      ({ path }) => {
        writeFileSync(path('time.log'), traceText());
        writeFileSync(path('symbols.txt'), SYMBOLS);
        return { path: path('time.log'), images: [{ path: path('symbols.txt') }] };
      },
      { viewport: { width: 1280, height: 720 } },
    );
    page = stage.page;
    await page.goto(stage.host.url);
    await page.locator('footer').getByText('of 0 to 804').waitFor();
  });
  afterAll(() => stage.close());

  async function spoken(text: RegExp): Promise<void> {
    await pane().locator('.spoken').getByText(text).waitFor();
  }

  async function press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await page.keyboard.press(key);
  }

  async function show(track: string): Promise<void> {
    await page.getByRole('button', { name: 'Tracks' }).click();
    await page.getByRole('menuitem', { name: `Show ${track}` }).click();
    await pane().locator('[data-track] .name').getByText(track).waitFor();
  }

  it('names phases by their dominant functions, and selects one by key and by mouse', async () => {
    await pane().locator('[data-track="phases"] .missing').waitFor({ state: 'detached' });
    await strip().focus();
    await press('ArrowDown', 'ArrowRight');
    await spoken(FIRST);
    await press('ArrowRight');
    await spoken(SECOND);
    await press('Enter');
    await page.locator('footer').getByText('Range 403 to 804').waitFor();
    const box = (await pane().locator('[data-track="phases"]').boundingBox())!;
    await page.mouse.click(box.x + box.width / 4, box.y + box.height / 2);
    await page.locator('footer').getByText('Range 0 to 402').waitFor();
    await press('0');
  });

  it('shows notes in the heads of panes in a form that fits, and the longest one at the pointer', async () => {
    for (const key of ['Control+4', 'Control+7', 'Shift+B', 'Shift+H', 'Control+2']) {
      await press(key);
      await idle(page);
      await expect.poll(() => cutNotes(page)).toEqual([]);
    }
    expect(await page.locator('[data-pane=heatmap] header .note').innerText()).toBe('all');
    await page.locator('[data-pane=heatmap] header .note[title="whole trace"]').waitFor();
    await keepScreenshot(page, 'journey-time-0-notes');
  });

  it('adds tracks of functions, depths and registers, and reads them at any place', async () => {
    await show('Function');
    await show('Call depth');
    await show('Accesses');
    await page.locator('[data-effect="2"]').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Show as a track' }).click();
    await pane().locator('[data-track="register 0 r0"] .scale').getByText('0x1 to 0xc8').waitFor();
    await strip().focus();
    await press('ArrowRight', 'ArrowDown', 'ArrowDown');
    // Both functions have one of the two records; `main` comes first.
    await spoken(/^Function\. Records 0 to 1: Function: main for 50 %/);
    await press('ArrowDown');
    await spoken(/^Call depth\. Records 0 to 1: Call depth: 0 to 1/);
    const box = (await strip().boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.75, box.y + 20);
    await pane()
      .getByText(/^Function: add for 100 %/)
      .waitFor();
    // Its last value, as `add` does not set it.
    await pane()
      .getByText(/^r0 of CPU 0: 0xc8 after record/)
      .waitFor();
    await keepScreenshot(page, 'journey-time-1-tracks');
    await page.mouse.move(0, 0);
    expect(await violations(page, { include: '[data-pane="overview"]' })).toEqual([]);
  });

  it('gives charts in stacked panes one axis', async () => {
    await page.setViewportSize({ width: 1440, height: 1500 });
    await dockBelow('Heatmap', 'Overview');
    await page.getByRole('tab', { name: 'Call tree' }).click();
    await page.getByRole('button', { name: 'Time order' }).click();
    await dockBelow('Call tree', 'Heatmap');
    const charts = [
      strip(),
      page.getByRole('application', { name: /^Heatmap/ }),
      page.getByRole('application', { name: /^Call tree/ }),
    ];
    const edges = () =>
      Promise.all(
        charts.map(async (chart) => {
          const { x, width } = (await chart.boundingBox())!;
          return [Math.round(x), Math.round(x + width)];
        }),
      );
    await expect.poll(async () => new Set((await edges()).map(String)).size).toBe(1);
    const [[left = 0] = []] = await edges();
    await keepScreenshot(page, 'journey-time-2-stacked');
    // Without the list beside the heatmap, all charts are wider.
    await page.getByRole('button', { name: 'List the hottest addresses' }).click();
    await expect.poll(async () => new Set((await edges()).map(String)).size).toBe(1);
    await page.emulateMedia({ colorScheme: 'light' });
    await keepScreenshot(page, 'journey-time-2-stacked-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    // A pane elsewhere needs no room for the scales of the heatmap.
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type('Reset layout');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await strip().boundingBox())!.x).toBeLessThan(left);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  async function dockBelow(tab: string, target: string): Promise<void> {
    const box = (await page.getByRole('tab', { name: tab, exact: true }).boundingBox())!;
    const to = (await page.getByRole('region', { name: target, exact: true }).boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width / 2, to.y + to.height - 12, { steps: 4 });
    await page.mouse.up();
    const region = page.getByRole('region', { name: tab, exact: true });
    await expect.poll(async () => (await region.boundingBox())!.y).toBeGreaterThan(to.y);
  }

  it('lists the phases as a table, and keeps the tracks with the trace', async () => {
    await pane().getByRole('button', { name: 'Show as table' }).click();
    const rows = pane()
      .getByRole('table', { name: /^Phases/ })
      .getByRole('row');
    expect((await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
      'Records Share Functions',
      expect.stringMatching(/^0 to 402 50 % fill/),
      expect.stringMatching(/^403 to 804 50 % add/),
    ]);
    expect(await violations(page, { include: '[data-pane="overview"]' })).toEqual([]);
    await page.reload();
    await pane().locator('[data-track="register 0 r0"] .scale').getByText('0x1 to 0xc8').waitFor();
    expect(stage.errors).toEqual([]);
  });
});

/** Notes that do not fit into the heads of their panes. */
async function cutNotes(page: Page): Promise<readonly string[]> {
  return page.locator('header .note').evaluateAll((notes) =>
    notes.flatMap((note) => {
      const range = document.createRange();
      range.selectNode(note.firstChild ?? note);
      return range.getBoundingClientRect().width > note.getBoundingClientRect().width + 0.5 ? [range.toString()] : [];
    }),
  );
}
