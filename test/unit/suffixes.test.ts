/** Functions of two builds whose names differ by suffixes of the compiler. */
import { expect, test } from 'vitest';
import { withoutSuffixes } from '../../shared/against/compiler-suffixes.ts';
import { pairFunctions } from '../../shared/against/function-pairs.ts';
import { namesWithoutSuffixes } from '../../electron/engine/queries/diff/symbols/suffixes.ts';
import type { Images } from '../../electron/engine/image/images.ts';

/** A program with functions of these names, each at an address of its own. */
function program(...names: readonly string[]): Images {
  const symbol = (i: number) => ({
    name: names[i]!,
    address: BigInt(16 * i),
    end: BigInt(16 * i + 16),
    kind: 'function',
  });
  const named = (name: string) => names.flatMap((own, i) => (own === name ? [symbol(i)] : []));
  return { list: [{ shift: 0n, symbols: { count: names.length, symbol, named } }] } as unknown as Images;
}

test('leaves out the suffixes of compilers, and nothing else', () => {
  expect(
    [
      'f.constprop.0',
      'f.isra.0.part.1',
      'f.constprop.0.cold',
      'f.cold.3',
      'f',
      'f.partial',
      'f.cold.x',
      'f.llvm.12',
    ].map(withoutSuffixes),
  ).toEqual(['f', 'f', 'f.cold', 'f.cold', 'f', 'f.partial', 'f.cold.x', 'f.llvm.12']);
});

test('pairs a function with its only copy of another name', () => {
  const names = namesWithoutSuffixes([program('f', 'g.isra.0', 'h'), program('f.constprop.0', 'g.isra.1', 'h')]);
  expect([names(0, 'f'), names(1, 'f.constprop.0'), names(0, 'g.isra.0')]).toEqual(['f.constprop.0', 'f', 'g.isra.1']);
});

test('pairs nothing if several functions could be meant', () => {
  const names = namesWithoutSuffixes([
    program('f.constprop.0', 'f.isra.0', 'g.part.0', 'g.part.0', 'h.cold', 'k'),
    program('f', 'g', 'h', 'k', 'k.part.0'),
  ]);
  expect([names(0, 'f.isra.0'), names(1, 'f'), names(1, 'g'), names(1, 'h'), names(1, 'k.part.0')]).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});

test('pairs the functions of answers about calls by the same rule, and shows both names', () => {
  const named = (...names: readonly string[]) => names.map((name, at) => ({ id: `0x${(at + 1) * 16}`, name }));
  const pairsOf = (a: readonly string[], b: readonly string[]) =>
    pairFunctions(named(...a), named(...b), 0n).pairs.map((pair) => [
      pair.name,
      pair.a !== undefined,
      pair.b !== undefined,
    ]);
  expect(pairsOf(['f.isra.0', 'g', 'h.cold'], ['g', 'f', 'h'])).toEqual([
    ['g', true, true],
    ['f.isra.0 / f', true, true],
    ['h.cold', true, false],
    ['h', false, true],
  ]);
  // Either copy could be the function of the other program.
  expect(pairsOf(['f.isra.0', 'f.constprop.0'], ['f'])).toEqual([
    ['f.isra.0', true, false],
    ['f.constprop.0', true, false],
    ['f', false, true],
  ]);
});
