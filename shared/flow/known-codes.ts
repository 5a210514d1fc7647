/**
 * Cache of classified instructions, so that a loop is classified once. An instruction is known if its address and the tail of its record,
 * which contains opcode and text, are equal. Each address has two places; a later instruction replaces the one in the first.
 */
import { areEqual } from '../base/bytes.ts';
import type { Batch } from '../records/batch.ts';
import { indexIn, type Window } from '../format/format.ts';
import type { Point } from './point.ts';

export interface KnownCodes {
  /** Sets branch, marks and target of a point that has its address. Returns false if the instruction is not known. */
  recall(window: Window, batch: Batch, row: number, point: Point): boolean;
  /** Stores the classification of a point. `tail`: number of bytes at the record's end that determine it. */
  keep(window: Window, batch: Batch, row: number, point: Point, tail: number): void;
}

const PLACES = 1 << 15;
const ENTRIES = PLACES + 1;
/** Longest tail that is stored. */
const LONGEST = 128;

export function createKnownCodes(): KnownCodes {
  /** By place: entry of the instruction, 0 if the place is empty. Entries are used in order, so few instructions take little memory. */
  const entries = new Uint16Array(PLACES);
  let used = 0;
  const lows = new Uint32Array(ENTRIES);
  const highs = new Uint32Array(ENTRIES);
  const tails = new Uint8Array(ENTRIES);
  const bytes = new Uint8Array(ENTRIES * LONGEST);
  const branches = new Int8Array(ENTRIES);
  const marks = new Int32Array(ENTRIES);
  const targetLows = new Uint32Array(ENTRIES);
  const targetHighs = new Uint32Array(ENTRIES);
  const words = new DataView(bytes.buffer);
  let text: Uint8Array = bytes;
  let view: DataView = words;
  return {
    recall(window, batch, row, point) {
      const place = placeOf(point);
      const entry = isAt(place, point) ? entries[place]! : entries[place ^ 1]!;
      if (entry === 0 || lows[entry] !== point.addressLow || highs[entry] !== point.addressHigh) return false;
      const tail = tails[entry]!;
      const from = indexIn(window, batch.end[row]!) - tail;
      if (from < indexIn(window, batch.start[row]!) || from + tail > window.length) return false;
      if (!areEqual(viewOf(window.bytes), from, words, entry * LONGEST, tail)) return false;
      point.branch = branches[entry]!;
      point.mark = marks[entry]!;
      point.targetLow = targetLows[entry]!;
      point.targetHigh = targetHighs[entry]!;
      return true;
    },
    keep(window, batch, row, point, tail) {
      const end = indexIn(window, batch.end[row]!);
      if (tail <= 0 || tail > LONGEST || end > window.length) return;
      let place = placeOf(point);
      if (entries[place] !== 0 && !isAt(place, point) && (entries[place ^ 1] === 0 || isAt(place ^ 1, point)))
        place ^= 1;
      if (entries[place] === 0) entries[place] = ++used;
      const entry = entries[place]!;
      lows[entry] = point.addressLow;
      highs[entry] = point.addressHigh;
      tails[entry] = tail;
      bytes.set(window.bytes.subarray(end - tail, end), entry * LONGEST);
      branches[entry] = point.branch;
      marks[entry] = point.mark;
      targetLows[entry] = point.targetLow;
      targetHighs[entry] = point.targetHigh;
    },
  };

  function viewOf(its: Uint8Array): DataView {
    if (its !== text) {
      text = its;
      view = new DataView(its.buffer, its.byteOffset, its.byteLength);
    }
    return view;
  }

  function isAt(place: number, { addressLow, addressHigh }: Point): boolean {
    const entry = entries[place]!;
    return lows[entry] === addressLow && highs[entry] === addressHigh;
  }
}

function placeOf({ addressLow, addressHigh }: Point): number {
  const mixed = Math.imul(addressLow ^ Math.imul(addressHigh, 0x85ebca6b), 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) & (PLACES - 1);
}
