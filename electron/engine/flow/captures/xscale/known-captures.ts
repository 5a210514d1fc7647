/**
 * Events of captures by their bytes: a debugger that stops a program at the same places reads out equal buffers again and again. A hash
 * table that is emptied when it is full.
 */

import { longer } from '../../../collections/columns.ts';
import { RowTable } from '../../../collections/row-table.ts';

export interface KnownCaptures {
  /** Events of all captures, as `EventList.add` takes them. `note` may replace the array. */
  readonly events: Int32Array;
  /** Returns the number of the capture at bytes[at, at + unit), or -1 if it is not known. */
  find(bytes: Uint8Array, at: number): number;
  /** Returns the capture's number of records. */
  records(capture: number): number;
  /** Returns the index of the capture's first event; its events end where those of the next capture start. */
  start(capture: number): number;
  /** Stores the capture that `find` was last called with. */
  note(records: number, events: Int32Array, count: number): void;
  clear(): void;
}

/** Largest number of capture bytes in the table. */
const MOST_BYTES = 1 << 22;

/** @param unit bytes of each capture, a multiple of 4 */
export function createKnownCaptures(unit: number): KnownCaptures {
  const length = unit / Uint32Array.BYTES_PER_ELEMENT;
  const most = Math.floor(MOST_BYTES / unit);
  let words = new Int32Array(64 * length);
  let records = new Int32Array(64);
  let starts = new Int32Array(65);
  const rows = new RowTable(64);
  let count = 0;
  /** Words and hash of the capture that `find` was last called with. */
  const sought = new Int32Array(length);
  let hash = 0;
  const known = { events: new Int32Array(1024), find, records: recordsOf, start, note, clear };
  return known;

  function find(bytes: Uint8Array, at: number): number {
    hash = read(bytes, at);
    let capture = rows.first(hash);
    while (capture >= 0 && !isSought(capture)) capture = rows.next();
    return capture;
  }

  function read(bytes: Uint8Array, at: number): number {
    let mixed = 0;
    for (let word = 0, from = at; word < length; word++, from += 4) {
      const value = bytes[from]! | (bytes[from + 1]! << 8) | (bytes[from + 2]! << 16) | (bytes[from + 3]! << 24);
      sought[word] = value;
      mixed = Math.imul(mixed ^ value, 0x9e3779b1);
      mixed ^= mixed >>> 15;
    }
    return mixed;
  }

  function isSought(capture: number): boolean {
    const from = capture * length;
    let word = 0;
    while (word < length && words[from + word] === sought[word]) word++;
    return word === length;
  }

  function recordsOf(capture: number): number {
    return records[capture]!;
  }

  function start(capture: number): number {
    return starts[capture]!;
  }

  function note(its: number, events: Int32Array, many: number): void {
    if (count === most) {
      clear();
      rows.first(hash);
    }
    if (count === records.length) grow();
    const from = starts[count]!;
    if (from + many > known.events.length)
      known.events = longer(known.events, Math.max(from + many, 2 * known.events.length));
    for (let i = 0; i < many; i++) known.events[from + i] = events[i]!;
    words.set(sought, count * length);
    records[count] = its;
    starts[count + 1] = from + many;
    rows.add(hash);
    count++;
  }

  function grow(): void {
    words = longer(words, 2 * words.length);
    records = longer(records, 2 * records.length);
    starts = longer(starts, records.length + 1);
  }

  function clear(): void {
    count = 0;
    rows.clear();
  }
}
