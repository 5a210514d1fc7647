/** Counts made before anyone zooms are all that a wide zoom needs, and give the same picture. */
import { afterAll, expect, test } from 'vitest';
import { createOpenTraces } from '../../electron/engine/open/open-traces.ts';
import { countsAhead } from '../../electron/engine/queries/heat/counts-ahead.ts';
import { heat } from '../../electron/engine/queries/heat/heat.ts';
import { keptCountsOf } from '../../electron/engine/queries/heat/kept-counts.ts';
import { createPool } from '../../electron/engine/threads/pool.ts';
import { createTask } from '../../electron/engine/threads/task.ts';
import type { Result } from '../../shared/base/result.ts';
import { scratch } from './traces.ts';

const place = scratch();
const pool = createPool(2);
afterAll(async () => {
  await pool.close();
  place.dispose();
});

test('counts of all blocks are kept ahead, unless the work is cancelled', async () => {
  // A fetch and a read of one of 16 words in each pair of records: 30,000 records of 6 bytes, big-endian.
  const bytes = new Uint8Array(180_000);
  const view = new DataView(bytes.buffer);
  for (let n = 0; n < 30_000; n++) {
    view.setUint32(6 * n, n % 2 === 0 ? 0x400000 + 4 * (n % 64) : 0x10000000 + 4 * ((n >> 1) % 16));
    view.setUint8(6 * n + 4, n % 2 === 0 ? 0 : 4);
  }
  const path = place.file('pairs.trc', bytes);
  const traces = createOpenTraces(pool, { indexDirectory: place.folder, blockBytes: 6000 });
  const trace = value(await traces.open({ path, format: 'byu6' }, task(false)));
  value(await traces.build(trace, () => true));
  const kept = keptCountsOf(trace);
  const known = (): number => Array.from({ length: 30 }, (_, block) => kept.get(block)).filter(Boolean).length;
  const picture = async () => {
    // The columns are 1,009 records wide, so each cuts a block.
    const wanted = { trace: trace.id, from: 100, to: 100 + 29 * 1009, columns: 29, precision: 'fine' } as const;
    const { counts, most } = value(await heat(trace, wanted, task(false)));
    return { counts: [...counts], most };
  };

  expect(trace.blocks.length).toBe(30);
  await countsAhead(trace, task(true), 0);
  expect(known()).toBe(0);
  const before = await picture();
  await countsAhead(trace, task(false), 0);
  expect(known()).toBe(30);
  expect(await picture()).toEqual(before);
  traces.close();
});

function task(cancelled: boolean) {
  return createTask<unknown>(
    () => cancelled,
    () => undefined,
  );
}

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
