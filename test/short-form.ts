// Chooses between the short form of a test, which `npm test` runs, and its long form, which `node test/nightly.ts` runs.

/** True in the nightly run. */
export const NIGHTLY: boolean = process.env['TRACEBENCH_NIGHTLY'] === '1';

/** Returns the number of rounds, records or bytes of a test: the first in `npm test`, the second in the nightly run. */
export function rounds(short: number, long: number): number {
  return NIGHTLY ? long : short;
}

/**
 * Returns every pair of the two lists in the nightly run. In `npm test` it returns just enough pairs that each element of both lists
 * occurs once.
 */
export function pairs<A, B>(first: readonly A[], second: readonly B[]): readonly (readonly [A, B])[] {
  if (NIGHTLY) return first.flatMap((a) => second.map((b) => [a, b] as const));
  const count = Math.max(first.length, second.length);
  return Array.from({ length: count }, (_, i) => [first[i % first.length]!, second[i % second.length]!] as const);
}

/** Returns all elements in the nightly run, and in `npm test` at most `count` of them, spread evenly over the list. */
export function few<T>(list: readonly T[], count: number): readonly T[] {
  if (NIGHTLY || list.length <= count) return list;
  return Array.from({ length: count }, (_, i) => list[Math.floor((i * list.length) / count)]!);
}
