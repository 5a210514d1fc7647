// Symbol lookup by address: extent, nesting, aliases, symbols without sizes, and code states.
import { describe, expect, test } from 'vitest';
import { createCodeStates } from '../../electron/engine/image/code-states.ts';
import type { Image } from '../../electron/engine/image/image.ts';
import { createImages } from '../../electron/engine/image/images.ts';
import { createSymbolTable, symbolText, type ImageSymbol } from '../../electron/engine/image/symbols.ts';
import { allSymbols } from './all-symbols.ts';

function sized(name: string, address: number, size: number, more: Partial<ImageSymbol> = {}): ImageSymbol {
  const end = BigInt(address) + BigInt(size);
  return { name, address: BigInt(address), end, sized: true, kind: 'function', binding: 'global', ...more };
}

function label(name: string, address: number, end: number, more: Partial<ImageSymbol> = {}): ImageSymbol {
  return { ...sized(name, address, 0), end: BigInt(end), sized: false, kind: 'label', ...more };
}

/** Symbols at the addresses [from, to), one word each, `-` if there is none. */
function symbolsIn(symbols: readonly ImageSymbol[], from: number, to: number): string {
  const table = createSymbolTable(symbols);
  const texts = Array.from({ length: to - from }, (_, i) => {
    const hit = table.at(BigInt(from + i));
    return hit ? symbolText(hit) : '-';
  });
  return texts.join(' ');
}

test('a symbol covers exactly its size', () => {
  expect(symbolsIn([sized('a', 2, 3), sized('b', 7, 1)], 0, 10)).toBe('- - a a+0x1 a+0x2 - - b - -');
});

test('the innermost of nested symbols wins, and the outer one continues after it', () => {
  expect(symbolsIn([sized('outer', 0, 8), sized('inner', 2, 2), sized('deep', 3, 1)], 0, 9)).toBe(
    'outer outer+0x1 inner deep outer+0x4 outer+0x5 outer+0x6 outer+0x7 -',
  );
});

test('the later of overlapping symbols wins', () => {
  expect(symbolsIn([sized('a', 0, 4), sized('b', 2, 4)], 0, 7)).toBe('a a+0x1 b b+0x1 b+0x2 b+0x3 -');
});

test("a symbol without a size reaches to the next symbol or its section's end and yields to sized symbols", () => {
  expect(symbolsIn([label('x', 0, 100), sized('f', 3, 4), label('in', 4, 100), label('y', 7, 9)], 0, 11)).toBe(
    'x x+0x1 x+0x2 f f+0x1 f+0x2 f+0x3 y y+0x1 - -',
  );
});

describe('aliases', () => {
  const aliases = [
    label('label', 0, 8),
    sized('__memcpy', 0, 8),
    sized('memcpy', 0, 8, { binding: 'weak' }),
    sized('copy', 0, 8, { binding: 'local' }),
    sized('bytes', 0, 8, { kind: 'object' }),
  ];

  test('prefers the most specific name in any order', () => {
    for (const symbols of [aliases, [...aliases].reverse()]) {
      const table = createSymbolTable(symbols);
      const names = ['__memcpy', 'memcpy', 'copy', 'bytes', 'label'];
      expect(table.startingAt(0n).map(({ name }) => name)).toEqual(names);
      expect(table.at(3n)?.symbol.name).toBe('__memcpy');
    }
  });

  test('prefers the shorter size where it reaches', () => {
    expect(symbolsIn([sized('short', 0, 2), sized('longer', 0, 4)], 0, 5)).toBe(
      'short short+0x1 longer+0x2 longer+0x3 -',
    );
  });

  test('counts a name in two tables once', () => {
    const table = createSymbolTable([sized('f', 0, 4), sized('f', 0, 4), label('f', 0, 4), sized('f', 8, 4)]);
    expect(allSymbols(table).map(({ name, address }) => `${name} ${address}`)).toEqual(['f 0', 'f 8']);
    expect(table.named('f').map(({ address }) => address)).toEqual([0n, 8n]);
    expect(table.named('g')).toEqual([]);
  });
});

