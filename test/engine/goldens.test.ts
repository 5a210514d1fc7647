/**
 * Answers of the engine for every sample, as text next to the sample: test/samples/<format>/<case>/engine.txt. UPDATE_GOLDENS=1
 * rewrites them; read the difference before you commit it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import { pageRows } from '../../shared/requests/addresses.ts';
import type { HeatGrid, PageRow, TraceInfo } from '../../shared/requests/requests.ts';
import type { RecordView } from '../../shared/records/record.ts';
import { findSamples } from '../laws/samples.ts';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const samples = findSamples();
let engine: Engine;

beforeAll(() => {
  engine = sharedEngine(1200);
});

afterAll(async () => {
  await engine.close();
  place.dispose();
});

describe.each([...new Set(samples.map(({ format }) => format))])('%s', (format) => {
  test.each(samples.filter((sample) => sample.format === format))('$name', async ({ goldenPath, bytes, options }) => {
    const file = place.file('trace', bytes);
    const { trace } = await ask(engine, 'open', { path: file, format, options });
    await ask(engine, 'index', { trace });
    const text = [
      aboutInfo(await ask(engine, 'info', { trace })),
      ...pageRows(await ask(engine, 'pages', { trace, size: 4096 })).map(aboutPage),
      ...aboutHeat(await ask(engine, 'heat', { trace, columns: 24, rows: 12, precision: 'even' })),
      ...(await ask(engine, 'find', { trace, kinds: ['write'], limit: 3 })).records.map((record) =>
        aboutRecord('first writes', record),
      ),
      ...(await ask(engine, 'find', { trace, kinds: ['read'], before: Number.MAX_SAFE_INTEGER, limit: 3 })).records.map(
        (record) => aboutRecord('last reads', record),
      ),
    ].join('\n');
    await ask(engine, 'close', { trace });

    const golden = path.join(path.dirname(goldenPath), 'engine.txt');
    if (process.env['UPDATE_GOLDENS'] === '1') fs.writeFileSync(golden, `${text}\n`);
    expect(`${text}\n`).toBe(fs.readFileSync(golden, 'utf8'));
  });
});

function aboutInfo({ format, records, kinds, native, time, address, diagnostics }: TraceInfo): string {
  return [
    `${format.id} ${format.dialect ?? ''} ${JSON.stringify(format.options)}`.replaceAll('  ', ' '),
    `records ${String(records)} ${JSON.stringify(kinds)}`,
    `native ${JSON.stringify(native)}`,
    `time ${JSON.stringify(time ?? null)}`,
    `address ${JSON.stringify(address ?? null)}`,
    ...diagnostics.map(
      ({ code, count, firstOffset, firstRecord }) =>
        `diagnostic ${code} x${String(count)} first @${String(firstOffset)} record ${String(firstRecord)}`,
    ),
  ].join('\n');
}

function aboutPage({ page, kinds, first, last }: PageRow): string {
  return `page ${page} ${JSON.stringify(kinds)} records ${String(first)}..${String(last)}`;
}

/** Highest addresses on top, as on screen: a dot for zero, else the number of digits of the count. */
function aboutHeat(grid: HeatGrid): string[] {
  const lines = [`heat ${grid.bands.map(({ low, high, rows }) => `${low}..${high} in ${String(rows)}`).join(', ')}`];
  for (let row = grid.rows - 1; row >= 0; row--) {
    const cells = Array.from({ length: grid.columns }, (_, column) => grid.counts[column * grid.rows + row]!);
    lines.push(`  ${cells.map((count) => (count === 0 ? '.' : String(count).length)).join('')}`);
  }
  return lines;
}

function aboutRecord(what: string, { n, offset, native, address, size }: RecordView): string {
  return `${what}: ${String(n)} @${String(offset)} ${native} ${address ?? '-'} ${String(size ?? '-')}`;
}
