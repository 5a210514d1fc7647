/** Pictures of the stories, for people who judge them: three sizes of the window, dark and light. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const SIZES = [
  { width: 1280, height: 720 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
] as const;

/** Folder of the pictures of the user's guide, which is built with `TRACEBENCH_GUIDE=1`. */
const GUIDE = fileURLToPath(new URL('../../../docs/guide/', import.meta.url));

/** Saves the present state as a picture of the user's guide, if TRACEBENCH_GUIDE is 1. */
export async function keepGuidePicture(page: Page, name: string): Promise<void> {
  if (process.env['TRACEBENCH_GUIDE'] !== '1') return;
  mkdirSync(GUIDE, { recursive: true });
  await page.screenshot({ path: `${GUIDE}${name}.png` });
}

/** Saves six pictures of the present state in `artefacts/stories/`, if TRACEBENCH_SCREENSHOTS is 1, and restores size and theme. */
export async function keepPictures(page: Page, name: string): Promise<void> {
  if (process.env['TRACEBENCH_SCREENSHOTS'] !== '1') return;
  const folder = fileURLToPath(new URL('../../../artefacts/stories/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-theme=${theme}]`).waitFor();
    for (const size of SIZES) {
      await page.setViewportSize(size);
      // The panes ask again for the new size.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await expect.poll(() => page.locator('.busy.on, .waiting').count()).toBe(0);
      await page.screenshot({ path: `${folder}${name}-${String(size.width)}-${theme}.png` });
    }
  }
  await page.setViewportSize(SIZES[0]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-theme=dark]').waitFor();
}
