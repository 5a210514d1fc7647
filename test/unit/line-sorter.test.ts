// Accesses sorted by cache line, compared with a stable library sort.
import { expect, test } from 'vitest';
import { createLineSorter } from '../../electron/engine/index/builders/accesses/line-sorter.ts';
import { createRandom } from '../laws/random.ts';

const sorter = createLineSorter();

/** Random addresses in runs of up to `longestRun`, each in one of `spread` lines. */
function addresses(seed: number, count: number, spread: number, longestRun: number): Uint32Array {
  const random = createRandom(seed);
  const list = new Uint32Array(count);
  for (let at = 0; at < count;) {
    const line = 0xc000_0000 + random.below(spread) * 64;
    for (let run = 1 + random.below(longestRun); run > 0 && at < count; run--) list[at++] = line + random.below(64);
  }
  return list;
}

test.each([
  ['one access', 1, 1, 1],
  ['one line', 500, 1, 9],
  ['two alternating lines', 500, 2, 1],
  ['runs within a page', 3000, 64, 9],
  ['lines of one digit', 5000, 8000, 5],
  ['lines of several digits', 9000, 2 ** 23, 4],
  ['no locality', 9000, 2 ** 23, 1],
  ['fewer accesses than before', 100, 5000, 3],
])('sorts %s like a stable library sort', (_, count, spread, longestRun) => {
  const of = addresses(count + spread, count, spread, longestRun);
  // Every third access is left out, and the order is reversed.
  const accesses = Int32Array.from({ length: count }, (__, at) => count - 1 - at).filter((at) => at % 3 !== 1);
  const expected = [...accesses].sort((a, b) => (of[a]! >>> 6) - (of[b]! >>> 6));
  expect([...sorter(of, accesses, accesses.length).subarray(0, accesses.length)]).toEqual(expected);
});

test('sorts an empty list', () => {
  expect(sorter(new Uint32Array(0), new Int32Array(0), 0)).toHaveLength(0);
});
