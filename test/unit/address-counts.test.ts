import { expect, test } from 'vitest';
import {
  addAddressCounts,
  columnsOfSlices,
  createAddressCounter,
  SLICES,
} from '../../electron/engine/queries/heat/address-counts.ts';
import type { CellGrid } from '../../electron/engine/queries/heat/cell-grid.ts';
import { planRows } from '../../electron/engine/queries/heat/grid.ts';
import { createKeptCounts } from '../../electron/engine/queries/heat/kept-counts.ts';
import { createRandom } from '../../electron/sample/random.ts';
import { highHalf, lowHalf, toHex } from '../../shared/base/units.ts';
import { createBatch, FLAG } from '../../shared/records/batch.ts';
import { KIND } from '../../shared/records/record.ts';

interface Access {
  readonly address: bigint;
  readonly kind: number;
  readonly slice: number;
  readonly times: number;
}

const ALL_KINDS = -1;
/** 100 records of 16 slices: slice 1 starts at 6.25, so with record 7; slice 2 at 12.5, so with record 13. */
const FIRST = 5_000_000_000;
const RECORDS = 100;

test.each([
  ['below 4 GiB', 0n],
  ['in the upper half of the address space', 0xffff_8000_0000_0000n],
])('keeps the counts of addresses %s in every slice', (_, origin) => {
  const random = createRandom(7);
  const accesses = Array.from({ length: 2000 }, (): Access => {
    const far = BigInt(random.below(5)) * 0x1234_5000n;
    return {
      address: origin + far + BigInt(random.below(9000)),
      kind: [KIND.read, KIND.write, KIND.fetch][random.below(3)]!,
      slice: random.below(SLICES),
      times: random.below(20) === 0 ? 300 : 1 + random.below(9),
    };
  });
  const bytes = encode(accesses);
  // Rows of 4096, 48 and 1000 bytes: in, across and beyond pages.
  for (const [low, size, rows] of [
    [0x1000n, 0x2000n, 2],
    [0x1234_5000n, 4800n, 100],
    [500n, 8000n, 8],
  ] as const) {
    const grid = gridOf(origin + low, size, rows, [FIRST, FIRST + 13, FIRST + 50, FIRST + RECORDS], 1 << KIND.write);
    const cells = new Uint32Array(3 * rows);
    addAddressCounts(bytes, grid, columnsOfSlices(grid, FIRST, RECORDS)!, cells);
    const expected = new Uint32Array(3 * rows);
    for (const { address, kind, slice, times } of accesses) {
      const distance = address - origin - low;
      if (kind !== KIND.write || distance < 0n || distance >= size) continue;
      // Record 50 is the first of slice 8.
      const column = slice < 2 ? 0 : slice < 8 ? 1 : 2;
      const cell = column * rows + Number((distance * BigInt(rows)) / size);
      expected[cell] = expected[cell]! + times;
    }
    expect(expected.some((count) => count > 0)).toBe(true);
    expect(cells).toEqual(expected);
  }
});

test('gives a column to each slice, and none where an edge is inside one', () => {
  const columns = (edges: number[]): number[] | undefined => {
    const found = columnsOfSlices(gridOf(0n, 16n, 1, edges, ALL_KINDS), FIRST, RECORDS);
    return found && [...found];
  };
  expect(columns([FIRST - 10, FIRST + 7, FIRST + 13, FIRST + 200])).toEqual([0, 1, ...Array<number>(14).fill(2)]);
  expect(columns([FIRST + 7, FIRST + 13])).toEqual([-1, 0, ...Array<number>(14).fill(-1)]);
  expect(columns([FIRST - 10, FIRST + 6, FIRST + 200])).toBeUndefined();
  expect(columns([FIRST + 6, FIRST + 200])).toBeUndefined();
});

test('does not keep counts of a block without locality', () => {
  const counter = createAddressCounter();
  counter.start();
  const batch = createBatch();
  batch.flags.fill(FLAG.address);
  let added = 0;
  let fits = true;
  while (fits && added < 100_000) {
    for (let row = 0; row < 8192; row++) batch.addressLow[row] = (added + row) * 4096;
    batch.count = 8192;
    fits = counter.add(batch, 0, 8192, 0);
    added += 8192;
  }
  expect(added).toBe(73_728); // The first batch after 65,536 addresses.
});

test('keeps what two questions in a row used, and drops what they did not', () => {
  const kept = createKeptCounts(3000);
  const counts = new Uint8Array(800); // 1000 with the entry itself
  kept.start();
  for (const block of [1, 2, 3, 4]) kept.keep(block, counts);
  expect([1, 2, 3, 4].map((block) => kept.get(block) !== undefined)).toEqual([true, true, true, false]);
  expect(kept.hasRoom()).toBe(false);
  kept.start();
  expect(kept.get(2)).toBe(counts);
  kept.keep(4, counts);
  expect(kept.get(4)).toBeUndefined();
  kept.start();
  kept.keep(5, counts);
  kept.keep(6, counts);
  expect([1, 2, 3, 5, 6].map((block) => kept.get(block) !== undefined)).toEqual([false, true, false, true, true]);
});

function encode(accesses: readonly Access[]): Uint8Array {
  const counter = createAddressCounter();
  const batch = createBatch(1);
  counter.start();
  batch.count = 1;
  for (const { address, kind, slice, times } of accesses) {
    batch.addressLow[0] = lowHalf(address);
    batch.addressHigh[0] = highHalf(address);
    batch.kind[0] = kind;
    batch.flags[0] = FLAG.address;
    for (let time = 0; time < times; time++) counter.add(batch, 0, 1, slice);
  }
  return counter.finish();
}

function gridOf(low: bigint, size: bigint, rows: number, edges: number[], kinds: number): CellGrid {
  const plan = planRows([{ low: toHex(low), high: toHex(low + size), rows }], true, 1);
  if (!plan.ok) throw new Error(plan.error.message);
  return { edges: Float64Array.from(edges), ...plan.value.grid, kinds };
}
