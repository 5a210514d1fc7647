/** Adds addresses to a sorted list; a plain list that is sorted again each time is the oracle. */
import { expect, test } from 'vitest';
import { createAscending } from '../../electron/engine/collections/ascending.ts';
import { createRandom } from '../laws/random.ts';

const split = (address: bigint) => [Number(address & 0xffff_ffffn), Number(address >> 32n)] as const;
const join = (halves: { low: number; high: number } | undefined) =>
  halves && (BigInt(halves.high) << 32n) + BigInt(halves.low);

test.each([
  ['over the whole lower half', 2n ** 30n, 1n, 0, 50],
  ['over the whole lower half', 2n ** 30n, 1n, 300, 3000],
  ['over the whole lower half', 2n ** 30n, 1n, 5, 9000],
  ['a few bytes apart in a kernel', 4n, 0xffff_ffff_8100_0000n, 300, 3000],
  ['up to the highest', 1n, 2n ** 64n - 5000n, 20, 2000],
])('adds addresses %s (%i bytes apart from %i, with %i and %i of them)', (_, unit, base, before, later) => {
  const random = createRandom(before + later);
  const address = (): bigint => base + BigInt(random.below(5000)) * unit;
  const plain = Array.from({ length: before }, address);
  const ascending = createAscending(plain);
  for (let added = 0; added < later; added++) {
    const one = address();
    plain.push(one);
    ascending.add(...split(one));
    if (added % 97 !== 0 && added < later - 5) continue;
    const wanted = address() - 1n;
    const upTo = plain.filter((its) => its <= wanted).sort((a, b) => (a < b ? -1 : Number(a > b)));
    expect(ascending.countUpTo(...split(wanted))).toBe(upTo.length);
    expect(join(ascending.notAbove(...split(wanted)))).toBe(upTo.at(-1));
    expect(join(ascending.notAbove(...split(one)))).toBe(one);
  }
});

test('finds nothing in an empty list', () => {
  const ascending = createAscending([]);
  expect(ascending.countUpTo(5, 0)).toBe(0);
  expect(ascending.notAbove(5, 0)).toBeUndefined();
});
