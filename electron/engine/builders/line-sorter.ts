/** Accesses in the order of the lines that they touch: a radix sort of as many digits as the lines lie apart. */

/** Sorts accesses by line; those of a line stay in their order. Answers what it keeps, until the next call. */
export type LineSorter = (addresses: Uint32Array, accesses: Int32Array, length: number) => Int32Array;

const DIGIT_BITS = 13;
const DIGITS = 2 ** DIGIT_BITS;

export function createLineSorter(): LineSorter {
  let keys = new Int32Array(0);
  let spareKeys = new Int32Array(0);
  let items = new Int32Array(0);
  let spareItems = new Int32Array(0);
  const places = new Int32Array(DIGITS);
  return (addresses, accesses, length) => {
    if (keys.length < length) {
      const room = Math.ceil(length * 1.25);
      [keys, spareKeys] = [new Int32Array(room), new Int32Array(room)];
      [items, spareItems] = [new Int32Array(room), new Int32Array(room)];
    }
    let least = 0x7fffffff;
    let most = 0;
    for (let i = 0; i < length; i++) {
      const line = addresses[accesses[i]!]! >>> 6;
      keys[i] = line;
      items[i] = accesses[i]!;
      if (line < least) least = line;
      if (line > most) most = line;
    }
    for (let shift = 0; most - least >= 2 ** shift; shift += DIGIT_BITS) {
      countDigits(keys, length, least, shift, places);
      scatter({ keys, items }, { keys: spareKeys, items: spareItems }, length, least, shift, places);
      [keys, spareKeys] = [spareKeys, keys];
      [items, spareItems] = [spareItems, items];
    }
    return items;
  };
}

// Loops of their own: a function with several is compiled over and over while it runs.

/** Where the keys of each digit begin. */
function countDigits(keys: Int32Array, length: number, least: number, shift: number, places: Int32Array): void {
  places.fill(0);
  for (let i = 0; i < length; i++) {
    const digit = ((keys[i]! - least) >>> shift) & (DIGITS - 1);
    places[digit] = places[digit]! + 1;
  }
  let place = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const here = places[digit]!;
    places[digit] = place;
    place += here;
  }
}

interface KeysAndItems {
  readonly keys: Int32Array;
  readonly items: Int32Array;
}

function scatter(
  { keys, items }: KeysAndItems,
  { keys: toKeys, items: toItems }: KeysAndItems,
  length: number,
  least: number,
  shift: number,
  places: Int32Array,
): void {
  for (let i = 0; i < length; i++) {
    const digit = ((keys[i]! - least) >>> shift) & (DIGITS - 1);
    const to = places[digit]!;
    places[digit] = to + 1;
    toKeys[to] = keys[i]!;
    toItems[to] = items[i]!;
  }
}
