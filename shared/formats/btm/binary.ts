/**
 * Captures in the fixed-width binary of our own: 16 bytes a bus cycle, all numbers little endian (docs/formats/btm.md).
 *
 *     68 06 10 00  df  89  1e 00  cc c2 ac f8 65 64 4e 52
 *     |            |   |   |      |
 *     |            |   |   |      data bus D63-D0
 *     |            |   |   nanoseconds since the cycle before: 30
 *     |            |   bits 0-2 W/R# D/C# M/IO#, bit 3 CACHE#, bit 4 D/P#, bit 5 D/P# captured, bit 6 no data, bit 7 a mark
 *     |            byte enables BE7#-BE0#
 *     pins A31-A3; bits 2-0 are 0
 *
 * A unit with bit 7 set is no cycle but a time mark, whose last eight bytes are the absolute time of the capture there (all
 * ones: unknown). Writers put one at least every 2,048 units, so that a block finds its time close before it. The first unit
 * of a file is MAGIC.
 *
 * A unit that cannot be right makes the decoder look whether units go on at another phase (bytes were lost), at most once per
 * CELL bytes of the file and at most LOOKAHEAD bytes far: never depending on where a window ends.
 */
import { FLAG, reserve, type Batch } from '../../records/batch.ts';
import { byteShape } from '../../format/diagnostics.ts';
import { indexIn, type State, type Window } from '../../format/format.ts';
import type { ByteOffset } from '../../base/units.ts';
import { cpuOf, decodeLikely, DP, HAS_DP, TIME_MARK, UNIT, type Units } from './binary-likely.ts';
import { BRANCH_TRACE, isMessage, MEMORY, NO_DATA, PLAIN, putBytes, putCycle, SPECIAL_CYCLES } from './cycles.ts';
import { forgetPending, INITIAL, pairingState, putMessage, takeState, type Rules } from './pairing.ts';

/** `BTMCAP`, CR LF, SUB, LF, version 1, zeros: text tools that would harm the file show it at once. */
const MAGIC: readonly number[] = [0x42, 0x54, 0x4d, 0x43, 0x41, 0x50, 13, 10, 26, 10, 1, 0, 0, 0, 0, 0];

/** In the state: the time is not known. */
const NO_TIME = -1;

/** Units that are weighed together to judge how they lie in the file. */
const WEIGHED_UNITS = 32;
export const LOOKAHEAD = (WEIGHED_UNITS + 1) * UNIT;
/** Bytes of the file in which at most one search for another phase is made. */
const CELL = 256;

export function decodeBinary(window: Window, state: State, batch: Batch, rules: Rules): State {
  const { bytes, base, fileEnd } = window;
  const { start: starts, end: ends, time: times, flags, cpu: cpus, values: heap } = batch;
  // The whole data bus of each record, whatever of it was asked for, where it may lie as words.
  reserve(heap, 16 * (flags.length - batch.count) + 8);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const room = flags.length;
  const first = batch.count;
  /** Index just past the last index at which a whole unit of this block can start. */
  const stop = indexIn(window, Math.min(window.end, fileEnd - UNIT + 1));
  takeState(state);
  /** Of the unit before, NaN where it is not known. */
  const clock = new Float64Array([knownTime(state['time'] ?? NO_TIME)]);
  let searchedCell = state['searched'] === 1 ? cellOf(window.position) : -1;
  let row = first;
  let at = indexIn(window, window.position);
  if (window.position === 0 && at < stop) at = takeHeader(window, batch);
  const units: Units = {
    words: new Int32Array(0),
    origin: base,
    values: new Int32Array(heap.bytes.buffer, heap.bytes.byteOffset, heap.bytes.length >>> 2),
    clock,
    rules,
  };
  /** Indexes of the first word, and just past the last one. */
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
    const most = Math.min(left, (wordsEnd - at) / UNIT);
    const next = decodeLikely(units, (at - wordsAt) >> 2, most, batch, row);
    if (next > row) {
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
    const reserved = aligned !== address || (control & (DP | HAS_DP)) === DP;
    if ((!message || reserved) && !isLikely(bytes, at) && cellOf(base + at) !== searchedCell) {
      searchedCell = cellOf(base + at);
      const slip = findSlip(window, at);
      if (slip > 0) {
        batch.gaps.push({ name: 'slip', start: base + at, end: base + at + slip });
        batch.diagnostics.add('phase-slip', base + at, batch.first + row, `${slip} of ${UNIT} bytes`);
        // The steps of lost units are missing, and messages may be.
        clock[0] = Number.NaN;
        forgetPending();
        at += slip;
        continue;
      }
    }
    if (control >= TIME_MARK) {
      const mark = isMark(bytes, at);
      batch.gaps.push({ name: mark ? 'time' : 'unknown', start: base + at, end: base + at + UNIT });
      if (!mark) {
        batch.diagnostics.add('reserved-bits', base + at, batch.first + row, CONTROL_SHAPE(bytes, at));
        forgetPending();
      }
      clock[0] = mark ? knownTime(markTime(bytes, at)) : Number.NaN;
      at += UNIT;
      continue;
    }
    starts[row] = base + at;
    ends[row] = base + at + UNIT;
    clock[0]! += view.getUint16(at + 6, true);
    times[row] = clock[0]!;
    cpus[row] = cpuOf(control);
    // Whether it is one of those around it, and of which processor, is as doubtful as the unit.
    if (reserved) forgetPending();
    if (message) {
      const low = view.getInt32(at + 8, true);
      putMessage(batch, row, aligned, low, view.getInt32(at + 12, true), (control & NO_DATA) === 0, rules);
    } else {
      putCycle(batch, row, control, enables, aligned);
      const access = PLAIN[((control & 7) << 8) | enables] === 1;
      if (access && (control & (MEMORY | NO_DATA)) === MEMORY)
        putBytes(batch, row, enables, view.getInt32(at + 8, true), view.getInt32(at + 12, true));
    }
    if (reserved) {
      flags[row]! |= FLAG.malformed;
      forgetPending();
      const shape = (aligned === address ? CONTROL_SHAPE : LOW_ADDRESS_SHAPE)(bytes, at);
      batch.diagnostics.add('reserved-bits', base + at, batch.first + row, shape);
    }
    row++;
    at += UNIT;
  }
  batch.count = row;
  batch.addressHigh.fill(0, first, row);
  batch.targetHigh.fill(0, first, row);
  let position = base + at;
  if (row < room && batch.gaps.length < room && position < window.end && position + UNIT > fileEnd) {
    batch.gaps.push({ name: 'tail', start: position, end: fileEnd });
    batch.diagnostics.add('cut-record', position, batch.first + row, `${fileEnd - position} of ${UNIT} bytes`);
    position = fileEnd;
  }
  window.position = position;
  const searched = cellOf(position) === searchedCell ? 1 : 0;
  const time = clock[0]!;
  return { ...pairingState(), time: Number.isNaN(time) ? NO_TIME : time, phase: position % UNIT, searched };
}

