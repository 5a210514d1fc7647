/** Numbers in order to which others are added, held to a plain list that is sorted anew each time. */
import { expect, test } from 'vitest';
import { createAscending } from '../../electron/engine/flow/ascending.ts';
import { createRandom } from '../laws/random.ts';

test.each([
  [1, 0, 50],
  [2, 300, 3000],
  [3, 5, 9000],
])(
  'numbers are found among those that were there and those that came later (seed %i, %i and %i of them)',
  (seed, before, later) => {
    const random = createRandom(seed);
    const number = (): number => random.below(5000) * 2 ** 30;
    const plain = Array.from({ length: before }, number);
    const ascending = createAscending(plain);
    for (let added = 0; added < later; added++) {
      const one = number();
      plain.push(one);
      ascending.add(one);
      if (added % 97 !== 0 && added < later - 5) continue;
      const wanted = number() - 1;
      const upTo = plain.filter((its) => its <= wanted).sort((a, b) => a - b);
      expect(ascending.countUpTo(wanted)).toBe(upTo.length);
      expect(ascending.notAbove(wanted)).toBe(upTo.at(-1));
      expect(ascending.notAbove(one)).toBe(one);
    }
  },
);

test('of no numbers none is found', () => {
  const ascending = createAscending([]);
  expect(ascending.countUpTo(5)).toBe(0);
  expect(ascending.notAbove(5)).toBeUndefined();
});
