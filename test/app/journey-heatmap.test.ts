/**
 * Reading a heatmap: cells of two pixels, the list of the hottest addresses, the lens, and what a selection offers. The real engine behind
 * the localhost host, and the built page in a real browser. Expected counts come from a walk over the records of the trace.
 */
import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordView } from '../../shared/records/record.ts';
import { violations } from './axe.ts';
import { keepScreenshots } from './browser.ts';
import { makeTrace } from './journey-driver.ts';
import { indexed, openStage, whySkipped, withCallsAlone, type Stage } from './journey-stage.ts';

const missing = whySkipped('The journey over the heatmap');

interface HeatRequest {
  readonly from: number;
  readonly to: number;
  readonly columns: number;
  readonly precision: string;
  readonly bands: readonly { readonly low: string; readonly high: string; readonly rows: number }[];
}

describe.skipIf(missing !== undefined)('the heatmap in the browser', () => {
  let stage: Stage;
  let page: Page;
  /** Accesses of the whole trace: record, address and kind. */
  let accesses: readonly { readonly n: number; readonly at: number; readonly kind: string }[];
  const requests: HeatRequest[] = [];

  beforeAll(async () => {
    stage = await openStage(async ({ path }) => {
      await makeTrace('tarmac', path('program.txt'), 5_700_000);
      writeFileSync(
        path('program.nm'),
        '00008000 00000400 T start\n00008400 00000c00 T work\n00009000 00002000 T rest\n',
      );
      return { path: path('program.txt'), images: [{ path: path('program.nm') }] };
    });
    page = stage.page;
    await stage.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    page.on('request', (request) => {
      if (request.url().endsWith('/api/heat')) requests.push(request.postDataJSON() as HeatRequest);
    });
    await page.goto(withCallsAlone(stage.host.url));
    const trace = await indexed(stage.host, stage.folder.path('program.txt'));
    const records: RecordView[] = [];
    for (let from = 0; ; from = records.length) {
      const answer = await stage.host.client.request('records', { trace, from, count: 10_000 });
      if (!answer.ok || answer.value.records.length === 0) break;
      records.push(...answer.value.records);
    }
    accesses = records.flatMap(({ n, address, kind }) =>
      address === undefined ? [] : [{ n, at: Number(address), kind }],
    );
  });
  afterAll(() => stage.close());

  it('asks for cells of at most two pixels once it rests', async () => {
    // The chart has its last size once the panes around it have theirs.
    await expect
      .poll(async () => {
        await atRest();
        const chart = await page.locator('canvas[data-chart=heatmap]').boundingBox();
        const fine = requests.findLast(({ precision }) => precision === 'fine');
        // All bands together fill the height, and none of their rows is higher than two pixels.
        const rows = fine?.bands.reduce((sum, band) => sum + band.rows, 0) ?? 0;
        const isWide = fine?.columns === Math.ceil(Math.round(chart?.width ?? 0) / 2);
        return isWide && rows >= (chart?.height ?? 0) / 2;
      })
      .toBe(true);
  });

  it('lists the hottest pages and symbols of what is shown, and a click zooms to one', async () => {
    await list().getByRole('row').nth(1).waitFor();
    const pages = counts(accesses, ({ at }) => Math.floor(at / 4096) * 4096);
    const [hottest = 0, count = 0] = pages[0] ?? [];
    await row(1).getByText(group(count)).waitFor();
    await row(1).getByText(hex(hottest)).waitFor();
    await list()
      .getByText(`${group(accesses.length)} accesses in the chart`)
      .waitFor();
    await shots('1-list');

    await row(1).hover();
    await page.locator('.marked').waitFor();
    await page.mouse.move(0, 0);
    await page.locator('.marked').waitFor({ state: 'detached' });
    await list().getByRole('grid').focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('.marked').waitFor();
    await row(1).click();
    await list()
      .getByText(`${group(count)} accesses in the chart`)
      .waitFor();
    expect(await list().getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: 'Show all addresses' }).click();
    await row(2).waitFor();
    await row(1).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Copy table as CSV' }).click();
    const [head, first] = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
    expect(head?.trim()).toBe('from,to,accesses,part of all,names');
    expect(first).toContain(`${hex(hottest)},${hex(hottest + 4095)},${count},`);

    await list().getByRole('button', { name: 'Symbols' }).click();
    const names = counts(
      accesses.filter(({ at }) => at >= 0x8000 && at < 0xb000),
      ({ at }) => (at < 0x8400 ? 'start' : at < 0x9000 ? 'work' : 'rest'),
    );
    for (const [at, [name, number]] of names.entries()) {
      await row(at + 1)
        .getByText(name)
        .first()
        .waitFor();
      await row(at + 1)
        .getByText(group(number))
        .waitFor();
    }
  });

  it('a lens enlarges dense addresses, marks its edges on the axis, and goes again', async () => {
    await page.keyboard.press('l');
    await page.getByRole('group', { name: 'Lens' }).getByText('0x00008000 to').waitFor();
    await atRest();
    expect(
      await page.locator('.ground .lens').evaluate((lens) => lens.clientHeight / lens.parentElement!.clientHeight),
    ).toBeCloseTo(0.5, 1);
    await shots('2-lens');
    expect(await violations(page, { include: 'section[aria-label="Heatmap"]' })).toEqual([]);
    await page.keyboard.press('l');
    await page.getByRole('group', { name: 'Lens' }).waitFor({ state: 'detached' });
  });

  it('counts what is selected by kind, page and symbol, and takes it to the report and to the search', async () => {
    const chart = await page.locator('canvas[data-chart=heatmap]').boundingBox();
    const [left, top, width, height] = [chart?.x ?? 0, chart?.y ?? 0, chart?.width ?? 0, chart?.height ?? 0];
    await page.keyboard.down('Shift');
    await page.mouse.move(left + width * 0.3, top + height * 0.5);
    await page.mouse.down();
    await page.mouse.move(left + width * 0.6, top + height * 0.97, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await bar().getByText('accesses').waitFor();
    await shots('3-selection');
    const text = await bar().innerText();
    const [from = 0, to = 0] = (/^([\d,]+) to ([\d,]+)/.exec(text) ?? [])
      .slice(1)
      .map((part) => Number(part.replaceAll(',', '')));
    const [low = 0, high = 0] = (/(0x[0-9a-f]+) to (0x[0-9a-f]+)/.exec(text) ?? []).slice(1).map(Number);
    const inside = accesses.filter(({ n, at }) => n >= from && n <= to && at >= low && at <= high);
    expect(inside.length).toBeGreaterThan(0);
    await bar()
      .getByText(`${group(inside.length)} accesses`)
      .waitFor();

    await page.keyboard.press('Shift+S');
    const dialog = page.getByRole('dialog', { name: 'Statistics of the selection' });
    await dialog.getByRole('button', { name: 'Copy as CSV' }).and(page.locator(':enabled')).waitFor();
    await shots('4-statistics');
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Copy as CSV' }).click();
    const lines = (await page.evaluate(() => navigator.clipboard.readText())).trim().split('\n');
    const last = inside.at(-1)?.n ?? -1;
    expect(lines.slice(0, 4).map((line) => line.trim())).toEqual([
      'what,name,from,to,accesses',
      `records,,${from},${to},`,
      `addresses,,${hex(low)},${hex(high)},${inside.length}`,
      `first and last access,,${inside[0]?.n},${last},`,
    ]);
    expect(numbers(lines, 'kind')).toEqual(counts(inside, ({ kind }) => kind).map(([, count]) => count));
    expect(numbers(lines, 'page')).toEqual(counts(inside, ({ at }) => Math.floor(at / 4096)).map(([, count]) => count));
    await dialog.getByRole('button', { name: `Record ${group(last)}` }).click();
    await page
      .locator('footer')
      .getByText(`Record ${group(last)} of`)
      .waitFor();

    await page.keyboard.press('Shift+S');
    await dialog
      .getByRole('region', { name: 'Counts' })
      .getByRole('button', { name: hex(0x9000) })
      .first()
      .click();
    await page.getByRole('button', { name: 'Show all addresses' }).and(page.locator(':enabled')).click();
    await bar().getByRole('button', { name: 'Add to report' }).click();
    await page
      .getByRole('status')
      .getByText(/report/)
      .waitFor();
    await bar().getByRole('button', { name: 'List records' }).click();
    await page
      .locator('section[aria-label="Search"]')
      .getByText(`${group(inside.length)} of ${group(inside.length)} matches`)
      .waitFor();
    await shots('5-records');
  });

  const list = () => page.getByRole('region', { name: 'Hottest addresses' });
  const row = (at: number) => list().getByRole('row').nth(at);
  const bar = () => page.getByRole('group', { name: 'Selection' });

  async function atRest(): Promise<void> {
    await page.locator('[data-settled=true]').waitFor();
  }

  function shots(name: string): Promise<void> {
    return keepScreenshots(page, `journey-heatmap-${name}`, atRest);
  }
});

/** Returns how many items have each key, the most frequent first. */
function counts<T, K>(items: readonly T[], keyOf: (item: T) => K): readonly (readonly [K, number])[] {
  const sums = new Map<K, number>();
  for (const item of items) sums.set(keyOf(item), (sums.get(keyOf(item)) ?? 0) + 1);
  return [...sums].sort(([, a], [, b]) => b - a);
}

/** Returns the counts of the lines of CSV about a subject. */
function numbers(lines: readonly string[], what: string): readonly number[] {
  return lines.filter((line) => line.startsWith(`${what},`)).map((line) => Number(line.split(',').at(-1)));
}

function group(value: number): string {
  return value.toLocaleString('en-US');
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`;
}
