// DWARF line tables written here byte by byte: every version, both byte orders and widths, what is left out, and damage.
import { describe, expect, test } from 'vitest';
import { createData } from '../../electron/engine/image/elf/data.ts';
import { readLines } from '../../electron/engine/image/elf/dwarf-lines.ts';
import { createLineTable } from '../../electron/engine/image/line-table.ts';
import {
  advanceLine,
  advancePc,
  constAddPc,
  copy,
  endSequence,
  LINE_STRINGS,
  setAddress,
  setFile,
  special,
  text,
  unit,
  type Sort,
} from './dwarf-writer.ts';

const SORTS: readonly Sort[] = [
  { version: 2, endian: 'little', bits: 32 },
  { version: 3, endian: 'big', bits: 32 },
  { version: 4, endian: 'little', bits: 64 },
  { version: 4, endian: 'big', bits: 64, wide: true },
  { version: 5, endian: 'little', bits: 64 },
  { version: 5, endian: 'big', bits: 32, wide: true },
];
const PLAIN = SORTS[2]!;

function tableOf(sort: Sort, bytes: readonly number[], isCode: (start: bigint, end: bigint) => boolean = () => true) {
  const data = (content: readonly number[]) => createData(Uint8Array.from(content), sort.endian === 'little');
  return readLines({ lines: data(bytes), lineStrings: data(LINE_STRINGS) }, isCode);
}

/** The lines of addresses, `-` where there is none. */
function row(table: ReturnType<typeof tableOf>, from: number, to: number): string {
  const texts = Array.from({ length: to - from }, (_, i) => {
    const found = table.at(BigInt(from + i));
    return found ? `${found.file}:${found.line}` : '-';
  });
  return texts.join(' ');
}

describe.each(SORTS)('version $version, $endian-endian, addresses of $bits bits, wide: $wide', (sort) => {
  const [main, other] = sort.version === 5 ? [0, 1] : [1, 2];
  const program = [
    ...setAddress(sort, 0x8000),
    ...setFile(main),
    ...copy, // 0x8000 line 1
    ...special(1, 4), // 0x8004 line 5
    ...setFile(other),
    ...advanceLine(-3),
    ...advancePc(1),
    ...copy, // 0x8008 line 2
    ...advancePc(1),
    ...endSequence, // 0x800c
  ];

  test('an address has the file and the line of the row that holds it', () => {
    const table = tableOf(sort, unit(sort, program));
    expect(table.problems).toEqual([]);
    expect([table.rows, table.files]).toEqual([3, 2]);
    expect(
      [0x7fff, 0x8000, 0x8003, 0x8004, 0x8007, 0x8008, 0x800b, 0x800c].map((at) => row(table, at, at + 1)),
    ).toEqual(['-', 'main.c:1', 'main.c:1', 'main.c:5', 'main.c:5', '/inc/b.h:2', '/inc/b.h:2', '-']);
  });

  test('cut at every byte and turned over at every byte it gives lines or problems', () => {
    const whole = [...unit(sort, program), ...unit(sort, program)];
    for (let length = 0; length < whole.length; length++) {
      const table = tableOf(sort, whole.slice(0, length));
      expect(table.rows).toBeLessThanOrEqual(6);
      row(table, 0x8000, 0x8010);
    }
    for (let at = 0; at < whole.length; at++) {
      for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
        const table = tableOf(sort, whole.with(at, value));
        expect(table.rows).toBeLessThanOrEqual(whole.length);
        row(table, 0x8000, 0x8010);
      }
    }
  });
});

