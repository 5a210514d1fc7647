// To which symbol an address belongs: reach, nesting, aliases, symbols without sizes, and states of code.
import { describe, expect, test } from 'vitest';
import { createCodeStates } from '../../electron/engine/image/code-states.ts';
import type { Image } from '../../electron/engine/image/image.ts';
import { createImages } from '../../electron/engine/image/images.ts';
import { createSymbolTable, symbolText, type ImageSymbol } from '../../electron/engine/image/symbols.ts';

function sized(name: string, address: number, size: number, more: Partial<ImageSymbol> = {}): ImageSymbol {
  const end = BigInt(address) + BigInt(size);
  return { name, address: BigInt(address), end, sized: true, kind: 'function', binding: 'global', ...more };
}

function label(name: string, address: number, end: number, more: Partial<ImageSymbol> = {}): ImageSymbol {
  return { ...sized(name, address, 0), end: BigInt(end), sized: false, kind: 'label', ...more };
}

/** The symbols of the addresses [from, to), one word each, `-` where there is none. */
function row(symbols: readonly ImageSymbol[], from: number, to: number): string {
  const table = createSymbolTable(symbols);
  const texts = Array.from({ length: to - from }, (_, i) => {
    const hit = table.at(BigInt(from + i));
    return hit ? symbolText(hit) : '-';
  });
  return texts.join(' ');
}

test('a symbol reaches as far as its size, no byte more', () => {
  expect(row([sized('a', 2, 3), sized('b', 7, 1)], 0, 10)).toBe('- - a a+0x1 a+0x2 - - b - -');
});

test('the innermost of nested symbols is taken, the outer one goes on behind it', () => {
  expect(row([sized('outer', 0, 8), sized('inner', 2, 2), sized('deep', 3, 1)], 0, 9)).toBe(
    'outer outer+0x1 inner deep outer+0x4 outer+0x5 outer+0x6 outer+0x7 -',
  );
});

test('of symbols that overlap the later one lies on top', () => {
  expect(row([sized('a', 0, 4), sized('b', 2, 4)], 0, 7)).toBe('a a+0x1 b b+0x1 b+0x2 b+0x3 -');
});

test('one without a size reaches to the next symbol, at most to its end, and gives way to those with sizes', () => {
  expect(row([label('x', 0, 100), sized('f', 3, 4), label('in', 4, 100), label('y', 7, 9)], 0, 11)).toBe(
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

  test('the name that says most is preferred, whatever the order they come in', () => {
    for (const symbols of [aliases, [...aliases].reverse()]) {
      const table = createSymbolTable(symbols);
      const names = ['__memcpy', 'memcpy', 'copy', 'bytes', 'label'];
      expect(table.startingAt(0n).map(({ name }) => name)).toEqual(names);
      expect(table.at(3n)?.symbol.name).toBe('__memcpy');
    }
  });

  test('the shorter of two sizes is on top as far as it reaches', () => {
    expect(row([sized('short', 0, 2), sized('longer', 0, 4)], 0, 5)).toBe('short short+0x1 longer+0x2 longer+0x3 -');
  });

  test('a name that is in two tables counts once', () => {
    const table = createSymbolTable([sized('f', 0, 4), sized('f', 0, 4), label('f', 0, 4), sized('f', 8, 4)]);
    expect(table.all.map(({ name, address }) => `${name} ${address}`)).toEqual(['f 0', 'f 8']);
    expect(table.named('f').map(({ address }) => address)).toEqual([0n, 8n]);
    expect(table.named('g')).toEqual([]);
  });
});

test('addresses reach to the highest one', () => {
  const top = 0xffff_ffff_ffff_fffen;
  const table = createSymbolTable([{ ...sized('top', 0, 0), address: top, end: top + 2n }]);
  expect([top - 1n, top, top + 1n].map((address) => table.at(address)?.offset)).toEqual([undefined, 0n, 1n]);
  expect(createSymbolTable([]).at(0n)).toBeUndefined();
});

test('symbols at random agree with a search through all of them', () => {
  let seed = 7;
  const random = (most: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 16) % most;
  };
  for (let round = 0; round < 200; round++) {
    // Each address begins one symbol at most: which of two at one address is preferred is tested above.
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

/** The holder that begins last among those with sizes; else the label that begins last before, if nothing begins between. */
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

test('a state of code holds to the next mark, at most to the end of its section', () => {
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

test('many names of one address cost no more than many addresses', () => {
  const symbols = Array.from({ length: 50_000 }, (_, i) => sized(`n${i}`, 16, 4));
  const table = createSymbolTable(symbols);
  expect(table.startingAt(16n)).toHaveLength(50_000);
  // The shortest of them, and of these the first one.
  expect(table.at(17n)?.symbol.name).toBe('n0');
});

test('what reaches into a stretch comes once each, with where it begins and ends', () => {
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

test('of images that overlap the first one names what lies in its symbols, and once', () => {
  const images = createImages([
    imageOf([sized('outer', 0x8000, 0x200)]),
    imageOf([sized('outer', 0x8000, 0x200), sized('other', 0x8100, 0x10), sized('behind', 0x8200, 0x10)]),
  ]);
  const startingAt = (address: bigint): readonly string[] => images.symbolsStartingAt(address).map(({ name }) => name);
  expect(startingAt(0x8000n)).toEqual(['outer']);
  expect(startingAt(0x8100n)).toEqual([]);
  expect(startingAt(0x8200n)).toEqual(['behind']);
});

describe('what is loaded into memory that another image only sets aside', () => {
  const segment = (address: number, bytes: number, memory = bytes): Image['segments'][number] => ({
    address: BigInt(address),
    bytes: new Uint8Array(bytes),
    memory: BigInt(memory),
  });
  const kernel = imageOf(
    [sized('main', 0x8000, 0x10), sized('heap', 0x8100, 0xf00, { kind: 'object' })],
    [segment(0x8000, 0x100, 0x1000)],
  );
  /** Its code, its .bss, and behind that what it has no symbol for; linked for 0. */
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
  ])('has its own names, where it is given %s the other', (_, list) => {
    expect(namesOf(...list)).toBe('main+0x4 heap+0xff work work+0x4 count heap+0x150 heap+0x180');
    expect(
      createImages(list)
        .symbolsStartingAt(0x8200n)
        .map(({ name }) => name),
    ).toEqual(['work']);
    expect(createImages(list).symbolsStartingAt(0x8204n)).toEqual([]);
  });

  test('lies there as a whole: else the images are of two programs, and the first one counts', () => {
    const larger = imageOf([sized('work', 0, 0x20)], [segment(0, 0x1000)], 0x8200n);
    expect(namesOf(kernel, larger)).toBe('main+0x4 heap+0xff heap+0x100 heap+0x104 heap+0x140 heap+0x150 heap+0x180');
  });

  test('does not make less of a file that has symbols alone', () => {
    const debug = imageOf([sized('own', 0x8200, 0x80)], [segment(0x8000, 0, 0x1000)]);
    expect(namesOf(debug, loaded)).toBe('- - own own+0x4 own+0x40 own+0x50 -');
    expect(namesOf(imageOf([sized('own', 0x8200, 0x80)]), loaded)).toBe('- - own own+0x4 own+0x40 own+0x50 -');
    expect(namesOf(kernel, imageOf([sized('own', 0x8200, 0x80)]))).toBe(namesOf(kernel));
  });
});
