/**
 * Events of captures by their bytes: a debugger that stops a program at the same places reads out equal buffers again and again. A hash
 * table that is emptied when it is full.
 */

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
  let slots = new Int32Array(128).fill(-1);
  let hashes = new Int32Array(64);
  let count = 0;
  /** Words and hash of the capture that `find` was last called with. */
  const sought = new Int32Array(length);
  let hash = 0;
  const known = { events: new Int32Array(1024), find, records: recordsOf, start, note, clear };
  return known;

  function find(bytes: Uint8Array, at: number): number {
    hash = read(bytes, at);
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let capture = slots[slot]!; capture >= 0; capture = slots[slot]!) {
      if (hashes[capture] === hash && isSought(capture)) return capture;
      slot = (slot + 1) & mask;
    }
    return -1;
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
    if (count === most) clear();
    if (count === records.length) grow();
    const from = starts[count]!;
    if (from + many > known.events.length)
      known.events = grown(known.events, new Int32Array(Math.max(from + many, 2 * known.events.length)));
    for (let i = 0; i < many; i++) known.events[from + i] = events[i]!;
    words.set(sought, count * length);
    records[count] = its;
    hashes[count] = hash;
    starts[count + 1] = from + many;
    put(count++);
  }

  function put(capture: number): void {
    const mask = slots.length - 1;
    let slot = hashes[capture]! & mask;
    while (slots[slot]! >= 0) slot = (slot + 1) & mask;
    slots[slot] = capture;
  }

  function grow(): void {
    words = grown(words, new Int32Array(2 * words.length));
    records = grown(records, new Int32Array(2 * records.length));
    hashes = grown(hashes, new Int32Array(2 * hashes.length));
    starts = grown(starts, new Int32Array(records.length + 1));
    slots = new Int32Array(2 * slots.length).fill(-1);
    for (let capture = 0; capture < count; capture++) put(capture);
  }

  function clear(): void {
    count = 0;
    slots.fill(-1);
  }
}

function grown(column: Int32Array<ArrayBuffer>, larger: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  larger.set(column);
  return larger;
}
