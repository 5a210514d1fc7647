/**
 * Cache of classified instructions, so that a loop is classified once. An instruction is known if its address and the tail of its record,
 * which contains opcode and text, are equal. Direct-mapped by address: a later instruction replaces an earlier one in its place.
 */
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
/** Longest tail that is stored. */
const LONGEST = 128;

export function createKnownCodes(): KnownCodes {
  const lows = new Uint32Array(PLACES);
  const highs = new Uint32Array(PLACES);
  /** 0 if the place is empty. */
  const tails = new Uint8Array(PLACES);
  const bytes = new Uint8Array(PLACES * LONGEST);
  const branches = new Int8Array(PLACES);
  const marks = new Int32Array(PLACES);
  const targetLows = new Uint32Array(PLACES);
  const targetHighs = new Uint32Array(PLACES);
  const words = new DataView(bytes.buffer);
  let text: Uint8Array = bytes;
  let textWords: DataView = words;
  return {
    recall(window, batch, row, point) {
      const place = placeOf(point);
      const tail = tails[place]!;
      if (tail === 0 || lows[place] !== point.addressLow || highs[place] !== point.addressHigh) return false;
      const from = indexIn(window, batch.end[row]!) - tail;
      if (from < indexIn(window, batch.start[row]!) || from + tail > window.length) return false;
      if (!isKnown(window.bytes, from, tail, place * LONGEST)) return false;
      point.branch = branches[place]!;
      point.mark = marks[place]!;
      point.targetLow = targetLows[place]!;
      point.targetHigh = targetHighs[place]!;
      return true;
    },
    keep(window, batch, row, point, tail) {
      const end = indexIn(window, batch.end[row]!);
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

  /** Compares four bytes at a time; the last four may overlap the previous ones. */
  function isKnown(its: Uint8Array, from: number, length: number, known: number): boolean {
    if (its !== text) {
      text = its;
      textWords = new DataView(its.buffer, its.byteOffset, its.byteLength);
    }
    if (length < 4) {
      for (let i = 0; i < length; i++) if (its[from + i] !== bytes[known + i]) return false;
      return true;
    }
    const last = length - 4;
    for (let i = 0; i < last; i += 4) if (textWords.getInt32(from + i) !== words.getInt32(known + i)) return false;
    return textWords.getInt32(from + last) === words.getInt32(known + last);
  }
}

function placeOf({ addressLow, addressHigh }: Point): number {
  const mixed = Math.imul(addressLow ^ Math.imul(addressHigh, 0x85ebca6b), 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) & (PLACES - 1);
}
