// DWARF line tables written byte by byte: every version, both byte orders and widths, missing positions, and damage.
import { describe, expect, test } from 'vitest';
import { createData } from '../../electron/engine/image/elf/data.ts';
import { readLines } from '../../electron/engine/image/elf/dwarf-lines.ts';
import { createLineTable } from '../../electron/engine/image/line-table.ts';
import { NIGHTLY } from '../short-form.ts';
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

/** File and line of each address, `-` if there is none. */
function linesAt(table: ReturnType<typeof tableOf>, from: number, to: number): string {
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

  test('returns file and line of the row that contains an address', () => {
    const table = tableOf(sort, unit(sort, program));
    expect(table.problems).toEqual([]);
    expect([table.rows, table.files]).toEqual([3, 2]);
    expect(
      [0x7fff, 0x8000, 0x8003, 0x8004, 0x8007, 0x8008, 0x800b, 0x800c].map((at) => linesAt(table, at, at + 1)),
    ).toEqual(['-', 'main.c:1', 'main.c:1', 'main.c:5', 'main.c:5', '/inc/b.h:2', '/inc/b.h:2', '-']);
  });

  test('returns lines or problems for truncated and damaged tables', () => {
    const whole = [...unit(sort, program), ...unit(sort, program)];
    for (let length = 0; length < whole.length; length++) {
      const table = tableOf(sort, whole.slice(0, length));
      expect(table.rows).toBeLessThanOrEqual(6);
      linesAt(table, 0x8000, 0x8010);
    }
    for (let at = 0; at < whole.length; at++) {
      for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
        const table = tableOf(sort, whole.with(at, value));
        expect(table.rows).toBeLessThanOrEqual(whole.length);
        linesAt(table, 0x8000, 0x8010);
      }
    }
  });
});

describe('the line machine', () => {
  const run = (...program: readonly (readonly number[])[]) =>
    tableOf(PLAIN, unit(PLAIN, [...setAddress(PLAIN, 0x100), ...program.flat(), ...endSequence]));

  test('advances by special opcode 255 as the standard says', () => {
    // (255 - 13) / 14 = 17 instructions of 4 bytes.
    expect(linesAt(run(copy, constAddPc, special(0, 1), advancePc(1)), 0x143, 0x149)).toBe(
      'main.c:1 main.c:2 main.c:2 main.c:2 main.c:2 -',
    );
  });

  test('advances by a fixed number and skips unknown opcodes with their operands', () => {
    const unknown = [0, 3, 0x80, 1, 2];
    const column = [5, 0x81, 1];
    expect(
      linesAt(
        run(copy, [9, 2, 0], unknown, column, [6], [7], [10], [11], [12, 3], special(0, 2), [9, 2, 0]),
        0x100,
        0x105,
      ),
    ).toBe('main.c:1 main.c:1 main.c:3 main.c:3 -');
  });

  test('uses the last of several rows at one address', () => {
    expect(linesAt(run(copy, special(0, 3), special(0, 2), advancePc(1)), 0x100, 0x101)).toBe('main.c:6');
  });

  test('returns no position for line 0 and for files that are not listed', () => {
    expect(linesAt(run(copy, advancePc(1), advanceLine(-1), copy, advancePc(1)), 0x103, 0x106)).toBe('main.c:1 - -');
    expect(linesAt(run(setFile(9), copy, advancePc(1)), 0x100, 0x102)).toBe('- -');
  });

  test('accepts a file defined inside the line program', () => {
    const define = [0, 8, 3, ...text('n.c'), 0, 0, 0];
    expect(linesAt(run(define, setFile(3), copy, advancePc(1)), 0x100, 0x101)).toBe('n.c:1');
  });

  test('ignores a sequence that runs backwards or has no end', () => {
    expect(run(copy, setAddress(PLAIN, 0x80), copy, advancePc(100)).rows).toBe(0);
    const endless = unit(PLAIN, [...setAddress(PLAIN, 0x100), ...copy, ...advancePc(1)]);
    const table = tableOf(PLAIN, [
      ...endless,
      ...unit(PLAIN, [...setAddress(PLAIN, 0), ...copy, ...advancePc(1), ...endSequence]),
    ]);
    expect(table.problems).toEqual(['1 of its line tables cannot be read']);
    expect(linesAt(table, 0, 5)).toBe('main.c:1 main.c:1 main.c:1 main.c:1 -');
  });

  test('divides a word into several instructions', () => {
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
    expect(linesAt(tableOf(PLAIN, bytes.with(at + 1, 4)), 0x103, 0x109)).toBe(
      'main.c:1 main.c:2 main.c:2 main.c:2 main.c:2 -',
    );
  });
});

test('ignores sequences outside of code, which the linker has discarded', () => {
  const sequence = (start: number) =>
    unit(PLAIN, [...setAddress(PLAIN, start), ...copy, ...advancePc(2), ...endSequence]);
  const table = tableOf(PLAIN, [0, 0x100, 0x104].flatMap(sequence), (start, end) => start >= 0x100n && end <= 0x108n);
  expect([linesAt(table, 0, 1), linesAt(table, 0x100, 0x101)]).toEqual(['-', 'main.c:1']);
  expect(linesAt(table, 0x108, 0x109)).toBe('-');
});

test('returns no line if two sequences contradict each other', () => {
  const sequence = (start: number, line: number) =>
    unit(PLAIN, [...setAddress(PLAIN, start), ...special(0, line), ...advancePc(2), ...endSequence]);
  const table = tableOf(PLAIN, [...sequence(0x100, 1), ...sequence(0x104, 2), ...sequence(0x104, 2)]);
  expect([0x103, 0x104, 0x107, 0x108, 0x10b, 0x10c].map((at) => linesAt(table, at, at + 1))).toEqual([
    'main.c:2',
    '-',
    '-',
    'main.c:3',
    'main.c:3',
    '-',
  ]);
});

test('skips invalid headers', () => {
  const good = unit(PLAIN, [...setAddress(PLAIN, 0x100), ...copy, ...advancePc(1), ...endSequence]);
  const table = tableOf(PLAIN, [...unit(PLAIN, [], { lineRange: 0 }), ...good.with(4, 9), ...good, 0xff]);
  expect(table.problems).toEqual([
    `its line tables are truncated at byte ${unit(PLAIN, []).length + 2 * good.length} of .debug_line`,
    '2 of its line tables cannot be read',
  ]);
  expect(linesAt(table, 0x100, 0x101)).toBe('main.c:1');
});

test('refuses huge file counts without allocating for them', () => {
  const v5 = SORTS[4]!;
  const good = unit(v5, []);
  // The count of directories follows version, sizes, lengths, 18 bytes of settings and one format.
  const at = good.indexOf(0x1f) + 1;
  expect(good[at]).toBe(2);
  const huge = [...good.slice(0, at), 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, ...good.slice(at + 1)];
  huge[0]! += 5;
  expect(tableOf(v5, huge).problems).toEqual(['1 of its line tables cannot be read']);
});

// A compressed section of half a megabyte may contain fifteen million sequences for the same instruction.
if (NIGHTLY) {
  test('reads a limited number of sequences', () => {
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
}
