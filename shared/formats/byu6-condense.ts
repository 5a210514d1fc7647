/**
 * Joins BYU 6-byte records that are alike before they are decoded: programs go through the same code and data again and again,
 * so that of some thousand records only every seventh or so says anything new. What is left is decoded once for all of its kind.
 *
 * Only stretches in which every record is what a Pentium does are condensed: nothing is then to be said of any of them, and no
 * phase is looked for (byu6-decode.ts).
 */
import type { Batch } from '../batch.ts';
import { BATCH_RECORDS } from '../batch.ts';
import type { Window } from '../format.ts';
import { UNIT } from './byu6-cycles.ts';
import { decodeLikely } from './byu6-decode.ts';

/** Condenses the records from the window's position on, and moves it; false where that is not possible or gains nothing. */
export type Condenser = (window: Window, batch: Batch, little: boolean) => boolean;

/** Records that are condensed together, and the fewest: with less there is little that repeats. */
const MOST = 2 * BATCH_RECORDS;
const FEWEST = 1024;
/** With more rows than this share of its records a stretch is not worth it. */
const WORTH = 3 / 8;
/** Calls for which records are left as they are once a stretch was not condensed, doubled each time from the first to the last. */
const FIRST_WAIT = 2;
const LAST_WAIT = 64;
/** The table: a power of two of slots, each an address field, a cycle, how often and where first it was met, and its row. */
const SLOT_BITS = 12;
const SLOT = 5;
const EMPTY = -1;

export function createCondenser(): Condenser {
  const table = new Int32Array(SLOT << SLOT_BITS);
  const times = new Uint32Array(BATCH_RECORDS);
  const earliest = new Uint32Array(BATCH_RECORDS);
  const latest = new Uint32Array(BATCH_RECORDS);
  let wait = 0;
  let nextWait = FIRST_WAIT;

  return (window, batch, little) => {
    if (wait > 0) {
      wait--;
      return false;
    }
    const { position, base } = window;
    const stop = Math.min(window.end, window.fileEnd - UNIT + 1);
    const records = Math.min(MOST, Math.ceil((stop - position) / UNIT));
    if (records < FEWEST) return false;
    const rows = join(window, position - base, records);
    if (rows === undefined || !decodeLikely(window.bytes, position - base, latest, rows, batch, little)) {
      wait = nextWait;
      nextWait = Math.min(LAST_WAIT, 2 * nextWait);
      return false;
    }
    nextWait = FIRST_WAIT;
    batch.count = rows;
    batch.condensed = { records, times, earliest, latest };
    window.position = position + records * UNIT;
    return true;
  };

  /** How many rows `records` records from index `at` on come to; undefined where they are not worth it. */
  function join({ bytes }: Window, at: number, records: number): number | undefined {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const slots = table;
    const most = Math.floor(records * WORTH);
    slots.fill(EMPTY);
    let rows = 0;
    // From the newest on: rows then come by their latest records.
    let i = records - 1;
    for (let index = at + i * UNIT; i >= 0; i--, index -= UNIT) {
      const field = view.getUint32(index, true) | 0;
      const cycle = view.getUint16(index + 4, true);
      // Fibonacci hashing
      const slot = (Math.imul(field ^ (cycle << 7), -0x61c88647) >>> (32 - SLOT_BITS)) * SLOT;
      if (slots[slot] === field && slots[slot + 1] === cycle) {
        slots[slot + 2] = slots[slot + 2]! + 1;
        slots[slot + 3] = i;
        continue;
      }
      if (rows === most) return undefined;
      finish(slot);
      slots[slot] = field;
      slots[slot + 1] = cycle;
      slots[slot + 2] = 1;
      slots[slot + 3] = i;
      slots[slot + 4] = rows;
      latest[rows] = i;
      rows++;
    }
    for (let slot = 0; slot < slots.length; slot += SLOT) finish(slot);
    return rows;
  }

  function finish(slot: number): void {
    const row = table[slot + 4]!;
    if (row === EMPTY) return;
    times[row] = table[slot + 2]!;
    earliest[row] = table[slot + 3]!;
  }
}