test('covers the highest address', () => {
  const top = 0xffff_ffff_ffff_fffen;
  const table = createSymbolTable([{ ...sized('top', 0, 0), address: top, end: top + 2n }]);
  expect([top - 1n, top, top + 1n].map((address) => table.at(address)?.offset)).toEqual([undefined, 0n, 1n]);
  expect(createSymbolTable([]).at(0n)).toBeUndefined();
});

test('agrees with a linear search on random symbols', () => {
  let seed = 7;
  const random = (most: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 16) % most;
  };
  for (let round = 0; round < 200; round++) {
    // At most one symbol begins at each address: aliases are tested above.
    const starts = [...new Set(Array.from({ length: 12 }, () => random(40)))];
    const symbols = starts.map((start, i) =>
      random(3) === 0 ? label(`l${i}`, start, start + 1 + random(12)) : sized(`s${i}`, start, 1 + random(12)),
    );
    const table = createSymbolTable(symbols);
    for (let address = 0n; address < 56n; address++) {
      expect(table.at(address)?.symbol.name).toBe(slow(symbols, address));
    }
  }
});

/** The sized symbol with the latest start that contains the address; else the last label before it, if no sized symbol follows it. */
function slow(symbols: readonly ImageSymbol[], address: bigint): string | undefined {
  const latest = (some: readonly ImageSymbol[]): ImageSymbol | undefined =>
    some.reduce<ImageSymbol | undefined>(
      (best, each) => (!best || each.address > best.address ? each : best),
      undefined,
    );
  const holders = symbols.filter((each) => each.sized && each.address <= address && address < each.end);
  if (holders.length > 0) return latest(holders)?.name;
  const before = latest(symbols.filter((each) => each.address <= address));
  return before && !before.sized && address < before.end && !isInside(symbols, before) ? before.name : undefined;
}

function isInside(symbols: readonly ImageSymbol[], { address }: ImageSymbol): boolean {
  return symbols.some((each) => each.sized && each.address <= address && address < each.end);
}

test("a code state reaches to the next mark or its section's end", () => {
  const states = createCodeStates([
    { address: 8n, end: 16n, state: 'data' },
    { address: 0n, end: 16n, state: 'arm' },
    { address: 4n, end: 16n, state: 'thumb' },
    { address: 20n, end: 24n, state: 'thumb' },
    { address: 22n, end: 24n, state: 'arm' },
    { address: 22n, end: 24n, state: 'data' },
  ]);
  const seen = [0, 3, 4, 7, 8, 15, 16, 20, 22, 24].map((address) => states.at(BigInt(address)));
  const none = undefined;
  // Two marks at 22 contradict one another.
  expect(seen).toEqual(['arm', 'arm', 'thumb', 'thumb', 'data', 'data', none, 'thumb', none, none]);
});

test('handles many names at one address as fast as many addresses', () => {
  const symbols = Array.from({ length: 50_000 }, (_, i) => sized(`n${i}`, 16, 4));
  const table = createSymbolTable(symbols);
  expect(table.startingAt(16n)).toHaveLength(50_000);
  // The shortest of them, and of equally short ones the first.
  expect(table.at(17n)?.symbol.name).toBe('n0');
});

test('lists each symbol that overlaps a range once, with its bounds', () => {
  const table = createSymbolTable([
    sized('before', 0, 4),
    sized('outer', 4, 10),
    sized('inner', 6, 2),
    label('loose', 20, 40),
    sized('beyond', 30, 4),
  ]);
  const within = (low: number, high: number): string[] =>
    table
      .within(BigInt(low), BigInt(high))
      .map(({ symbol, start, end }) => `${symbol.name} ${String(start)}-${String(end)}`);
  expect(within(5, 30)).toEqual(['outer 4-14', 'inner 6-8', 'loose 20-30']);
  expect(within(3, 4)).toEqual(['before 0-4']);
  expect(within(14, 20)).toEqual([]);
  expect(within(0, 100)).toHaveLength(5);
});

