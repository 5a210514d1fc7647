/** Accesses in the order of the lines that they touch: a radix sort of as many digits as the lines lie apart. */

/** Sorts accesses by line; those of a line stay in their order. Answers what it keeps, until the next call. */
export type LineSorter = (addresses: Uint32Array, accesses: Uint32Array, length: number) => Uint32Array;

const DIGIT_BITS = 13;
const DIGITS = 2 ** DIGIT_BITS;

export function createLineSorter(): LineSorter {
  let keys = new Uint32Array(0);
  let spareKeys = new Uint32Array(0);
  let items = new Uint32Array(0);
  let spareItems = new Uint32Array(0);
  const places = new Uint32Array(DIGITS);
  return (addresses, accesses, length) => {
    if (keys.length < length) {
      const room = Math.ceil(length * 1.25);
      [keys, spareKeys] = [new Uint32Array(room), new Uint32Array(room)];
      [items, spareItems] = [new Uint32Array(room), new Uint32Array(room)];
    }
    let least = 0xffffffff;
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
function countDigits(keys: Uint32Array, length: number, least: number, shift: number, places: Uint32Array): void {
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
  readonly keys: Uint32Array;
  readonly items: Uint32Array;
}

function scatter(
  { keys, items }: KeysAndItems,
  { keys: toKeys, items: toItems }: KeysAndItems,
  length: number,
  least: number,
  shift: number,
  places: Uint32Array,
): void {
  for (let i = 0; i < length; i++) {
    const digit = ((keys[i]! - least) >>> shift) & (DIGITS - 1);
    const to = places[digit]!;
    places[digit] = to + 1;
    toKeys[to] = keys[i]!;
    toItems[to] = items[i]!;
  }
}
