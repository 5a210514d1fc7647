/**
 * Joins equal BYU 6-byte records before they are decoded, and decodes each distinct record once. Programs run through the same code and
 * data repeatedly, so only about one of seven records in a stretch of some thousand is new.
 *
 * A stretch is condensed only if every record in it is plausible (`likely` in cycles.ts). Such records have no diagnostics, and no search
 * for another phase starts at them.
 */
import { type Batch, BATCH_RECORDS, SPAN_WORDS } from '../../records/batch.ts';
import { indexIn, type Window } from '../../format/format.ts';
import { UNIT } from './cycles.ts';
import { decodeLikely } from './decode.ts';

/**
 * Condenses the records at the window's position, `most` of them at most, and moves it. Returns false if that is not possible or not
 * worthwhile.
 */
export type Condenser = (window: Window, batch: Batch, little: boolean, most?: number) => boolean;

/** Number of records condensed together. More of them repeat in longer stretches, but the distinct ones must fit a batch. */
const MOST = 4 * BATCH_RECORDS;
const FEWER = 2 * BATCH_RECORDS;
/** Minimum number of records: in shorter stretches little repeats. */
const FEWEST = 1024;
/** Maximum share of rows per record for a worthwhile stretch, and the number of poor stretches in a row before condensing pauses. */
const WORTH = 3 / 8;
const PATIENCE = 4;
/** Length of a pause in calls. It doubles from the first to the last value while no stretch is worthwhile. */
const FIRST_WAIT = 2;
const LAST_WAIT = 64;
/**
 * Size of the hash table. A slot holds an address field, and a cycle with its row in bits 16 and up. The table fits a core's
 * second-level cache beside the records; with fewer slots more equal records evict one another.
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

  return (window, batch, little, most = MOST) => {
    if (wait > 0) {
      wait--;
      return false;
    }
    const { position } = window;
    const index = indexIn(window, position);
    const stop = Math.min(window.end, window.fileEnd - UNIT + 1);
    let records = Math.min(MOST, most, Math.ceil((stop - position) / UNIT));
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
   * Joins `records` records starting at index `at` and returns the number of rows; undefined if they do not fit a batch. The spans hold
   * indexes of records instead of their numbers: one more counter in this loop exceeds the machine registers.
   */
  function join({ bytes }: Window, at: number, records: number): number | undefined {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    table.fill(EMPTY);
    let end = 0;
    // Starting with the newest record sorts the rows by their last record.
    for (let index = at + (records - 1) * UNIT; index >= at; index -= UNIT) {
      const field = view.getInt32(index, true);
      // A read of the same width as the field's, so that V8 checks the bounds of both with one comparison.
      const cycle = view.getInt32(index + 2, true) >>> 16;
      // Fibonacci hashing
      const slot = (Math.imul(field ^ (cycle << 7), -0x61c88647) >>> (32 - SLOT_BITS)) << 1;
      const known = table[slot + 1]!;
      // An empty slot looks like the slot of a record whose bits are all ones.
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
