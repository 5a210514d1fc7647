/**
 * The hash table of the engine: finds rows of typed columns by their keys, without an object per row. It holds row numbers only
 * (open addressing, linear probing). The columns stay with the owner of the table, which hashes and compares keys:
 *
 *   for (let row = table.first(hash); row >= 0; row = table.next()) if (hasKey(row)) return row;
 *   const row = table.add(hash); // then fill this row of the columns
 *
 * Rows are numbered from 0 in the order in which they are added. Only the last search may be continued, and only until a row is added.
 */
export class RowTable {
  /** Row of each slot, FREE if it has none. The number of slots is a power of two, at least twice that of rows. */
  #slots: Int32Array;
  #mask: number;
  /** Slot that the current search has reached. */
  #slot = 0;
  /** Hash of each row. */
  #hashes: Int32Array;
  #size = 0;

  /** `capacity`: number of rows, a power of two, for which there is room at first. */
  constructor(capacity = 512) {
    this.#slots = new Int32Array(2 * capacity).fill(FREE);
    this.#mask = 2 * capacity - 1;
    this.#hashes = new Int32Array(capacity);
  }

  /** Begins a search: returns the first row that may have the key, or FREE. The low bits of the hash should depend on the whole key. */
  first(hash: number): number {
    const slot = hash & this.#mask;
    this.#slot = slot;
    return this.#slots[slot]!;
  }

  /** Continues the search: returns the next row that may have the key, or FREE. */
  next(): number {
    const slot = (this.#slot + 1) & this.#mask;
    this.#slot = slot;
    return this.#slots[slot]!;
  }

  /** Adds a row whose search has ended, and returns its number. */
  add(hash: number): number {
    const row = this.#size++;
    if (row === this.#hashes.length) this.#grow(hash);
    this.#hashes[row] = hash;
    this.#slots[this.#slot] = row;
    return row;
  }

  /** Removes all rows. Keeps the room. */
  clear(): void {
    this.#slots.fill(FREE);
    this.#size = 0;
  }

  /** Doubles the room, and moves the search for `hash` to the free slot where it ends now. */
  #grow(hash: number): void {
    const hashes = new Int32Array(2 * this.#hashes.length);
    hashes.set(this.#hashes);
    const slots = new Int32Array(2 * this.#slots.length).fill(FREE);
    const mask = slots.length - 1;
    for (let row = 0; row < this.#hashes.length; row++) slots[freeSlot(slots, mask, hashes[row]!)] = row;
    this.#hashes = hashes;
    this.#slots = slots;
    this.#mask = mask;
    this.#slot = freeSlot(slots, mask, hash);
  }
}

/** Returned by searches that find no further row. */
export const FREE = -1;

function freeSlot(slots: Int32Array, mask: number, hash: number): number {
  let slot = hash & mask;
  while (slots[slot] !== FREE) slot = (slot + 1) & mask;
  return slot;
}
