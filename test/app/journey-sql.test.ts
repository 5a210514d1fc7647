/** Questions in SQL, on a program with its image: completion, recipes, jumps, charts, saved queries, and the report that repeats them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { keepScreenshots } from './browser.ts';
import { indexed, openStage, whySkipped, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey through SQL');

const sample = (name: string): string => fileURLToPath(new URL(`../samples/${name}`, import.meta.url));
const program = 'tarmac/fault-off-by-one';

describe.skipIf(missing !== undefined)('SQL in the browser', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      writeFileSync(path('program.txt'), readFileSync(sample(`${program}/trace.txt`)));
      return { path: path('program.txt'), images: [{ path: sample(`${program}/program.elf`) }] };
    });
    page = stage.page;
    await page.goto(stage.host.url);
    await page
      .locator('footer')
      .getByText(/of 0 to/)
      .waitFor();
  });
  afterAll(() => stage.close());

  it('teaches with examples, which run', async () => {
    await page.keyboard.press('Alt+q');
    await editor().waitFor();
    await shoot('1-empty');
    expect(await violations(page, { changed: '[data-pane=sql]' })).toEqual([]);
    await pane().getByRole('button', { name: 'Count the records of each kind' }).press('Enter');
    const { kinds } = await info();
    const expected = Object.entries(kinds)
      .sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1))
      .map(([kind, count]) => `${kind} ${String(count)}`);
    await until(async () => (await rows()).toSorted()).toEqual(expected.toSorted());
    await shoot('2-example');
    expect(await violations(page, { changed: '[data-pane=sql]' })).toEqual([]);
  });

  it('completes tables, columns and functions, and executes by key', async () => {
    await editor().focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('SELECT n, fun');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('SELECT n, end_n, function, address FROM cal');
    await option('calls').waitFor();
    await shoot('3-completion');
    expect(await violations(page, { changed: '[data-pane=sql]' })).toEqual([]);
    await page.keyboard.press('Enter');
    await page.keyboard.type(' AS c WHERE c.dep');
    await option('depth').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type(' >= 0 AND stack_a');
    await option('stack_at').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type("c.n) LIKE '%'");
    await until(text).toBe(
      "SELECT n, end_n, function, address FROM calls AS c WHERE c.depth >= 0 AND stack_at(c.n) LIKE '%'",
    );
    await page.keyboard.press('Control+Enter');
    const calls = await answer(await text());
    await until(async () => (await rows()).length).toBe(calls.length);
    // Single keys of the page are text here.
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('goes from rows to records and to memory, by pointer and by keyboard', async () => {
    const [first, second] = await answer(await text());
    await page.locator('#query-rows').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await at(Number(second![0]));
    await pane().locator('#query-rows [data-row="0"]').getByTitle('Go to this record').first().click();
    await at(Number(first![0]));
    await pane().locator('#query-rows [data-row="1"]').getByTitle('Show in Memory').click();
    await at(Number(second![0]));
    await page.getByRole('tab', { name: 'Memory', selected: true }).waitFor();
    await page.keyboard.press('Alt+q');
    await shoot('4-rows');
    await page.locator('#query-rows').focus();
    await page.keyboard.press('Shift+F10');
    for (const name of ['Go there', 'Show in Memory', 'Copy table as CSV'])
      await page.getByRole('menuitem', { name }).waitFor();
    await page.keyboard.press('Escape');
    expect(await violations(page, { changed: '[data-pane=sql]' })).toEqual([]);
  });

  it('underlines what a message of SQLite names', async () => {
    await write('SELECT n, nowhere FROM records');
    await page.keyboard.press('Control+Enter');
    await pane().getByRole('alert').getByText('No such column: nowhere.').waitFor();
    await until(() => pane().locator('.cm-wrong').allTextContents()).toEqual(['nowhere']);
    await shoot('5-error');
    expect(await violations(page, { changed: '[data-pane=sql]' })).toEqual([]);
    await write('SELECT n FROM records LIMIT 3');
    await page.keyboard.press('Control+Enter');
    await until(rows).toEqual(['0', '1', '2']);
    expect(await pane().getByRole('alert').count()).toBe(0);
  });

  it('shows the progress of a long statement, and stops it by Escape', async () => {
    await write('WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c');
    await page.keyboard.press('Control+Enter');
    await pane().getByRole('progressbar', { name: 'Executing, rows read:' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('status').getByText('The statement was stopped.').waitFor();
    await pane().getByRole('button', { name: 'Run' }).waitFor();
  });

  it('says when there are more rows than the limit', async () => {
    await write('WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c LIMIT 1500');
    await page.keyboard.press('Control+Enter');
    await pane()
      .getByText(/^1,000 rows, and more in /)
      .waitFor();
    await pane().getByRole('button', { name: 'Show 10,000' }).click();
    await pane()
      .getByText(/^1,500 rows in /)
      .first()
      .waitFor();
  });

  it('fills in a recipe, asks for its parameters, and executes it', async () => {
    await pane().getByRole('button', { name: 'Recipes' }).press('Enter');
    await page.keyboard.press('c');
    await page.keyboard.press('Enter');
    const field = pane().getByRole('textbox', { name: ':function' });
    await until(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Give the parameter :function a value.').waitFor();
    const [called] = await answer('SELECT function FROM calls WHERE caller IS NOT NULL LIMIT 1');
    await page.keyboard.type(String(called![0]));
    await page.keyboard.press('Enter');
    await until(async () => (await rows()).length > 0).toBe(true);
    await shoot('6-recipe');
    expect(await violations(page, { changed: '[data-pane=sql]' })).toEqual([]);
  });

  it('draws a result, which the keyboard walks', async () => {
    await write('SELECT n, size FROM accesses ORDER BY n DESC LIMIT 20');
    await page.keyboard.press('Control+Enter');
    await pane()
      .getByText(/^20 rows in /)
      .first()
      .waitFor();
    await pane().getByRole('button', { name: 'Chart' }).press('Enter');
    const chart = pane().getByRole('application', { name: /^size over n, 20 rows/ });
    await chart.focus();
    await page.keyboard.press('End');
    const [latest] = await answer('SELECT n, size FROM accesses ORDER BY n DESC LIMIT 1');
    await pane()
      .getByText(`n ${String(latest![0])}: size ${String(latest![1])}`, { exact: true })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await at(Number(latest![0]));
    await shoot('7-chart');
    await write('SELECT function, count(*) AS calls FROM calls GROUP BY function');
    await page.keyboard.press('Control+Enter');
    await pane()
      .getByRole('grid', { name: /^Bars of calls of each function/ })
      .getByText('sum_of')
      .waitFor();
    await shoot('8-bars');
    expect(await violations(page, { changed: '[data-pane=sql]' })).toEqual([]);
  });

  it('draws the columns that a person chooses, and keeps them with a saved query', async () => {
    await write('SELECT function, count(*) AS calls, max(n) AS latest_n FROM calls GROUP BY function');
    await page.keyboard.press('Control+Enter');
    const columns = pane().getByRole('group', { name: 'Columns of the chart' });
    // The chart of the statement before has no such column.
    await columns.getByRole('option', { name: 'latest_n' }).first().waitFor({ state: 'attached' });
    expect(await columns.getByLabel('Labels').inputValue()).toBe('function');
    await columns.getByLabel('Values').focus();
    await page.keyboard.press('ArrowDown');
    const [latest] = await answer("SELECT max(n) FROM calls WHERE function = 'sum_of'");
    await pane()
      .getByRole('grid', { name: /^Bars of latest_n of each function/ })
      .getByText(Number(latest![0]).toLocaleString('en'))
      .waitFor();
    await columns.getByLabel('Labels').selectOption('calls');
    await pane()
      .getByRole('application', { name: /^latest_n over calls/ })
      .waitFor();
    await shoot('8-columns');
    expect(await violations(page, { changed: '[data-pane=sql]' })).toEqual([]);
    await pane().getByRole('textbox', { name: 'Title of the query' }).fill('Latest');
    await pane().getByRole('button', { name: 'Save in the notebook' }).press('Enter');
    await page.getByRole('status').getByText('The query Latest was saved in the notebook').waitFor();
    await columns.getByLabel('Values').selectOption('calls');
    await pane().getByRole('button', { name: 'Saved', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Latest' }).click();
    await page.keyboard.press('Control+Enter');
    await pane()
      .getByRole('application', { name: /^latest_n over calls/ })
      .waitFor();
    await pane().getByRole('button', { name: 'Remove from the notebook' }).press('Enter');
    await pane().getByRole('button', { name: 'Remove from the notebook' }).waitFor({ state: 'detached' });
    await pane().getByRole('button', { name: 'Table' }).press('Enter');
  });

  it('saves a query in the notebook, and adds it to the report, which is verified', async () => {
    await write('SELECT kind, count(*) AS records FROM records WHERE n < :to GROUP BY kind');
    await pane().getByRole('textbox', { name: ':to' }).fill('50');
    await pane().getByRole('textbox', { name: 'Title of the query' }).fill('Kinds at the start');
    await pane().getByRole('button', { name: 'Save in the notebook' }).press('Enter');
    await page.getByRole('status').getByText('The query Kinds at the start was saved').waitFor();
    await pane().getByRole('button', { name: 'Run' }).press('Enter');
    await pane()
      .getByText(/^\d+ rows in /)
      .first()
      .waitFor();
    await pane().getByRole('button', { name: 'Add to the report' }).press('Enter');
    await page.getByRole('status').getByText('Added to the report').waitFor();
    await page.keyboard.press('Shift+P');
    await page.locator('[data-part]').filter({ hasText: 'Kinds at the start' }).waitFor();
    const preview = page.frameLocator('iframe:not([inert])');
    await preview.getByRole('heading', { name: 'Kinds at the start' }).waitFor();
    await shoot('9-report');
    expect(await violations(page, { changed: '[data-pane=report]' })).toEqual([]);
    const { client } = stage.host;
    const trace = await open();
    const plan = {
      title: 'Query',
      parts: [
        {
          kind: 'query',
          title: 'Kinds at the start',
          sql: 'SELECT kind, count(*) AS records FROM records WHERE n < :to GROUP BY kind',
          set: { to: '50' },
        },
      ],
    } as const;
    const made = await client.request('report', { trace, plan, as: 'html' });
    if (!made.ok) throw new Error(made.error.message);
    const report = new TextDecoder().decode(made.value.files[0]?.bytes);
    const checked = await client.request('verify', { trace, report });
    expect(checked).toMatchObject({ ok: true, value: { checked: 1, differing: [] } });
    const changed = await client.request('verify', { trace, report: report.replaceAll('"to":"50"', '"to":"40"') });
    expect(changed.ok && changed.value.differing.length).not.toBe(0);
  });

  it('opens a saved query after the page was loaded again', async () => {
    await page.reload();
    await page
      .locator('footer')
      .getByText(/of 0 to/)
      .waitFor();
    await page.keyboard.press('Alt+q');
    await editor().waitFor();
    await write('SELECT 1');
    await pane().getByRole('button', { name: 'Saved' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Kinds at the start' }).press('Enter');
    await until(text).toBe('SELECT kind, count(*) AS records FROM records WHERE n < :to GROUP BY kind');
    expect(await pane().getByRole('textbox', { name: ':to' }).inputValue()).toBe('50');
    await page.getByRole('tab', { name: 'Notes' }).click();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByText('A saved view restores the cursor').waitFor();
  });

  it.each([
    'byu6/complete/trace.byu',
    'btm/real-normal/trace.csv',
    'armtracer/seed/trace.txt',
    'xscale/openocd-real-sequence/trace.openocd',
    'tarmac/arm-sort/trace.txt',
  ])('executes a statement over %s', async (name) => {
    const path = stage.folder.path(name.replaceAll('/', '-'));
    writeFileSync(path, readFileSync(sample(name)));
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace on this computer').fill(path);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: name.replaceAll('/', '-') }).waitFor();
    await page
      .locator('footer')
      .getByText(/of 0 to/)
      .waitFor();
    await page.keyboard.press('Alt+q');
    await pane().getByRole('button', { name: 'Count the records of each kind' }).waitFor();
    await write('SELECT max(n) + 1 AS records FROM records');
    await page.keyboard.press('Control+Enter');
    const { client } = stage.host;
    const opened = await client.request('open', { path });
    if (!opened.ok) throw new Error(opened.error.message);
    const index = await client.request('index', { trace: opened.value.trace });
    if (!index.ok) throw new Error(index.error.message);
    await until(rows).toEqual([String(index.value.records)]);
  });

  it('reports no errors', () => {
    expect(stage.errors).toEqual([]);
  });

  type Cells = readonly (string | number | null)[];

  async function open(): Promise<string> {
    return indexed(stage.host, stage.folder.path('program.txt'));
  }

  async function info(): Promise<{ readonly kinds: Readonly<Record<string, number>> }> {
    const found = await stage.host.client.request('info', { trace: await open() });
    if (!found.ok) throw new Error(found.error.message);
    return found.value;
  }

  async function answer(sql: string): Promise<readonly Cells[]> {
    const { client } = stage.host;
    const images = [{ path: sample(`${program}/program.elf`) }];
    const opened = await client.request('open', { path: stage.folder.path('program.txt'), images });
    if (!opened.ok) throw new Error(opened.error.message);
    const found = await client.request('sql', { trace: opened.value.trace, sql });
    if (!found.ok) throw new Error(found.error.message);
    return found.value.rows;
  }

  function shoot(name: string): Promise<void> {
    return keepScreenshots(page, `journey-sql-${name}`);
  }

  function pane(): Locator {
    return page.getByRole('region', { name: 'SQL', exact: true });
  }

  function editor(): Locator {
    return pane().getByRole('textbox', { name: /^Statement of SQL/ });
  }

  function option(label: string): Locator {
    return pane().getByRole('option', { name: new RegExp(`^${label}`), selected: true });
  }

  async function write(sql: string): Promise<void> {
    await editor().fill(sql);
  }

  /** The statement, line by line. */
  async function text(): Promise<string> {
    return (await pane().locator('.cm-line').allTextContents()).join('\n');
  }

  function rows(): Promise<readonly string[]> {
    return page
      .locator('#query-rows .rows .row')
      .evaluateAll((found) =>
        found.map((row) =>
          [...row.querySelectorAll('[role=gridcell]')]
            .map((cell) => cell.textContent.replaceAll(',', '').trim())
            .join(' '),
        ),
      );
  }

  function until<T>(read: () => Promise<T>) {
    return expect.poll(read);
  }

  async function at(n: number): Promise<void> {
    await page.locator(`[data-record="${n}"][aria-selected=true]`).waitFor();
  }
});
