/**
 * Decodes captures in Tracebench's own binary form: 16 bytes per bus cycle, all numbers little endian (docs/formats/btm.md).
 *
 *     68 06 10 00  df  89  1e 00  cc c2 ac f8 65 64 4e 52
 *     |            |   |   |      |
 *     |            |   |   |      data bus D63-D0
 *     |            |   |   nanoseconds since the previous cycle: 30
 *     |            |   bits 0-2 W/R# D/C# M/IO#, bit 3 CACHE#, bit 4 D/P#, bit 5 D/P# captured, bit 6 no data, bit 7 time mark
 *     |            byte enables BE7#-BE0#
 *     pins A31-A3; bits 2-0 are 0
 *
 * This unit is the first cycle of the branch trace message that btm.ts works through. A unit with bit 7 of the control byte set is not a
 * cycle but a time mark: its last eight bytes are the absolute time at this place (all ones: unknown). Writers insert one at least every
 * 2,048 units, so that a block finds its time shortly before its start. The first unit of a file is MAGIC.
 *
 * A unit with reserved bits is damaged, so its access has no value. A mark with further bits has lost what it was: a write if its pins
 * are those of one, otherwise a gap that may have been a write.
 *
 * An implausible unit starts a search for another phase (format/units.ts), at most once per CELL bytes of the file. The bytes were lost or
 * added in that unit or before it: in the unit before it, or earlier if the units in between are plausible by chance. The accesses of these
 * units, and of the first unit at the new phase, which may begin with bytes of the damaged one, have no value.
 */
import { type Batch, FLAG, reserve } from '../../records/batch.ts';
import { byteShape } from '../../format/diagnostics.ts';
import { indexIn, type State, type Window } from '../../format/format.ts';
import type { ByteOffset } from '../../base/units.ts';
import { cpuOf, decodeLikely, DP, HAS_DP, isPlainUnit, TIME_MARK, UNIT, type Units } from './binary-likely.ts';
import { BRANCH_TRACE, INT_ACK_FIRST, INT_ACK_SECOND, SPECIAL_CYCLES } from '../../pentium/bus-cycles.ts';
import { isAccess, isMessage, MARK, NO_DATA, PLAIN, putCycle, WRITE } from './cycles.ts';
import { forgetPending, INITIAL, pairingState, putMessage, type Rules, takeState } from './pairing.ts';
import { u32LittleEndian } from '../../base/bytes.ts';
import { alignUnit, endUnits, LEAST_WEIGHED, weighedUnits, weighSlips } from '../../format/units.ts';

/** `BTMCAP`, CR LF, SUB, LF, version 1, zeros. The line ends reveal damage by tools that treat the file as text. */
const MAGIC: readonly number[] = [0x42, 0x54, 0x4d, 0x43, 0x41, 0x50, 13, 10, 26, 10, 1, 0, 0, 0, 0, 0];

/** Value of `time` in the state if the time is unknown. */
const NO_TIME = -1;

/** Number of units that are weighed together to find their phase. */
const WEIGHED_UNITS = 32;
/** Bytes of the file in which at most one search for another phase is made. */
const CELL = 256;
/** Maximum number of units before a slip that may be damaged: those of a cell in which no search was made, and the one before it. */
const DOUBTED_UNITS = CELL / UNIT + 1;
export const LOOKAHEAD = (DOUBTED_UNITS + WEIGHED_UNITS + 1) * UNIT;

