/**
 * A report as the user composes it: parts are added, typed, ordered and undone, with a preview of each step, the notebook that stores
 * the plan, and the exported files; by pointer and by keys, in both themes, in a small window. The real engine and the built page.
 */
import { writeFileSync } from 'node:fs';
import { strFromU8, unzipSync } from 'fflate';
import type { Download, Frame, Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { few, NIGHTLY } from '../short-form.ts';
import { violations } from './axe.ts';
import { contentOf, keepScreenshot } from './browser.ts';
import type { Folder, Host } from './journey-driver.ts';
import { openStage, whySkipped, withCallsAlone, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey through the report');

/** Hostile content: none of it may run or be fetched. */
const HOSTILE = '<script>document.title = "ran"</script> ![x](https://example.org/x.png) [out](https://example.org/)';

describe.skipIf(missing !== undefined)('a composed report in the browser', () => {
  let stage: Stage;
  let folder: Folder;
  let host: Host;
  let page: Page;
  const outside: string[] = [];

  beforeAll(async () => {
    stage = await openStage(
      ({ path }) => {
        writeFileSync(path('program.txt'), program());
        return undefined;
      },
      { viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' },
    );
    ({ folder, host, page } = stage);
    stage.context.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith('http://127.0.0.1') && !/^(?:data|blob|about):/.test(url)) outside.push(url);
    });
    await page.goto(address());
    await ready();
  });
  afterAll(() => stage.close());

  it('begins with the default report and shows a preview', async () => {
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: /title/i }).fill('Where it begins');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Where it begins').first().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('main').click({ position: { x: 2, y: 2 } });
    await page.keyboard.press('Shift+P');
    await until(names).toContain('Where it begins');
    expect(await names()).toEqual(expect.arrayContaining(['Summary', 'Heatmap', 'Diagnostics']));
    await part('Where it begins').locator('button[data-main]:focus').waitFor();
    expect((await names())[0]).toBe('Where it begins');
    await shows('Where it begins');
    await shows('How this report was made');
    await pane().getByText('default report').waitFor();
    const contents = await (await preview()).locator('.contents a').allTextContents();
    const listed = await names();
    expect(contents.slice(0, -2).map((entry, at) => entry.slice(0, listed[at]?.length))).toEqual(listed);
    await keepScreenshot(page, 'journey-report-1-usual');
  });

  it('adds a text, a chart as shown and tables, each after the chosen part', async () => {
    for (const name of ['Flame graph', 'Hottest branches']) await remove(name);
    await part('Summary').locator('[data-main]').click();
    await add('Text');
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type(`# What happened\n\nIt **calls** ${HOSTILE}`);
    await shows('What happened');
    expect((await names()).slice(1, 3)).toEqual(['Summary', 'What happened']);
    // The text is in view even if the preview is longer than its area.
    await until(async () => (await preview()).evaluate(() => scrollY)).toBeGreaterThan(0);
    await page.keyboard.press('Escape');
    await page.locator('[data-main]:focus').waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('dialog', { name: 'Add to the report' }).waitFor();
    await keepScreenshot(page, 'journey-report-2-add');
    for (const name of ['Flame graph', 'Hottest branches'])
      await page.getByRole('button', { name, exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Add to the report' }).waitFor({ state: 'detached' });
    expect((await names()).slice(1, 5)).toEqual(['Summary', 'What happened', 'Flame graph', 'Hottest branches']);
    const count = (await names()).length;
    await until(async () => (await preview()).locator('main > section').count()).toBe(count);
    expect(await page.title()).toBe('program.txt · Tracebench');
    expect(outside).toEqual([]);
  });

  it('moves, removes and undoes by keys', async () => {
    await part('Hottest branches').locator('[data-main]').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await until(async () => (await names()).slice(2, 5)).toEqual(['What happened', 'Hottest branches', 'Flame graph']);
    await expectStatus('Hottest branches is now part 4');
    await page.keyboard.press('Delete');
    await until(names).not.toContain('Hottest branches');
    await part('Flame graph').locator('[data-main]:focus').waitFor();
    await page.keyboard.press('Control+z');
    await until(async () => (await names()).slice(2, 5)).toEqual(['What happened', 'Hottest branches', 'Flame graph']);
    await page.keyboard.press('Control+z');
    await until(async () => (await names()).slice(2, 5)).toEqual(['What happened', 'Flame graph', 'Hottest branches']);
    await page.keyboard.press('Control+Shift+Z');
    await until(async () => (await names()).slice(3, 5)).toEqual(['Hottest branches', 'Flame graph']);
    await part('Flame graph').locator('[data-main]').focus();
    await page.keyboard.press('F2');
    await page.keyboard.type('Where time goes');
    await page.getByLabel('Order').selectOption('bottom-up');
    await shows('Where time goes');
    await part('Bottom-up flame graph').getByText('whole trace').first().waitFor();
  });

  it('moves parts by dragging', async () => {
    const order = await names();
    const grip = await middle(part('What happened').locator('.grip'));
    const goal = await middle(part(order[0] ?? '').locator('[data-main]'));
    await page.mouse.move(grip.x, grip.y);
    await page.mouse.down();
    await page.mouse.move(grip.x, grip.y - 10);
    await page.mouse.move(grip.x, goal.y - 15, { steps: 4 });
    await page.mouse.up();
    await until(async () => (await names()).slice(0, 2)).toEqual(['What happened', 'Where it begins']);
  });

  it('adopts the range of the charts on demand', async () => {
    await part('Bottom-up flame graph').locator('[data-main]').focus();
    await part('Bottom-up flame graph').getByText('whole trace').first().waitFor();
    await page.keyboard.press('+');
    await page.getByRole('button', { name: /^Use records/ }).click();
    await part('Bottom-up flame graph')
      .getByText(/records \d+ to \d+/)
      .first()
      .waitFor();
    await page.keyboard.press('0');
    await page.getByRole('button', { name: 'Use whole trace' }).click();
    await page.getByRole('button', { name: /^Take/ }).waitFor({ state: 'detached' });
  });

  it('adds charts and tables from their own panes', async () => {
    const count = (await names()).length;
    await page.getByRole('button', { name: 'Export figure of the overview' }).click();
    await page.getByRole('menuitem', { name: 'Add to report' }).first().click();
    await expectStatus('Added to the report');
    await until(names).toHaveLength(count + 1);
    await page.keyboard.press('Shift+B');
    await page.getByRole('button', { name: 'Add the hottest branches to the report' }).click();
    await expectStatus(`which now has ${count + 2} parts`);
    await page.keyboard.press('Shift+P');
    await until(names).toHaveLength(count + 2);
    // The overview has its tracks, and the table of the part is there as CSV.
    await shows('Phases');
    const table = part('Hottest branches').last();
    await table.getByRole('button', { name: /^CSV of the table: / }).click();
    const saving = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Save table as CSV…' }).click();
    const csv = (await contentOf(await saving)).toString();
    expect(csv).toMatch(/^From,To,Kind,Count,Share,First record\n/);
    expect(csv.trimEnd().split('\n').length).toBeGreaterThan(1);
    await keepScreenshot(page, 'journey-report-7-csv');
    // A part with several tables has the items of each, and a table of its own those of that table.
    await part('Summary').locator('[data-main]').click();
    await part('Summary').locator('[data-main]').click({ button: 'right' });
    const [kinds, native] = ['Records by kind', 'Records by name in the format'];
    expect((await page.getByRole('menuitem').allInnerTexts()).slice(3)).toEqual([
      ...[kinds, native].map((caption) => `Copy as CSV: ${caption}`),
      ...[kinds, native].map((caption) => `Save as CSV: ${caption}`),
    ]);
    await keepScreenshot(page, 'journey-report-7-tables');
    await page.getByRole('menuitem', { name: `Copy as CSV: ${native}` }).click();
    await expectStatus('Copied: the table as CSV');
    await part('Summary').getByText(`Table: ${kinds}`).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Save table as CSV…' }).waitFor();
    await page.keyboard.press('Escape');
    for (let times = 0; times < 2; times += 1) await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await until(names).toHaveLength(count);
  });

  it('restores the report when the trace is opened again, and follows changes by others', async () => {
    const order = await names();
    await pane().getByText('saved with the notes').waitFor();
    await page.goto('about:blank');
    await page.goto(address());
    await ready();
    await page.keyboard.press('Shift+P');
    await until(names).toEqual(order);
    const trace = await traceId();
    const notebook = await host.client.request('notebook', { trace });
    if (!notebook.ok) throw new Error(notebook.error.message);
    const view = notebook.value.views.find(({ name }) => name === 'Report');
    if (!view) throw new Error('the notebook contains no report');
    const kept = JSON.parse(view.content) as { plan: object };
    const content = JSON.stringify({ ...kept, plan: { ...kept.plan, title: 'Written elsewhere' } });
    const { id, name, revision } = view;
    await host.client.request('changeNotebook', { trace, putViews: [{ id, name, content, revision }] });
    await until(() => page.getByLabel('Title of the report').inputValue()).toBe('Written elsewhere');
    await shows('Written elsewhere');
    // The list of views does not contain the report.
    await page.keyboard.press('Shift+N');
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    expect(await page.getByRole('button', { name: 'Report', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Notes', exact: true }).click();
    await page.keyboard.press('Shift+P');
    await page.locator('[data-part]').first().waitFor();
  });

  it('exports HTML with the digest, Markdown with its figures as an archive, and JSON', async () => {
    const html = await exported('HTML');
    expect(html.suggestedFilename()).toBe('program.txt-report.html');
    const text = (await contentOf(html)).toString();
    expect(text).toMatch(/SHA-256[^]*[0-9a-f]{64}/);
    expect(text).toContain('Where it begins');
    expect(text).not.toContain('<script>document');
    const trace = await host.client.request('open', { path: folder.path('program.txt') });
    if (!trace.ok) throw new Error(trace.error.message);
    const checked = await host.client.request('verify', { trace: trace.value.trace, report: text });
    expect(checked.ok && checked.value.differing).toEqual([]);
    const archive = await exported('Markdown');
    expect(archive.suggestedFilename()).toBe('program.txt-report.zip');
    const files = unzipSync(await contentOf(archive));
    const [first = '', ...figures] = Object.keys(files);
    expect(first).toBe('program.txt-report.md');
    const written = strFromU8(files[first] ?? new Uint8Array());
    expect(written).toContain('# Written elsewhere');
    expect(figures.length).toBeGreaterThan(0);
    for (const figure of figures) expect(written).toContain(figure);
    const json = JSON.parse((await contentOf(await exported('JSON'))).toString()) as { plan: { title: string } };
    expect(json.plan.title).toBe('Written elsewhere');
  });

  if (NIGHTLY) {
    it('follows another window', async () => {
      const other = await stage.context.newPage();
      await other.goto(address());
      await other.locator('footer').getByText('Record 0 of').waitFor();
      await other.keyboard.press('Shift+P');
      await other.locator('[data-part]').first().waitFor();
      for (const title of ['Written in another window', 'Written elsewhere']) {
        await other.getByLabel('Title of the report').fill(title);
        await until(() => page.getByLabel('Title of the report').inputValue()).toBe(title);
        await shows(title);
      }
      await other.close();
    });

    it('exports a PDF printed by a browser of this machine', async () => {
      const pdf = await exported('PDF');
      expect(pdf.suggestedFilename()).toBe('program.txt-report.pdf');
      expect((await contentOf(pdf)).toString('latin1', 0, 5)).toBe('%PDF-');
    });

    it('lets the desktop print a PDF', async () => {
      const desktop = await stage.context.newPage();
      await desktop.addInitScript(() => {
        Object.assign(window, {
          tracebenchHost: {
            kind: 'desktop',
            openDialog: () => Promise.resolve([]),
            pathOf: () => Promise.resolve(''),
            printReport: ({ html, paper }: { html: string; paper: string }) =>
              Promise.resolve({ ok: true, value: new TextEncoder().encode(`%PDF ${paper} ${html}`) }),
            setCommands: () => undefined,
            onCommand: () => undefined,
            onOpenFile: () => undefined,
          },
        });
      });
      await desktop.goto(address());
      await desktop.locator('footer').getByText('Record 0 of').waitFor();
      const pdf = await exported('PDF', desktop, 'Letter');
      expect(pdf.suggestedFilename()).toBe('program.txt-report.pdf');
      expect((await contentOf(pdf)).toString()).toMatch(/^%PDF Letter <!doctype html>[^]*Written elsewhere/);
      await desktop.close();
    });

    it('shows the progress of a slow preview, can stop it, and keeps the previous one meanwhile', async () => {
      const held: Route[] = [];
      await page.route('**/api/report', (route) => void held.push(route));
      await page.getByLabel('Title of the report').fill('Slowly made');
      await page.getByRole('progressbar', { name: 'Making the preview' }).waitFor();
      await shows('Written elsewhere');
      await page.getByRole('button', { name: 'Stop making the preview' }).click();
      await page.getByText('The preview was stopped.').waitFor();
      // The newest change is requested at once, without waiting for the previous request.
      await page.getByLabel('Title of the report').fill('Made after all');
      await until(() => held.length).toBe(2);
      await held[1]?.continue();
      await page.unroute('**/api/report');
      await shows('Made after all');
      await page.getByRole('progressbar', { name: 'Making the preview' }).waitFor({ state: 'detached' });
      await page.getByLabel('Title of the report').fill('Written elsewhere');
      await shows('Written elsewhere');
    });
  }

  it('refuses an invalid name, and closes with Escape', async () => {
    await page.keyboard.press('Control+Shift+E');
    const dialog = page.getByRole('dialog', { name: 'Export report' });
    await dialog.getByLabel('Name').fill('a/b');
    await dialog.getByRole('button', { name: 'Export' }).click();
    await dialog.getByText('leave out slashes').waitFor();
    await keepScreenshot(page, 'journey-report-3-export');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('marks a removed note and exports without it', async () => {
    const notebook = await host.client.request('notebook', { trace: await traceId() });
    if (!notebook.ok) throw new Error(notebook.error.message);
    const [note] = notebook.value.notes;
    if (!note) throw new Error('there is no note');
    await host.client.request('changeNotebook', { trace: await traceId(), remove: [{ id: note.id }] });
    await until(names).toContain('Removed note');
    await until(async () => (await preview()).locator('body').innerText()).not.toContain('Where it begins');
    await remove('Removed note');
  });

  it('is accessible, empty too, and fits a small window at 200 %', async () => {
    for (const theme of few(['light', 'dark'] as const, 1)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      await part('What happened').locator('[data-main]').click();
      await until(async () => (await preview()).evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
        theme === 'dark' ? 'rgb(15, 20, 27)' : 'rgb(255, 255, 255)',
      );
      expect(await problemsOf()).toEqual([]);
      await keepScreenshot(page, `journey-report-4-${theme}`);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      expect(await problemsOf()).toEqual([]);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+Shift+E');
      expect(await problemsOf('dialog[open]')).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await page.setViewportSize({ width: 640, height: 360 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(await problemsOf()).toEqual([]);
    await page.locator('iframe').last().scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'journey-report-5-small');
    await page.setViewportSize({ width: 1280, height: 720 });
    for (const name of await names()) await remove(name);
    await page.getByText('The report is empty.').waitFor();
    await page.getByText('Add a part to see the preview.').waitFor();
    expect(await problemsOf()).toEqual([]);
    await keepScreenshot(page, 'journey-report-6-empty');
    await page.getByRole('button', { name: 'Use the default report' }).click();
    await part('Summary').waitFor();
    expect(outside).toEqual([]);
    expect(stage.errors).toEqual([]);
  });

  function address(): string {
    return withCallsAlone(`${host.url}#${new URLSearchParams({ open: folder.path('program.txt') }).toString()}`);
  }

  async function ready(): Promise<void> {
    await page.locator('footer').getByText('Record 0 of').waitFor();
  }

  function pane(): Locator {
    return page.locator('section[aria-label="Report"]');
  }

  function part(name: string): Locator {
    return page.locator('[data-part]').filter({ has: page.locator('b').getByText(name, { exact: true }) });
  }

  function names(): Promise<readonly string[]> {
    return page.locator('[data-part] b').allInnerTexts();
  }

  async function add(name: string): Promise<void> {
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name, exact: true }).click();
  }

  async function remove(name: string): Promise<void> {
    const count = (await names()).length;
    await part(name).locator('[data-main]').focus();
    await page.keyboard.press('Delete');
    await until(names).toHaveLength(count - 1);
  }

  /** The visible document. */
  async function preview(): Promise<Frame> {
    const frame = await (await page.locator('iframe:not([inert])').elementHandle()).contentFrame();
    if (!frame) throw new Error('there is no preview');
    return frame;
  }

  async function shows(text: string): Promise<void> {
    await until(async () => (await preview()).locator('body').innerText()).toContain(text);
  }

  async function expectStatus(text: string): Promise<void> {
    await page.locator('footer [role=status]').getByText(text).waitFor();
  }

  async function exported(form: string, from = page, paper?: string): Promise<Download> {
    await from.keyboard.press('Control+Shift+E');
    const dialog = from.getByRole('dialog', { name: 'Export report' });
    await dialog.getByRole('radio', { name: form }).check();
    if (paper !== undefined) await dialog.getByLabel('Paper').selectOption(paper);
    const [download] = await Promise.all([
      from.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export' }).click(),
    ]);
    await dialog.waitFor({ state: 'detached' });
    return download;
  }

  async function traceId(): Promise<string> {
    const trace = await host.client.request('open', { path: folder.path('program.txt') });
    if (!trace.ok) throw new Error(trace.error.message);
    return trace.value.trace;
  }

  /** Without the preview's own document, which runs no scripts, so axe cannot run in it: finished reports are judged separately. */
  async function problemsOf(of = 'section[aria-label="Report"]'): Promise<readonly string[]> {
    return violations(page, { include: of, exclude: 'iframe' });
  }
});

async function middle(place: Locator): Promise<{ readonly x: number; readonly y: number }> {
  const box = await place.boundingBox();
  if (!box) throw new Error('this element is not visible');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Waits as long as a slow machine needs: only a broken page times out. */
function until<T>(look: () => T | Promise<T>) {
  return expect.poll(look);
}

/** A run in QEMU4V form: main calls a leaf two hundred times and writes its results. */
function program(): string {
  const lines: string[] = [];
  function step(address: number, opcode: string, text: string): void {
    const at = address.toString(16).padStart(8, '0');
    lines.push(`${lines.length} clk 0 IT (${lines.length}) ${at} ${opcode} A svc : ${text}`);
  }
  step(0x8000, 'e3a04000', 'mov r4, #0');
  for (let times = 0; times < 200; times += 1) {
    step(0x8004, 'eb00003d', 'bl #0x8100');
    step(0x8100, 'e2800001', 'add r0, r0, #1');
    step(0x8104, 'e12fff1e', 'bx lr');
    step(0x8008, 'e5840000', 'str r0, [r4]');
    step(0x800c, 'eafffffc', 'b #0x8004');
  }
  return `${lines.join('\n')}\n`;
}
