/** Hot loop: a person lists the loops and walks through the iterations of one. */
import { at, end, pane, type Scene } from './scene.ts';

export async function hotLoop(scene: Scene): Promise<void> {
  const { page, facts } = scene;
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Shift+H');
  const spots = pane(page, 'Hot spots');
  await spots.waitFor();
  const loops = spots.getByRole('button', { name: 'Loops', exact: true });
  if ('none' in facts.loop) {
    if ((await loops.count()) > 0) await loops.click();
    await spots.getByText(facts.loop.none).waitFor();
  } else {
    await loops.click();
    await spots
      .getByRole('grid', { name: /^Loops: / })
      .getByRole('row', { name: facts.loop.row })
      .click();
    if (facts.loop.entry !== undefined) {
      await spots.getByRole('button', { name: 'First entry' }).click();
      await at(page, facts.loop.entry);
    }
    for (const n of facts.loop.iterations) {
      await spots.getByRole('button', { name: 'Next iteration' }).click();
      await at(page, n);
    }
  }
  await end(scene, 'hot-loop', 'section[aria-label="Hot spots"]');
}
