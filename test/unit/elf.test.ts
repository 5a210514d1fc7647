// ELF files written byte by byte and read back: both classes and byte orders, symbols with addresses, damage.
import { describe, expect, test } from 'vitest';
import { readElf } from '../../electron/engine/image/elf/elf.ts';
import { elfSymbols } from '../../electron/engine/image/elf/elf-symbols.ts';
import { writeElf, type ElfContent } from './elf-writer.ts';

const SORTS = [
  { bits: 32, endian: 'little', machine: 40 },
  { bits: 32, endian: 'big', machine: 8 },
  { bits: 64, endian: 'little', machine: 183 },
  { bits: 64, endian: 'big', machine: 21 },
] as const;

const code = [1, 2, 3, 4, 5, 6, 7, 8];

function program(sort: Pick<ElfContent, 'bits' | 'endian' | 'machine'>, more: Partial<ElfContent> = {}): Uint8Array {
  return writeElf({
    ...sort,
    sections: [
      { name: '.text', address: 0x8000, bytes: code },
      { name: '.data', address: 0x9000, bytes: [9], flags: 3 },
      { name: '.bss', address: 0x9004, zeros: 0x100, flags: 3 },
      { name: '.comment', bytes: [65, 66], flags: 0 },
    ],
    symbols: [
      { name: 'main', value: 0x8000, size: 4 },
      { name: 'local', value: 0x8004, size: 4, binding: 0 },
      { name: 'data', value: 0x9000, size: 1, type: 1, section: '.data' },
    ],
    ...more,
  });
}

function read(bytes: Uint8Array) {
  const elf = readElf(bytes);
  if (!elf.ok) throw new Error(elf.error.message);
  return elf.value;
}

const plain = (symbol: { readonly name: string; readonly address: bigint; readonly end: bigint }) =>
  `${symbol.name} ${symbol.address.toString(16)}-${symbol.end.toString(16)}`;

test.each(SORTS)('reads a $bits-bit $endian-endian file', (sort) => {
  const elf = read(program(sort));
  expect(elf.problems).toEqual([]);
  expect(elf.machine).toMatchObject({ bits: sort.bits, littleEndian: sort.endian === 'little' });
  expect(elf.loads.map(({ address, bytes, memory, flags }) => [address, [...bytes], memory, flags])).toEqual([
    [0x8000n, code, 8n, 'r-x'],
    [0x9000n, [9], 1n, 'rw-'],
    [0x9004n, [], 0x100n, 'rw-'],
  ]);
  const names = ['', '.text', '.data', '.bss', '.comment', '.symtab', '.strtab', '.shstrtab'];
  expect(elf.sections.map(({ name }) => name)).toEqual(names);
  const { symbols, problems } = elfSymbols(elf);
  expect(problems).toEqual([]);
  expect(symbols.map(plain)).toEqual(['main 8000-8004', 'local 8004-8008', 'data 9000-9001']);
  expect(symbols.map(({ kind, binding }) => `${binding} ${kind}`)).toEqual([
    'global function',
    'local function',
    'global object',
  ]);
});

test.each([
  ['MIPS 32, release 2', 32, 0x7000_1000, 'mips32'],
  ['MIPS I', 32, 0x0000_1001, 'mips32'],
  ['N32 of MIPS 64, release 2', 32, 0x8000_0027, 'mips64'],
  ['N32 of MIPS III', 32, 0x2000_0020, 'mips64'],
  ['N64', 64, 0x8000_0007, 'mips64'],
  // Opcodes that are other instructions in earlier releases.
  ['MIPS 32, release 6', 32, 0x9000_1400, undefined],
  ['MIPS 64, release 6', 64, 0xa000_0400, undefined],
  ['MIPS16 inside', 32, 0x7400_1000, undefined],
  ['microMIPS inside', 32, 0x7200_1000, undefined],
] as const)('recognises the instruction set of %s', (_, bits, flags, isa) => {
  const { machine } = read(program({ bits, endian: 'big', machine: 8 }, { flags }));
  expect([machine.name, machine.isa]).toEqual(['MIPS', isa]);
});

test('keeps all 64 bits of addresses', () => {
  const top = 0xffff_ffff_ffff_f000n;
  const elf = read(
    writeElf({
      bits: 64,
      endian: 'little',
      machine: 62,
      sections: [{ name: '.text', address: top, bytes: new Uint8Array(0x1000) }],
      symbols: [{ name: 'last', value: top + 0xffen, size: 2 }],
    }),
  );
  expect(elf.loads[0]?.address).toBe(top);
  expect(elfSymbols(elf).symbols.map(plain)).toEqual(['last fffffffffffffffe-10000000000000000']);
});