/** Units from index `at` on as words: in the window's memory if words may lie there, else copied. */
function wordsFrom(bytes: Uint8Array, at: number, units: number): Int32Array {
  const length = (units * UNIT) / 4;
  const from = bytes.byteOffset + at;
  if (from % 4 === 0) return new Int32Array(bytes.buffer, from, length);
  return new Int32Array(bytes.slice(at, at + units * UNIT).buffer);
}

function knownTime(time: number): number {
  return time === NO_TIME ? Number.NaN : time;
}

export const INITIAL_BINARY: State = { ...INITIAL, time: NO_TIME, phase: 0, searched: 0 };

/** What tells one unit with reserved bits from another: the low digit of an address that has them, else the half of control that has. */
const LOW_ADDRESS_SHAPE = byteShape('.x .. .. .. .. ..');
const CONTROL_SHAPE = byteShape('.. .. .. .. .. x.');

function cellOf(offset: ByteOffset): number {
  return Math.floor(offset / CELL);
}

/** Whether the unit at `at` is what a Pentium does, or a time mark: a stricter question than whether it breaks the layout. */
function isLikely(bytes: Uint8Array, at: number): boolean {
  const control = bytes[at + 5]!;
  const enables = bytes[at + 4]!;
  if (control >= TIME_MARK) return isMark(bytes, at);
  if ((bytes[at]! & 7) !== 0 || (control & (DP | HAS_DP)) === DP) return false;
  const far = (bytes[at + 2]! | bytes[at + 3]!) !== 0;
  switch (control & 7) {
    case 0:
      return (enables === 0xef || enables === 0xfe) && !far && bytes[at + 1] === 0;
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
 * Bytes to skip from index `at` so that units make sense again; 0 to stay. It moves only where at least three quarters of the
 * units at another phase are likely, and half of them more than at this one.
 */
function findSlip({ bytes, base, fileEnd }: Window, at: number): number {
  const count = Math.min(WEIGHED_UNITS, Math.floor((fileEnd - base - at - UNIT + 1) / UNIT));
  if (count < 4) return 0;
  let best = 0;
  let most = Math.ceil((count * 3) / 4) - 1;
  for (let skip = 1; skip < UNIT; skip++) {
    const good = likelyUnits(bytes, at + skip, count);
    if (good > most) {
      best = skip;
      most = good;
    }
  }
  return best > 0 && most >= likelyUnits(bytes, at, count) + count / 2 ? best : 0;
}

function likelyUnits(bytes: Uint8Array, at: number, count: number): number {
  let good = 0;
  for (let unit = 0; unit < count; unit++) if (isLikely(bytes, at + unit * UNIT)) good++;
  return good;
}

function isMark(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at + 5] === TIME_MARK && word(bytes, at) === 0 && (bytes[at + 4]! | bytes[at + 6]! | bytes[at + 7]!) === 0
  );
}

/** The first unit at or after `offset`. Units lie at multiples of UNIT until bytes are lost. */
export function alignUnits(offset: ByteOffset, state: State): ByteOffset {
  return offset + (((state['phase'] ?? 0) - (offset % UNIT) + UNIT) % UNIT);
}

/** The header's gap and where the first unit behind it starts; a file without one begins with units. */
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

/** NO_TIME as well where the time would not be exact. */
function markTime(bytes: Uint8Array, at: number): number {
  const time = (word(bytes, at + 12) >>> 0) * 2 ** 32 + (word(bytes, at + 8) >>> 0);
  return time < 2 ** 52 ? time : NO_TIME;
}

function word(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}
