import { setImmediate as breathe } from 'node:timers/promises';

const SLICE_MS = 6;

/** Runs long work that yields now and then, and gives way to questions every few milliseconds. */
export async function inSlices(work: Generator<undefined, void>): Promise<void> {
  let sliceEnd = performance.now() + SLICE_MS;
  while (work.next().done !== true) {
    if (performance.now() < sliceEnd) continue;
    await breathe();
    sliceEnd = performance.now() + SLICE_MS;
  }
}
