/** Numbers the chunks of two paths, so that equal chunks have equal numbers. */
import type { PathChunks } from '../../../flow/path/path-chunks.ts';
import { RowTable } from '../../../collections/row-table.ts';

/** Returns the most frequent difference between the addresses of chunks of B and A that occur once in each; 0 if there are none. */
export function commonShift(a: PathChunks, b: PathChunks): bigint {
  const [ofA, ofB] = numbered(a, b, (one, k, other, n) => hasSameBranches(one, k, other, n));
  const onceA = placesOfOnce(ofA, a.count + b.count);
  const onceB = placesOfOnce(ofB, a.count + b.count);
  const times = new Map<bigint, number>();
  for (const [number, k] of onceB.entries()) {
    const there = onceA[number]!;
    if (k < 0 || there < 0) continue;
    const shift = startOf(b, k) - startOf(a, there);
    times.set(shift, (times.get(shift) ?? 0) + 1);
  }
  let best: readonly [bigint, number] = [0n, times.get(0n) ?? 0];
  for (const one of times) if (one[1] > best[1]) best = one;
  return best[0];
}

/**
 * Returns the numbers of both paths. Chunks are equal if they have the same fingerprint and begin at the same address, apart from the shift;
 * anywhere if no shift is given.
 */
export function sharedSymbols(a: PathChunks, b: PathChunks, shift?: bigint): readonly [Int32Array, Int32Array] {
  if (shift === undefined) return numbered(a, b, hasSameBranches);
  const isShifted = createShifted(a, b, shift);
  return numbered(a, b, (one, k, other, n) => {
    if (!hasSameBranches(one, k, other, n)) return false;
    if (one !== other) return isShifted(k, n);
    return one.startLow[k] === other.startLow[n] && one.startHigh[k] === other.startHigh[n];
  });
}

/** Returns the first number from `from` on of chunks that differ, or that a path does not have. */
export function equalChunks(a: PathChunks, b: PathChunks, shift: bigint | undefined, from: number): number {
  const isShifted = shift === undefined ? () => true : createShifted(a, b, shift);
  const most = Math.min(a.count, b.count);
  let equal = from;
  while (equal < most && hasSameBranches(a, equal, b, equal) && isShifted(equal, equal)) equal++;
  return equal;
}

/** Returns a function that returns true if chunk `n` of B begins `shift` after chunk `k` of A. */
function createShifted(a: PathChunks, b: PathChunks, shift: bigint): (k: number, n: number) => boolean {
  const low = Number(BigInt.asUintN(32, shift));
  const high = Number(BigInt.asUintN(32, shift >> 32n));
  return (k, n) => {
    const sum = a.startLow[k]! + low;
    const carry = sum > 0xffffffff ? 1 : 0;
    return b.startLow[n] === sum >>> 0 && b.startHigh[n] === (a.startHigh[k]! + high + carry) >>> 0;
  };
}

/** Returns true if chunk `k` of one path, which is A or the other path itself, equals chunk `n` of the other. */
type Equals = (one: PathChunks, k: number, other: PathChunks, n: number) => boolean;

function numbered(a: PathChunks, b: PathChunks, isEqual: Equals): readonly [Int32Array, Int32Array] {
  const table = new RowTable();
  /** The first chunk of each number: in A, or after all of A in B. */
  const first: number[] = [];
  const numbersOf = (path: PathChunks, before: number): Int32Array =>
    Int32Array.from({ length: path.count }, (_, n) => {
      const hash = path.hash[n]!;
      for (let row = table.first(hash); row >= 0; row = table.next()) {
        const known = first[row]!;
        if (known < a.count ? isEqual(a, known, path, n) : isEqual(b, known - a.count, path, n)) return row;
      }
      first.push(before + n);
      return table.add(hash);
    });
  return [numbersOf(a, 0), numbersOf(b, a.count)];
}

function hasSameBranches(one: PathChunks, k: number, other: PathChunks, n: number): boolean {
  return one.hash[k] === other.hash[n] && one.other[k] === other.other[n];
}

/** Returns the place of each number that occurs once; NEVER or TWICE for others. */
function placesOfOnce(numbers: Int32Array, count: number): Int32Array {
  const places = new Int32Array(count).fill(NEVER);
  for (const [k, number] of numbers.entries()) places[number] = places[number] === NEVER ? k : TWICE;
  return places;
}

const NEVER = -1;
const TWICE = -2;

function startOf({ startLow, startHigh }: PathChunks, k: number): bigint {
  return (BigInt(startHigh[k]!) << 32n) | BigInt(startLow[k]!);
}
