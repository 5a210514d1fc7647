/**
 * From the symptom of a fault to its origin: three compiled programs with a fault on purpose (test/engine/compiled/programs/fault-*.c). A person
 * is at the record that shows a wrong value, and finds the faulty function with at most three key presses or clicks.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { keepScreenshots } from './browser.ts';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';
import { keepGuidePicture } from './stories/pictures.ts';

const missing = whySkipped('The journey from symptoms to faults');

const SAMPLES = fileURLToPath(new URL('../samples/tarmac/', import.meta.url));

describe.skipIf(missing !== undefined)('the origin of a fault in the browser', () => {
  let stage: Stage;
  let page: Page;
  let interactions = 0;

  afterEach(async () => {
    expect(interactions).toBeLessThanOrEqual(3);
    await stage.close();
  });

  it('finds who left an uninitialised offset on the stack', async () => {
    // The third output is stored: 2 * 3 + 0 would be 6, but it is 912.
    await openAt('fault-uninitialised', 298);
    await press('y');
    await pane().getByText('Why [0x9244+4] = 90 03 00 00 after record 299').waitFor();
    // mla adds an offset that no function of the filter set: checksum, which ran before, left it there.
    const stale = step('r0 = 0x38a');
    await stale.getByText('<checksum+0xc>').waitFor();
    await shoot('uninitialised');
    await click(stale);
    await page.locator('[data-record="75"][aria-selected=true]').waitFor();
  });

  it('finds who wrote over the limit of a false alarm', async () => {
    // The alarm is counted although the value 40 is below the limit 50.
    await openAt('fault-stray-write', 294);
    await press('h');
    await pane().getByText('Why record 294 was reached').waitFor();
    // cmp r3, #39 decided it: the limit was 33.
    await click(step('r3 = 0x21'));
    await click(pane().getByRole('button', { name: 'Why r3' }));
    await pane().getByText('Why r3 = 0x21 after record 280').waitFor();
    // Two of the four bytes come from set_limit, and the others are characters of a name.
    await step('[0x91e4+2] = 21 00').getByText('<set_name+0x4>').waitFor();
    await step('r3<31:16> = 0x0').getByText('<set_limit>').waitFor();
    await keepGuidePicture(page, 'why');
    await shoot('stray-write');
  });

  it('finds the copy that goes one item too far', async () => {
    // The total is shown as 9,999, but the four prices make 250.
    await openAt('fault-off-by-one', 177);
    await press('y');
    await pane().getByText('Why [0x9200+4] = 0f 27 00 00 after record 178').waitFor();
    // It was loaded from a fifth price, which is in the image, and copied.
    await step('r12 = 0x270f').getByText('<copy+0xc>').waitFor();
    await step('r12 = 0x270f').getByText('from [0x81e0+4], from the program image').waitFor();
    await click(pane().getByText('copied 3 times'));
    await pane().locator('.row').filter({ hasText: 'str ip, [r0, #4]!' }).waitFor();
    await shoot('off-by-one');
  });

  /** Opens a program with its image, and goes to a record. */
  async function openAt(name: string, n: number): Promise<void> {
    const folder = path.join(SAMPLES, name);
    stage = await openStage(() => ({
      path: path.join(folder, 'trace.txt'),
      format: 'tarmac',
      images: [{ path: path.join(folder, 'program.elf') }],
    }));
    page = stage.page;
    await page.goto(stage.host.url);
    await page.locator('footer').getByText('of 0 to').waitFor();
    await page.keyboard.press('g');
    await page.getByPlaceholder('Record, t:time, 0xaddress or symbol').fill(String(n));
    await page.keyboard.press('Enter');
    await page.locator(`[data-record="${n}"][aria-selected=true]`).waitFor();
    interactions = 0;
  }

  async function press(key: string): Promise<void> {
    interactions += 1;
    await page.keyboard.press(key);
  }

  async function click(place: Locator): Promise<void> {
    interactions += 1;
    await place.click();
  }

  function pane(): Locator {
    return page.getByRole('region', { name: 'Why' });
  }

  /** The row of the step that defined `what`, or of the end with these bytes. */
  function step(what: string): Locator {
    return pane()
      .locator('.row')
      .filter({ has: page.locator('.defines').getByText(what) });
  }

  function shoot(name: string): Promise<void> {
    return keepScreenshots(page, `journey-faults-${name}`);
  }
});
