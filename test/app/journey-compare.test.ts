/** Two runs of a program with a fault on purpose, one with the input that shows it: where they part, what differs, and why. */
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Note } from '../../shared/requests/notes.ts';
import { violations } from './axe.ts';
import { contentOf } from './browser.ts';
import { asCapture } from '../engine/btm-programs.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';
import { keepGuidePicture, keepPictures } from './stories/pictures.ts';

const missing = whySkipped('The journey through two runs');

const sample = (name: string): string =>
  fileURLToPath(new URL(`../samples/tarmac/fault-stray-write/${name}`, import.meta.url));

const images = [{ path: sample('program.elf') }];

/** Returns the branches of a run in QEMU4V text: instructions that are not followed by the next one. */
function branchesIn(
  text: string,
): readonly { readonly source: number; readonly reported: number; readonly target: number }[] {
  const ran = [...text.matchAll(/ I[TS] \(\d+\) ([0-9a-f]{8}) ([0-9a-f]+) /g)].map(([, address = '', opcode = '']) => ({
    address: Number.parseInt(address, 16),
    size: opcode.length / 2,
  }));
  return ran.flatMap(({ address, size }, k) => {
    const target = ran[k + 1]?.address;
    return target === undefined || target === address + size ? [] : [{ source: address, reported: address, target }];
  });
}

