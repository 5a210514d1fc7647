/**
 * Records of fixed width: their alignment after lost bytes, and the end of a file that was cut.
 *
 * A binary trace may lack bytes or contain surplus ones, and the records after that place start at another phase, which is their offset
 * modulo the record's width. A decoder that meets an impossible record weighs the records at all phases. It does so at most once per
 * cell of the file, so damaged files stay fast and the outcome never depends on where a window ends.
 */
import type { Batch } from '../records/batch.ts';
import type { ByteOffset } from '../base/units.ts';
import type { Window } from './format.ts';

/**
 * Returns how many of `count` records starting at index `at` are likely. May stop and return 0 once fewer than `least` can be.
 */
export type CountLikely = (at: number, count: number, least: number) => number;

export interface Slip {
  /** Number of bytes to skip, at most the width of a record less 1; 0 if no other phase has three quarters of likely records. */
  readonly skip: number;
  /** Number of likely records at that phase. */
  readonly likely: number;
}

/** Finds the phase, other than that of index `at`, at which the most of `count` records are likely, and at least three quarters of them. */
export function weighSlips(at: number, unit: number, count: number, countLikely: CountLikely): Slip {
  let skip = 0;
  let likely = 0;
  const least = leastLikely(count);
  for (let bytes = 1; bytes < unit; bytes++) {
    const good = countLikely(at + bytes, count, least);
    if (good >= least && good > likely) {
      skip = bytes;
      likely = good;
    }
  }
  return { skip, likely };
}

/** Minimum number of likely records among `count` at a phase to which a decoder changes. */
export function leastLikely(count: number): number {
  return Math.ceil((count * 3) / 4);
}

/** Number of records to weigh at index `at`, so that all of them lie in the file at every phase. */
export function weighedUnits({ base, fileEnd }: Window, at: number, unit: number, most: number): number {
  return Math.min(most, Math.floor((fileEnd - base - at - unit + 1) / unit));
}

/** Stretches with fewer records say nothing about the phase. */
export const LEAST_WEIGHED = 4;

/** Returns the phase (0 to `unit` - 1) at which the most records are likely, counted from index `from` of bytes with this length. */
export function bestPhase(from: number, length: number, unit: number, count: number, countLikely: CountLikely): number {
  let best = 0;
  let most = -1;
  for (let phase = 0; phase < unit; phase++) {
    const held = Math.min(count, Math.floor((length - from - phase) / unit));
    const good = countLikely(from + phase, held, most + 1);
    if (good > most) {
      best = phase;
      most = good;
    }
  }
  return best;
}

/** Returns the first record start at or after `offset` if records start at this phase. */
export function alignUnit(offset: ByteOffset, phase: number, unit: number): ByteOffset {
  return offset + ((phase - (offset % unit) + unit) % unit);
}

/** Returns the first record start in the cell that contains the record at `position`. Cells have `cell` bytes, whole records. */
export function firstInCell(position: ByteOffset, cell: number, unit: number): ByteOffset {
  const start = position - (position % cell);
  return start + ((position - start) % unit);
}

/**
 * Ends a batch with `count` rows at index `at`: a rest of the file that is shorter than a record becomes the gap `tail`. Moves the
 * window's position and returns it.
 */
export function endUnits(window: Window, batch: Batch, count: number, at: number, unit: number): ByteOffset {
  const { base, end, fileEnd } = window;
  const room = batch.kind.length;
  batch.count = count;
  window.position = base + at;
  if (count < room && batch.gaps.length < room && window.position < end && window.position + unit > fileEnd) {
    const left = fileEnd - window.position;
    batch.gaps.push({ name: 'tail', start: window.position, end: fileEnd });
    batch.diagnostics.add('cut-record', window.position, batch.first + count, `${left} of ${unit} bytes`);
    window.position = fileEnd;
  }
  return window.position;
}
