/**
 * Yesterday's work: another server on another port, in a browser that knows nothing of it, and one click. In `npm test` it is the same
 * browser, which knows nothing of the other port; opening another one takes several times as long.
 */
import { expect } from 'vitest';
import { NIGHTLY } from '../../short-form.ts';
import { startHost } from '../journey-driver.ts';
import { at, end, pane, type Scene } from './scene.ts';

export async function yesterday(scene: Scene): Promise<void> {
  const { page, facts, stage, trace } = scene;
  const { record } = facts.search;
  await page.keyboard.press('Control+3');
  await page.keyboard.press('+');
  await page.getByRole('button', { name: 'Close Overview' }).click();
  const viewOf = async (): Promise<string> => {
    const kept = await stage.host.client.request('kept', { path: trace });
    return (kept.ok && kept.value.traces[0]?.view) || '';
  };
  // An earlier view has the record, too. On a busy machine a browser may end a page before it has written its last view.
  await expect.poll(viewOf).toMatch(new RegExp(`"n":${String(record)},.*"range":.*"closed":[^}]*"overview"`, 's'));
  await page.goto('about:blank');

  const host = await startHost(stage.folder.path('index'));
  const context = NIGHTLY
    ? await stage.browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: 'dark' })
    : undefined;
  try {
    const later = (await context?.newPage()) ?? page;
    await later.goto(host.url);
    const recent = later.getByRole('region', { name: 'Recent traces' });
    await recent.getByText(new RegExp(`^record ${String(record)} · range [0-9]+ to [0-9]+ · right\\.elf$`)).waitFor();
    await recent.getByRole('button', { name: new RegExp(`^${facts.file}`) }).click();
    await at(later, record);
    await later.locator('footer').getByText('Range').waitFor();
    await pane(later, 'Instructions').waitFor();
    expect(await pane(later, 'Overview').count()).toBe(0);
    await later.keyboard.press('Shift+N');
    await pane(later, 'Notes').getByText('Look here').first().waitFor();
    await end({ ...scene, page: later }, 'yesterday', 'section[aria-label=Notes]');
  } finally {
    await (context?.close() ?? page.goto('about:blank'));
    await host.close();
  }
}