const imageOf = (symbols: readonly ImageSymbol[], segments: Image['segments'] = [], shift = 0n): Image => ({
  path: 'program',
  size: 0,
  digest: () => '',
  form: 'elf',
  shift,
  segments,
  symbols: createSymbolTable(symbols),
  states: createCodeStates([]),
  notices: [],
});

test('uses only the first of overlapping images for its symbols', () => {
  const images = createImages([
    imageOf([sized('outer', 0x8000, 0x200)]),
    imageOf([sized('outer', 0x8000, 0x200), sized('other', 0x8100, 0x10), sized('behind', 0x8200, 0x10)]),
  ]);
  const startingAt = (address: bigint): readonly string[] => images.symbolsStartingAt(address).map(({ name }) => name);
  expect(startingAt(0x8000n)).toEqual(['outer']);
  expect(startingAt(0x8100n)).toEqual([]);
  expect(startingAt(0x8200n)).toEqual(['behind']);
});

describe('image data loaded into memory that another image only reserves', () => {
  const segment = (address: number, bytes: number, memory = bytes): Image['segments'][number] => ({
    address: BigInt(address),
    bytes: new Uint8Array(bytes),
    memory: BigInt(memory),
  });
  const kernel = imageOf(
    [sized('main', 0x8000, 0x10), sized('heap', 0x8100, 0xf00, { kind: 'object' })],
    [segment(0x8000, 0x100, 0x1000)],
  );
  /** Its code, its .bss, and after that an address without a symbol; linked at 0. */
  const loaded = imageOf(
    [sized('work', 0, 0x20), sized('count', 0x40, 4, { kind: 'object' })],
    [segment(0, 0x40, 0x80)],
    0x8200n,
  );
  const namesOf = (...list: readonly Image[]): string => {
    const images = createImages(list);
    return [0x8004, 0x81ff, 0x8200, 0x8204, 0x8240, 0x8250, 0x8280]
      .map((address) => images.symbolAt(BigInt(address)))
      .map((hit) => (hit === undefined ? '-' : symbolText(hit)))
      .join(' ');
  };

  test.each([
    ['before', [loaded, kernel]],
    ['behind', [kernel, loaded]],
  ])('keeps its own names if given %s the other image', (_, list) => {
    expect(namesOf(...list)).toBe('main+0x4 heap+0xff work work+0x4 count heap+0x150 heap+0x180');
    expect(
      createImages(list)
        .symbolsStartingAt(0x8200n)
        .map(({ name }) => name),
    ).toEqual(['work']);
    expect(createImages(list).symbolsStartingAt(0x8204n)).toEqual([]);
  });

  test('must lie inside as a whole, or else the first image wins', () => {
    const larger = imageOf([sized('work', 0, 0x20)], [segment(0, 0x1000)], 0x8200n);
    expect(namesOf(kernel, larger)).toBe('main+0x4 heap+0xff heap+0x100 heap+0x104 heap+0x140 heap+0x150 heap+0x180');
  });

  test('does not hide a file that only has symbols', () => {
    const debug = imageOf([sized('own', 0x8200, 0x80)], [segment(0x8000, 0, 0x1000)]);
    expect(namesOf(debug, loaded)).toBe('- - own own+0x4 own+0x40 own+0x50 -');
    expect(namesOf(imageOf([sized('own', 0x8200, 0x80)]), loaded)).toBe('- - own own+0x4 own+0x40 own+0x50 -');
    expect(namesOf(kernel, imageOf([sized('own', 0x8200, 0x80)]))).toBe(namesOf(kernel));
  });
});
