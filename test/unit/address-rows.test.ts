/** Rows of addresses, found by stretches, compared with a search through all bounds. */
import { expect, test } from 'vitest';
import { addressRows, NO_ROW, rowAt, SEVERAL_ROWS, type RowSpan } from '../../shared/format/address-cells.ts';
import { createRandom } from '../laws/random.ts';

function evenly(low: number, bytes: number, rows: number, firstRow: number): RowSpan {
  return {
    low,
    bounds: Float64Array.from({ length: rows + 1 }, (_, row) => Math.ceil((bytes * row) / rows)),
    firstRow,
  };
}

const CASES: readonly (readonly [string, readonly RowSpan[]])[] = [
  ['one row of a stretch for each byte', [evenly(0x400, 4096, 1, 0)]],
  ['rows of 107 and 108 bytes', [evenly(0x400, 3217, 30, 0)]],
  ['more rows than stretches', [evenly(0, 2 ** 32, 5000, 0)]],
  ['rows of less than a byte', [evenly(0x123, 4, 9, 0)]],
  ['the last addresses below 4 GiB', [evenly(0xffff_ff00, 0x100, 3, 0)]],
  [
    'spans with gaps and without',
    [
      evenly(0x1000, 0x800, 5, 0),
      evenly(0x1800, 0x1, 1, 5),
      evenly(0x9000, 70_001, 40, 6),
      evenly(0x8000_0000, 3, 2, 46),
    ],
  ],
];

test.each(CASES)('%s', (_, spans) => {
  const rows = addressRows(spans);
  const random = createRandom(1);
  const { low, last } = rows;
  expect(low).toBe(spans[0]!.low);
  const end = spans.at(-1)!;
  expect(low + last + 1).toBe(end.low + end.bounds.at(-1)!);
  const edges = spans.flatMap((span) => [...span.bounds].map((bound) => span.low + bound - low));
  const near = edges.flatMap((edge) => [edge - 1, edge, edge + 1]);
  const anywhere = Array.from({ length: 2000 }, () => random.below(last + 1));
  for (const distance of [...near, ...anywhere]) {
    if (distance < 0 || distance > last) continue;
    const wanted = searched(spans, low + distance);
    expect(rowAt(rows, distance), `distance ${distance}`).toBe(wanted);
    const stretch = rows.stretches[distance >>> rows.shift]!;
    if (stretch !== SEVERAL_ROWS) expect(stretch, `stretch of ${distance}`).toBe(wanted);
  }
});

test('finds most rows with one look-up', () => {
  const { shift, stretches } = addressRows([evenly(0, 0x12b6_d000, 32, 0)]);
  expect(shift).toBe(17);
  // One stretch for each of the 31 bounds inside.
  expect(stretches.filter((row) => row === SEVERAL_ROWS)).toHaveLength(31);
});

function searched(spans: readonly RowSpan[], address: number): number {
  for (const { low, bounds, firstRow } of spans)
    for (let row = 0; row + 1 < bounds.length; row++)
      if (address >= low + bounds[row]! && address < low + bounds[row + 1]!) return firstRow + row;
  return NO_ROW;
}
