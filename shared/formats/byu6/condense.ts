/**
 * Joins BYU 6-byte records that are alike before they are decoded: programs go through the same code and data again and again,
 * so that of some thousand records only every seventh or so says anything new. What is left is decoded once for all of its kind.
 *
 * Only stretches in which every record is what a Pentium does are condensed: nothing is then to be said of any of them, and no
 * phase is looked for (byu6-decode.ts).
 */
import type { Batch } from '../../records/batch.ts';
import { BATCH_RECORDS, SPAN_WORDS } from '../../records/batch.ts';
import { indexIn, type Window } from '../../format/format.ts';
import { UNIT } from './cycles.ts';
import { decodeLikely } from './decode.ts';

/** Condenses the records from the window's position on, and moves it; false where that is not possible or gains nothing. */
export type Condenser = (window: Window, batch: Batch, little: boolean) => boolean;

/** Records that are condensed together: the more, the more of them are alike, but a batch must have room for those that are not. */
const MOST = 4 * BATCH_RECORDS;
const FEWER = 2 * BATCH_RECORDS;
/** The fewest: with less there is little that repeats. */
const FEWEST = 1024;
/** With more rows than this share of its records a stretch was not worth it. So many in a row, and the next are left as they are. */
const WORTH = 3 / 8;
const PATIENCE = 4;
/** Calls for which records are left as they are, doubled each time from the first to the last while nothing is worth it. */
const FIRST_WAIT = 2;
const LAST_WAIT = 64;
/**
 * The table: a power of two of slots, each an address field, and a cycle with its row from bit 16 on. Small enough to stay in a
 * processor's second cache beside the records; with fewer slots more records that are alike push one another out.
 */
const SLOT_BITS = 14;
const ROW_SHIFT = 16;
const EMPTY = -1;

export function createCondenser(): Condenser {
  const table = new Int32Array(2 << SLOT_BITS);
  const spans = new Int32Array(BATCH_RECORDS * SPAN_WORDS);
  let wait = 0;
  let nextWait = FIRST_WAIT;
  let poor = 0;

  return (window, batch, little) => {
    if (wait > 0) {
      wait--;
      return false;
    }
    const { position } = window;
    const index = indexIn(window, position);
    const stop = Math.min(window.end, window.fileEnd - UNIT + 1);
    let records = Math.min(MOST, Math.ceil((stop - position) / UNIT));
    if (records < FEWEST) return false;
    let rows = join(window, index, records);
    if (rows === undefined && records > FEWER) {
      records = FEWER;
      rows = join(window, index, records);
    }
    if (rows === undefined || !decodeLikely(window.bytes, index, spans, rows, batch, little)) {
      leaveNext();
      return false;
    }
    poor = rows > records * WORTH ? poor + 1 : 0;
    if (poor === 0) nextWait = FIRST_WAIT;
    else if (poor >= PATIENCE) leaveNext();
    batch.count = rows;
    batch.condensed = { records, spans };
    window.position = position + records * UNIT;
    return true;
  };

  function leaveNext(): void {
    wait = nextWait;
    nextWait = Math.min(LAST_WAIT, 2 * nextWait);
  }

  /**
   * How many rows `records` records from index `at` on come to; undefined where a batch has no room for them. In spans are not
   * records but their indexes: with numbers of their own to count, this loop had more to keep at hand than a processor can.
   */
  function join({ bytes }: Window, at: number, records: number): number | undefined {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    table.fill(EMPTY);
    let end = 0;
    // From the newest on: rows then come by their latest records.
    for (let index = at + (records - 1) * UNIT; index >= at; index -= UNIT) {
      const field = view.getInt32(index, true);
      // Of the same width as the field, so that one comparison with the end of the bytes does for both.
      const cycle = view.getInt32(index + 2, true) >>> 16;
      // Fibonacci hashing
      const slot = (Math.imul(field ^ (cycle << 7), -0x61c88647) >>> (32 - SLOT_BITS)) << 1;
      const known = table[slot + 1]!;
      // An empty slot looks like that of a record of ones.
      if (table[slot] === field && (known & 0xffff) === cycle && known !== EMPTY) {
        const span = (known >>> ROW_SHIFT) * SPAN_WORDS;
        spans[span] = spans[span]! + 1;
        spans[span + 1] = index;
        continue;
      }
      if (end === spans.length) return undefined;
      table[slot] = field;
      table[slot + 1] = cycle | ((end / SPAN_WORDS) << ROW_SHIFT);
      spans[end] = 1;
      spans[end + 1] = index;
      spans[end + 2] = index;
      end += SPAN_WORDS;
    }
    return end / SPAN_WORDS;
  }
}