export function decodeBinary(window: Window, state: State, batch: Batch, rules: Rules): State {
  const { bytes, base, fileEnd } = window;
  const { start: starts, end: ends, time: times, flags, cpu: cpus, values: heap } = batch;
  // Room for the whole data bus of each record, aligned to words, even if only part of it is requested.
  reserve(heap, 16 * (flags.length - batch.count) + 8);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const room = flags.length;
  const first = batch.count;
  /** Index just past the last index at which a whole unit of this block can start. */
  const stop = indexIn(window, Math.min(window.end, fileEnd - UNIT + 1));
  takeState(state);
  /** Time of the previous unit; NaN if unknown. */
  const clock = new Float64Array([knownTime(state['time'] ?? NO_TIME)]);
  let searchedCell = state['searched'] === 1 ? cellOf(window.position) : -1;
  /** The next unit is the first one after a slip. */
  let mixed = state['mixed'] === 1;
  let row = first;
  /** First row at the current phase. */
  let phaseRow = first;
  let at = indexIn(window, window.position);
  if (window.position === 0 && at < stop) at = takeHeader(window, batch);
  const units: Units = {
    words: new Int32Array(0),
    origin: base,
    values: new Int32Array(heap.bytes.buffer, heap.bytes.byteOffset, heap.bytes.length >>> 2),
    clock,
    rules,
  };
  /** Index of the first byte of `units.words`, and the index after the last one. */
  let wordsAt = at;
  let wordsEnd = at;
  while (at < stop && row < room && batch.gaps.length < room) {
    const left = Math.min(Math.ceil((stop - at) / UNIT), room - row);
    if (at >= wordsEnd || (at - wordsAt) % UNIT !== 0) {
      units.words = wordsFrom(bytes, at, left);
      units.origin = base + at;
      wordsAt = at;
      wordsEnd = at + left * UNIT;
    }
    const most = mixed ? 1 : Math.min(left, (wordsEnd - at) / UNIT);
    const next = decodeLikely(units, (at - wordsAt) >> 2, most, batch, row);
    if (next > row) {
      if (mixed) {
        takeValue(batch, row);
        forgetPending();
        mixed = false;
      }
      at += (next - row) * UNIT;
      row = next;
      continue;
    }
    const address = view.getUint32(at, true);
    const pins = view.getUint16(at + 4, true);
    const control = pins >>> 8;
    const enables = pins & 255;
    const message = isMessage(control, enables) && control < TIME_MARK;
    const aligned = (address & ~7) >>> 0;
    const isMarked = control >= TIME_MARK;
    const reserved = isMarked || aligned !== address || (control & (DP | HAS_DP)) === DP;
    if (!isLikely(bytes, at) && cellOf(base + at) !== searchedCell) {
      searchedCell = cellOf(base + at);
      const slip = findSlip(window, at);
      if (slip > 0) {
        batch.gaps.push({ name: 'slip', start: base + at, end: base + at + slip });
        batch.diagnostics.add('phase-slip', base + at, batch.first + row, `${slip} of ${UNIT} bytes`);
        // The time steps of lost units are missing, and messages may be missing too.
        clock[0] = Number.NaN;
        forgetPending();
        doubt(window, batch, phaseRow, row, at, slip);
        at += slip;
        phaseRow = row;
        mixed = true;
        continue;
      }
    }
    if (isMarked && (control & WRITE) !== WRITE) {
      const mark = isMark(bytes, at);
      batch.gaps.push({ name: mark ? 'time' : 'unknown', start: base + at, end: base + at + UNIT });
      if (!mark) {
        const shape = CONTROL_SHAPE(bytes, at);
        batch.diagnostics.add('reserved-bits', base + at, batch.first + row, shape);
        batch.diagnostics.add('lost-address', base + at, batch.first + row, shape);
        forgetPending();
      }
      clock[0] = mark && !mixed ? knownTime(markTime(bytes, at)) : Number.NaN;
      mixed = false;
      at += UNIT;
      continue;
    }
    starts[row] = base + at;
    ends[row] = base + at + UNIT;
    clock[0]! += view.getUint16(at + 6, true);
    times[row] = clock[0]!;
    cpus[row] = cpuOf(control);
    // A damaged unit may be of another processor or part of another message, so nothing is paired across it.
    if (reserved) forgetPending();
    if (message) {
      const low = view.getInt32(at + 8, true);
      putMessage(batch, row, aligned, low, view.getInt32(at + 12, true), (control & NO_DATA) === 0, rules);
    } else {
      putCycle(batch, row, control, enables, aligned);
    }
    if (reserved || mixed) {
      takeValue(batch, row);
      forgetPending();
    }
    mixed = false;
    if (reserved) {
      const shape = (aligned === address || isMarked ? CONTROL_SHAPE : LOW_ADDRESS_SHAPE)(bytes, at);
      batch.diagnostics.add('reserved-bits', base + at, batch.first + row, shape);
    }
    row++;
    at += UNIT;
  }
  doubtAhead(window, batch, phaseRow, row, at, searchedCell);
  batch.addressHigh.fill(0, first, row);
  batch.targetHigh.fill(0, first, row);
  const position = endUnits(window, batch, row, at, UNIT);
  const searched = cellOf(position) === searchedCell ? 1 : 0;
  const time = clock[0]!;
  return {
    ...pairingState(),
    time: Number.isNaN(time) ? NO_TIME : time,
    phase: position % UNIT,
    searched,
    mixed: Number(mixed),
  };
}

/** Returns the units starting at index `at` as words: a view of the window if it is aligned, otherwise a copy. */
function wordsFrom(bytes: Uint8Array, at: number, units: number): Int32Array {
  const length = (units * UNIT) / 4;
  const from = bytes.byteOffset + at;
  if (from % 4 === 0) return new Int32Array(bytes.buffer, from, length);
  return new Int32Array(bytes.slice(at, at + units * UNIT).buffer);
}

function knownTime(time: number): number {
  return time === NO_TIME ? Number.NaN : time;
}

export const INITIAL_BINARY: State = { ...INITIAL, time: NO_TIME, phase: 0, searched: 0, mixed: 0 };

/** Shapes of units with reserved bits: the low digit of the address, or the upper half of the control byte. */
const LOW_ADDRESS_SHAPE = byteShape('.x .. .. .. .. ..');
const CONTROL_SHAPE = byteShape('.. .. .. .. .. x.');

function cellOf(offset: ByteOffset): number {
  return Math.floor(offset / CELL);
}

