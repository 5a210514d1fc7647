/**
 * A person arranges the panes: first layouts by kind of trace, dragging tabs, moving panes and borders by key, a pane that covers the
 * others, and layouts with names.
 */
import { writeFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './axe.ts';
import { keepScreenshot } from './browser.ts';
import { makeTrace, recordErrors } from './journey-driver.ts';
import { openStage, whySkipped, withCallsAlone, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey of docking');

describe.skipIf(missing !== undefined)('docking', () => {
  let stage: Stage;
  let page: Page;
  /** The facts about the whole trace come late at first, as while a large trace is indexed. */
  const facts = Promise.withResolvers<undefined>();

  beforeAll(async () => {
    stage = await openStage(
      async ({ path }) => {
        const lines = Array.from({ length: 100 }, (_, i) => [
          `${i} clk IT (${i}) 0000800${(i % 3) * 4} e3a00001 A svc_s : mov r0, #1`,
          `${i} clk R r0 ${i.toString(16).padStart(8, '0')}`,
        ]);
        writeFileSync(path('program.txt'), `${lines.flat().join('\n')}\n`);
        await makeTrace('byu6', path('bus.byu'), 20_000);
        return path('program.txt');
      },
      { viewport: { width: 1280, height: 720 } },
    );
    page = stage.page;
    await page.route('**/api/info', async (route) => {
      await facts.promise;
      await route.fallback();
    });
    await page.goto(withCallsAlone(stage.host.url));
    await page.locator('[data-record="0"]').waitFor();
  });
  afterAll(() => stage.close());

  it('begins with registers and stack side by side for instructions', async () => {
    await pane('Registers').getByText('No register has been set').waitFor();
    const [registers, stack] = [await boxOf('Registers'), await boxOf('Stack')];
    expect([registers.y, registers.height]).toEqual([stack.y, stack.height]);
    expect(registers.x + registers.width).toBeLessThan(stack.x);
    facts.resolve(undefined);
    await keepScreenshot(page, 'journey-docking-1-instructions');
  });

  it('shows where a dragged tab goes, and Escape leaves it where it was', async () => {
    const target = await boxOf('Instructions');
    await grab('Notes');
    await page.mouse.move(target.x + target.width / 2, target.y + target.height - 20, { steps: 3 });
    await page.locator('.drop').waitFor();
    // The lower half of the group, whose box is its pane and half of the gap around it.
    const { x = 0, y = 0, width = 0, height = 0 } = (await page.locator('.drop').boundingBox()) ?? {};
    const [left, top] = [target.x - 3, target.y - 3];
    const [across, down] = [target.width + 6, target.height + 6];
    for (const [is, wanted] of [
      [x, left],
      [y, top + down / 2],
      [width, across],
      [height, down / 2],
    ] as const)
      expect(Math.abs(is - wanted)).toBeLessThan(1);
    await keepScreenshot(page, 'journey-docking-2-drag');
    await page.keyboard.press('Escape');
    await page.locator('.drop').waitFor({ state: 'detached' });
    await page.mouse.up();
    expect(await tabsBeside('Notes')).toEqual(['Memory', 'Branches', 'Notes']);
  });

  it('docks a dragged tab at the side of a pane, and among other tabs', async () => {
    const target = await boxOf('Instructions');
    await grab('Notes');
    await page.mouse.move(target.x + target.width / 2, target.y + target.height - 20, { steps: 3 });
    await page.mouse.up();
    await pane('Notes').waitFor();
    expect((await boxOf('Notes')).y).toBeGreaterThan((await boxOf('Instructions')).y);
    expect(await tabsBeside('Notes')).toEqual(['Notes']);
    const tab = (await page.getByRole('tab', { name: 'Bytes' }).boundingBox())!;
    await grab('Notes');
    await page.mouse.move(tab.x + 3, tab.y + 10, { steps: 3 });
    await page.mouse.up();
    await expect.poll(() => tabsBeside('Notes')).toEqual(['Registers', 'Watches', 'Notes', 'Bytes']);
  });

  it('moves a pane and a border by keyboard', async () => {
    await page.keyboard.press('Shift+N');
    await page.keyboard.press('Alt+Shift+ArrowDown');
    await expect.poll(() => tabsBeside('Notes')).toEqual(['Notes']);
    await page.locator('section[data-pane=notes]:focus').waitFor();
    expect((await boxOf('Notes')).y).toBeGreaterThan((await boxOf('Registers')).y);
    await page.keyboard.press('Alt+Shift+ArrowRight');
    await expect.poll(() => tabsBeside('Notes')).toEqual(['Stack', 'Notes']);
    const border = page.getByRole('separator', { name: 'Divider between Overview and Heatmap' });
    const before = await boxOf('Overview');
    await border.focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(async () => (await boxOf('Overview')).height).toBeGreaterThan(before.height);
    expect(await border.getAttribute('aria-valuenow')).toBe('19');
    await page.keyboard.press('ArrowUp');
  });

  it('lets a pane cover the others, by mouse and by key', async () => {
    await pane('Heatmap')
      .locator('header')
      .dblclick({ position: { x: 350, y: 15 } });
    await expect.poll(() => page.locator('[data-pane]').count()).toBe(1);
    await page.getByRole('button', { name: 'Show all panes' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'journey-docking-3-maximised');
    await page.keyboard.press('Control+Shift+M');
    await pane('Stack').or(pane('Notes')).first().waitFor();
    await page.getByRole('tab', { name: 'Memory' }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Maximise' }).waitFor();
    await keepScreenshot(page, 'journey-docking-4-menu');
    await page.getByRole('menuitem', { name: 'Maximise' }).click();
    await expect.poll(() => page.locator('[data-pane]').count()).toBe(1);
    await page.getByRole('button', { name: 'Show all panes' }).click();
    await pane('Heatmap').waitFor();
  });

  it('saves a layout under a name, resets, and uses and deletes the saved one', async () => {
    await run('Save layout as');
    const dialog = page.getByRole('dialog', { name: 'Save layout' });
    await dialog.getByLabel('Name of the layout').fill('Notes at the side');
    expect(await violations(page, { include: 'dialog' })).toEqual([]);
    await page.keyboard.press('Enter');
    await page.locator('footer').getByText('The layout is saved as Notes at the side.').waitFor();
    await run('Reset layout');
    await expect.poll(() => tabsBeside('Notes')).toEqual(['Memory', 'Branches', 'Notes']);
    await run('Save layout as');
    await dialog.getByRole('button', { name: 'Delete layout Notes at the side' }).waitFor();
    await keepScreenshot(page, 'journey-docking-5-save');
    await page.keyboard.press('Escape');
    await page.reload();
    await page.locator('[data-record="0"]').waitFor();
    await run('Layout: Notes at');
    await expect.poll(() => tabsBeside('Notes')).toEqual(['Stack', 'Notes']);
    await run('Delete layout Notes');
    await page.locator('footer').getByText('is deleted').waitFor();
    await expect
      .poll(async () => {
        const kept = await stage.host.client.request('kept', {});
        return kept.ok && kept.value.settings.layouts;
      })
      .toEqual({});
  });

  it('shows a pane in its own window, in step with the others, until it is closed', async () => {
    await page.keyboard.press('Control+9');
    await page.locator('#stack-frames:focus').waitFor();
    const opened = page.waitForEvent('popup');
    await page.keyboard.press('Control+Shift+X');
    const popup = await opened;
    const errors = recordErrors(popup);
    await popup.locator('section[data-pane=stack]').waitFor();
    await expect.poll(() => popup.title()).toBe('Stack · program.txt · Tracebench');
    await expect.poll(() => pane('Stack').count()).toBe(0);
    expect(await popup.locator('[data-pane]').count()).toBe(1);
    // The cursor moves in both windows, whichever it is moved in.
    await page.locator('[data-record="6"]').click();
    await popup.locator('footer').getByText('Record 6 of 0 to 199').waitFor();
    await popup.keyboard.press('ArrowDown');
    await page.locator('[data-record="7"][aria-selected=true]').waitFor();
    await popup.keyboard.press('Control+Shift+L');
    await page.locator('html[data-theme=light]').waitFor();
    await popup.getByText('1 frame at record 7').waitFor();
    expect(await violations(popup)).toEqual([]);
    await keepScreenshot(popup, 'journey-docking-7-popped-out');
    await keepScreenshot(page, 'journey-docking-8-without');
    expect(errors).toEqual([]);
    await popup.close();
    await pane('Stack').waitFor();
    // A tab that is dropped outside the window pops out too. A pane also returns by its button in the workbench, and its window closes.
    const again = page.waitForEvent('popup');
    await grab('Stack');
    await page.mouse.move(300, 300);
    await page.mouse.move(300, -20);
    await page.getByText('Release to open Stack in a window of its own').waitFor();
    await keepScreenshot(page, 'journey-docking-9-outside');
    await page.mouse.up();
    const second = await again;
    await second.locator('[data-pane]').waitFor();
    const closed = second.waitForEvent('close');
    await page.getByRole('navigation', { name: 'Panes in windows' }).getByRole('button').click();
    await closed;
    expect(await page.getByRole('navigation', { name: 'Panes in windows' }).count()).toBe(0);
    await page.keyboard.press('Control+Shift+L');
  });

  it('gives a bus trace a large heatmap and no empty panes', async () => {
    await page.keyboard.press('Control+o');
    await page.getByLabel('Path of the trace on this computer').fill(stage.folder.path('bus.byu'));
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'bus.byu', selected: true }).waitFor();
    await pane('Heatmap').waitFor();
    const { width, height } = await boxOf('Heatmap');
    expect([width > 0.6 * 1280, height > 0.75 * (720 - 70)]).toEqual([true, true]);
    expect([await pane('Registers').count(), await pane('Stack').count()]).toEqual([0, 0]);
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'journey-docking-6-bus');
    await run('Layout: Branch messages');
    await pane('Call tree').waitFor();
  });

  it('causes no errors', () => {
    expect(stage.errors).toEqual([]);
  });

  function pane(title: string): Locator {
    return page.locator(`section[aria-label="${title}"]`);
  }

  async function boxOf(title: string): Promise<{ x: number; y: number; width: number; height: number }> {
    const box = await pane(title).boundingBox();
    if (!box) throw new Error(`${title} is not shown`);
    return box;
  }

  /** Tabs of the group that contains a pane. */
  async function tabsBeside(title: string): Promise<readonly string[]> {
    const list = page.getByRole('tablist').filter({ has: page.getByRole('tab', { name: title, exact: true }) });
    return list.getByRole('tab').allInnerTexts();
  }

  /** Presses the mouse on a pane's tab. */
  async function grab(title: string): Promise<void> {
    const box = await page.getByRole('tab', { name: title, exact: true }).boundingBox();
    if (!box) throw new Error(`${title} has no tab`);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
  }

  async function run(command: string): Promise<void> {
    await page.keyboard.press('Control+Shift+P');
    await page.keyboard.type(command);
    await page.keyboard.press('Enter');
  }
});
