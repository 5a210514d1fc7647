/**
 * What instructions met before were found to be: a loop is asked for once. An instruction is the same where its address and all
 * bytes of its record from the address or opcode on are. A table with one place for each address; what comes later wins it.
 */
import type { Batch } from '../batch.ts';
import type { Window } from '../format.ts';
import type { Point } from './point.ts';

export interface KnownCodes {
  /** Fills branch, marks and target of a point with its address in place; false where the instruction is not known. */
  recall(window: Window, batch: Batch, row: number, point: Point): boolean;
  /** Keeps what a point was found to be. `tail`: bytes at the record's end that say it. */
  keep(window: Window, batch: Batch, row: number, point: Point, tail: number): void;
}

const PLACES = 1 << 15;
/** Longer records are read each time. */
const LONGEST = 128;

export function createKnownCodes(): KnownCodes {
  const lows = new Uint32Array(PLACES);
  const highs = new Uint32Array(PLACES);
  /** 0 where nothing is known. */
  const tails = new Uint8Array(PLACES);
  const bytes = new Uint8Array(PLACES * LONGEST);
  const branches = new Int8Array(PLACES);
  const marks = new Int32Array(PLACES);
  const targetLows = new Uint32Array(PLACES);
  const targetHighs = new Uint32Array(PLACES);
  return {
    recall(window, batch, row, point) {
      const place = placeOf(point);
      const tail = tails[place]!;
      if (tail === 0 || lows[place] !== point.addressLow || highs[place] !== point.addressHigh) return false;
      const text = window.bytes;
      const start = batch.start[row]! - window.base;
      const from = batch.end[row]! - window.base - tail;
      if (from < start || from + tail > window.length) return false;
      const known = place * LONGEST;
      for (let i = 0; i < tail; i++) if (text[from + i] !== bytes[known + i]) return false;
      point.branch = branches[place]!;
      point.mark = marks[place]!;
      point.targetLow = targetLows[place]!;
      point.targetHigh = targetHighs[place]!;
      return true;
    },
    keep(window, batch, row, point, tail) {
      const end = batch.end[row]! - window.base;
      if (tail <= 0 || tail > LONGEST || end > window.length) return;
      const place = placeOf(point);
      lows[place] = point.addressLow;
      highs[place] = point.addressHigh;
      tails[place] = tail;
      bytes.set(window.bytes.subarray(end - tail, end), place * LONGEST);
      branches[place] = point.branch;
      marks[place] = point.mark;
      targetLows[place] = point.targetLow;
      targetHighs[place] = point.targetHigh;
    },
  };
}

function placeOf({ addressLow, addressHigh }: Point): number {
  const mixed = Math.imul(addressLow ^ Math.imul(addressHigh, 0x85ebca6b), 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) & (PLACES - 1);
}
