import { expect, test } from 'vitest';
import { knownNamesWithin } from '../../electron/engine/image/names/known-names.ts';
import { createSymbolTable, type ImageSymbol } from '../../electron/engine/image/symbols.ts';

function symbol(name: string, address: bigint): ImageSymbol {
  return { name, address, end: address + 4n, sized: true, kind: 'function', binding: 'global' };
}

/** Bytes that the numbers of each symbol take. */
const ROW = 8;

test('remembers names of any text, across chunks', () => {
  const names = knownNamesWithin(1000, 10)(5);
  const texts = ['app::work', 'f()', '', 'größe()', 'x'.repeat(10)];
  texts.forEach((text, i) => names.set(i, text));
  expect(texts.map((_, i) => names.get(i))).toEqual(texts);
  expect(names.get(5)).toBeUndefined();
});

test('does not remember a name that is longer than a chunk, or beyond the limit', () => {
  const names = knownNamesWithin(2 * 10 + 4 * ROW, 10)(4);
  names.set(0, 'x'.repeat(11));
  names.set(1, 'one');
  names.set(2, 'x'.repeat(10));
  names.set(3, 'x'.repeat(10));
  expect([0, 1, 2, 3].map((i) => names.get(i)?.length)).toEqual([undefined, 3, 10, undefined]);
});

test('gives the room of a table to the one that is searched later, and back', () => {
  const create = knownNamesWithin(10 + ROW, 10);
  const [first, second] = [create(1), create(1)];
  first.set(0, 'first');
  second.set(0, 'second');
  expect([first.get(0), second.get(0)]).toEqual([undefined, 'second']);
  first.set(0, 'again');
  expect([first.get(0), second.get(0)]).toEqual(['again', undefined]);
});

test('a table shows the same names when it is asked again', () => {
  const table = createSymbolTable([symbol('_ZN3app4workEv', 0n), symbol('_Znot', 4n), symbol('main', 8n)]);
  for (let round = 0; round < 2; round++)
    expect([0, 1, 2].map((i) => table.shown(i))).toEqual(['app::work()', '_Znot', 'main']);
  const raw = createSymbolTable([symbol('_ZN3app4workEv', 0n)], true);
  expect(raw.shown(0)).toBe('_ZN3app4workEv');
});