describe.skipIf(missing !== undefined)('two runs side by side in the browser', () => {
  let stage: Stage;
  let page: Page;
  let other: string;
  let bus: string;
  let messages: string;

  beforeAll(async () => {
    stage = await openStage(
      ({ path }) => {
        [other, bus, messages] = [path('no-alarm.txt'), path('bus.din'), path('messages.csv')];
        copyFileSync(sample('trace.txt'), path('alarm.txt'));
        copyFileSync(sample('without-fault.txt'), other);
        writeFileSync(bus, '2 100\n0 200\n');
        const taken = branchesIn(readFileSync(sample('trace.txt'), 'utf8'));
        // A capture of the end of the run, in which one branch goes elsewhere.
        const captured = taken.slice(15).map((one, k) => (k === 5 ? { ...one, target: one.target - 4 } : one));
        writeFileSync(messages, asCapture({ taken: captured }, 'normal'));
        return { path: path('alarm.txt'), format: 'tarmac', images };
      },
      { viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' },
    );
    page = stage.page;
    await page.goto(stage.host.url);
    await page.locator('footer').getByText('of 0 to').waitFor();
  });
  afterAll(() => stage.close());

  it('teaches what the pane is for while there is no second trace', async () => {
    await page.keyboard.press('Shift+D');
    await pane().getByText('Where do two runs part, and what differs?').waitFor();
    await page.keyboard.press('F8');
    await page.locator('footer').getByText('Choose a trace to compare with first.').waitFor();
    await ends('0-empty');
  });

  it('opens the second trace beside the first one, and shows where they part', async () => {
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.insertText('Compare with');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Compare alarm.txt with' }).waitFor();
    await keepPictures(page, 'journey-compare-1-dialog');
    await page.getByLabel('Path of the trace on this computer').fill(other);
    await page.keyboard.press('Enter');
    // The second letter of the names differs.
    await until(here).toEqual(['157', '≠', '157']);
    // r2, the byte that is stored, and nothing else until the next letter.
    await until(() => signsFrom('157')).toEqual(['≠', '≠', '=', '=', '=', '≠']);
    await pane().getByText('5 differences, 88 % of the instructions are aligned').waitFor();
    expect(await page.getByRole('tab', { name: 'alarm.txt', exact: true }).getAttribute('aria-selected')).toBe('true');
    await page.getByRole('tab', { name: 'no-alarm.txt' }).waitFor();
    // The program of A names the functions of B, too.
    await pane().getByText('Program of B: program.elf, the same as A').waitFor();
    await until(() => page.locator('#compare-rows [data-side=b]').allTextContents()).toContainEqual(
      expect.stringContaining('set_name'),
    );
    await ends('2-first');
  });

  it('steps from difference to difference, and both cursors follow', async () => {
    await page.keyboard.press('F8');
    // A long name: the loop of set_name goes on where that of the short name ends.
    await until(here).toEqual(['200', 'A', '']);
    // Both runs differ in what they have copied.
    await until(state).toContain('[0x91df] 73 183 70 183');
    await page.keyboard.press('F8');
    await until(here).toEqual(['278', '≠', '224']);
    await page.keyboard.press('F8');
    await until(here).toEqual(['284', 'A', '']);
    // The alarm is counted: r3, the limit, was 0x21 in place of 0x32.
    await until(state).toContain('r3 0x21 280 0x32 213');
    await page.locator('footer b').first().getByText('284', { exact: true }).waitFor();
    await page.keyboard.press('F8');
    await until(here).toEqual(['296', '≠', '229']);
    await page.keyboard.press('F8');
    await page.locator('footer').getByText('There is no later difference.').waitFor();
    await page.keyboard.press('Shift+F8');
    await until(here).toEqual(['284', 'A', '']);
    await page.keyboard.press('ArrowUp');
    await until(here).toEqual(['283', '≠', '227']);
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await until(here).toEqual(['278', '≠', '224']);
    await page.keyboard.press('Shift+F8');
    await until(here).toEqual(['200', 'A', '']);
    await page.keyboard.press('Alt+ArrowLeft');
    await page.locator('footer b').first().getByText('278', { exact: true }).waitFor();
    await until(here).toEqual(['278', '≠', '224']);
  });

  it('explains a value that differs on both sides, and goes to who wrote it', async () => {
    await page.keyboard.press('F8');
    await until(here).toEqual(['284', 'A', '']);
    await until(state).toContain('r3 0x21 280 0x32 213');
    const limit = page.locator('#compare-state .row').filter({ hasText: 'r3' });
    await limit.click({ position: { x: 8, y: 8 } });
    await page.keyboard.press('y');
    await until(steps).toEqual(['r3 = 0x21 278 A', '[0x91e4+2] = 21 00 247 A', 'r3<31:16> = 0x0 72 = r3 = 0x32 72']);
    await keepGuidePicture(page, 'compare');
    await ends('3-why');
    await page.locator('#compare-whys .row').nth(1).click();
    await until(here).toEqual(['247', 'A', '']);
    // The byte of the limit, as set_limit wrote it in the good run.
    await page.keyboard.press('F8');
    await until(state).toContain('[0x91e4] 21 237 32 74');
    const byte = page.locator('#compare-state .row').filter({ hasText: '0x91e4' });
    await byte.getByRole('button', { name: '74', exact: true }).click();
    await until(here).toEqual(['73', '=', '73']);
    await page.getByRole('button', { name: 'Close Why on both sides' }).click();
  });

  it('keeps a difference as a note, and all of them in a report that both traces prove', async () => {
    await page.keyboard.press('Home');
    await pane().getByRole('slider', { name: 'Agreement along both runs' }).press('Home');
    await until(here).toEqual(['0', '=', '0']);
    await page.keyboard.press('F8');
    await page.keyboard.press('F8');
    await until(here).toEqual(['200', 'A', '']);
    await pane().getByRole('button', { name: 'Add to notes' }).click();
    await page.locator('footer').getByText('Note added: record 200').waitFor();
    await page.locator('#compare-rows .row.now').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Add to report' }).click();
    await page.locator('footer').getByText('Added to the report').waitFor();
    await page.keyboard.press('Control+Shift+E');
    const dialog = page.getByRole('dialog', { name: 'Export report' });
    await dialog.getByRole('radio', { name: 'HTML' }).check();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export' }).click(),
    ]);
    const report = (await contentOf(saved)).toString();
    expect(report).toContain('They part');
    const { client } = stage.host;
    const opened = [
      await client.request('open', { path: stage.folder.path('alarm.txt'), images }),
      await client.request('open', { path: other, images }),
    ];
    const [one = '', its = ''] = opened.map((result) => (result.ok ? result.value.trace : ''));
    const checked = await client.request('verify', { trace: one, other: its, report });
    expect(checked.ok && checked.value.differing).toEqual([]);
    const [note] = await notes(one);
    expect(note?.title).toMatch(/^Runs part here: A at 0x\w+ \S+, B at 0x\w+/);
    expect(note?.place.n).toBe(200);
    // Another file of the same name is not trace B.
    expect(note?.text).toContain(`- B, \`${other}, ${statSync(other).size.toLocaleString('en')} bytes\`: `);
  });

  it('goes along the ribbon by key', async () => {
    const ribbon = pane().getByRole('slider', { name: 'Agreement along both runs' });
    await ribbon.focus();
    await page.keyboard.press('End');
    await until(here).toEqual(['299', '≠', '232']);
    await page.keyboard.press('Home');
    await until(here).toEqual(['0', '=', '0']);
  });

  it('leaves out what a person ignores, and compares by function', async () => {
    await pane().getByRole('button', { name: 'Options' }).click();
    const field = pane().getByRole('textbox', { name: 'Ignore' });
    await field.fill('set_nam');
    await field.press('Enter');
    await pane().getByText("'set_nam' cannot be ignored").waitFor();
    await pane().getByRole('button', { name: 'Count set_nam again' }).click();
    await field.fill('set_name');
    await field.press('Enter');
    await pane().getByText('Ignored: set_name: 74 instructions of A and 49 of B').waitFor();
    await pane().getByText('Every instruction was compared').waitFor();
    await pane().getByText('3 differences, 97 % of the instructions are aligned').waitFor();
    await page.keyboard.press('F8');
    await until(here).toEqual(['278', '≠', '224']);
    // Only A records the flags that cmp set.
    await until(() => page.locator('#compare-rows [data-side=a] .differs').allTextContents()).toContainEqual(
      expect.stringContaining('cpsr=0x8000003f'),
    );
    await ends('5-options');
    await pane().getByRole('combobox', { name: 'Compare' }).selectOption('symbol');
    await pane().getByText('By function').waitFor();
    await until(() => signsFrom('278')).toEqual(['=', '=', '=', 'A', 'A', 'A']);
    await pane().getByRole('combobox', { name: 'Compare' }).selectOption('values');
    await pane().getByRole('button', { name: 'Count set_name again' }).click();
    await until(() => signsFrom('278')).toEqual(['≠', '≠', '≠', 'A', 'A', 'A']);
    await pane().getByRole('button', { name: 'Options' }).click();
    await pane().getByRole('slider', { name: 'Agreement along both runs' }).press('Home');
    await until(here).toEqual(['0', '=', '0']);
  });

  it('follows the cursor of the second trace', async () => {
    await page.getByRole('tab', { name: 'no-alarm.txt' }).click();
    await page.keyboard.press('g');
    await page.keyboard.insertText('225');
    await page.keyboard.press('Enter');
    await page.locator('footer b').first().getByText('225', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'alarm.txt', exact: true }).click();
    // The record belongs to the instruction before, and the cursor of the second trace stays at it.
    await until(here).toEqual(['278', '≠', '224']);
    await page.locator('footer b').first().getByText('278', { exact: true }).waitFor();
    await pane().getByRole('slider', { name: 'Agreement along both runs' }).press('Home');
    await until(here).toEqual(['0', '=', '0']);
  });

  it('comes back to the pair when the trace is opened again', async () => {
    await page.keyboard.press('F8');
    await until(here).toEqual(['157', '≠', '157']);
    await page.reload();
    await until(here).toEqual(['157', '≠', '157']);
  });

  it('says in a sentence why two traces cannot be compared, and what to do after the other one is closed', async () => {
    await page.getByRole('tab', { name: 'no-alarm.txt' }).click();
    await page.getByRole('button', { name: 'Close trace no-alarm.txt' }).click();
    await pane().getByText('no-alarm.txt is not open.').waitFor();
    await ends('4-closed');
    await pane().getByRole('button', { name: 'Compare with another trace…' }).click();
    await page.getByLabel('Path of the trace on this computer').fill(bus);
    await page.keyboard.press('Enter');
    await pane().getByText('accesses can be compared only within a format').waitFor();
  });

  it('compares a capture of branch messages by the branches that both traces prove', async () => {
    await pane().getByRole('button', { name: 'Compare with another trace…' }).click();
    await page.getByLabel('Path of the trace on this computer').fill(messages);
    await page.keyboard.press('Enter');
    await pane().getByText('Compared by branches').waitFor();
    await pane().getByText('15 branches not compared').waitFor();
    await pane().getByText('1 difference, 91 % of the branches that both traces show are aligned').waitFor();
    await until(here).toEqual(['256', 'A', '']);
    await page.keyboard.press('j');
    await until(here).toEqual(['', 'B', '11']);
    await page.keyboard.press('F8');
    await page.locator('footer').getByText('There is no later difference.').waitFor();
    await page.keyboard.press('Shift+F8');
    await until(here).toEqual(['256', 'A', '']);
    await pane().getByRole('button', { name: 'Add to notes' }).click();
    await page.locator('footer').getByText('Note added: record 256').waitFor();
    await ends('6-branches');
    expect(stage.errors).toEqual([]);
  });

  /** Axe finds nothing in the pane, and pictures of it are kept. */
  async function ends(name: string): Promise<void> {
    expect(await violations(page, { changed: '[data-pane=compare]' })).toEqual([]);
    await keepPictures(page, `journey-compare-${name}`);
  }

  async function notes(trace: string): Promise<readonly Note[]> {
    const book = await stage.host.client.request('notebook', { trace });
    return book.ok ? book.value.notes : [];
  }

  function pane(): Locator {
    return page.getByRole('region', { name: 'Compare', exact: true });
  }

  /** Record of A, sign and record of B of the row of the cursor. */
  function here(): Promise<readonly string[]> {
    return page.locator('#compare-rows .row.now').evaluateAll((rows) =>
      rows.flatMap((row) => {
        const numberIn = (side: string): string =>
          row.querySelector(`[data-side=${side}] .number`)?.textContent.replaceAll(/\D/g, '') ?? '';
        return [numberIn('a'), row.querySelector('.sign [aria-hidden]')?.textContent ?? '', numberIn('b')];
      }),
    );
  }

  /** Signs of six rows, starting at a record of A. */
  function signsFrom(record: string): Promise<readonly string[]> {
    return page.locator('#compare-rows .row').evaluateAll((rows, first) => {
      const numberIn = (row: Element): string => row.querySelector('[data-side=a] .number')?.textContent ?? '';
      const start = rows.findIndex((row) => numberIn(row).replaceAll(/\D/g, '') === first);
      return rows.slice(start, start + 6).map((row) => row.querySelector('.sign [aria-hidden]')?.textContent ?? '');
    }, record);
  }

  /** Rows of the differences of state, once they are those of the row of the cursor. */
  function state(): Promise<readonly string[]> {
    return texts('[aria-label="Differences of state"][aria-busy=false] .row');
  }

  /** Steps of A, what the row is, and steps of B, without instructions. */
  async function steps(): Promise<readonly string[]> {
    return (await texts('#compare-whys .row')).map((text) =>
      text.replaceAll(/(?:copy|image|constant).*? (?=\d+( |$))/g, ''),
    );
  }

  function texts(rows: string): Promise<readonly string[]> {
    return page.locator(rows).evaluateAll((all) =>
      all.map((row) =>
        [...row.querySelectorAll<HTMLElement>('[role=gridcell]')]
          .map((cell) => {
            const copy = cell.cloneNode(true) as HTMLElement;
            for (const part of copy.querySelectorAll('.spoken')) part.remove();
            return copy.textContent.trim();
          })
          .filter((text) => text !== '')
          .join(' '),
      ),
    );
  }

  function until<T>(read: () => Promise<T>) {
    return expect.poll(read);
  }
});
