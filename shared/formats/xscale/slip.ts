/**
 * Bytes are missing or surplus: how far is it to where captures of one length go on?
 *
 * Nothing marks where a capture begins. But each ends in a message, and read from a wrong end a stretch of captures shows
 * reserved bytes, unwritten zeros in its middle and too many checkpoints; so the distance after which those vanish is right.
 */
import type { Window } from '../../format/format.ts';
import { assert } from '../../base/result.ts';
import type { ByteOffset } from '../../base/units.ts';
import { createEntries, readEntries } from '../../xscale/buffer.ts';
import { BUFFER_BYTES, MESSAGE, MESSAGE_OF } from '../../xscale/messages.ts';
import { createCapture, type Container } from './capture.ts';

/** Captures that are weighed behind the place. */
export const WEIGHED = 16;
/** Fewer tell nothing. */
const FEW = 4;
/** A capture without a last message weighs as much as so many reserved bytes, and registers for so many checkpoints there are. */
const NO_END = 16;
const REGISTERS = 2;

export type FindSlip = (window: Window, start: ByteOffset) => number;

/** Bytes to skip from `start`, where a capture should begin but does not end in a message; 0 to stay. */
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
    // One broken end is a broken byte; a wrong grid has many.
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
