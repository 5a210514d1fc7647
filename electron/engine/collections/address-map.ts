/** A hash map from 64-bit addresses to 32-bit integers. Addresses are pairs of 32-bit halves: a BigInt per lookup is slow. */

export interface AddressMap {
  readonly size: number;
  /** Returns ABSENT if the address has no value. */
  get(low: number, high: number): number;
  /** `value` is a 32-bit integer other than ABSENT. */
  set(low: number, high: number, value: number): void;
  /** Adds to the value, 0 if there is none, and returns the sum. */
  add(low: number, high: number, by: number): number;
  /** Visits every address with its value, in no particular order. */
  each(visit: (low: number, high: number, value: number) => void): void;
  /** Returns the content as plain columns, valid until the map changes. */
  table(): AddressTable;
}

/** The map's columns, indexed by slot. A free slot has the value ABSENT. The number of slots is a power of two, more than that of addresses. */
export interface AddressTable {
  readonly size: number;
  readonly lows: Uint32Array<ArrayBuffer>;
  readonly highs: Uint32Array<ArrayBuffer>;
  readonly values: Int32Array<ArrayBuffer>;
}

export const ABSENT = -0x80000000;

/** `start`: initial number of slots (a power of two), or initial content. */
export function createAddressMap(start: number | AddressTable = 64): AddressMap {
  const begun = typeof start === 'number' ? emptyTable(start) : start;
  let { lows, highs, values } = begun;
  let mask = values.length - 1;
  const map = {
    size: begun.size,
    get(low: number, high: number) {
      return values[slotOf(low, high)]!;
    },
    set(low: number, high: number, value: number) {
      put(low, high, value);
    },
    add(low: number, high: number, by: number) {
      const old = values[slotOf(low, high)]!;
      const sum = (old === ABSENT ? 0 : old) + by;
      put(low, high, sum);
      return sum;
    },
    each(visit: (low: number, high: number, value: number) => void) {
      for (let slot = 0; slot <= mask; slot++) {
        if (values[slot] !== ABSENT) visit(lows[slot]!, highs[slot]!, values[slot]!);
      }
    },
    table: () => ({ size: map.size, lows, highs, values }),
  };
  return map;

  function put(low: number, high: number, value: number): void {
    const slot = slotOf(low, high);
    const isNew = values[slot] === ABSENT;
    lows[slot] = low;
    highs[slot] = high;
    values[slot] = value;
    if (isNew && ++map.size * 2 > mask) grow();
  }

  /** Returns the slot of the address, or the free slot where it belongs. */
  function slotOf(low: number, high: number): number {
    const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
    let slot = (mixed ^ (mixed >>> 15)) & mask;
    while (values[slot] !== ABSENT && (lows[slot] !== low || highs[slot] !== high)) slot = (slot + 1) & mask;
    return slot;
  }

  function grow(): void {
    const [oldLows, oldHighs, oldValues] = [lows, highs, values];
    mask = mask * 2 + 1;
    lows = new Uint32Array(mask + 1);
    highs = new Uint32Array(mask + 1);
    values = new Int32Array(mask + 1).fill(ABSENT);
    for (let i = 0; i < oldValues.length; i++) {
      if (oldValues[i] === ABSENT) continue;
      const slot = slotOf(oldLows[i]!, oldHighs[i]!);
      lows[slot] = oldLows[i]!;
      highs[slot] = oldHighs[i]!;
      values[slot] = oldValues[i]!;
    }
  }
}

function emptyTable(capacity: number): AddressTable {
  return {
    size: 0,
    lows: new Uint32Array(capacity),
    highs: new Uint32Array(capacity),
    values: new Int32Array(capacity).fill(ABSENT),
  };
}
