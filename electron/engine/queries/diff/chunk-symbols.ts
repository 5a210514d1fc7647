/** Numbers the chunks of two paths, so that equal chunks have equal numbers. */
import type { PathChunks } from '../../flow/path/path-chunks.ts';

/** Chunks that have this fingerprint only once are landmarks for the shift of addresses. */
function uniqueStarts({
  count,
  hash,
  other,
  startLow,
  startHigh,
}: PathChunks): ReadonlyMap<string, bigint | undefined> {
  const starts = new Map<string, bigint | undefined>();
  for (let k = 0; k < count; k++) {
    const key = `${hash[k]!} ${other[k]!}`;
    starts.set(key, starts.has(key) ? undefined : joined(startLow[k]!, startHigh[k]!));
  }
  return starts;
}

/** Returns the most frequent difference between the addresses of chunks of B and A that occur once in each; 0 if there are none. */
export function commonShift(a: PathChunks, b: PathChunks): bigint {
  const starts = uniqueStarts(a);
  const times = new Map<bigint, number>();
  for (const [key, start] of uniqueStarts(b)) {
    const there = starts.get(key);
    if (start === undefined || there === undefined) continue;
    times.set(start - there, (times.get(start - there) ?? 0) + 1);
  }
  let best: readonly [bigint, number] = [0n, times.get(0n) ?? 0];
  for (const one of times) if (one[1] > best[1]) best = one;
  return best[0];
}

/** Returns the numbers of both paths. Chunks are equal if they have the same fingerprint and begin at the same address, apart from the shift. */
export function sharedSymbols(a: PathChunks, b: PathChunks, shift: bigint): readonly [Int32Array, Int32Array] {
  const numbers = new Map<string, number>();
  const symbolsOf = ({ count, hash, other, startLow, startHigh }: PathChunks, moved: bigint): Int32Array =>
    Int32Array.from({ length: count }, (_, k) => {
      const key = `${hash[k]!} ${other[k]!} ${joined(startLow[k]!, startHigh[k]!) - moved}`;
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, numbers.size);
      return numbers.size - 1;
    });
  return [symbolsOf(a, 0n), symbolsOf(b, shift)];
}

function joined(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}
