/**
 * The page uses the desktop bridge: the real page and engine, with a bridge controlled by the test (dialog, menu, recent files, files
 * from outside and dropped files).
 */
import { rmSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browser as found, keepScreenshot, openBrowser } from './browser.ts';
import { makeFolder, makeTrace, missingPage, startHost, type Folder, type Host } from './journey-driver.ts';
import { runInside } from './run-cli.ts';

const missing = found.path === undefined ? (found.reason ?? 'no browser') : missingPage;
if (missing !== undefined) console.warn(`The journey is skipped: ${missing}`);

/** State that the page's half of the test bridge leaves on the window. */
interface Played {
  command: (id: string) => void;
  openFile: (path: string) => void;
}

describe.skipIf(missing !== undefined)('the page with a desktop bridge', () => {
  let folder: Folder;
  let host: Host;
  let browser: Browser;
  let page: Page;
  let paths: { readonly dialog: string; readonly outside: string; readonly dropped: string };
  /** Made of the dropped trace. */
  let bundle: string;

  beforeAll(async () => {
    folder = makeFolder();
    paths = {
      dialog: folder.path('dialog.byu'),
      outside: folder.path('outside.byu'),
      dropped: folder.path('dropped.byu'),
    };
    for (const path of Object.values(paths)) await makeTrace('byu6', path, path === paths.outside ? 30_000 : 60_000);
    bundle = folder.path('finding.zip');
    const index = ['--index-dir', folder.path('other-index')];
    await runInside(['notes', 'add', paths.dropped, '--at', '7', '--title', 'Seen by a colleague', ...index]);
    const written = await runInside(['bundle', paths.dropped, '-o', bundle, '--no-reports', ...index]);
    expect(written.code, written.stderr).toBe(0);
    rmSync(`${paths.dropped}.notebook`);
    host = await startHost(folder.path('index'));
    await host.client.request('keepTrace', { path: paths.outside });
    browser = await openBrowser();
    page = await browser.newPage();
    await page.addInitScript(
      (given) => {
        const played = { command: () => undefined, openFile: () => undefined };
        Object.assign(window, {
          played,
          tracebenchHost: {
            kind: 'desktop',
            openDialog: () => Promise.resolve([given.dialog]),
            pathOf: (file: File) =>
              Promise.resolve({ 'dropped.byu': given.dropped, 'finding.zip': given.bundle }[file.name] ?? ''),
            setCommands: () => undefined,
            onCommand: (listener: () => undefined) => (played.command = listener),
            onOpenFile: (listener: () => undefined) => (played.openFile = listener),
          },
        });
      },
      { ...paths, bundle },
    );
    await page.goto(host.url);
  });
  afterAll(async () => {
    await browser.close();
    await host.close();
    folder.remove();
  });

  function play(what: keyof Played, value: string): Promise<void> {
    return page.evaluate(
      ([name, given]) => {
        (window as unknown as { played: Played }).played[name](given);
      },
      [what, value] as const,
    );
  }

  async function drop(name: string): Promise<void> {
    await page.evaluate((file) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['x'], file));
      for (const type of ['dragover', 'drop']) {
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      }
    }, name);
  }

  it("offers the recent traces and the desktop's open dialog", async () => {
    await page.getByRole('button', { name: /^outside\.byu/ }).waitFor();
    await keepScreenshot(page, 'journey-8-desktop');
    await page.getByRole('button', { name: 'Open trace…' }).click();
    await page.getByRole('tab', { name: 'dialog.byu', selected: true }).waitFor();
  });

  it('runs menu commands', async () => {
    await play('command', 'help');
    await page.getByRole('dialog', { name: 'Keyboard and pointer' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('[data-record="1"]').waitFor();
    await play('command', 'step');
    await page.locator('[data-record="1"][aria-selected=true]').waitFor();
  });

  it('opens files from outside and dropped files, each in its own tab', async () => {
    await play('openFile', paths.outside);
    await page.getByRole('tab', { name: 'outside.byu', selected: true }).waitFor();
    await drop('dropped.byu');
    await page.getByRole('tab', { name: 'dropped.byu', selected: true }).waitFor();
    expect(await page.getByRole('tablist', { name: 'Open traces' }).getByRole('tab').count()).toBe(3);
  });

  it('merges a bundle that is dropped on its trace, and opens it elsewhere', async () => {
    await drop('finding.zip');
    const merge = page.getByRole('dialog', { name: 'Merge finding.zip into the notes of dropped.byu' });
    await merge.getByRole('heading', { name: 'New: 1 note' }).waitFor();
    await merge.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.getByRole('region', { name: 'Notes' }).getByText('Seen by a colleague').waitFor();
    await merge.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'outside.byu' }).click();
    await page.getByRole('tab', { name: 'outside.byu', selected: true }).waitFor();
    await drop('finding.zip');
    await page.getByRole('dialog', { name: 'Evidence bundle finding.zip' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('explains why a dropped object that is no file on disk cannot be opened', async () => {
    await drop('attached.byu');
    await page.getByRole('status').getByText('attached.byu is not a file on disk').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('reports a problem with one file and keeps the open traces', async () => {
    await play('openFile', folder.path('gone.byu'));
    await page.getByRole('alert').getByText('gone.byu').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await play('openFile', paths.dialog);
    await page.getByRole('tab', { name: 'dialog.byu', selected: true }).waitFor();
    expect(await page.getByRole('tablist', { name: 'Open traces' }).getByRole('tab').count()).toBe(3);
  });

  it('closes tabs back to the start screen', async () => {
    for (const name of ['dialog.byu', 'outside.byu', 'dropped.byu']) {
      await page.getByRole('tab', { name }).click();
      await page.getByRole('button', { name: `Close trace ${name}` }).click();
      await page.getByRole('tab', { name }).waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Open trace…' }).waitFor();
  });
});
