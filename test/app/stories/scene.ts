/** A page with the trace of a format, and the acts of a person that several stories share. */
import { copyFileSync, appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { violations } from '../axe.ts';
import type { Stage } from '../journey-stage.ts';
import type { Facts } from './facts.ts';
import { keepGuidePicture, keepPictures } from './pictures.ts';

export interface Scene {
  readonly facts: Facts;
  readonly stage: Stage;
  readonly page: Page;
  /** Path of the trace. */
  readonly trace: string;
}

/** Writes the trace of the stories into the stage's folder. */
export function writeTrace({ sample, file, more = '' }: Facts, path: (name: string) => string): void {
  copyFileSync(fileURLToPath(new URL(`../../samples/${sample}`, import.meta.url)), path(file));
  if (more !== '') appendFileSync(path(file), more);
}

export function pane(page: Page, title: string): Locator {
  return page.locator(`section[aria-label="${title}"]`);
}

/** Runs a command by its name in the palette. */
export async function command(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+Shift+P');
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
  // At once, because the list would be drawn for each letter.
  await page.keyboard.insertText(name);
  await page.keyboard.press('Enter');
}

/** Opens the dialog that goes to a place, and returns its field. */
export async function goField(page: Page): Promise<Locator> {
  const field = page.getByRole('combobox', { name: 'Record number' });
  // A trace that is being opened again has no cursor yet.
  await expect
    .poll(async () => {
      if ((await field.count()) === 0) await page.keyboard.press('g');
      return field.count();
    })
    .toBe(1);
  return field;
}

export async function go(page: Page, place: string): Promise<void> {
  await (await goField(page)).fill(place);
  await page.keyboard.press('Enter');
}

/** Waits until the cursor is at the record and its row is selected. */
export async function at(page: Page, n: number): Promise<void> {
  await page.locator('footer b').first().getByText(n.toLocaleString('en-US'), { exact: true }).waitFor();
}

export async function says(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('footer').getByText(text).first().waitFor();
}

/** Waits until no pane waits for an answer. */
export async function idle(page: Page): Promise<void> {
  await expect.poll(() => page.locator('.busy.on, .waiting').count()).toBe(0);
}

/** Ends a story: axe finds nothing in the part of the page that the story is about, and the pictures are kept. */
export async function end({ page, facts }: Scene, story: string, part?: string): Promise<void> {
  await idle(page);
  expect(await violations(page, { ...(part !== undefined && { changed: part }) })).toEqual([]);
  if (facts.isInGuide === true && story !== 'keyboard-only') await keepGuidePicture(page, story);
  await keepPictures(page, `story-${story}-${facts.format}`);
}