describe('symbols', () => {
  const arm = SORTS[0];

  test('clears bit 0 of ARM function addresses, but not of other symbols', () => {
    const symbols = [
      { name: 'thumb', value: 0x8001, size: 4 },
      { name: 'byte', value: 0x8005, size: 1, type: 1 },
    ];
    expect(elfSymbols(read(program(arm, { symbols }))).symbols.map(plain)).toEqual([
      'thumb 8000-8004',
      'byte 8005-8006',
    ]);
    const others = elfSymbols(read(program(SORTS[1], { symbols }))).symbols;
    expect(others.map(plain)).toEqual(['thumb 8001-8005', 'byte 8005-8006']);
  });

  test('reads mapping symbols as code states, not as names', () => {
    const symbols = ['$a', '$t.5', '$d', '$x', '$xrv64gc', '$dollar', '$'].map((name, i) => ({
      name,
      value: 0x8000 + i,
      type: 0,
      binding: 0,
    }));
    const found = elfSymbols(read(program(arm, { symbols })));
    expect(found.marks.map(({ address, end, state }) => [address, end, state])).toEqual([
      [0x8000n, 0x8008n, 'arm'],
      [0x8001n, 0x8008n, 'thumb'],
      [0x8002n, 0x8008n, 'data'],
      [0x8003n, 0x8008n, 'code'],
      [0x8004n, 0x8008n, 'code'],
    ]);
    expect(found.symbols.map(({ name }) => name)).toEqual(['$dollar', '$']);
  });

  test('takes code states from functions if mapping symbols were stripped', () => {
    const symbols = [
      { name: 'arm', value: 0x8000, size: 4 },
      { name: 'thumb', value: 0x8005, size: 2 },
      { name: 'unsized', value: 0x8007, size: 0 },
      { name: 'byte', value: 0x8006, size: 1, type: 1 },
    ];
    const marksOf = (elf: Uint8Array): unknown[] =>
      elfSymbols(read(elf)).marks.map(({ address, end, state }) => [address, end, state]);
    expect(marksOf(program(arm, { symbols }))).toEqual([
      [0x8000n, 0x8004n, 'arm'],
      [0x8004n, 0x8006n, 'thumb'],
      [0x8006n, 0x8007n, 'thumb'],
    ]);
    const mapped = [...symbols, { name: '$a', value: 0x8002, type: 0 }];
    expect(marksOf(program(arm, { symbols: mapped }))).toEqual([[0x8002n, 0x8008n, 'arm']]);
    expect(marksOf(program(SORTS[1], { symbols }))).toEqual([]);
  });

  test('omits symbols that are no places in memory', () => {
    const symbols = [
      { name: 'undefined', value: 0x8000, section: 0 },
      { name: 'absolute', value: 0x8000, section: 0xfff1 },
      { name: 'common', value: 0x8000, section: 0xfff2 },
      { name: 'file.c', value: 0x8000, type: 4 },
      { name: '.text', value: 0x8000, type: 3 },
      { name: 'thread-local', value: 0x8000, type: 6 },
      { name: 'behind its section', value: 0x8008 },
      { name: 'before its section', value: 0x7fff },
      { name: 'in no memory', value: 0, section: '.comment' },
      { name: 'no such section', value: 0x8000, section: 77 },
      { name: '', value: 0x8000 },
      { name: 'kept', value: 0x8002, size: 0x1000 },
    ];
    expect(elfSymbols(read(program(arm, { symbols }))).symbols.map(plain)).toEqual(['kept 8002-8008']);
  });
});

test('uses memory sections as segments if there are no program headers', () => {
  const elf = read(program(SORTS[2], { unloaded: true }));
  expect(elf.loads.map(({ address, bytes, memory, flags }) => [address, bytes.length, memory, flags])).toEqual([
    [0x8000n, 8, 8n, 'r-x'],
    [0x9000n, 1, 1n, 'rw-'],
    [0x9004n, 0, 0x100n, 'rw-'],
  ]);
});

test('keeps the bytes of a program with room for copied code', () => {
  const sections = [
    { name: '.text', address: 0x8000, bytes: code },
    { name: '.ramcode', address: 0x20000, zeros: 0x30, flags: 6 },
  ];
  const { loads, problems } = read(program(SORTS[0], { sections, symbols: [] }));
  expect(loads.map(({ address, bytes, memory }) => [address, [...bytes], memory])).toEqual([
    [0x8000n, code, 8n],
    [0x20000n, [], 0x30n],
  ]);
  expect(problems).toEqual([]);
});

describe('damage', () => {
  /** Reads arbitrary bytes: never throws, and never returns more than the file holds. */
  function survives(bytes: Uint8Array): void {
    const elf = readElf(bytes);
    if (!elf.ok) {
      expect(elf.error.message).toMatch(/^(its ELF header .*|this is not an ELF file \(byte 0\))$/);
      return;
    }
    expect(elf.value.loads.reduce((sum, load) => sum + load.bytes.length, 0)).toBeLessThanOrEqual(3 * bytes.length);
    expect(elf.value.sections.length).toBeLessThanOrEqual(bytes.length / 40);
    expect(elfSymbols(elf.value).symbols.length).toBeLessThanOrEqual(bytes.length / 16);
  }

  test.each(SORTS)('reads any truncated file without throwing: $bits bits, $endian-endian', (sort) => {
    const whole = program(sort);
    for (let length = 0; length <= whole.length; length++) survives(whole.subarray(0, length));
  });

  test.each(SORTS)('reads inverted bytes without throwing: $bits bits, $endian-endian', (sort) => {
    const whole = program(sort);
    for (let at = 0; at < whole.length; at++) {
      for (const value of [0, 1, 0x7f, 0x80, 0xff, whole[at]! ^ 0x10]) {
        const turned = whole.slice();
        turned[at] = value;
        survives(turned);
      }
    }
  });

  test('limits the largest counts to the file size and reports them', () => {
    const bytes = program(SORTS[0]);
    const view = new DataView(bytes.buffer);
    view.setUint16(44, 0xfffe, true);
    view.setUint16(48, 0xfffe, true);
    const elf = read(bytes);
    expect(elf.loads.length).toBeLessThan(bytes.length / 32);
    expect(elf.problems).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^only 8 of its section headers can be read$/) as string,
        expect.stringMatching(/^only \d+ of its 65534 program headers can be read$/) as string,
      ]),
    );
  });

  test('keeps the existing bytes of a segment that the file truncates', () => {
    const bytes = program(SORTS[0]);
    new DataView(bytes.buffer).setUint32(52 + 16, 0xffff_ffff, true);
    const elf = read(bytes);
    expect(elf.problems).toEqual(['the segment at 0x8000 extends past the end of the file']);
    expect([...elf.loads[0]!.bytes.subarray(0, 8)]).toEqual(code);
  });
});
