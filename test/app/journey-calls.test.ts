/**
 * Callers, callees and costs: the real engine and the built page, on a program with known calls. Covers the graph around a function,
 * its cycles and edges, the tree (left-heavy, over time, bottom-up), tables and figures, all by keyboard too and accessible in both
 * themes, and a graph as large as a program's.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallEdge, CallFunction, CallGraph } from '../../shared/requests/flow.ts';
import { encodeFrame, FRAMES_TYPE } from '../../shared/wire/frames.ts';
import { few, NIGHTLY } from '../short-form.ts';
import { violations } from './axe.ts';
import { contentOf, keepScreenshot } from './browser.ts';
import { openStage, whySkipped, withCallsAlone, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey through calls');

describe.skipIf(missing !== undefined)('calls in the browser', () => {
  let stage: Stage;
  let page: Page;
  const run = program();

  beforeAll(async () => {
    stage = await openStage(
      ({ path }) => {
        writeFileSync(path('program.txt'), run.text);
        writeFileSync(path('program.nm'), run.symbols);
        writeFileSync(path('late.txt'), late());
        writeFileSync(path('loops.txt'), twoLoops());
        return undefined;
      },
      { reducedMotion: 'reduce' },
    );
    page = stage.page;
    const open = stage.folder.path('program.txt');
    const images = JSON.stringify([{ path: stage.folder.path('program.nm') }]);
    await page.goto(`${stage.host.url}#${new URLSearchParams({ open, images }).toString()}`);
    await stands(0);
  });
  afterAll(() => stage.close());

  it('draws callers and callees around a function, cycles as one node, with exact counts', async () => {
    await page.keyboard.press('Shift+G');
    await box('main').waitFor();
    await pane('Call graph').getByText('5 functions, 7 edges').waitFor();
    await until(boxes).toEqual(['2 in a cycle', 'leaf', 'main', 'sort']);
    const { main_sort, sort_leaf, main_even, odd_leaf } = run.calls;
    expect(await counts()).toEqual([main_sort, sort_leaf, main_even, odd_leaf].sort());
    await pane('Call graph').getByText('Known from: instructions').waitFor();
    await pane('Call graph').getByText(`self ${run.self.main} (`).waitFor();
    await keepScreenshot(page, 'journey-calls-1-graph');
  });

  it('centres on a clicked function, goes to its first call on a double click, and back', async () => {
    await box('sort').click();
    await page.locator('.centre[data-box=sort]').waitFor();
    await box('sort').dblclick();
    await pane('Call graph')
      .getByText(`called ${run.calls.main_sort + run.calls.sort_sort} times`)
      .waitFor();
    await stands(run.first.sort);
    await until(boxes).toEqual(['leaf', 'main', 'sort']);
    await page.getByRole('button', { name: 'Previous centre' }).click();
    await page.keyboard.press('Shift+G');
    await page.getByRole('combobox', { name: /^Find a function/ }).click();
    await page.keyboard.type('lEa');
    await page.getByRole('option', { name: 'leaf' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.centre[data-box=leaf]').waitFor();
  });

  it('opens a cycle and walks the calls of an edge', async () => {
    await box('2 in a cycle').dblclick();
    await until(boxes).toEqual(['even', 'leaf', 'main', 'odd', 'sort']);
    await page.keyboard.press('Shift+G');
    await page.getByRole('button', { name: 'Show as table' }).last().click();
    await page.getByRole('button', { name: 'Edges' }).last().click();
    const table = page.getByRole('grid', { name: /^Edges: / });
    expect(await table.locator('[data-row]').count()).toBe(7);
    await page.getByLabel('Filter the table by name or address').fill('odd');
    await until(() => table.locator('[data-row]').count()).toBe(3);
    await keepScreenshot(page, 'journey-calls-2-edges');
    await page.getByRole('button', { name: 'Show as table' }).last().click();
    await clickLine('odd', 'leaf');
    await pane('Call graph').getByText('odd → leaf').waitFor();
    const [first = -1, second = -1, third = -1] = run.entered.odd_leaf;
    await page.getByRole('button', { name: 'First', exact: true }).click();
    await stands(first);
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await stands(second);
    await page.keyboard.press('c');
    await stands(third);
    await page.keyboard.press('Shift+C');
    await stands(second);
  });

  it('is usable by keyboard and screen reader', async () => {
    await page.keyboard.press('e');
    await page.locator('.centre[data-box=leaf]').waitFor();
    await page.locator('[role=application]:focus').waitFor();
    await page.keyboard.press('ArrowLeft');
    await spoken(/^leaf, called .* shown: .* callers and 0 callees/);
    await page.keyboard.press('ArrowLeft');
    // The most frequent caller.
    await spoken(/^sort, /);
    await page.keyboard.press('ArrowLeft');
    await spoken(/^main, /);
    await page.keyboard.press('ArrowRight');
    await spoken(/^even, /);
    await page.keyboard.press('Enter');
    await page.locator('.centre[data-box=even]').waitFor();
    await page.keyboard.press('Shift+Enter');
    await stands(run.first.even);
  });

  it('saves the graph and the tree as self-contained figures', async () => {
    await page.keyboard.press('Shift+G');
    const graph = await saved('call graph');
    expect(graph.name).toBe('program.txt.call-graph.svg');
    expect(graph.text).toContain('<title>Call graph around even in program.txt</title>');
    for (const name of ['main', 'even', 'odd', 'leaf']) expect(graph.text).toContain(`>${name}</text>`);
    expect(graph.text).not.toMatch(/var\(|class=|style=/);
    await page.keyboard.press('Shift+T');
    await frame().waitFor();
    const tree = await saved('call tree');
    expect(tree.name).toBe('program.txt.flame-graph.svg');
    expect(tree.text).toContain('>sort</text>');
  });

  it('draws callees below their callers, and zooms', async () => {
    await walk('Shift+T');
    await page.keyboard.press('ArrowDown');
    await spoken(
      new RegExp(
        `^main, called by nothing in the trace, self ${run.self.main} .*, total ${run.all} \\(100 %\\) instructions`,
      ),
    );
    await page.keyboard.press('ArrowDown');
    await spoken(/^(sort|even), called /);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Zoom out' }).waitFor();
    await keepScreenshot(page, 'journey-calls-3-zoomed');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Zoom out' }).waitFor({ state: 'detached' });
    await page.getByLabel('Find functions in the tree by name').fill('leaf');
    const share = Math.round((100 * run.self.leaf) / run.all);
    await pane('Call tree').getByRole('status').getByText(`, ${share} %`).waitFor();
    await page.getByLabel('Find functions in the tree by name').fill('');
    await page.getByRole('button', { name: 'Show as table' }).last().click();
    const table = page.getByRole('grid', { name: /^Call tree by instructions/ });
    await table.getByText('main, level 0, unfolded').waitFor();
    await keepScreenshot(page, 'journey-calls-4-table');
    await page.getByRole('button', { name: 'Show as table' }).last().click();
    await page.getByLabel('Find functions in the tree by name').fill('even');
    const frames = pane('Call tree').getByRole('status');
    await frames.getByText(/^[2-9] frames/).waitFor();
    await page.getByRole('button', { name: 'Fold recursion' }).click();
    await frames.getByText('1 frame,').waitFor();
    await keepScreenshot(page, 'journey-calls-4-folded');
    await page.getByRole('button', { name: 'Fold recursion' }).click();
    await page.getByLabel('Find functions in the tree by name').fill('');
    await page.getByRole('button', { name: 'Show as table' }).last().click();
    await page.getByRole('button', { name: 'Bottom-up' }).click();
    // Roots only, by self cost.
    const self = Object.entries(run.self).sort(([, a], [, b]) => b - a);
    await until(() => table.locator('[data-row] .name').allInnerTexts()).toHaveLength(self.length);
    expect(await table.locator('[data-row]').first().innerText()).toContain(String(self[0]?.[1]));
    const heads = ['Self', '%', 'Calls', 'Function, with its callers below'];
    expect(await table.getByRole('columnheader').allInnerTexts()).toEqual(heads);
    await page.getByRole('button', { name: 'Show as table' }).last().click();
  });

  it('shows calls over time, and zooms the range of all panes', async () => {
    await page.getByRole('button', { name: 'Time order' }).click();
    await walk('Shift+T');
    await page.keyboard.press('ArrowDown');
    await spoken(new RegExp(`^main, records 0 to ${run.all - 1}`));
    await page.keyboard.press('ArrowDown');
    await spoken(/^(sort|even), records/);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Whole trace' }).waitFor();
    await keepScreenshot(page, 'journey-calls-5-time');
    await page.keyboard.press('Shift+G');
    await pane('Call graph')
      .getByText(/edges? in the range/)
      .waitFor();
    await page.getByRole('button', { name: 'Range only' }).click();
    await pane('Call graph').getByText('5 functions, 7 edges').waitFor();
    await page.getByRole('button', { name: 'Range only' }).click();
    await page.keyboard.press('0');
    await walk('Shift+T');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Whole trace' }).waitFor({ state: 'detached' });
  });

  it('lists functions by cost with callers and callees beside them, and goes to their calls', async () => {
    await page.keyboard.press('Shift+H');
    const table = page.getByRole('grid', { name: /^Functions by instructions/ });
    const names = (): Promise<readonly string[]> =>
      table.locator('[data-row]').evaluateAll((rows) => rows.map((row) => row.lastElementChild?.textContent ?? ''));
    const bySelf = Object.entries(run.self).sort(([, a], [, b]) => b - a);
    await until(async () => (await names()).length).toBe(bySelf.length);
    expect([...(await names())].map((name) => run.self[name as Name])).toEqual(bySelf.map(([, self]) => self));
    await table.getByRole('button', { name: 'Total' }).click();
    await until(async () => (await names())[0]).toBe('main');
    expect(await table.getByRole('columnheader', { name: 'Total' }).getAttribute('aria-sort')).toBe('descending');
    await table.getByRole('button', { name: 'Function' }).click();
    await until(names).toEqual(['even', 'leaf', 'main', 'odd', 'sort']);

    await page.getByLabel('Find functions by name or address').fill('lea');
    await until(names).toEqual(['leaf']);
    await page.getByLabel('Find functions by name or address').fill('');
    await until(names).toHaveLength(5);
    await page.keyboard.press('Tab');
    await table.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    const callers = page.getByRole('grid', { name: /^Callers of leaf/ });
    await until(() => callers.locator('[data-row]').count()).toBe(2);
    const texts = await callers.locator('[data-row]').allInnerTexts();
    expect(texts.find((text) => text.includes('odd'))).toContain(String(run.calls.odd_leaf));
    await page.getByText('No callee is known.').waitFor();
    await page.keyboard.press('Enter');
    const [first = -1, second = -1, third = -1] = run.entered.leaf;
    await stands(first);
    for (const [key, n] of [
      ['n', second],
      ['n', third],
      ['p', second],
    ] as const) {
      await page.keyboard.press(key);
      await stands(n);
    }
    // A click selects and does not move the cursor; the page's keys then follow the same calls.
    await table.locator('[data-row]').nth(4).click();
    await page.getByRole('grid', { name: /^Callees of sort/ }).waitFor();
    await stands(second);
    await page.getByRole('button', { name: 'First call', exact: true }).click();
    await stands(run.first.sort);
    await page.keyboard.press('c');
    await stands(run.entered.sort[1] ?? -1);
    // All of the first sort is one call.
    await page.getByRole('button', { name: 'Longest call' }).click();
    await stands(run.first.sort);
    await callers
      .or(page.getByRole('grid', { name: /^Callers of sort/ }))
      .getByText('main')
      .click();
    await page.getByRole('grid', { name: /^Callees of main/ }).waitFor();
    await page.getByRole('button', { name: 'First call', exact: true }).and(page.locator(':disabled')).waitFor();
    await table.getByRole('button', { name: 'Self' }).click();
    await keepScreenshot(page, 'journey-calls-8-hot-spots');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await table.locator('[data-row]').filter({ hasText: 'leaf' }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Copy row as CSV' }).click();
    await page.locator('footer').getByText('Copied: the row as CSV').waitFor();
    const [, copied = ''] = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
    expect(copied.split(',').slice(0, 1)).toEqual(['leaf']);
    expect(copied.split(',')[5]).toBe(String(run.entered.leaf.length));
    await table.locator('[data-row]').filter({ hasText: 'leaf' }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Next call' }).click();
    await stands(run.entered.leaf.find((n) => n > run.first.sort) ?? -1);
    await table.locator('[data-row]').filter({ hasText: 'main' }).click();
  });

  if (NIGHTLY) {
    it('does not zoom past the last record, and shows the calls of the range', async () => {
      await walk('Shift+T');
      await page.getByRole('button', { name: 'Time order' }).click();
      await treeOf('all records');
      await walk('Shift+T');
      // The earlier choice is visible again, and walking continues from there.
      for (const key of ['Right', 'Right', 'Down', 'Down', 'Right']) await page.keyboard.press(`Arrow${key}`);
      await spoken(new RegExp(`^leaf, records ${run.all - 5} to ${run.all - 4}, 2 records`));
      await page.keyboard.press('Enter');
      await treeOf(`records ${run.all - 12} to ${run.all - 1}`);
      const chosen = pane('Call tree').getByRole('group', { name: 'Selected frame' });
      await chosen.getByText('leaf', { exact: true }).waitFor();
      // Calls open before the range are clipped to it and marked, since they start outside of the range.
      await walk('Shift+T');
      for (const name of ['odd', 'even']) {
        await page.keyboard.press('ArrowUp');
        await spoken(new RegExp(`^${name}, records`));
      }
      await page.keyboard.press('ArrowUp');
      await spoken(/^main, .*, its beginning is not in the trace$/);
      await page.keyboard.press('ArrowDown');
      await spoken(/^even, .*, since record \d+$/);
      const words = await chosen.innerText();
      const since = /since record (\d+)/.exec(words)?.[1];
      await page.keyboard.press('Shift+Enter');
      await stands(Number(since));
      await page.getByRole('button', { name: 'Left-heavy' }).click();
      await treeOf(`records ${run.all - 12} to ${run.all - 1}`);
      await walk('Shift+T');
      await page.keyboard.press('ArrowDown');
      await spoken(/^main, called by nothing in the range/);
      await page.keyboard.press('Shift+G');
      await pane('Call graph')
        .getByText(/edges? in the range/)
        .waitFor();
      await page.getByRole('combobox', { name: /^Find a function/ }).fill('main');
      await page.keyboard.press('Enter');
      await pane('Call graph').getByText('called by nothing in the range').waitFor();
      expect(await pane('Call graph').getByRole('button', { name: 'First call' }).count()).toBe(0);
      await page.locator('.centre[data-box=main]').dblclick();
      await page.getByText('No call of main is in the range.').waitFor();
      await page.keyboard.press('Control+1');
      await page.keyboard.press('0');
      await pane('Call graph').getByText('called by nothing in the trace').waitFor();
    });

    it('keeps the chosen edge when the range changes, and chooses an edge of the table by key', async () => {
      await page.keyboard.press('Shift+G');
      await page.locator('.centre[data-box=main]').waitFor();
      await clickLine('sort', 'leaf');
      const edge = pane('Call graph').getByText('sort → leaf');
      await edge.waitFor();
      // After the last call of sort: the remaining edges are drawn elsewhere.
      await zoomToEnd();
      await pane('Call graph')
        .getByText(/edges? in the range/)
        .waitFor();
      await edge.waitFor({ state: 'detached' });
      expect(await pane('Call graph').getByText(' → ').count()).toBe(0);
      await page.keyboard.press('0');
      await edge.waitFor();
      await page.keyboard.press('Shift+G');
      await page.getByRole('button', { name: 'Show as table' }).last().click();
      await page.getByRole('button', { name: 'Edges' }).last().click();
      await page.getByLabel('Filter the table by name or address').fill('odd');
      const table = page.getByRole('grid', { name: /^Edges: / });
      await until(() => table.locator('[data-row]').count()).toBe(3);
      const rows = await table.locator('[data-row]').allInnerTexts();
      await page.keyboard.press('Tab');
      await table.focus();
      await page.keyboard.press('Home');
      for (let at = rows.findIndex((row) => row.includes('leaf')); at > 0; at -= 1)
        await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      const [first = -1, second = -1] = run.entered.odd_leaf;
      await stands(first);
      await page.keyboard.press('c');
      await stands(second);
      await page.getByLabel('Filter the table by name or address').fill('');
      await page.getByRole('button', { name: 'Functions' }).last().click();
      await page.getByRole('button', { name: 'Show as table' }).last().click();
    });

    it('drops table columns that do not fit, and truncates no number or address', async () => {
      await page.setViewportSize({ width: 1000, height: 650 });
      await page.keyboard.press('Shift+B');
      await page.getByRole('grid', { name: /^Edges, most frequent first/ }).waitFor();
      expect(await beyond('Branches')).toEqual([]);
      await page.keyboard.press('Shift+G');
      await pane('Call graph').getByRole('button', { name: 'Show as table' }).click();
      for (const name of ['Edges', 'Functions']) {
        await pane('Call graph').getByRole('button', { name, exact: true }).click();
        await pane('Call graph').getByRole('row').nth(1).waitFor();
        expect(await beyond('Call graph')).toEqual([]);
      }
      await pane('Call graph').getByRole('button', { name: 'Show as table' }).click();
      await page.keyboard.press('Shift+T');
      await pane('Call tree').getByRole('button', { name: 'Show as table' }).click();
      for (const name of ['Left-heavy', 'Time order']) {
        await pane('Call tree').getByRole('button', { name }).click();
        await pane('Call tree').getByRole('row').nth(1).waitFor();
        expect(await beyond('Call tree')).toEqual([]);
      }
      await pane('Call tree').getByRole('button', { name: 'Show as table' }).click();
      await page.setViewportSize({ width: 1440, height: 900 });
    });
  }

  it('is accessible, as drawing and as table', async () => {
    for (const theme of few(['light', 'dark'] as const, 1)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      for (const key of ['Shift+G', 'Shift+T']) {
        await page.keyboard.press(key);
        for (let times = 0; times < 2; times += 1) {
          const pane = key === 'Shift+G' ? 'Call graph' : 'Call tree';
          expect(await violations(page, { include: `section[aria-label="${pane}"]` })).toEqual([]);
          await keepScreenshot(page, `journey-calls-6-${theme}-${key.at(-1)}-${times}`);
          await page.getByRole('button', { name: 'Show as table' }).last().click();
        }
      }
      await page.keyboard.press('Shift+H');
      await page.getByRole('grid', { name: /^Callees of/ }).waitFor();
      expect(await violations(page, { include: 'section[aria-label="Hot spots"]' })).toEqual([]);
      for (const [width, height] of [
        [1280, 720],
        [1920, 1080],
      ] as const) {
        await page.setViewportSize({ width, height });
        await keepScreenshot(page, `journey-calls-8-hot-spots-${theme}-${width}`);
      }
      await page.setViewportSize({ width: 1440, height: 900 });
    }
    await page.keyboard.press('Shift+T');
    await page.setViewportSize({ width: 640, height: 360 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(stage.errors).toEqual([]);
  });

  it('lists loops, and goes to where one was first entered', async () => {
    const images = JSON.stringify([{ path: stage.folder.path('program.nm') }]);
    await page.goto('about:blank');
    await page.goto(
      `${stage.host.url}#${new URLSearchParams({ open: stage.folder.path('loops.txt'), images }).toString()}`,
    );
    await page.locator('footer').getByText('Record 0 of 0 to 19').waitFor();
    await page.keyboard.press('Shift+H');
    await page.getByRole('button', { name: 'Loops', exact: true }).click();
    const table = page.getByRole('grid', { name: /^Loops: / });
    await until(async () => table.locator('[data-row]').allInnerTexts()).toHaveLength(2);
    const [outer, inner] = await table.locator('[data-row]').allInnerTexts();
    expect(outer).toMatch(/^90 %\s+1\s+1\s+0x8004/);
    expect(inner).toMatch(/^60 %\s+4\s+2\s+0x8008/);
    await table.getByText('within a loop').click();
    await pane('Hot spots').getByText('within the loop at').waitFor();
    for (const theme of few(['light', 'dark'] as const, 1)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      expect(await violations(page, { include: 'section[aria-label="Hot spots"]' })).toEqual([]);
      await keepScreenshot(page, `journey-calls-9-loops-${theme}`);
    }
    await page.keyboard.press('Control+End');
    await page.locator('footer').getByText('Record 19 of 0 to 19').waitFor();
    await page.getByRole('button', { name: 'First entry' }).click();
    await page.locator('footer').getByText('Record 2 of 0 to 19').waitFor();
    // The inner loop goes back to its header, which then is record 4, 6, 13 and 15.
    await table.getByText('within a loop').click();
    for (const n of [4, 6, 13]) {
      await page.getByRole('button', { name: 'Next iteration' }).click();
      await page.locator('footer').getByText(`Record ${n} of 0 to 19`).waitFor();
    }
    await table.focus();
    await page.keyboard.press('p');
    await page.locator('footer').getByText('Record 6 of 0 to 19').waitFor();
    await table.getByText('within a loop').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Next iteration' }).click();
    await page.locator('footer').getByText('Record 13 of 0 to 19').waitFor();
    // The charts zoom in around record 13: the outer loop was entered before, at record 2.
    await table.focus();
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('+');
    // A narrow head shows less of it.
    await pane('Hot spots')
      .getByTitle(/^2 loops, records \d+ to \d+$/)
      .waitFor();
    await table.getByText('entered before').first().click();
    await pane('Hot spots').getByText('entered before the range: that entry is not counted').waitFor();
    for (const [width, height, theme] of [
      [1280, 720, 'dark'],
      [1440, 900, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      await keepScreenshot(page, `journey-calls-10-loops-of-range-${theme}-${width}`);
    }
    await pane('Hot spots').getByRole('button', { name: 'Add the loops to the report' }).click();
    await page.getByRole('status').getByText('Added to the report').waitFor();
    await table.getByText('entered before').first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Add to report' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('0');
    await page.keyboard.press('Shift+T');
    await page.keyboard.press('Control+w');
  });

  it('explains why a format has no calls', async () => {
    await page.keyboard.press('Control+o');
    await page
      .getByLabel('Path of the trace on this computer')
      .fill(fileURLToPath(new URL('../samples/din/plain/trace.din', import.meta.url)));
    await page.keyboard.press('Enter');
    // The pane is closed at first, because it is empty.
    await page.getByRole('tab', { name: 'trace.din', selected: true }).waitFor();
    expect(await pane('Call tree').count()).toBe(0);
    await page.keyboard.press('Shift+T');
    await pane('Call tree').getByText('does not record program flow.').waitFor();
    await keepScreenshot(page, 'journey-calls-7-none');
    await page.keyboard.press('Control+w');
  });

  it('goes to a return that alone proves a call, and offers no call that is not in the trace', async () => {
    const images = JSON.stringify([{ path: stage.folder.path('program.nm') }]);
    await page.goto('about:blank');
    await page.goto(
      `${stage.host.url}#${new URLSearchParams({ open: stage.folder.path('late.txt'), images }).toString()}`,
    );
    await page.locator('footer').getByText('Record 0 of 0 to 2').waitFor();
    await page.keyboard.press('Shift+G');
    await clickLine('even', 'sort');
    const detail = pane('Call graph').getByRole('group', { name: 'Selected function or edge' });
    await detail.getByText('not in the trace: inferred from its return').waitFor();
    expect(await detail.getByRole('button').allInnerTexts()).toEqual(['Return', '1 note']);
    await detail.getByRole('button', { name: 'Return' }).click();
    await page.locator('footer').getByText('Record 1 of 0 to 2').waitFor();
  });

  if (NIGHTLY) {
    it('draws a part of 20,000 functions and 100,000 edges, finds any function and lists all', async () => {
      await page.route('**/api/calls', (route) =>
        route.fulfill({
          contentType: FRAMES_TYPE,
          body: Buffer.from(encodeFrame({ answer: { ok: true, value: large() } })),
        }),
      );
      await page.goto('about:blank');
      const open = stage.folder.path('late.txt');
      await page.goto(withCallsAlone(`${stage.host.url}#${new URLSearchParams({ open }).toString()}`));
      await page
        .locator('footer')
        .getByText(/^Record/)
        .waitFor();
      await page.keyboard.press('Shift+G');
      await pane('Call graph').getByText('20,000 functions, 100,000 edges').waitFor();
      await page.getByRole('combobox', { name: /^Find a function/ }).click();
      await page.keyboard.type('function_777');
      await page.getByText('11 functions, shares of instructions').waitFor();
      await page.keyboard.press('Enter');
      await page.locator('.centre[data-box=function_777]').waitFor();
      await pane('Call graph').getByLabel('At most').selectOption('100');
      await pane('Call graph').getByLabel('Steps').selectOption('6');
      await pane('Call graph').getByText('100 of 20,000 functions are shown').waitFor();
      await keepScreenshot(page, 'journey-calls-8-large');
      await page.getByRole('button', { name: 'Show as table' }).last().click();
      const table = page.getByRole('grid', { name: /^Functions by instructions/ });
      expect(await table.getAttribute('aria-rowcount')).toBe('20001');
      expect(await table.locator('[data-row]').count()).toBeLessThan(60);
      await page.keyboard.press('Tab');
      await table.focus();
      await page.keyboard.press('End');
      await table.locator('[data-row="19999"]').waitFor();
    });
  }

  function pane(name: string): Locator {
    return page.locator(`section[aria-label="${name}"]`);
  }

  /** Goes to a pane by its key, until its chart has the arrow keys. */
  async function walk(key: string): Promise<void> {
    await page.keyboard.press(key);
    await page.locator('[role=application]:focus').waitFor();
  }

  /** Contents of cells that extend past the rows of a pane's table. */
  function beyond(name: string): Promise<readonly string[]> {
    return pane(name).evaluate((section) => {
      const right = section.querySelector('.view')?.getBoundingClientRect().right ?? 0;
      const cells = [...section.querySelectorAll('[role=gridcell]')];
      return cells.filter((cell) => cell.getBoundingClientRect().right > right).map((cell) => cell.textContent);
    });
  }

  /** Waits until the call tree shows these records: a frame chosen before is not in the next answer. */
  async function treeOf(records: string): Promise<void> {
    await pane('Call tree').getByText(records, { exact: true }).waitFor();
  }

  function frame(): Locator {
    return page.locator('canvas[data-chart=call-tree]');
  }

  function box(title: string): Locator {
    return page.locator(`[data-box="${title}"]`);
  }

  async function boxes(): Promise<readonly string[]> {
    const titles = await page
      .locator('[data-box]')
      .evaluateAll((all) => all.map((each) => each.getAttribute('data-box') ?? ''));
    return titles.sort();
  }

  async function counts(): Promise<readonly number[]> {
    const all = await page
      .locator('[data-link]')
      .evaluateAll((links) => links.map((each) => Number(each.getAttribute('data-link'))));
    return all.sort();
  }

  async function clickLine(from: string, to: string): Promise<void> {
    const at = await page.locator(`[data-ends="${from} ${to}"] path`).evaluate((path: SVGPathElement) => {
      const { x, y } = path
        .getPointAtLength(path.getTotalLength() / 2)
        .matrixTransform(path.getScreenCTM() ?? undefined);
      return { x, y };
    });
    await page.mouse.click(at.x, at.y);
  }

  /** Zooms around the last record until the charts show the minimum range. */
  async function zoomToEnd(): Promise<void> {
    await page.keyboard.press('Control+3');
    await page.keyboard.press('Control+End');
    for (let times = 0; times < 6; times += 1) await page.keyboard.press('+');
  }

  async function spoken(text: RegExp): Promise<void> {
    await page.locator('[role=application] [aria-live]').getByText(text).waitFor();
  }

  async function saved(chart: string): Promise<{ readonly name: string; readonly text: string }> {
    await page.getByRole('button', { name: `Export figure of the ${chart}` }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'SVG' }).click(),
    ]);
    return { name: download.suggestedFilename(), text: (await contentOf(download)).toString() };
  }

  async function stands(n: number): Promise<void> {
    await page
      .locator('footer')
      .getByText(`Record ${n} of 0 to ${run.all - 1}`)
      .waitFor();
  }
});

