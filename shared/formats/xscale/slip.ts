/**
 * Finds the distance to the next capture after missing or surplus bytes.
 *
 * Nothing marks the beginning of a capture of fixed length. But each ends in a message. Read at a wrong offset, a run of captures has
 * reserved bytes, unwritten zeros in its middle and too many checkpoints: the offset at which those vanish is the right one.
 */
import type { Window } from '../../format/format.ts';
import { assert } from '../../base/result.ts';
import type { ByteOffset } from '../../base/units.ts';
import { createEntries, readEntries } from '../../xscale/buffer.ts';
import { BUFFER_BYTES, MESSAGE, MESSAGE_OF } from '../../xscale/messages.ts';
import { createCapture, type Container } from './capture.ts';

/** Number of captures that are rated at an offset. */
export const WEIGHED = 16;
/** Fewest captures that can be rated. */
const FEW = 4;
/** A capture without a last message counts as this many reserved bytes. There are this many checkpoint registers. */
const NO_END = 16;
const REGISTERS = 2;

export type FindSlip = (window: Window, start: ByteOffset) => number;

/** Creates a search for the bytes to skip at `start`, where a capture should begin but does not end in a message; 0 to skip none. */
export function createFindSlip(container: Container): FindSlip {
  const { unit, endsWell } = container;
  const capture = createCapture();
  const entries = createEntries();

  const wellEnded = (window: Window, start: ByteOffset, count: number, least: number): number => {
    let good = count;
    for (let k = 0; k < count; k++) {
      if (!endsWell(window.bytes, start - window.base + k * unit) && --good < least) return 0;
    }
    return good;
  };
  const badness = (window: Window, start: ByteOffset, count: number): number => {
    let bad = 0;
    for (let k = 0; k < count; k++) {
      const at = start + k * unit;
      const junk = container.find(window, at, at, capture, undefined);
      assert(junk === undefined, 'the captures that are weighed lie in the file');
      const { bytes, at: first, length } = capture;
      if (!endsWell(window.bytes, at - window.base)) bad += NO_END;
      readEntries(bytes, first, length, 0, entries);
      bad += Math.max(0, entries.checkpointed - REGISTERS);
      for (let entry = entries.first + 1; entry <= BUFFER_BYTES; entry++) {
        if (MESSAGE_OF[bytes[first + entries.bounds[entry]! - 1]!] === MESSAGE.reserved) bad++;
      }
    }
    return bad;
  };

  return (window, start) => {
    const left = window.fileEnd - start;
    const count = Math.min(WEIGHED, Math.floor((left - unit + 1) / unit));
    if (count < FEW) return 0;
    const tolerated = Math.floor(count / 16);
    // One bad end is a damaged byte; a wrong offset has many.
    if (wellEnded(window, start, count, 0) > count - Math.max(2, count / 8)) return 0;
    let best = 0;
    let least = badness(window, start, count) / 2;
    for (let skip = 1; skip < unit; skip++) {
      if (wellEnded(window, start + skip, count, count - tolerated) === 0) continue;
      const bad = badness(window, start + skip, count);
      if (bad >= least) continue;
      best = skip;
      least = bad;
    }
    return best;
  };
}
