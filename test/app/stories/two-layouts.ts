/** Two layouts: the panes of the first layout, another layout under a name, and the way back. */
import { command, end, pane, says, type Scene } from './scene.ts';

export async function twoLayouts(scene: Scene): Promise<void> {
  const { page, facts } = scene;
  const [closed = ''] = facts.panes.filter((title) => title !== 'Overview');
  await pane(page, closed)
    .getByRole('button', { name: `Close ${closed}` })
    .click();
  await page.getByRole('tab', { name: closed, exact: true }).waitFor({ state: 'detached' });
  await command(page, 'Save layout as');
  await page.getByRole('dialog', { name: 'Save layout' }).getByLabel('Name of the layout').fill('Less');
  await page.keyboard.press('Enter');
  await says(page, 'The layout is saved as Less.');
  await command(page, 'Reset layout');
  for (const title of facts.panes) await pane(page, title).waitFor();
  await command(page, 'Layout: Less');
  await pane(page, closed).waitFor({ state: 'detached' });
  await end(scene, 'two-layouts', 'nav, [role=tablist]');
  await command(page, 'Delete layout Less');
  await says(page, 'is deleted');
  await command(page, 'Reset layout');
  await pane(page, closed).waitFor();
}