/** Waits as long as a slow machine needs: only a broken page times out. */
function until<T>(look: () => T | Promise<T>) {
  return expect.poll(look);
}

const ENTRIES = { main: 0x8000, sort: 0x8800, even: 0x9000, odd: 0x9100, leaf: 0x9200 } as const;
type Name = keyof typeof ENTRIES;

/** A run in QEMU4V form, with one instruction per line and all its calls counted. */
function program() {
  const lines: string[] = [];
  const self = { main: 0, sort: 0, even: 0, odd: 0, leaf: 0 };
  const first = { main: 0, sort: -1, even: -1, odd: -1, leaf: -1 };
  const calls = { main_sort: 0, sort_sort: 0, sort_leaf: 0, main_even: 0, even_odd: 0, odd_even: 0, odd_leaf: 0 };
  /** Records at which an edge, or functions, were entered. */
  const entered = { odd_leaf: [] as number[], leaf: [] as number[], sort: [] as number[] };

  function step(fn: Name, offset: number, opcode: number, text: string): void {
    self[fn] += 1;
    const address = (ENTRIES[fn] + offset).toString(16).padStart(8, '0');
    lines.push(
      `${lines.length} clk 0 IT (${lines.length}) ${address} ${opcode.toString(16).padStart(8, '0')} A svc : ${text}`,
    );
  }
  function call(from: Name, offset: number, to: Name, body: () => void): void {
    const distance = ((ENTRIES[to] - ENTRIES[from] - offset - 8) >>> 2) & 0xff_ffff;
    step(from, offset, 0xeb00_0000 + distance, `bl #0x${ENTRIES[to].toString(16)}`);
    calls[`${from}_${to}` as keyof typeof calls] += 1;
    if (first[to] < 0) first[to] = lines.length;
    if (from === 'odd' && to === 'leaf') entered.odd_leaf.push(lines.length);
    if (to === 'leaf' || to === 'sort') entered[to].push(lines.length);
    body();
  }
  function leaf(): void {
    step('leaf', 0, 0xe280_0001, 'add r0, r0, #1');
    step('leaf', 4, 0xe12f_ff1e, 'bx lr');
  }
  /** Calls `next` until it has come to its end. */
  function round(fn: Name, left: number, next: Name, body: () => void): void {
    step(fn, 0, 0xe52d_e004, 'push {lr}');
    if (left === 0) step(fn, 4, 0x0a00_0000, 'beq #+8');
    else {
      step(fn, 4, 0x1a00_0000 - 1, 'nop');
      call(fn, 8, next, body);
    }
  }
  function sort(left: number): void {
    round('sort', left, 'sort', () => sort(left - 1));
    call('sort', 12, 'leaf', leaf);
    step('sort', 16, 0xe49d_f004, 'pop {pc}');
  }
  function even(left: number): void {
    round('even', left, 'odd', () => odd(left - 1));
    step('even', 12, 0xe49d_f004, 'pop {pc}');
  }
  function odd(left: number): void {
    round('odd', left, 'even', () => even(left - 1));
    call('odd', 12, 'leaf', leaf);
    step('odd', 16, 0xe49d_f004, 'pop {pc}');
  }

  step('main', 0, 0xe3a0_0000, 'mov r0, #0');
  call('main', 4, 'sort', () => sort(3));
  call('main', 8, 'even', () => even(2));
  call('main', 12, 'even', () => even(3));
  step('main', 16, 0xe1a0_0000, 'mov r0, r0');
  const symbols = Object.entries(ENTRIES).map(
    ([name, address]) => `${address.toString(16).padStart(8, '0')} T ${name}\n`,
  );
  return { text: `${lines.join('\n')}\n`, symbols: symbols.join(''), self, first, calls, entered, all: lines.length };
}

