/** Keeps address counts of a trace before anyone zooms: the first wide zoom into a gigabyte would take more than a second. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import type { CellGrid } from './cell-grid.ts';
import { COUNT_CELLS } from './heat-cells.ts';
import { MANY_BLOCKS } from './fill-grid.ts';
import { keptCountsOf } from './kept-counts.ts';

/** Rest after a trace was opened: its panes come first. */
const REST_MS = 2000;
const POLL_MS = 50;

/**
 * Decodes block after block, so that half of the pool stays free, until all counts are kept, their memory is full, or the task is
 * cancelled. Ignores failures: a heatmap meets and reports them.
 */
export async function countsAhead(trace: Trace, task: Task<unknown>, rest = REST_MS): Promise<void> {
  const { blocks, pool, reader } = trace;
  if (blocks.length < MANY_BLOCKS) return;
  for (let rested = 0; rested < rest && !task.cancelled(); rested += POLL_MS)
    await delay(POLL_MS, undefined, { ref: false });
  const kept = keptCountsOf(trace);
  kept.start();
  const grid = wholeGrid(blocks.records);
  for (let block = 0; block < blocks.length && kept.hasRoom() && !task.cancelled(); block++) {
    if (kept.get(block) !== undefined) continue;
    const firstRecord = blocks.firstRecord(block);
    const records = blocks.firstRecord(block + 1) - firstRecord;
    if (records === 0) continue;
    const wanted = { block, entry: blocks.entry(block), firstRecord, records, counts: 'wanted' } as const;
    const answer = await pool.run(COUNT_CELLS, { trace: reader.ref, blocks: [wanted], grid, ahead: true });
    if (!answer.ok) return;
    const counts = answer.value.made[0];
    if (counts !== undefined) kept.keep(block, counts);
  }
}

/** One cell for all records: only the counts by address matter. */
function wholeGrid(records: number): CellGrid {
  const all = { lowLow: 0, lowHigh: 0, unit: 4096, bounds: Float64Array.of(0, 2 ** 52), firstRow: 0 } as const;
  return { edges: Float64Array.of(0, records), bands: [{ ...all, offsets: new Uint16Array() }], rows: 1, kinds: -1 };
}
