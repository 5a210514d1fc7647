// Names beside the address axis: worked out by hand on charts of 100 pixels.
import { expect, test } from 'vitest';
import { foldedAxis, trueAxis } from '../../present/base/axis.ts';
import { nameOf, placeNames, type Named } from '../../present/heat/names.ts';

function named(name: string, low: number, high: number, kind: Named['kind'] = 'function'): Named {
  return { name, low: BigInt(low), high: BigInt(high), kind };
}

const WHOLE = { bottom: 0, top: 1, height: 100 };
const LINE = 10;

test('draws names as high as their address range, from the lowest address upwards', () => {
  const axis = trueAxis([{ low: 0n, high: 1000n }]);
  const placed = placeNames([named('a', 0, 200), named('b', 200, 1000)], axis, WHOLE, LINE);
  expect(placed.map(({ named: { name }, top, bottom, text }) => [name, top, bottom, text])).toEqual([
    ['b', 0, 80, 40],
    ['a', 80, 100, 90],
  ]);
});

test('shows the text of the higher of two close names, and omits names thinner than a line', () => {
  const axis = trueAxis([{ low: 0n, high: 1000n }]);
  const names = [named('large', 0, 100), named('small', 100, 150), named('thin', 500, 510)];
  const placed = placeNames(names, axis, WHOLE, LINE);
  expect(placed.map(({ named: { name }, text }) => [name, text])).toEqual([
    ['large', 95],
    ['small', undefined],
  ]);
});

test('segment names leave room for the names inside them', () => {
  const axis = trueAxis([{ low: 0n, high: 1000n }]);
  const placed = placeNames([named('main', 0, 1000), named('code', 0, 1000, 'segment')], axis, WHOLE, LINE);
  expect(placed.map(({ text }) => text)).toEqual([50, 50]);
});

test('omits names in folded or hidden parts and clips the others', () => {
  const axis = foldedAxis([
    { low: 0n, high: 100n },
    { low: 1000n, high: 1100n },
  ]);
  const names = [named('seen', 0, 100), named('folded', 200, 900), named('above', 1000, 1100)];
  const places = placeNames(names, axis, WHOLE, LINE).map((one) => [
    one.named.name,
    Math.round(one.top),
    Math.round(one.bottom),
  ]);
  expect(places.toSorted()).toEqual([
    ['above', 0, 50],
    ['seen', 50, 100],
  ]);
  const lowerHalf = { bottom: 0.25, top: 0.5, height: 100 };
  expect(
    placeNames(names, axis, lowerHalf, LINE).map((one) => [
      one.named.name,
      Math.round(one.top),
      Math.round(one.bottom),
    ]),
  ).toEqual([['seen', 0, 100]]);
});

test('names a cell by its symbols, or else by its segment', () => {
  const names = [
    named('code', 0, 1000, 'segment'),
    ...'abcde'.split('').map((name, i) => named(name, i * 10, i * 10 + 10)),
  ];
  const at = (low: number, high: number): string => nameOf(names, { low: BigInt(low), high: BigInt(high) });
  expect(at(5, 15)).toBe('a, b');
  expect(at(0, 50)).toBe('a, b, c and 2 more');
  expect(at(500, 600)).toBe('code');
  expect(at(1000, 2000)).toBe('');
});