/** Begins in a function at 0x8800 that returns to one which continues at 0x9004. */
function late(): string {
  const lines = ['00008800 e12fff1e A svc : bx lr', '00009004 e2800001 A svc : add r0, r0, #1'];
  return [...lines, '00009008 e2800001 A svc : add r0, r0, #1']
    .map((line, n) => `${n} clk 0 IT (${n}) ${line}\n`)
    .join('');
}

/** main falls into a loop (8004 to 8014, twice) around another one (8008 to 800c, three times each). */
function twoLoops(): string {
  const inner = Array.from({ length: 3 }, () => [
    '8008 e2511001 A svc : subs r1, r1, #1',
    '800c 1afffffd A svc : bne #0x8008',
  ]);
  const outer = [
    '8004 e3a01003 A svc : mov r1, #3',
    ...inner.flat(),
    '8010 e2500001 A svc : subs r0, r0, #1',
    '8014 1afffffa A svc : bne #0x8004',
  ];
  return ['8000 e3a00002 A svc : mov r0, #2', ...outer, ...outer, '8018 e1a00000 A svc : nop']
    .map((line, n) => `${n} clk 0 IT (${n}) 0000${line}\n`)
    .join('');
}

function large(): CallGraph {
  const id = (at: number): string => `0x${(0x10000 + 64 * at).toString(16)}`;
  const functions = Array.from({ length: 20_000 }, (_, at): CallFunction => {
    const address = `0x${(0x10000 + 64 * at).toString(16)}` as const;
    return {
      id: id(at),
      name: `function_${at}`,
      address,
      aliases: [],
      calls: 5,
      self: 20_000 - at,
      total: 40_000 - at,
    };
  });
  const edges = Array.from({ length: 100_000 }, (_, at): CallEdge => {
    const caller = at % 20_000;
    const callee = (caller * 7 + Math.floor(at / 20_000) * 131 + 1) % 20_000;
    return {
      caller: id(caller),
      callee: id(callee),
      count: 100_000 - at,
      inferred: at % 3 === 0,
      kind: 'call',
      first: at,
      last: at,
    };
  });
  const reach = { records: 100, bytes: 1000, complete: true };
  return {
    evidence: 'instructions',
    unit: 'instructions',
    functions,
    edges,
    depth: { max: 9, calls: 9 },
    notes: [],
    reach,
  };
}
