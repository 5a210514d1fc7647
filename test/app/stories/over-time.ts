/** A trace over time: a person points at the overview, reads what is there, and clicks. */
import { expect } from 'vitest';
import { at, end, pane, type Scene } from './scene.ts';

export async function overTime(scene: Scene): Promise<void> {
  const { page, facts } = scene;
  const { record, kind, phases } = facts.time;
  const overview = pane(page, 'Overview');
  const strip = page.getByRole('application', { name: /^Overview of the trace/ });
  if (typeof phases === 'string') await overview.getByText(phases).first().waitFor();
  else await overview.locator('[data-track="phases"] .missing').waitFor({ state: 'detached' });
  const { x, y, width } = (await overview.locator('canvas[data-chart=overview]').boundingBox())!;
  await page.mouse.move(x + (width * (record + 0.5)) / (facts.last + 1), y + 12);
  await overview
    .locator('.tip')
    .getByText(new RegExp(`^${kind}`))
    .waitFor();
  await page.mouse.down();
  await page.mouse.up();
  await at(page, record);
  await strip.focus();
  if (typeof phases !== 'string') {
    await page.keyboard.press('ArrowDown');
    for (const phase of phases) {
      await expect
        .poll(async () => {
          await page.keyboard.press('ArrowRight');
          return overview.locator('.spoken').last().innerText();
        })
        .toMatch(phase);
    }
    await page.keyboard.press('Enter');
    await page.keyboard.press('0');
  }
  expect(await overview.getByRole('button', { name: 'Tracks' }).count()).toBe(1);
  await end(scene, 'over-time', 'section[aria-label=Overview]');
}
