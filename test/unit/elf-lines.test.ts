// Line table sections as tools store them: plain, compressed with a header, and compressed in the older GNU form.
import { deflateSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readElf } from '../../electron/engine/image/elf/elf.ts';
import { elfLines } from '../../electron/engine/image/elf/elf-lines.ts';
import { elfSymbols } from '../../electron/engine/image/elf/elf-symbols.ts';
import { createSymbolTable } from '../../electron/engine/image/symbols.ts';
import {
  advancePc,
  copy,
  endSequence,
  LINE_STRINGS,
  setAddress,
  setFile,
  special,
  unit,
  type Sort,
} from './dwarf-writer.ts';
import { writeElf, writer, type SectionContent, type SymbolContent } from './elf-writer.ts';

const SORTS: readonly Sort[] = [
  { version: 4, endian: 'little', bits: 32 },
  { version: 5, endian: 'big', bits: 32 },
  { version: 5, endian: 'little', bits: 64 },
  { version: 4, endian: 'big', bits: 64 },
];

function linesOf(sort: Sort): number[] {
  const main = setFile(sort.version === 5 ? 0 : 1);
  return unit(sort, [...setAddress(sort, 0x8000), ...main, ...copy, ...special(1, 4), ...advancePc(1), ...endSequence]);
}

const COMPRESSED = 0x800;

/** `Elf32_Chdr`, `Elf64_Chdr`: kind, size, alignment. */
function withHeader(sort: Sort, kind: number, size: number, bytes: Uint8Array): Uint8Array {
  const to = writer(sort).number(kind, 4);
  if (sort.bits === 64) to.number(0, 4);
  return Uint8Array.from([...to.word(BigInt(size)).word(1n).bytes, ...bytes]);
}

/** `ZLIB`, then the size in eight bytes, big-endian. */
function withMark(size: number | bigint, bytes: Uint8Array): Uint8Array {
  const to = writer({ bits: 64, endian: 'big' }).put([0x5a, 0x4c, 0x49, 0x42]);
  return Uint8Array.from([...to.number(size, 8).bytes, ...bytes]);
}

function open({ bits, endian }: Sort, ...debug: readonly SectionContent[]) {
  const code = { name: '.text', address: 0x8000, bytes: new Uint8Array(8) };
  const elf = readElf(writeElf({ bits, endian, machine: bits === 32 ? 40 : 62, sections: [code, ...debug] }));
  if (!elf.ok) throw new Error(elf.error.message);
  const table = elfLines(elf.value, createSymbolTable([]))?.();
  const at = (address: bigint): string => {
    const found = table?.at(address);
    return found === undefined ? '-' : `${found.file}:${found.line}`;
  };
  return { problems: table?.problems, lines: [0x7fffn, 0x8000n, 0x8004n, 0x8008n].map(at).join(' ') };
}

const FOUND = { problems: [], lines: '- main.c:1 main.c:5 -' };