describe('the line machine', () => {
  const run = (...program: readonly (readonly number[])[]) =>
    tableOf(PLAIN, unit(PLAIN, [...setAddress(PLAIN, 0x100), ...program.flat(), ...endSequence]));

  test('advances by what the special opcode 255 would', () => {
    // (255 - 13) / 14 = 17 instructions of 4 bytes.
    expect(row(run(copy, constAddPc, special(0, 1), advancePc(1)), 0x143, 0x149)).toBe(
      'main.c:1 main.c:2 main.c:2 main.c:2 main.c:2 -',
    );
  });

  test('advances by a fixed number, and passes over opcodes and operands that it does not know', () => {
    const unknown = [0, 3, 0x80, 1, 2];
    const column = [5, 0x81, 1];
    expect(
      row(run(copy, [9, 2, 0], unknown, column, [6], [7], [10], [11], [12, 3], special(0, 2), [9, 2, 0]), 0x100, 0x105),
    ).toBe('main.c:1 main.c:1 main.c:3 main.c:3 -');
  });

  test('of several rows at one address the last one holds', () => {
    expect(row(run(copy, special(0, 3), special(0, 2), advancePc(1)), 0x100, 0x101)).toBe('main.c:6');
  });

  test('line 0 and a file that is not listed are not known', () => {
    expect(row(run(copy, advancePc(1), advanceLine(-1), copy, advancePc(1)), 0x103, 0x106)).toBe('main.c:1 - -');
    expect(row(run(setFile(9), copy, advancePc(1)), 0x100, 0x102)).toBe('- -');
  });

  test('a file may be added on the way', () => {
    const define = [0, 8, 3, ...text('n.c'), 0, 0, 0];
    expect(row(run(define, setFile(3), copy, advancePc(1)), 0x100, 0x101)).toBe('n.c:1');
  });

  test('a sequence that runs backwards, or has no end, counts for nothing', () => {
    expect(run(copy, setAddress(PLAIN, 0x80), copy, advancePc(100)).rows).toBe(0);
    const endless = unit(PLAIN, [...setAddress(PLAIN, 0x100), ...copy, ...advancePc(1)]);
    const table = tableOf(PLAIN, [
      ...endless,
      ...unit(PLAIN, [...setAddress(PLAIN, 0), ...copy, ...advancePc(1), ...endSequence]),
    ]);
    expect(table.problems).toEqual(['1 of its line tables cannot be read']);
    expect(row(table, 0, 5)).toBe('main.c:1 main.c:1 main.c:1 main.c:1 -');
  });

  test('several instructions in one word', () => {
    // Four operations to a word of 4 bytes: the first 6 operations end in word 1.
    const bytes = unit(PLAIN, [
      ...setAddress(PLAIN, 0x100),
      ...copy,
      ...advancePc(6),
      ...special(0, 1),
      ...advancePc(2),
      ...endSequence,
    ]);
    const at = bytes.indexOf(4, 10);
    expect(bytes.slice(at, at + 4)).toEqual([4, 1, 1, 0xfb]);
    expect(row(tableOf(PLAIN, bytes.with(at + 1, 4)), 0x103, 0x109)).toBe(
      'main.c:1 main.c:2 main.c:2 main.c:2 main.c:2 -',
    );
  });
});

test('what does not lie in code was thrown away by the linker', () => {
  const sequence = (start: number) =>
    unit(PLAIN, [...setAddress(PLAIN, start), ...copy, ...advancePc(2), ...endSequence]);
  const table = tableOf(PLAIN, [0, 0x100, 0x104].flatMap(sequence), (start, end) => start >= 0x100n && end <= 0x108n);
  expect([row(table, 0, 1), row(table, 0x100, 0x101)]).toEqual(['-', 'main.c:1']);
  expect(row(table, 0x108, 0x109)).toBe('-');
});

test('where two sequences say different things nothing is said', () => {
  const sequence = (start: number, line: number) =>
    unit(PLAIN, [...setAddress(PLAIN, start), ...special(0, line), ...advancePc(2), ...endSequence]);
  const table = tableOf(PLAIN, [...sequence(0x100, 1), ...sequence(0x104, 2), ...sequence(0x104, 2)]);
  expect([0x103, 0x104, 0x107, 0x108, 0x10b, 0x10c].map((at) => row(table, at, at + 1))).toEqual([
    'main.c:2',
    '-',
    '-',
    'main.c:3',
    'main.c:3',
    '-',
  ]);
});

test('headers that cannot be are passed over', () => {
  const good = unit(PLAIN, [...setAddress(PLAIN, 0x100), ...copy, ...advancePc(1), ...endSequence]);
  const table = tableOf(PLAIN, [...unit(PLAIN, [], { lineRange: 0 }), ...good.with(4, 9), ...good, 0xff]);
  expect(table.problems).toEqual([
    `its line tables are truncated at byte ${unit(PLAIN, []).length + 2 * good.length} of .debug_line`,
    '2 of its line tables cannot be read',
  ]);
  expect(row(table, 0x100, 0x101)).toBe('main.c:1');
});

test('counts of files without end cost nothing', () => {
  const v5 = SORTS[4]!;
  const good = unit(v5, []);
  // The count of directories follows version, sizes, lengths, 18 bytes of settings and one format.
  const at = good.indexOf(0x1f) + 1;
  expect(good[at]).toBe(2);
  const huge = [...good.slice(0, at), 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, ...good.slice(at + 1)];
  huge[0]! += 5;
  expect(tableOf(v5, huge).problems).toEqual(['1 of its line tables cannot be read']);
});

// A compressed section of half a megabyte may hold fifteen million of them, all of the same instruction.
test('sequences without end are read up to a bound', () => {
  const writer = createLineTable();
  const file = writer.file('a.c');
  let sequences = 0;
  for (; writer.hasRoom(); sequences++) {
    writer.row(0, file, 1);
    writer.end(0x8000n, 4, true);
  }
  expect(sequences).toBe(2_000_000);
  const table = writer.finish([]);
  expect([table.rows, table.at(0x8004n)]).toEqual([sequences, undefined]);
});
