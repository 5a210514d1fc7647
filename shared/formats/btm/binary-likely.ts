/**
 * Fast pass over the units of the binary form that need no special handling: plain accesses and branch trace messages, which are almost
 * all units. The loop over units has no calls, because V8 looks up all of its arrays again after a call.
 */
import { type Batch, FLAG, NO_CPU } from '../../records/batch.ts';
import { assert } from '../../base/result.ts';
import type { ByteOffset } from '../../base/units.ts';
import { isMessage, KIND_OF, MARK, MEMORY, NO_DATA, NOT_CACHEABLE, PLAIN } from './cycles.ts';
import { BRANCH_TRACE, LOWEST, NEIGHBOURS, SPAN } from '../../pentium/bus-cycles.ts';
import { putMessage, putPairs, type Rules } from './pairing.ts';

/** Size of a unit in bytes. */
export const UNIT = 16;
const UNIT_WORDS = UNIT / 4;
/** Bits of the control byte: the level of D/P#, whether D/P# was captured, and whether the unit is a time mark. */
export const DP = 16;
export const HAS_DP = 32;
export const TIME_MARK = 128;

/**
 * Properties of units by control byte and byte enables, 0 for units that need special handling: kind in bits 0-4, native code from bit 5,
 * lowest byte from bit 9, size from bit 12, cpu + 1 from bit 16, and the bits VALUED, CACHEABLE and MESSAGE.
 */
const LIKELY = new Int32Array(65536);
const CPU_SHIFT = 16;
const VALUED = 1 << 18;
const CACHEABLE = 1 << 19;
const MESSAGE = 1 << 20;
for (let control = 0; control < TIME_MARK; control++) {
  if ((control & (DP | HAS_DP)) === DP) continue;
  const cpu = (cpuOf(control) + 1) << CPU_SHIFT;
  if (isMessage(control, BRANCH_TRACE)) LIKELY[(control << 8) | BRANCH_TRACE] = cpu | MESSAGE;
  for (const enables of NEIGHBOURS) {
    if (PLAIN[((control & 7) << 8) | enables] === 0) break;
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

/** True if `decodeLikely` decodes a unit with this first word and these pins. */
export function isPlainUnit(address: number, pins: number): boolean {
  return LIKELY[pins]! !== 0 && (address & 7) === 0;
}

export function cpuOf(control: number): number {
  return (control & HAS_DP) === 0 ? NO_CPU : (control >>> 4) & 1;
}

/** Scratch space for the rows of messages in a stretch. */
let messageRows = new Int32Array(0);

/** The units to decode, and the state that continues from one stretch to the next. */
export interface Units {
  words: Int32Array;
  /** File offset of words[0]. */
  origin: ByteOffset;
  /** The batch's heap, with room for the data bus of every unit and one more word. */
  readonly values: Int32Array;
  /** Time of the previous unit; NaN if unknown. */
  readonly clock: Float64Array;
  readonly rules: Rules;
}

/** Decodes up to `most` units, starting at word `from`, into rows starting at `firstRow`. Returns the index after the last row. */
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
  const endRow = (firstRow + most) | 0;
  // Values are aligned to the width of the data bus, so that they can be copied as words.
  let valueWord = ((heap.length + 7) >>> 3) << 1;
  let now = clock[0]!;
  // Checking the length of each array here saves a bounds check at every access.
  const room = Math.min(
    times.length,
    cpu.length,
    kind.length,
    native.length,
    addressLow.length,
    size.length,
    flags.length,
  );
  assert(endRow <= Math.min(room, valueAt.length, messages.length), 'the columns of a batch have room for its rows');
  assert(4 * most <= words.length - from && 2 * most <= values.length - valueWord, 'there is room for all data');
  let row = firstRow | 0;
  let at = from | 0;
  for (; row < endRow; row++, at += UNIT_WORDS) {
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
    let bits: number = FLAG.address;
    if ((unit & CACHEABLE) !== 0) bits |= MARK.cacheable;
    if ((unit & VALUED) !== 0) {
      // Byte k of the data bus is at address + k, and both the unit and the heap have the lowest byte first.
      values[valueWord] = words[at + 2]!;
      values[valueWord + 1] = words[at + 3]!;
      valueAt[row] = (valueWord << 2) + lowest;
      valueWord += 2;
      bits |= FLAG.value;
    }
    flags[row] = bits;
  }
  clock[0] = now;
  heap.length = valueWord << 2;
  if (placed) place(start, end, firstRow, row, origin + 4 * from);
  putMessages(batch, messages, messageCount, words, origin, from, firstRow, rules);
  return row;
}

/** Decodes the messages of rows[0, count). The unit of row `firstRow` begins at word `from`. */
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
