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
 */
import { FLAG, NO_CPU, type Batch } from '../../batch.ts';
import type { State, Window } from '../../format.ts';
import type { ByteOffset } from '../../units.ts';
import { isMessage, KIND_OF, LOWEST, MARK, NOT_CACHEABLE, PLAIN, putCycle, SPAN } from './cycles.ts';
import { pairingState, putMessage, takeState, type Rules } from './pairing.ts';

export const UNIT = 16;
/** `BTMCAP`, CR LF, SUB, LF, version 1, zeros: text tools that would harm the file show it at once. */
export const MAGIC: readonly number[] = [0x42, 0x54, 0x4d, 0x43, 0x41, 0x50, 13, 10, 26, 10, 1, 0, 0, 0, 0, 0];

export const DP = 16;
export const HAS_DP = 32;
export const NO_DATA = 64;
export const TIME_MARK = 128;
/** In the state: the time is not known. */
export const NO_TIME = -1;

export function decodeBinary(window: Window, state: State, batch: Batch, rules: Rules): State {
  const { bytes, base, fileEnd } = window;
  const { start: starts, end: ends, time: times, kind: kinds, native: natives, size: sizes, flags, cpu: cpus } = batch;
  const lows = batch.addressLow;
  const room = kinds.length;
  const first = batch.count;
  /** Index just past the last index at which a whole unit of this block can start. */
  const stop = Math.min(window.end, fileEnd - UNIT + 1) - base;
  takeState(state);
  let time = state['time'] ?? NO_TIME;
  let row = first;
  let at = window.position - base;
  if (window.position === 0 && at < stop) at = takeHeader(window, batch);
  while (at < stop && row < room && batch.gaps.length < room) {
    const control = bytes[at + 5]!;
    if (control >= TIME_MARK) {
      batch.gaps.push({ name: 'time', start: base + at, end: base + at + UNIT });
      time = markTime(bytes, at);
      at += UNIT;
      continue;
    }
    const enables = bytes[at + 4]!;
    const address = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    starts[row] = base + at;
    ends[row] = base + at + UNIT;
    if (time === NO_TIME) times[row] = Number.NaN;
    else times[row] = time += bytes[at + 6]! | (bytes[at + 7]! << 8);
    cpus[row] = (control & HAS_DP) === 0 ? NO_CPU : (control >>> 4) & 1;
    const aligned = address & ~7;
    if (PLAIN[((control & 7) << 8) | enables] === 1) {
      kinds[row] = KIND_OF[control & 7]!;
      natives[row] = (control & 7) + 1;
      lows[row] = aligned + LOWEST[enables]!;
      sizes[row] = SPAN[enables]!;
      flags[row] = (control & NOT_CACHEABLE) === 0 ? FLAG.address | MARK.cacheable : FLAG.address;
    } else if (isMessage(control, enables)) {
      const low = word(bytes, at + 8);
      putMessage(batch, row, aligned, low, word(bytes, at + 12), (control & NO_DATA) === 0, rules);
    } else putCycle(batch, row, control, enables, aligned);
    if (aligned !== address || (control & (DP | HAS_DP)) === DP) {
      flags[row]! |= FLAG.malformed;
      batch.diagnostics.add('reserved-bits', base + at, batch.first + row);
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
    batch.diagnostics.add('cut-record', position, batch.first + row);
    position = fileEnd;
  }
  window.position = position;
  return { ...pairingState(), time, phase: position % UNIT };
}

/** The first unit at or after `offset`. Units lie at multiples of UNIT; only the end of a file cut short does not. */
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
