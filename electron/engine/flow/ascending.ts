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
