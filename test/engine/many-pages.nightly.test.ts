/** Accesses above 4 GiB that each touch two new pages: the maximum number of pages in a group of blocks. */
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startEngine } from '../../electron/engine/engine.ts';
import type { Hex } from '../../shared/base/units.ts';
import { ask } from './ask.ts';
import { scratch } from './traces.ts';

/** Lines of 14 bytes, in groups of 8 MiB. */
const ACCESSES = 600_000;
const place = scratch();
afterAll(() => {
  place.dispose();
});

test('counts more than a million pages in a group of blocks', async () => {
  const lines = Array.from({ length: ACCESSES }, (_, i) => `${i % 2} ${(0x100000fff + i * 8192).toString(16)} 2\n`);
  const file = place.file('wide.din', Buffer.from(lines.join('')));
  const last: Hex = `0x${(0x100000fff + (ACCESSES - 1) * 8192 + 1).toString(16)}`;
  const engine = startEngine({ indexDirectory: path.join(place.folder, 'index') });
  const { trace } = await ask(engine, 'open', { path: file, format: 'din', options: { third: 'size' } });
  await ask(engine, 'index', { trace });

  const { records, address } = await ask(engine, 'info', { trace });
  expect(records).toBe(ACCESSES);
  // An access counts for the page in which it begins.
  expect(address).toEqual({ lowest: '0x100000fff', highest: last, pages: ACCESSES });
  const found = await ask(engine, 'find', { trace, address: { low: last, high: last }, after: 0 });
  expect(found.records.map(({ n }) => n)).toEqual([ACCESSES - 1]);
  await engine.close();
});
