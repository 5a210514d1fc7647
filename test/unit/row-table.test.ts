/** The hash table of row numbers. */
import { expect, test } from 'vitest';
import { RowTable } from '../../electron/engine/collections/row-table.ts';
import { createRandom } from '../laws/random.ts';

/** Numbers distinct keys, as users of the table do. */
function createNumbers(hashOf: (key: number) => number) {
  const table = new RowTable(4);
  const keys: number[] = [];
  return {
    clear() {
      table.clear();
      keys.length = 0;
    },
    numberOf(key: number): number {
      const hash = hashOf(key);
      for (let row = table.first(hash); row >= 0; row = table.next()) if (keys[row] === key) return row;
      keys.push(key);
      return table.add(hash);
    },
  };
}

test.each([
  ['a good hash', (key: number) => Math.imul(key, 0x9e3779b1)],
  ['negative hashes', (key: number) => -1 - key],
  ['a hash that is the same for all keys', () => 7],
])('numbers keys in insertion order, with %s', (_, hashOf) => {
  const random = createRandom(1);
  const numbers = createNumbers(hashOf);
  for (let round = 0; round < 3; round++) {
    const expected = new Map<number, number>();
    for (let i = 0; i < 2000; i++) {
      const key = random.below(700);
      if (!expected.has(key)) expected.set(key, expected.size);
      expect(numbers.numberOf(key)).toBe(expected.get(key));
    }
    numbers.clear();
  }
});
