/** Blocks with memory locality get an index row of their effects on memory. */
import { expect, test } from 'vitest';
import { createAccessCounter } from '../../electron/engine/index/builders/accesses/accesses.ts';
import { nextTouch, readTouches } from '../../electron/engine/index/builders/memory/page-touches.ts';
import { openPageRow } from '../../electron/engine/index/builders/page-rows.ts';
import { createTouchCounter, type BlockTouches } from '../../electron/engine/index/builders/memory/touches.ts';
import { BATCH_RECORDS, createBatch, FLAG, resetBatch } from '../../shared/records/batch.ts';
import { KIND } from '../../shared/records/record.ts';

const BATCHES = 10;

/** Effects on memory of a block of 81,920 reads of 8 bytes with unknown values. */
function readsAt(address: (read: number) => number): BlockTouches {
  const counter = createTouchCounter();
  const accesses = createAccessCounter();
  const batch = createBatch();
  for (let first = 0; first < BATCHES * BATCH_RECORDS; first += BATCH_RECORDS) {
    resetBatch(batch, first);
    for (let at = 0; at < BATCH_RECORDS; at++) {
      batch.kind[at] = KIND.read;
      batch.flags[at] = FLAG.address;
      batch.addressLow[at] = address(first + at);
      batch.addressHigh[at] = 0;
      batch.size[at] = 8;
    }
    batch.count = BATCH_RECORDS;
    counter.add(batch, accesses);
  }
  return counter.endBlock();
}

test('records the latest access to each byte for a block that reads through an array', () => {
  const { rows } = readsAt((read) => 0x100000 + 8 * read);
  const [row] = rows?.touches ?? [];
  expect(row).toBeDefined();
  const page = openPageRow(row!.bytes, row!.low);
  expect(page.page).toBe(0x100);
  const touch = readTouches(page.bytes, page.start, page.end);
  const reported: number[][] = [];
  while (nextTouch(touch) && touch.line === 0) reported.push([touch.start, touch.size, touch.record]);
  expect(reported).toEqual([7, 6, 5, 4, 3, 2, 1, 0].map((read) => [8 * read, 8, read]));
});

test('stores no row for a block whose accesses lie in separate lines', () => {
  expect(readsAt((read) => 0x100000 + 64 * read).rows).toBeUndefined();
});
