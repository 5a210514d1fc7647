/** From records to source: counts of lines, executions of a line, static code, and what of the program never ran. */
import { copyFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../shared/requests/requests.ts';
import { violations } from './axe.ts';
import { makeFolder, startHost } from './journey-driver.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';
import { keepGuidePicture, keepPictures } from './stories/pictures.ts';
import { at, command, go, pane, says } from './stories/scene.ts';

const missing = whySkipped('The journey through the source');

const sample = (name: string): string =>
  fileURLToPath(new URL(`../samples/tarmac/fault-off-by-one/${name}`, import.meta.url));
const program = fileURLToPath(new URL('../engine/compiled/programs/fault-off-by-one.c', import.meta.url));

/** Three executions of `go_back` behind the program's: the condition of its `moveq` failed twice. */
const GO_BACK = ['IS', 'IT', 'IS']
  .flatMap((kind, round) =>
    [
      ...['IT 00008050 e8906ff0 ldm r0, {r4-r11, sp, lr}', 'IT 00008054 e1b00001 movs r0, r1'],
      ...[`${kind} 00008058 03a00001 moveq r0, #1`, 'IT 0000805c e12fff1e bx lr'],
    ].map((text, at) => {
      const [its, address, opcode, ...code] = text.split(' ');
      const time = 84 + 4 * round + at;
      return `${time} clk cpu0 ${its!} (${time}) ${address!} ${opcode!} A svc_ns : ${code.join(' ')}\n`;
    }),
  )
  .join('');

describe.skipIf(missing !== undefined)('the source of a program in the browser', () => {
  let stage: Stage;
  let page: Page;
  let sources = '';
  let elsewhere = '';

  beforeAll(async () => {
    const images = [{ path: sample('program.elf') }];
    stage = await openStage(
      ({ path }) => {
        [sources, elsewhere] = [path('firmware'), path('other')];
        for (const folder of [sources, elsewhere]) mkdirSync(folder);
        copyFileSync(program, path('firmware/fault-off-by-one.c'));
        // A source that is newer than the image is marked.
        utimesSync(path('firmware/fault-off-by-one.c'), 1, 1);
        // Reports are kept in a notebook beside the trace.
        writeFileSync(path('trace.txt'), `${readFileSync(sample('trace.txt'), 'utf8')}${GO_BACK}`);
        return { path: path('trace.txt'), format: 'tarmac', images };
      },
      { viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' },
    );
    page = stage.page;
    await page.goto(stage.host.url);
    await page.locator('footer').getByText('of 0 to 201').waitFor();
  });
  afterAll(() => stage.close());

  it('says which file the image names, where it was looked for, and asks for its folder', async () => {
    await page.keyboard.press('Shift+L');
    await source().getByText('_start (0x8000) has no source line').waitFor();
    await page.keyboard.press('s');
    await at(page, 35);
    await source().getByText('is named by the image, but was not found').waitFor();
    await field().fill(elsewhere);
    await page.keyboard.press('Enter');
    await source().getByText(`${elsewhere}/…/fault-off-by-one.c`).waitFor();
    expect(await violations(page, { changed: '[data-pane=source]' })).toEqual([]);
    await keepPictures(page, 'journey-source-1-search');
    await field().fill(sources);
    await page.keyboard.press('Enter');
    await go(page, '59');
    await until(() => ran(15)).toBe('4');
    // The loop ran four times; sum_of always has items, so that its other way out never ran.
    expect([await ran(17), await ran(16)]).toEqual(['never', '']);
  });

  it('goes to the executions of a line by click and by key, and from line to line', async () => {
    await line(15).click();
    await at(page, 70);
    await line(15).click();
    await at(page, 80);
    await line(15).click({ modifiers: ['Alt'] });
    await at(page, 70);
    await line(17).click();
    await says(page, 'Line 17 never ran.');
    await go(page, '41');
    await at(page, 41);
    await page.keyboard.press('q');
    await at(page, 107);
    await page.keyboard.press('Shift+Q');
    await at(page, 41);
    await page.keyboard.press('s');
    await at(page, 50);
    await page.keyboard.press('Alt+s');
    await at(page, 41);
  });

  it('shows the instructions of a line, and where they are in the static code', async () => {
    await go(page, '69');
    await source().getByRole('button', { name: 'Show the instructions of line 15' }).click();
    const bne = source().locator('.row').filter({ hasText: '0x814c' });
    await bne.getByText('75 % taken').waitFor();
    await bne.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Show in Disassembly' }).click();
    const row = code().locator('.row').filter({ hasText: '0x814c' });
    await row.getByText('75 % taken').waitFor();
    await code().locator('.row').filter({ hasText: '0x8154' }).getByText('never').waitFor();
    await until(() => code().locator('path.to').count()).toBeGreaterThan(0);
    await row.click();
    await at(page, 79);
    await keepGuidePicture(page, 'source');
    await keepPictures(page, 'journey-source-2-code');
    expect(await violations(page, { changed: '[data-pane=disassembly]' })).toEqual([]);
    expect(await violations(page, { changed: '[data-pane=source]' })).toEqual([]);
  });

  it('shows how often a conditional instruction was skipped', async () => {
    await go(page, '196');
    const moveq = code().locator('.row').filter({ hasText: '0x8058' });
    await moveq.getByText('66.6 % skipped').waitFor();
    await moveq.click();
    await at(page, 200);
    await code().getByText('It was reached 3 times: executed once, skipped 2 times.').waitFor();
    await keepPictures(page, 'journey-source-3-skipped');
    expect(await violations(page, { changed: '[data-pane=disassembly]' })).toEqual([]);
    await go(page, '79');
  });

  it('shows what of the program never ran, and opens it', async () => {
    await command(page, 'Coverage');
    await coverage().getByRole('row').filter({ hasText: 'fault-off-by-one.c' }).getByText('91.6 %').waitFor();
    await coverage().getByRole('button', { name: 'Open fault-off-by-one.c' }).click();
    await coverage().getByRole('row').filter({ hasText: 'sum_of' }).getByText('75 %').waitFor();
    await keepPictures(page, 'journey-source-4-coverage');
    expect(await violations(page, { changed: '[data-pane=coverage]' })).toEqual([]);
    await coverage().getByRole('searchbox').fill('copy');
    await coverage().getByRole('row').filter({ hasText: 'copy' }).click();
    await until(() => source().locator('.row.now').innerText()).toContain('static void copy');
    // The records from 115 to 168 are those of copy.
    await coverage().getByRole('searchbox').fill('');
    await source().getByRole('button', { name: 'Back to the cursor' }).click();
    await until(() => source().locator('.row.now').innerText()).toContain('bne');
  });

  it('shows what files, functions, lines and instructions cost, and goes to where they ran', async () => {
    await page.keyboard.press('Shift+H');
    await hot().getByRole('button', { name: 'Code', exact: true }).click();
    await costs('fault-off-by-one.c').getByText('68', { exact: true }).waitFor();
    await hot().getByRole('button', { name: 'Open fault-off-by-one.c' }).click();
    // Rows are chosen by a click, opened by the right arrow, and Enter goes to where one first ran.
    await costs('sum_of').click();
    await page.keyboard.press('ArrowRight');
    await costs('line 15').click();
    await page.keyboard.press('ArrowRight');
    await hot().getByText('24 instructions, 25 %').waitFor();
    await page.keyboard.press('Enter');
    await at(page, 52);
    await page.keyboard.press('n');
    await at(page, 59);
    await costs('0x814c').click();
    await page.keyboard.press('n');
    await at(page, 69);
    await page.keyboard.press('p');
    await says(page, 'The instruction at 0x814c does not run before record 69.');
    // To the line, which closes, and to its function.
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('ArrowLeft');
    await hot().getByRole('button', { name: 'Longest call' }).click();
    await at(page, 50);
    await keepPictures(page, 'journey-source-5-costs');
    expect(await violations(page, { changed: '[data-pane=profile]' })).toEqual([]);
    await hot().getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await until(() => hot().locator('[data-row]').nth(1).innerText()).toContain('copy');
    await hot().getByRole('searchbox').fill('copy');
    await until(() => hot().locator('[data-row]').count()).toBe(2);
    await hot().getByRole('button', { name: 'Add the hottest lines to the report' }).click();
    await page.getByRole('status').getByText('Added to the report').waitFor();
    await page.keyboard.press('Shift+L');
    await line(15).waitFor();
  });

  it('measures functions in the time of the trace', async () => {
    await page.keyboard.press('Shift+H');
    await hot().getByRole('button', { name: 'Functions' }).click();
    await hot().getByRole('button', { name: 'Time' }).click();
    // Every instruction takes one cycle; what the last one takes is not known.
    await hot().getByText('94 clk').waitFor();
    const cells = costs('sum_of').first().getByRole('gridcell');
    await until(() => cells.first().innerText()).toBe('26');
    await keepPictures(page, 'journey-source-6-time');
    expect(await violations(page, { changed: '[data-pane=profile]' })).toEqual([]);
    await hot().getByRole('button', { name: 'Code', exact: true }).click();
    await hot().getByRole('columnheader', { name: 'clk' }).waitFor();
    await hot().getByText('94 clk').first().waitFor();
    await keepPictures(page, 'journey-source-7-code-by-time');
    await hot().getByRole('button', { name: 'Functions' }).click();
    await hot().getByRole('button', { name: 'Time' }).click();
    await hot().getByText('95 instructions').waitFor();
    await page.keyboard.press('Shift+L');
    await line(15).waitFor();
  });

  it('remembers the folder when the page is loaded again', async () => {
    await page.reload();
    await until(() => ran(15)).toBe('4');
  });

  it('finds the source in a folder that the server was started with, and remembers it', async () => {
    const { path, remove } = makeFolder();
    const trace = { path: path('trace.txt'), format: 'tarmac', images: [{ path: sample('program.elf') }] };
    copyFileSync(sample('trace.txt'), trace.path);
    const shows = async (folders: readonly string[]): Promise<void> => {
      const host = await startHost(path('index'), { ...trace, ...(folders.length > 0 && { folders }) }, 0, false);
      const context = await stage.browser.newContext();
      try {
        const other = await context.newPage();
        await other.goto(host.url);
        await other.locator('footer').getByText('of 0 to ').waitFor();
        if (folders.length > 0) await other.keyboard.press('Shift+L');
        await go(other, '59');
        await pane(other, 'Source').locator('.row').filter({ hasText: 'sum += *items++' }).waitFor();
        // On a busy machine a browser may end a page before it has written its last view.
        await expect.poll(() => kept(host.client, trace.path)).toEqual({ folders: [sources], isSourceClosed: false });
      } finally {
        await context.close();
        await host.close();
      }
    };
    await shows([sources]);
    await shows([]);
    remove();
  });

  /** The folders that are kept for a trace, and whether the pane Source is closed in its view. */
  async function kept(client: Client, path: string): Promise<unknown> {
    const answer = await client.request('kept', { path });
    const [trace] = answer.ok ? answer.value.traces : [];
    if (trace?.view === undefined) return undefined;
    const { panes } = JSON.parse(trace.view) as { readonly panes: { readonly closed: readonly string[] } };
    return { folders: trace.folders, isSourceClosed: panes.closed.includes('source') };
  }

  function source(): Locator {
    return pane(page, 'Source');
  }

  function code(): Locator {
    return pane(page, 'Disassembly');
  }

  function coverage(): Locator {
    return pane(page, 'Coverage');
  }

  function hot(): Locator {
    return pane(page, 'Hot spots');
  }

  /** The row of what has a name. */
  function costs(name: string): Locator {
    return hot().getByRole('row').filter({ hasText: name });
  }

  function field(): Locator {
    return source().getByRole('textbox', { name: 'Folder of the source files' });
  }

  /** The row of a source line. */
  function line(number: number): Locator {
    return source()
      .locator('.row')
      .filter({ has: page.locator('.number', { hasText: new RegExp(`^${String(number)}$`) }) });
  }

  async function ran(number: number): Promise<string> {
    return (await line(number).locator('.count').innerText()).trim();
  }

  function until<T>(state: () => Promise<T>) {
    return expect.poll(state);
  }
});
