/** A trace over time: a person points at the overview, reads what is there, and clicks. */
import { expect } from 'vitest';
import { at, end, pane, type Scene } from './scene.ts';

export async function overTime(scene: Scene): Promise<void> {
  const { page, facts } = scene;
  const { record, kind, phases } = facts.time;
  const overview = pane(page, 'Overview');
  const strip = page.getByRole('application', { name: /^Overview of the trace/ });
  const depths = pane(page, 'Instructions').locator('[data-column=depth]');
  if (typeof phases === 'string') {
    await overview.getByText(phases).first().waitFor();
    // An unknown depth is not shown as 0.
    expect(await depths.count()).toBe(0);
  } else {
    if (facts.panes.includes('Stack')) await depths.waitFor();
    await overview.locator('[data-track="phases"] .missing').waitFor({ state: 'detached' });
    const table = overview.getByRole('button', { name: 'Show as table' });
    await table.click();
    const rows = overview.getByRole('table', { name: /^Phases/ }).getByRole('row');
    for (const [index, phase] of phases.entries())
      await expect.poll(async () => (await rows.allInnerTexts())[index + 1]).toMatch(phase);
    await table.click();
  }
  const tip = overview.locator('.tip');
  await expect
    .poll(async () => {
      const { x, y, width } = (await overview.locator('canvas[data-chart=overview]').boundingBox())!;
      await page.mouse.move(x + (width * (record + 0.5)) / (facts.last + 1), y + 12);
      return (await tip.allInnerTexts()).join('');
    })
    .toMatch(new RegExp(`^${kind}`, 'm'));
  await page.mouse.down();
  await page.mouse.up();
  await at(page, record);
  await strip.focus();
  if (typeof phases !== 'string') {
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await overview
      .locator('.spoken')
      .getByText(/^Records [\d,]+ to [\d,]+: /)
      .waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('0');
  }
  expect(await overview.getByRole('button', { name: 'Tracks' }).count()).toBe(1);
  await end(scene, 'over-time', 'section[aria-label=Overview]');
}
