/** The eight stories of the user's guide, in order, on the trace of one format and mostly on one page. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NIGHTLY } from '../../short-form.ts';
import { openStage, whySkipped } from '../journey-stage.ts';
import type { Facts } from './facts.ts';
import { firstRun } from './first-run.ts';
import { hotLoop } from './hot-loop.ts';
import { keyboardOnly } from './keyboard-only.ts';
import { lastWriter } from './last-writer.ts';
import { overTime } from './over-time.ts';
import { writeTrace, type Scene } from './scene.ts';
import { twoLayouts } from './two-layouts.ts';
import { wrongImage } from './wrong-image.ts';
import { yesterday } from './yesterday.ts';

const missing = whySkipped('The stories');

export function playStories(facts: Facts): void {
  describe.skipIf(missing !== undefined)(`the stories on ${facts.format}`, () => {
    let scene: Scene;
    const playsAll = NIGHTLY || facts.standsForLayout === true;

    beforeAll(async () => {
      const stage = await openStage(
        ({ path }) => {
          writeTrace(facts, path);
          writeFileSync(path('right.elf'), facts.image.right);
          writeFileSync(path('wrong.elf'), facts.image.wrong);
          return undefined;
        },
        { viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' },
      );
      scene = { facts, stage, page: stage.page, trace: stage.folder.path(facts.file) };
    });
    afterAll(() => scene.stage.close());

    it('first run: finds a file of the format and opens it', () => firstRun(scene));
    if (playsAll)
      it('two layouts: begins with the layout of its kind, saves another one, and returns', () => twoLayouts(scene));
    it('who wrote this: finds the record that wrote a byte', () => lastWriter(scene));
    it('wrong image: says that the image does not fit, and replaces it', () => wrongImage(scene));
    it('what happens over time: reads the overview, and a click selects', () => overTime(scene));
    it('hot loop: lists loops and walks their iterations', () => hotLoop(scene));
    if (playsAll) it('keyboard only: does the main acts without a mouse', () => keyboardOnly(scene));
    if (playsAll) it("reopen yesterday's work: one click returns to it", () => yesterday(scene));
    it('causes no errors', () => expect(scene.stage.errors).toEqual([]));
  });
}
