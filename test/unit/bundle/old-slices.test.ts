// Slices of bundles that nobody opened for a month are removed, and nothing that somebody made.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { markSliceOpened, removeOldSlices } from '../../../electron/engine/bundle/old-slices.ts';
import { sliceFacts } from '../../../electron/engine/bundle/slice-facts.ts';

const folder = mkdtempSync(join(tmpdir(), 'tracebench-slices-'));
const slices = join(folder, 'slices');
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const FACTS = JSON.stringify({ bundle: '/somewhere/finding.zip', of: 'run.log', from: 5, to: 9, stateRecords: 0 });
const days = (count: number): Date => new Date(Date.now() - count * 24 * 60 * 60 * 1000);

function bundle(name: string, opened: Date, ...more: string[]): string {
  const place = join(slices, name);
  mkdirSync(place, { recursive: true });
  for (const file of ['run.log', 'run.log.slice-of.json', ...more]) {
    writeFileSync(join(place, file), file.endsWith('.json') ? FACTS : '1 clk R r0 00000001\n');
    utimesSync(join(place, file), opened, opened);
  }
  return join(place, 'run.log');
}

test('removes only slices that were not opened for a month', () => {
  bundle('old', days(31));
  bundle('cut', days(31), 'run.log.1b4e28ba-2fa1-11d2-883f-0016d3cca427');
  bundle('recent', days(29));
  bundle('with-notes', days(31), 'run.log.notebook');
  const again = bundle('again', days(31));
  markSliceOpened(again);
  mkdirSync(join(slices, 'mine', 'folder'), { recursive: true });
  writeFileSync(join(slices, 'notes.txt'), 'mine');
  removeOldSlices(slices);
  expect(readdirSync(slices).sort()).toEqual(['again', 'mine', 'notes.txt', 'recent', 'with-notes']);
  expect(readdirSync(join(slices, 'with-notes'))).toHaveLength(3);
  expect(sliceFacts(again)).toMatchObject({ from: 5, to: 9 });
});

test('marks nothing that is no slice', () => {
  const trace = join(folder, 'trace.log');
  markSliceOpened(trace);
  expect(existsSync(`${trace}.slice-of.json`)).toBe(false);
});