/** True if the unit at `at` is a time mark or plausible, meaning that a Pentium makes such cycles; this is stricter than valid. */
function isLikely(bytes: Uint8Array, at: number): boolean {
  const control = bytes[at + 5]!;
  const enables = bytes[at + 4]!;
  if (control >= TIME_MARK) return isMark(bytes, at);
  if ((bytes[at]! & 7) !== 0 || (control & (DP | HAS_DP)) === DP) return false;
  const far = (bytes[at + 2]! | bytes[at + 3]!) !== 0;
  switch (control & 7) {
    case 0:
      return (enables === INT_ACK_FIRST || enables === INT_ACK_SECOND) && !far && bytes[at + 1] === 0;
    case 1:
      return enables === BRANCH_TRACE || (enables in SPECIAL_CYCLES && !far && bytes[at + 1] === 0);
    case 2:
    case 3:
      return !far && PLAIN[((control & 7) << 8) | enables] === 1;
    default:
      return PLAIN[((control & 7) << 8) | enables] === 1;
  }
}

/**
 * Returns the number of bytes to skip from index `at` so that units make sense again; 0 to stay. Skips only if at least three quarters of
 * the units at another phase are likely, and half of all units more than at this phase.
 */
function findSlip(window: Window, at: number): number {
  const { bytes } = window;
  const count = weighedUnits(window, at, UNIT, WEIGHED_UNITS);
  if (count < LEAST_WEIGHED) return 0;
  const { skip, likely } = weighSlips(at, UNIT, count, (from, units) => countLikely(bytes, from, units));
  return skip > 0 && likely >= countLikely(bytes, at, count) + count / 2 ? skip : 0;
}

/**
 * Takes the values from accesses of rows [first, row) that lost or surplus bytes may have changed. Units from index `at` + `skip` on are at
 * the new phase. A unit is whole if a unit at the new phase between its end and `at` is not likely.
 */
function doubt(window: Window, batch: Batch, first: number, row: number, at: number, skip: number): void {
  const { bytes, base } = window;
  let sound = at + skip;
  for (let n = row - 1; n >= first; n--) {
    const end = batch.end[n]! - base;
    if (at - end >= DOUBTED_UNITS * UNIT) return;
    for (; sound - UNIT >= end; sound -= UNIT) if (!isLikely(bytes, sound - UNIT)) return;
    takeValue(batch, n);
  }
}

/** Marks row `n` as damaged and takes the value of its access. */
function takeValue({ flags, native }: Batch, n: number): void {
  flags[n]! |= FLAG.malformed;
  if (isAccess(native[n]!)) flags[n] = (flags[n]! & ~FLAG.value) | MARK.damaged;
}

/**
 * Does the same for the next slip at or after index `at`, where this batch or block ends. If the file ends inside a unit at this phase, but
 * its last bytes are a likely unit, then its last units may be at the wrong phase, too.
 */
function doubtAhead(window: Window, batch: Batch, first: number, row: number, at: number, searchedCell: number): void {
  const { bytes, base, fileEnd } = window;
  if (row === first) return;
  const fileStop = indexIn(window, fileEnd);
  const stop = at + DOUBTED_UNITS * UNIT;
  let searched = searchedCell;
  for (let unit = at; unit < stop && unit < fileStop; unit += UNIT) {
    if (unit + UNIT > fileStop) {
      if (isLikely(bytes, fileStop - UNIT)) doubt(window, batch, first, row, unit, fileStop - unit);
      return;
    }
    const address = u32LittleEndian(bytes, unit);
    const pins = bytes[unit + 4]! | (bytes[unit + 5]! << 8);
    if (isPlainUnit(address, pins) || isLikely(bytes, unit) || cellOf(base + unit) === searched) continue;
    searched = cellOf(base + unit);
    const slip = findSlip(window, unit);
    if (slip === 0) continue;
    doubt(window, batch, first, row, unit, slip);
    return;
  }
}

function countLikely(bytes: Uint8Array, at: number, count: number): number {
  let good = 0;
  for (let unit = 0; unit < count; unit++) if (isLikely(bytes, at + unit * UNIT)) good++;
  return good;
}

function isMark(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at + 5] === TIME_MARK &&
    u32LittleEndian(bytes, at) === 0 &&
    (bytes[at + 4]! | bytes[at + 6]! | bytes[at + 7]!) === 0
  );
}

/** Returns the first unit at or after `offset`. Units start at multiples of UNIT until bytes are lost. */
export function alignUnits(offset: ByteOffset, state: State): ByteOffset {
  return alignUnit(offset, state['phase'] ?? 0, UNIT);
}

/** Makes the header a gap and returns the index of the first unit. A file without a header starts with units. */
function takeHeader({ bytes }: Window, batch: Batch): number {
  if (isMagic(bytes)) {
    batch.gaps.push({ name: 'header', start: 0, end: UNIT });
    return UNIT;
  }
  batch.diagnostics.add('no-header', 0, batch.first);
  return 0;
}

export function isMagic(bytes: Uint8Array): boolean {
  return bytes.length >= UNIT && MAGIC.every((byte, at) => bytes[at] === byte);
}

/** Returns the time of a mark; NO_TIME if it is unknown or too large to be exact. */
function markTime(bytes: Uint8Array, at: number): number {
  const time = u32LittleEndian(bytes, at + 12) * 2 ** 32 + u32LittleEndian(bytes, at + 8);
  return time < 2 ** 52 ? time : NO_TIME;
}
