/**
 * Accesses in the order of the lines that they touch: a radix sort of as many digits as the lines lie apart. What is sorted are
 * runs of accesses to one line, several of which programs make in a row.
 */

/**
 * Sorts accesses by line; those of a line stay in their order. Answers `accesses` where there is nothing to sort, else what it
 * keeps until the next call.
 */
export type LineSorter = (addresses: Uint32Array, accesses: Int32Array, length: number) => Int32Array;

const MOST_DIGIT_BITS = 13;

export function createLineSorter(): LineSorter {
  /** By run: its line, and where it begins. One place more than there are accesses. */
  let keys = new Int32Array(0);
  let starts = new Int32Array(0);
  let spareKeys = new Int32Array(0);
  /** Numbers of runs. */
  let items = new Int32Array(0);
  let spareItems = new Int32Array(0);
  let sorted = new Int32Array(0);
  const places = new Int32Array(2 ** MOST_DIGIT_BITS);
  return (addresses, accesses, length) => {
    if (keys.length <= length) {
      const room = Math.ceil(length * 1.25) + 1;
      [keys, starts, spareKeys] = [new Int32Array(room), new Int32Array(room), new Int32Array(room)];
      [items, spareItems, sorted] = [new Int32Array(room), new Int32Array(room), new Int32Array(room)];
    }
    const runs = findRuns(addresses, accesses, length, keys, starts);
    const { least, bits } = spanOf(keys, runs);
    if (bits === 0) return accesses;
    const passes = Math.ceil(bits / MOST_DIGIT_BITS);
    const digitBits = Math.ceil(bits / passes);
    numberRuns(items, runs);
    for (let pass = 0; pass < passes; pass++) {
      const digits: Digits = { least, shift: pass * digitBits, mask: 2 ** digitBits - 1, places };
      countDigits(keys, runs, digits);
      scatter({ keys, items }, { keys: spareKeys, items: spareItems }, runs, digits);
      [keys, spareKeys] = [spareKeys, keys];
      [items, spareItems] = [spareItems, items];
    }
    copyRuns(accesses, starts, items, runs, sorted);
    return sorted;
  };
}

interface Digits {
  /** Subtracted from a key before its digit is extracted. */
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

/** Fills line and start of each run, with an end behind the last one's start, and returns how many there are. */
function findRuns(
  addresses: Uint32Array,
  accesses: Int32Array,
  length: number,
  keys: Int32Array,
  starts: Int32Array,
): number {
  let runs = 0;
  let before = -1;
  for (let i = 0; i < length; i++) {
    const line = addresses[accesses[i]!]! >>> 6;
    // The next run is written over and over until it has begun: whether it has cannot be guessed.
    keys[runs] = line;
    starts[runs] = i;
    const other = line ^ before;
    runs = (runs + ((other | -other) >>> 31)) | 0;
    before = line;
  }
  starts[runs] = length;
  return runs;
}

/** The lowest key, and the bits that the others need less that one. */
function spanOf(keys: Int32Array, length: number): { readonly least: number; readonly bits: number } {
  let least = 0x7fffffff;
  let most = 0;
  for (let i = 0; i < length; i++) {
    const key = keys[i]!;
    if (key < least) least = key;
    if (key > most) most = key;
  }
  return { least, bits: most > least ? 32 - Math.clz32(most - least) : 0 };
}

function numberRuns(items: Int32Array, length: number): void {
  for (let i = 0; i < length; i++) items[i] = i;
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

/** The accesses of so many runs, in the order of `items`. */
function copyRuns(accesses: Int32Array, starts: Int32Array, items: Int32Array, length: number, to: Int32Array): void {
  let end = 0;
  for (let i = 0; i < length; i++) {
    const run = items[i]!;
    const behind = starts[run + 1]!;
    for (let at = starts[run]!; at < behind; at++) {
      to[end] = accesses[at]!;
      end = (end + 1) | 0;
    }
  }
}
