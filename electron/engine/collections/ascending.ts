/** Ascending lists of numbers and of 64-bit addresses. */

/** Returns the index of the last number that is not above `wanted`, or -1. */
export function lastNotAbove(numbers: ArrayLike<number>, wanted: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A sorted list of 64-bit addresses (pairs of 32-bit halves) to which addresses are added one by one. */
export interface Ascending {
  add(low: number, high: number): void;
  /** Number of addresses up to and including this one. */
  countUpTo(low: number, high: number): number;
  /** Returns the greatest address that is not above this one; undefined if there is none. */
  notAbove(low: number, high: number): Halves | undefined;
}

interface Halves {
  readonly low: number;
  readonly high: number;
}

interface Sorted {
  readonly lows: Uint32Array<ArrayBuffer>;
  readonly highs: Uint32Array<ArrayBuffer>;
  /** Number of rows in use. */
  count: number;
}

/** Recently added addresses are kept in a small list of at most this length: inserting each into a list of a million is too slow. */
const MOST_RECENT = 1024;

export function createAscending(addresses: Iterable<bigint>): Ascending {
  let joined = sorted(addresses);
  const recent = createSorted(MOST_RECENT);
  return {
    add(low, high) {
      insert(recent, low, high);
      if (recent.count < MOST_RECENT) return;
      joined = merged(joined, recent);
      recent.count = 0;
    },
    countUpTo: (low, high) => countUpTo(joined, low, high) + countUpTo(recent, low, high),
    notAbove(low, high) {
      const one = at(joined, countUpTo(joined, low, high) - 1);
      const other = at(recent, countUpTo(recent, low, high) - 1);
      return one === undefined || (other !== undefined && isAbove(other.low, other.high, one.low, one.high))
        ? other
        : one;
    },
  };
}

function createSorted(room: number): Sorted {
  return { lows: new Uint32Array(room), highs: new Uint32Array(room), count: 0 };
}

function sorted(addresses: Iterable<bigint>): Sorted {
  const all = BigUint64Array.from(addresses).sort();
  const found = createSorted(all.length);
  for (const address of all) put(found, Number(address & 0xffff_ffffn), Number(address >> 32n));
  return found;
}

function put(to: Sorted, low: number, high: number): void {
  to.lows[to.count] = low;
  to.highs[to.count++] = high;
}

function insert(to: Sorted, low: number, high: number): void {
  const index = countUpTo(to, low, high);
  to.lows.copyWithin(index + 1, index, to.count);
  to.highs.copyWithin(index + 1, index, to.count++);
  to.lows[index] = low;
  to.highs[index] = high;
}

function merged(some: Sorted, others: Sorted): Sorted {
  const all = createSorted(some.count + others.count);
  let [i, j] = [0, 0];
  while (i < some.count || j < others.count) {
    const isOther =
      i === some.count ||
      (j < others.count && isAbove(some.lows[i]!, some.highs[i]!, others.lows[j]!, others.highs[j]!));
    if (isOther) put(all, others.lows[j]!, others.highs[j++]!);
    else put(all, some.lows[i]!, some.highs[i++]!);
  }
  return all;
}

function countUpTo({ lows, highs, count }: Sorted, low: number, high: number): number {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isAbove(lows[middle]!, highs[middle]!, low, high)) to = middle;
    else from = middle + 1;
  }
  return from;
}

function at({ lows, highs }: Sorted, index: number): Halves | undefined {
  return index < 0 ? undefined : { low: lows[index]!, high: highs[index]! };
}

function isAbove(low: number, high: number, otherLow: number, otherHigh: number): boolean {
  return high > otherHigh || (high === otherHigh && low > otherLow);
}
