// The code of two runs as one, on programs of a few lines that were compared by hand.
import { expect, test } from 'vitest';
import { codeChanges, ranAlike } from '../../../shared/against/code-changes.ts';
import type { Coverage } from '../../../shared/requests/answers/coverage.ts';
import { derived } from '../../../shared/coverage/derive.ts';
import { toHex } from '../../../shared/base/units.ts';

/** A function with the count of each of its lines; its first line is that of its first instruction. */
interface Written {
  readonly name: string;
  readonly lines: readonly (readonly [line: number, count: number])[];
  readonly file?: string;
}

/** One instruction of four bytes a line. */
function program(functions: readonly Written[], base = 0x8000): Coverage {
  const all = functions.flatMap(({ lines, file = 'a.c' }, owner) =>
    lines.map(([line, count]) => ({ owner, file, line, count })),
  );
  const address = (row: number) => toHex(BigInt(base + 4 * row));
  const places = [...new Set(all.map(({ file, line }) => `${file}:${line}`))].map((text) => {
    const [file = '', line] = text.split(':');
    return { file, line: Number(line) };
  });
  const instructions = {
    addresses: all.map((_, row) => address(row)),
    sizes: all.map(() => 4),
    counts: all.map(({ count }) => count),
    kinds: all.map(() => 'plain' as const),
    skipped: all.map(() => null),
    taken: all.map(() => null),
    notTaken: all.map(() => null),
    lines: all.map(({ file, line }) => places.findIndex((one) => one.file === file && one.line === line)),
    functions: all.map(({ owner }) => owner),
  };
  const owners = functions.map(({ name, lines, file = 'a.c' }, owner) => ({
    name,
    address: address(all.findIndex((one) => one.owner === owner)),
    file,
    line: lines[0]![0],
  }));
  return {
    ...derived(instructions, { lines: places, functions: owners }),
    notes: [],
    reach: { records: 0, bytes: 0, complete: true },
  };
}

const linesOf = (a: Coverage, b: Coverage) =>
  codeChanges(a, b, 0n).lines.map(({ a: own, b: other }) => [own?.line, own?.count, other?.line, other?.count]);

test('counts the lines that ran in one run only, and names their functions', () => {
  const a = program([
    {
      name: 'f',
      lines: [
        [1, 2],
        [2, 2],
        [3, 0],
      ],
    },
    { name: 'g', lines: [[9, 1]] },
  ]);
  const b = program([
    {
      name: 'f',
      lines: [
        [1, 1],
        [2, 0],
        [3, 1],
      ],
    },
    { name: 'g', lines: [[9, 7]] },
  ]);
  const { functions, totals, notes } = codeChanges(a, b, 0n);
  expect(totals).toEqual({ both: 2, onlyA: 1, onlyB: 1, neither: 0, notComparedA: 0, notComparedB: 0 });
  expect(functions.map(({ name, onlyA, onlyB }) => [name, onlyA, onlyB])).toEqual([
    ['f', 1, 1],
    ['g', 0, 0],
  ]);
  expect(functions.map(ranAlike)).toEqual([false, true]);
  expect(functions[1]).toMatchObject({ a: { count: 1, self: 1 }, b: { count: 7, self: 7 } });
  expect(notes).toEqual([]);
});

test('pairs lines by number if only the code was built differently', () => {
  // In B, the first instruction of f is of another line, as in optimised code.
  const a = program([
    {
      name: 'f',
      lines: [
        [1, 1],
        [2, 5],
        [3, 1],
      ],
    },
  ]);
  const b = program(
    [
      {
        name: 'f',
        lines: [
          [2, 5],
          [3, 1],
        ],
      },
    ],
    0x9000,
  );
  expect(linesOf(a, b)).toEqual([
    [1, 1, undefined, undefined],
    [2, 5, 2, 5],
    [3, 1, 3, 1],
  ]);
});

test('pairs lines by their place in a function if the source was edited, and leaves out functions that changed', () => {
  const a = program([
    {
      name: 'f',
      lines: [
        [1, 1],
        [2, 5],
      ],
    },
    {
      name: 'g',
      lines: [
        [5, 1],
        [6, 3],
        [7, 1],
      ],
    },
  ]);
  const b = program([
    {
      name: 'f',
      lines: [
        [11, 1],
        [12, 4],
      ],
    },
    {
      name: 'g',
      lines: [
        [15, 1],
        [16, 2],
        [17, 3],
        [18, 1],
      ],
    },
  ]);
  const { totals, notes } = codeChanges(a, b, 0n);
  expect(linesOf(a, b)).toEqual([
    [1, 1, 11, 1],
    [2, 5, 12, 4],
  ]);
  expect(totals).toMatchObject({ both: 2, notComparedA: 3, notComparedB: 4 });
  expect(notes).toEqual([
    'The source was edited between the two programs: 3 lines of A and 4 of B are not compared, because their functions changed.',
  ]);
});

test('pairs the files of programs that were built in different folders by their functions', () => {
  const lines = [[1, 1]] as const;
  const a = program([
    { name: 'f', lines, file: '/one/a.c' },
    { name: 'g', lines, file: '/one/b.c' },
  ]);
  const b = program([
    { name: 'f', lines, file: '/two/a.c' },
    { name: 'g', lines, file: '/two/other.c' },
  ]);
  // A file with another name may be another source.
  expect(codeChanges(a, b, 0n).totals).toMatchObject({ both: 1, onlyA: 1, onlyB: 1 });
});
