/** Two processors whose records are interleaved: what the list of records says of the calls of one says nothing of the other. */
import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, whySkipped, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey of two processors');

// Processor 0 calls 0x8100 and comes back; processor 1 only ever adds, one instruction behind each of the other's.
const TRACE = [
  '1 clk 0 IT (1) 00008000 e1a00000 A svc : nop',
  '2 clk 1 IT (2) 00009000 e2811001 A svc : add r1, r1, #1',
  '3 clk 0 IT (3) 00008004 eb00003d A svc : bl 0x8100',
  '4 clk 1 IT (4) 00009004 e2811001 A svc : add r1, r1, #1',
  '5 clk 0 IT (5) 00008100 e1a00000 A svc : nop',
  '6 clk 1 IT (6) 00009008 e2811001 A svc : add r1, r1, #1',
  '7 clk 0 IT (7) 00008104 e12fff1e A svc : bx lr',
  '8 clk 1 IT (8) 0000900c e2811001 A svc : add r1, r1, #1',
  '9 clk 0 IT (9) 00008008 e1a00000 A svc : nop',
  '10 clk 1 IT (10) 00009010 e2811001 A svc : add r1, r1, #1',
];

describe.skipIf(missing !== undefined)('records of two processors', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStage(({ path }) => {
      writeFileSync(path('two.txt'), `${TRACE.join('\n')}\n`);
      return path('two.txt');
    });
    page = stage.page;
    await page.goto(stage.host.url);
    await page.locator('[data-record="2"] [data-fold=open]').waitFor();
  });
  afterAll(() => stage.close());

  it('indents the calls of the one that makes them, and not the records of the other', async () => {
    const levels = await page
      .locator('[data-record]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-level')));
    expect(levels).toEqual(['1', '1', '1', '1', '2', '1', '2', '1', '1', '1']);
  });

  it('says that what a folded call hides is not of its processor alone', async () => {
    await page.locator('[data-record="2"] [data-fold=open]').click();
    // Records 4 to 7: two of the call, two that the other processor made meanwhile.
    await page.locator('[data-record="2"]').getByText('4 records of all CPUs folded').waitFor();
    expect(await page.locator('[data-record="5"]').count()).toBe(0);
    await page.locator('[data-record="2"] [data-fold=folded]').click();
    await page.locator('[data-record="5"]').waitFor();
  });
});
