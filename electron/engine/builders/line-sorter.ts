/** Accesses in the order of the lines that they touch: a radix sort of as many digits as the lines lie apart. */

/**
 * Sorts accesses by line; those of a line stay in their order. Answers `accesses` where there is nothing to sort, else what it
 * keeps until the next call.
 */
export type LineSorter = (addresses: Uint32Array, accesses: Int32Array, length: number) => Int32Array;

const MOST_DIGIT_BITS = 13;

export function createLineSorter(): LineSorter {
  let keys = new Int32Array(0);
  let spareKeys = new Int32Array(0);
  let items = new Int32Array(0);
  let spareItems = new Int32Array(0);
  const places = new Int32Array(2 ** MOST_DIGIT_BITS);
  return (addresses, accesses, length) => {
    if (keys.length < length) {
      const room = Math.ceil(length * 1.25);
      [keys, spareKeys] = [new Int32Array(room), new Int32Array(room)];
      [items, spareItems] = [new Int32Array(room), new Int32Array(room)];
    }
    const { least, bits } = findLines(addresses, accesses, length, keys);
    const passes = Math.ceil(bits / MOST_DIGIT_BITS);
    const digitBits = passes === 0 ? 0 : Math.ceil(bits / passes);
    let sorted = accesses;
    for (let pass = 0; pass < passes; pass++) {
      const digits: Digits = { least, shift: pass * digitBits, mask: 2 ** digitBits - 1, places };
      countDigits(keys, length, digits);
      if (pass === passes - 1) scatterItems(keys, sorted, items, length, digits);
      else scatter({ keys, items: sorted }, { keys: spareKeys, items }, length, digits);
      sorted = items;
      [keys, spareKeys] = [spareKeys, keys];
      [items, spareItems] = [spareItems, items];
    }
    return sorted;
  };
}

interface Digits {
  /** What is taken from a key before its digit is. */
  readonly least: number;
  readonly shift: number;
  readonly mask: number;
  /** Where the next key of each digit belongs. */
  readonly places: Int32Array;
}

interface KeysAndItems {
  readonly keys: Int32Array;
  readonly items: Int32Array;
}

// Loops of their own: a function with several is compiled over and over while it runs.

/** Fills the key of each access, its line; returns the lowest, and the bits that the others need less that one. */
function findLines(
  addresses: Uint32Array,
  accesses: Int32Array,
  length: number,
  keys: Int32Array,
): { readonly least: number; readonly bits: number } {
  let least = 0x7fffffff;
  let most = 0;
  for (let i = 0; i < length; i++) {
    const line = addresses[accesses[i]!]! >>> 6;
    keys[i] = line;
    if (line < least) least = line;
    if (line > most) most = line;
  }
  return { least, bits: most > least ? 32 - Math.clz32(most - least) : 0 };
}

function countDigits(keys: Int32Array, length: number, { least, shift, mask, places }: Digits): void {
  places.fill(0);
  for (let i = 0; i < length; i++) {
    const digit = ((keys[i]! - least) >>> shift) & mask;
    places[digit] = places[digit]! + 1;
  }
  let place = 0;
  for (let digit = 0; digit <= mask; digit++) {
    const here = places[digit]!;
    places[digit] = place;
    place = (place + here) | 0;
  }
}

function scatter(from: KeysAndItems, to: KeysAndItems, length: number, { least, shift, mask, places }: Digits): void {
  const { keys, items } = from;
  const { keys: toKeys, items: toItems } = to;
  for (let i = 0; i < length; i++) {
    const key = keys[i]!;
    const digit = ((key - least) >>> shift) & mask;
    const place = places[digit]!;
    places[digit] = place + 1;
    toKeys[place] = key;
    toItems[place] = items[i]!;
  }
}

/** The last pass, behind which nobody asks for keys. */
function scatterItems(
  keys: Int32Array,
  items: Int32Array,
  toItems: Int32Array,
  length: number,
  { least, shift, mask, places }: Digits,
): void {
  for (let i = 0; i < length; i++) {
    const digit = ((keys[i]! - least) >>> shift) & mask;
    const place = places[digit]!;
    places[digit] = place + 1;
    toItems[place] = items[i]!;
  }
}
