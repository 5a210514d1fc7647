/** Index of the last of ascending numbers that is not above `wanted`; -1 where all are. */
export function lastNotAbove(numbers: ArrayLike<number>, wanted: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Numbers in ascending order, to which others are added one by one. */
export interface Ascending {
  add(number: number): void;
  countUpTo(most: number): number;
  /** The greatest one that is not above `wanted`; undefined where all are. */
  notAbove(wanted: number): number | undefined;
}

/** Added ones are kept apart until they are so many: to move all others for each of them takes too long where there are a million. */
const MOST_APART = 1024;

export function createAscending(numbers: Iterable<number>): Ascending {
  let joined = Float64Array.from(numbers).sort();
  const apart: number[] = [];
  return {
    add(number) {
      apart.splice(lastNotAbove(apart, number) + 1, 0, number);
      if (apart.length < MOST_APART) return;
      joined = merged(joined, apart);
      apart.length = 0;
    },
    countUpTo: (most) => lastNotAbove(joined, most) + lastNotAbove(apart, most) + 2,
    notAbove(wanted) {
      const one = joined[lastNotAbove(joined, wanted)];
      const other = apart[lastNotAbove(apart, wanted)];
      return one === undefined || (other !== undefined && other > one) ? other : one;
    },
  };
}

function merged(some: Float64Array, others: readonly number[]): Float64Array<ArrayBuffer> {
  const all = new Float64Array(some.length + others.length);
  let [i, j] = [some.length - 1, others.length - 1];
  for (let at = all.length - 1; at >= 0; at--) {
    all[at] = j < 0 || (i >= 0 && some[i]! > others[j]!) ? some[i--]! : others[j--]!;
  }
  return all;
}
