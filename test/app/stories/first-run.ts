/**
 * First run: no trace is open. A person drops a file, types its path as the page asks, and later chooses it from the list of files. The
 * page shows its format, its records and the panes for its kind.
 */
import { expect } from 'vitest';
import { NIGHTLY } from '../../short-form.ts';
import { at, end, idle, pane, says, type Scene } from './scene.ts';
import { keepGuidePicture, keepPictures } from './pictures.ts';

export async function firstRun(scene: Scene): Promise<void> {
  const { page, facts, stage, trace } = scene;
  await page.goto(stage.host.url);
  const formats = page.getByRole('region', { name: 'Supported formats' });
  await formats.getByText(facts.format, { exact: true }).waitFor();
  if (facts.isInGuide === true) await keepGuidePicture(page, 'start');
  await keepPictures(page, `story-first-run-start-${facts.format}`);
  if (facts.isInGuide === true) await takeSample(scene);

  await page.evaluate((name) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['a trace'], name));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, facts.file);
  await says(page, `A browser does not reveal the path of ${facts.file}. Type its path instead.`);
  await page.getByRole('dialog', { name: 'Open trace' }).getByLabel('Path of the trace on this computer').fill(trace);
  await page.keyboard.press('Enter');
  await isOpen(scene);
  if (NIGHTLY || facts.isInGuide === true) await chooseFile(scene);
  // The whole page, once for each layout.
  await end(scene, 'first-run', facts.standsForLayout === true ? 'html' : 'header');
}

async function isOpen({ page, facts }: Scene): Promise<void> {
  await page.getByRole('tab', { name: facts.file, selected: true }).waitFor();
  await says(page, `of 0 to ${facts.last.toLocaleString('en-US')}`);
  await at(page, 0);
  await page.getByTitle('Format of this trace').getByText(facts.format).waitFor();
  for (const title of facts.panes) await pane(page, title).waitFor();
}

/** Opens a sample with one click, leaves the tour that begins, and closes the sample. */
async function takeSample({ page }: Scene): Promise<void> {
  await page
    .getByRole('region', { name: 'Sample traces' })
    .getByRole('button', { name: /^Who wrote this[?]/ })
    .click();
  const tour = page.getByRole('dialog');
  await tour.getByRole('heading', { name: 'The whole trace' }).waitFor();
  await expect.poll(() => page.locator('progress').count()).toBe(0);
  await page.locator('[data-settled=true]').first().waitFor();
  await idle(page);
  await keepGuidePicture(page, 'tour');
  await keepPictures(page, 'story-first-run-tour');
  await page.keyboard.press('Escape');
  await tour.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Close trace who-wrote-this/ }).click();
}

/** Closes the trace, and opens it from the list of files. */
async function chooseFile(scene: Scene): Promise<void> {
  const { page, facts } = scene;
  await page.getByRole('button', { name: `Close trace ${facts.file}` }).click();
  await page.getByRole('region', { name: 'Recent traces' }).getByText(facts.file).first().waitFor();

  await page.getByRole('button', { name: 'Browse…' }).click();
  // The list begins in the folder of the trace that was used last.
  await page
    .getByRole('grid', { name: /^Files in/ })
    .getByText(facts.file)
    .click();
  await isOpen(scene);
}