describe.each(SORTS)('version $version, $bits bits, $endian-endian', (sort) => {
  const lines = linesOf(sort);
  const strings = { name: '.debug_line_str', bytes: LINE_STRINGS, flags: 0 };

  test('reads an uncompressed .debug_line section', () => {
    expect(open(sort, { name: '.debug_line', bytes: lines, flags: 0 }, strings)).toEqual(FOUND);
  });

  test.each([
    ['zlib', 1, deflateSync],
    ['zstd', 2, zstdCompressSync],
  ] as const)('reads a section compressed by %s', (_, kind, compress) => {
    const bytes = withHeader(sort, kind, lines.length, compress(Uint8Array.from(lines)));
    expect(open(sort, { name: '.debug_line', bytes, flags: COMPRESSED }, strings)).toEqual(FOUND);
  });

  test('reads a compressed .zdebug_line section next to uncompressed ones', () => {
    const bytes = withMark(lines.length, deflateSync(Uint8Array.from(lines)));
    expect(open(sort, { name: '.zdebug_line', bytes, flags: 0 }, strings)).toEqual(FOUND);
    const packed = withMark(LINE_STRINGS.length, deflateSync(Uint8Array.from(LINE_STRINGS)));
    expect(
      open(sort, { name: '.zdebug_line', bytes, flags: 0 }, { name: '.zdebug_line_str', bytes: packed, flags: 0 }),
    ).toEqual(FOUND);
  });

  test('reports a section that cannot be decompressed', () => {
    const old = (bytes: Uint8Array) => open(sort, { name: '.zdebug_line', bytes, flags: 0 }, strings).problems;
    const whole = withMark(lines.length, deflateSync(Uint8Array.from(lines)));
    expect(old(withMark(1n << 62n, deflateSync(Uint8Array.from(lines))))).toEqual([
      'its source lines are left out: .zdebug_line would exceed 268435456 bytes when decompressed',
    ]);
    expect(old(whole.subarray(0, 11))).toEqual(['its source lines are left out: .zdebug_line is truncated']);
    expect(old(whole.subarray(0, 20))).toEqual([
      expect.stringMatching(/^its source lines are left out: \.zdebug_line cannot be decompressed \(/),
    ]);
    // Expands to more than the header announces.
    expect(old(withMark(1, deflateSync(Uint8Array.from(lines))))).toEqual([
      expect.stringMatching(/^its source lines are left out: \.zdebug_line cannot be decompressed \(/),
    ]);
  });
});

describe.each(SORTS)('sections that are not worth their time: version $version, $bits bits, $endian-endian', (sort) => {
  const zeros = 255 * 1024 * 1024;
  /** Says that it has 255 MB, which the reader must not believe. */
  const bomb = (size: number) => withHeader(sort, 1, size, deflateSync(new Uint8Array(1000)));
  const lines = linesOf(sort);
  const names = { name: '.debug_line_str', bytes: LINE_STRINGS, flags: 0 };

  test('leaves out lines that compress a hundred times better than those of a compiler', () => {
    const bytes = bomb(zeros);
    const stored = bytes.length - (sort.bits === 64 ? 24 : 12);
    expect(open(sort, { name: '.debug_line', bytes, flags: COMPRESSED }, names)).toEqual({
      problems: [
        `its source lines are left out: .debug_line would have ${zeros} bytes when decompressed, more than 100 times its ${stored} bytes in the file`,
      ],
      lines: '- - - -',
    });
  });

  test('leaves out such a section of names, and names the others', () => {
    const strings = { name: '.debug_str', bytes: bomb(zeros), flags: COMPRESSED };
    const { problems, lines: found } = open(sort, { name: '.debug_line', bytes: lines, flags: 0 }, names, strings);
    expect(problems).toEqual([
      expect.stringMatching(/^its source lines of some files are left out: \.debug_str would have 267386880 bytes/),
    ]);
    expect(found).toBe(FOUND.lines);
  });

  test('reads a small section, however well it is compressed', () => {
    const zeros = new Uint8Array(100_000);
    const padding = writer(sort)
      .number(zeros.length, 4)
      .put([...zeros]).bytes;
    const many = Uint8Array.from([...lines, ...padding]);
    const packed = withHeader(sort, 1, many.length, deflateSync(many));
    expect(many.length / packed.length).toBeGreaterThan(100);
    expect(open(sort, { name: '.debug_line', bytes: packed, flags: COMPRESSED }, names)).toEqual({
      problems: ['1 of its line tables cannot be read'],
      lines: FOUND.lines,
    });
  });

  test('stops after thousands of tables that cannot be read, such as zeros', () => {
    const bytes = new Uint8Array(lines.length + 1024 * 1024);
    bytes.set(lines);
    const { problems, lines: found } = open(sort, { name: '.debug_line', bytes, flags: 0 }, names);
    expect(problems).toEqual([
      `it has too many line tables that cannot be read; only the first ${lines.length + 40_000} bytes of .debug_line are used`,
      '10000 of its line tables cannot be read',
    ]);
    expect(found).toBe(FOUND.lines);
  });
});

describe('lines at address 0, where linkers leave discarded code', () => {
  const sort = SORTS[0]!;

  /** Code in the bytes [0, 0x20), and lines of 16 bytes of code at 0. */
  function linesAtZero(...symbols: readonly SymbolContent[]): string {
    const code = { name: '.text', address: 0, bytes: new Uint8Array(0x20) };
    const program = [...setAddress(sort, 0), ...copy, ...advancePc(4), ...endSequence];
    const lines = { name: '.debug_line', bytes: unit(sort, program), flags: 0 };
    const elf = readElf(writeElf({ ...sort, machine: 40, sections: [code, lines], symbols }));
    if (!elf.ok) throw new Error(elf.error.message);
    const table = elfLines(elf.value, createSymbolTable(elfSymbols(elf.value).symbols))?.();
    return [0n, 15n, 16n].map((address) => table?.at(address)?.line ?? '-').join(' ');
  }

  test('reports lines of a function that exists', () => {
    expect(linesAtZero({ name: 'reset', value: 0, size: 16 }, { name: 'main', value: 16, size: 16 })).toBe('1 1 -');
    // Padding after the last function.
    expect(linesAtZero({ name: 'a', value: 0, size: 8 }, { name: 'b', value: 8, size: 6 })).toBe('1 1 -');
  });

  test.each([
    ['vectors without a size', [{ name: '_start', value: 0, type: 0 }]],
    ['a longer function', [{ name: 'reset', value: 0, size: 20 }]],
    [
      'a longer second function',
      [
        { name: 'reset', value: 0, size: 8 },
        { name: 'main', value: 8, size: 12 },
      ],
    ],
    ['no named symbol', []],
  ])('reports no lines of a function with another length %s', (_, symbols) => {
    expect(linesAtZero(...symbols)).toBe('- - -');
  });
});
