/** Order of 64-bit addresses that are split into halves of 32 bits, and binary search in ascending lists of them. */
export interface SplitAddress {
  readonly low: number;
  readonly high: number;
}

/** Returns a negative number if address `a` precedes address `b`, 0 if they are equal. */
export function compareAddresses(a: SplitAddress, b: SplitAddress): number {
  return a.high - b.high || a.low - b.low;
}

/** Returns how many addresses of an ascending list precede an address; if `inclusive`, equal ones count too. */
export function countBelow(ascending: readonly SplitAddress[], address: SplitAddress, inclusive = false): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const order = compareAddresses(ascending[middle]!, address);
    if (order < 0 || (inclusive && order === 0)) from = middle + 1;
    else to = middle;
  }
  return from;
}
