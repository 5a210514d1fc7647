/**
 * Stretches of units that need no look at others: accesses without anything to say about them, and branch trace messages. Nearly
 * all units are such ones.
 *
 * No call in the loop over units: behind one, all that the loop reads would have to be looked up again.
 */
import { FLAG, NO_CPU, type Batch } from '../../records/batch.ts';
import { assert } from '../../base/result.ts';
import type { ByteOffset } from '../../base/units.ts';
import { isMessage, KIND_OF, LOWEST, MARK, MEMORY, NO_DATA, NOT_CACHEABLE, PLAIN, SPAN } from './cycles.ts';
import { putMessage, putPairs, type Rules } from './pairing.ts';

export const UNIT = 16;
const UNIT_WORDS = UNIT / 4;
export const DP = 16;
export const HAS_DP = 32;
export const TIME_MARK = 128;

/**
 * By control byte and byte enables, 0 for what is not likely: kind, native code from bit 5, lowest byte from bit 9, size from bit
 * 12, processor + 1 from bit 16, whether it has a value from bit 18, whether it is cacheable from bit 19, whether it is a
 * message from bit 20.
 */
const LIKELY = new Int32Array(65536);
const CPU_SHIFT = 16;
const VALUED = 1 << 18;
const CACHEABLE = 1 << 19;
const MESSAGE = 1 << 20;
for (let control = 0; control < TIME_MARK; control++) {
  if ((control & (DP | HAS_DP)) === DP) continue;
  const cpu = (cpuOf(control) + 1) << CPU_SHIFT;
  for (let enables = 0; enables < 256; enables++) {
    if (isMessage(control, enables)) LIKELY[(control << 8) | enables] = cpu | MESSAGE;
    if (PLAIN[((control & 7) << 8) | enables] === 0) continue;
    LIKELY[(control << 8) | enables] =
      KIND_OF[control & 7]! |
      (((control & 7) + 1) << 5) |
      (LOWEST[enables]! << 9) |
      (SPAN[enables]! << 12) |
      cpu |
      ((control & (MEMORY | NO_DATA)) === MEMORY ? VALUED : 0) |
      ((control & NOT_CACHEABLE) === 0 ? CACHEABLE : 0);
  }
}

export function cpuOf(control: number): number {
  return (control & HAS_DP) === 0 ? NO_CPU : (control >>> 4) & 1;
}

/** Rows of messages of a stretch. */
let messageRows = new Int32Array(0);

/** What units are decoded from, and what goes on from one stretch to the next. */
export interface Units {
  words: Int32Array;
  /** Where in the file words[0] lies. */
  origin: ByteOffset;
  /** The batch's heap, which has room for the data bus of each unit, and for a word more. */
  readonly values: Int32Array;
  /** The time of the unit before, NaN where it is not known. */
  readonly clock: Float64Array;
  readonly rules: Rules;
}

/** Decodes up to `most` units from word `from` on into rows from `firstRow` on; returns the row behind the last one. */
export function decodeLikely(
  { words, origin, values, clock, rules }: Units,
  from: number,
  most: number,
  batch: Batch,
  firstRow: number,
): number {
  const { start, end, time: times, kind, native, size, flags, cpu, addressLow, valueAt, placed } = batch;
  const heap = batch.values;
  if (messageRows.length < kind.length) messageRows = new Int32Array(kind.length);
  const messages = messageRows;
  let messageCount = 0;
  const behind = (firstRow + most) | 0;
  // In whole units of the data bus, so that their bytes lie in words here as well.
  let valueWord = ((heap.length + 7) >>> 3) << 1;
  let now = clock[0]!;
  // A look at each array here spares one at every access.
  const room = Math.min(
    times.length,
    cpu.length,
    kind.length,
    native.length,
    addressLow.length,
    size.length,
    flags.length,
  );
  assert(behind <= Math.min(room, valueAt.length, messages.length), 'the columns of a batch have room for its rows');
  assert(4 * most <= words.length - from && 2 * most <= values.length - valueWord, 'there is room for all data');
  let row = firstRow | 0;
  let at = from | 0;
  for (; row < behind; row++, at += UNIT_WORDS) {
    const address = words[at]!;
    const pins = words[at + 1]!;
    const unit = LIKELY[pins & 0xffff]!;
    if (unit === 0 || (address & 7) !== 0) break;
    now += pins >>> 16;
    times[row] = now;
    cpu[row] = ((unit >>> CPU_SHIFT) & 3) - 1;
    if ((unit & MESSAGE) !== 0) {
      messages[messageCount] = row;
      messageCount++;
      continue;
    }
    kind[row] = unit & 31;
    native[row] = (unit >>> 5) & 15;
    const lowest = (unit >>> 9) & 7;
    addressLow[row] = address + lowest;
    size[row] = (unit >>> 12) & 15;
    let its: number = FLAG.address;
    if ((unit & CACHEABLE) !== 0) its |= MARK.cacheable;
    if ((unit & VALUED) !== 0) {
      // Byte k of the data bus lies at address + k, and the lowest comes first here as well.
      values[valueWord] = words[at + 2]!;
      values[valueWord + 1] = words[at + 3]!;
      valueAt[row] = (valueWord << 2) + lowest;
      valueWord += 2;
      its |= FLAG.value;
    }
    flags[row] = its;
  }
  clock[0] = now;
  heap.length = valueWord << 2;
  if (placed) place(start, end, firstRow, row, origin + 4 * from);
  putMessages(batch, messages, messageCount, words, origin, from, firstRow, rules);
  return row;
}

/** Of the units of rows[0..count); that of row `firstRow` begins at word `from`. */
function putMessages(
  batch: Batch,
  rows: Int32Array,
  count: number,
  words: Int32Array,
  origin: ByteOffset,
  from: number,
  firstRow: number,
  rules: Rules,
): void {
  const { start, end } = batch;
  for (let i = 0; i < count; i++) {
    i = putPairs(batch, rows, i, count, words, from, firstRow, rules);
    if (i === count) break;
    const n = rows[i]!;
    const unit = from + (n - firstRow) * UNIT_WORDS;
    start[n] = origin + 4 * unit;
    end[n] = origin + 4 * unit + UNIT;
    const captured = (words[unit + 1]! & (NO_DATA << 8)) === 0;
    putMessage(batch, n, words[unit]! >>> 0, words[unit + 2]!, words[unit + 3]!, captured, rules);
  }
}

function place(start: Float64Array, end: Float64Array, from: number, to: number, offset: ByteOffset): void {
  for (let row = from; row < to; row++) {
    start[row] = offset + (row - from) * UNIT;
    end[row] = offset + (row - from + 1) * UNIT;
  }
}
