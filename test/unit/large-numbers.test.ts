/**
 * Offsets, record numbers and counts beyond 2^31, 2^32 and 4 GiB in every part of the index. No test file is large enough to find a
 * 32-bit fault there.
 */
import { expect, test } from 'vitest';
import type { BlockScan } from '../../electron/engine/index/block-scan.ts';
import {
  kindAt,
  pageAt,
  pairHighOf,
  pairLowOf,
  ROW,
  WORD,
  type AccessRows,
} from '../../electron/engine/index/builders/accesses/access-rows.ts';
import { createAccessSum } from '../../electron/engine/index/builders/accesses/access-sum.ts';
import { createFindRowWriter, decodeFindRow, type FindRow } from '../../electron/engine/index/builders/find.ts';
import { decodeHeat, encodeHeat, mergeHeat, type HeatTile } from '../../electron/engine/index/builders/heat.ts';
import { decodePageRow, eachPage, encodePageRun } from '../../electron/engine/index/builders/pages.ts';
import { columnOf, rowOf, type CellGrid } from '../../electron/engine/queries/heat/cell-grid.ts';
import { evenEdges, planRows } from '../../electron/engine/queries/heat/grid.ts';
import { createBlockTable } from '../../electron/engine/index/store/block-table.ts';
import { unpack } from '../../electron/engine/index/store/packing.ts';
import { IndexDamaged } from '../../electron/engine/collections/varint.ts';
import { KIND } from '../../shared/records/record.ts';
import { pageRows, type PageColumns } from '../../shared/requests/addresses.ts';
import { addressToPage, highHalf, lowHalf, pageOf, pageToAddress } from '../../shared/base/units.ts';

const TOP_PAGE = 2 ** 52 - 1;

test('finds blocks beyond 2^33 records and 2^43 bytes by record and by byte, also after a round trip', () => {
  const table = createBlockTable();
  const recordsPerBlock = 2 ** 27 + 1;
  for (let block = 0; block < 128; block++) table.append(scanAt(2 ** 43 + block * 1000, recordsPerBlock), { phase: 3 });
  const stored = createBlockTable();
  for (const segment of [0, 1]) stored.appendSegment(unpack(table.encodeSegment(segment)));
  for (const blocks of [table, stored]) {
    expect(blocks.records).toBe(17_179_869_312); // 128 * (2^27 + 1)
    expect(blocks.blockOfRecord(17_179_869_311)).toBe(127);
    expect(blocks.blockOfRecord(4_294_967_328)).toBe(32); // 32 * (2^27 + 1): the first of block 32
    expect(blocks.blockOfRecord(4_294_967_327)).toBe(31);
    expect(blocks.blockOfOffset(2 ** 43 + 77_999)).toBe(77);
    expect(blocks.entry(77)).toEqual({ position: 8_796_093_099_208, state: { phase: 3 } });
  }
});

test('keeps record numbers beyond 2^32 and pages up to the top of the address space in page runs', () => {
  const run = accesses([
    [5, KIND.read, 7, 1, 9],
    [5, KIND.write, 2, 1000, 1003],
    [TOP_PAGE, KIND.write, 1, 4, 4],
  ]);
  const rows = [...encodePageRun(run, 6_000_000_000)];
  const entries = rows.flatMap((row) =>
    Array.from(decodePageRow(row), ({ page, counts, first, last }) => ({ page, counts: [...counts], first, last })),
  );
  expect(entries.map(({ page, first, last }) => [page, first, last])).toEqual([
    [5, 6_000_000_001, 6_000_001_003],
    [TOP_PAGE, 6_000_000_004, 6_000_000_004],
  ]);
  expect(entries[0]?.counts[KIND.read]).toBe(7);
  expect(entries[0]?.counts[KIND.write]).toBe(2);
  const pages: number[] = [];
  for (const row of rows) eachPage(row, (page) => pages.push(page));
  expect(pages).toEqual([5, TOP_PAGE]);
  expect(() => {
    eachPage(rows[0]!.subarray(0, -1), () => undefined);
  }).toThrow(IndexDamaged);
});

test('reads pages from columns up to the top of the address space', () => {
  const pages: PageColumns = {
    size: 8192,
    numbers: Float64Array.of(0, 2 ** 40, 2 ** 51 - 1),
    kinds: ['read', 'write'],
    counts: Float64Array.of(1, 0, 0, 2, 3, 4),
    first: Float64Array.of(7, 6_000_000_000, 8),
    last: Float64Array.of(7, 6_000_000_001, 9),
    reach: { records: 6_000_000_002, bytes: 0, complete: true },
  };
  expect(pageRows(pages)).toEqual([
    { page: '0x0', kinds: { read: 1 }, first: 7, last: 7 },
    { page: '0x20000000000000', kinds: { write: 2 }, first: 6_000_000_000, last: 6_000_000_001 },
    { page: '0xffffffffffffe000', kinds: { read: 3, write: 4 }, first: 8, last: 9 },
  ]);
});

test('adds up accesses of two stretches', () => {
  const sum = createAccessSum();
  sum.add(
    accesses([
      [1, KIND.read, 3, 10, 20],
      [4, KIND.write, 1, 5, 5],
    ]),
    0,
  );
  sum.add(
    accesses([
      [1, KIND.read, 2, 0, 7],
      [2, KIND.read, 1, 1, 1],
      [4, KIND.write, 0, 0, 0],
      [TOP_PAGE, KIND.read, 1, 1, 1],
    ]),
    3_000_000_000,
  );
  const { length, words } = sum.rows();
  const rows = Array.from({ length }, (_, i) => [
    pageAt(words, i * ROW),
    kindAt(words, i * ROW),
    ...[WORD.count, WORD.first, WORD.last].map((word) => words[i * ROW + word]! >>> 0),
  ]);
  expect(rows).toEqual([
    [1, KIND.read, 5, 10, 3_000_000_007],
    [2, KIND.read, 1, 3_000_000_001, 3_000_000_001],
    [4, KIND.write, 1, 5, 5],
    [TOP_PAGE, KIND.read, 1, 3_000_000_001, 3_000_000_001],
  ]);
});

test('keeps counts beyond 2^32 and cells at both ends of the address space in heat tiles', () => {
  const low = tile([
    [0, KIND.fetch, 3_000_000_000],
    [TOP_PAGE, KIND.fetch, 1],
  ]);
  const merged = mergeHeat([
    low,
    tile([
      [0, KIND.fetch, 3_000_000_000],
      [7, KIND.read, 2],
    ]),
  ]);
  const read = decodeHeat(encodeHeat(merged));
  expect(Array.from({ length: read.length }, (_, i) => [read.cell[i], read.kind[i], read.counts[i]])).toEqual([
    [0, KIND.fetch, 6_000_000_000],
    [7, KIND.read, 2],
    [TOP_PAGE, KIND.fetch, 1],
  ]);
});

test('keeps pages 2^52 apart in find rows', () => {
  const rows: FindRow[] = [];
  const writer = createFindRowWriter((row) => rows.push(row));
  writer.push(3, KIND.read, 0b101, 0);
  writer.push(3, KIND.write, 0, 0x80000000);
  writer.push(TOP_PAGE, KIND.read, 0xffffffff, 0xffffffff);
  writer.finish();
  const [row] = rows;
  expect([row?.low, row?.high, rows.length]).toEqual([3, TOP_PAGE, 1]);
  const columns = decodeFindRow(row!.bytes, row!.low);
  expect(
    Array.from({ length: columns.length }, (_, i) => [
      columns.page[i],
      columns.kind[i],
      columns.lineLow[i],
      columns.lineHigh[i],
    ]),
  ).toEqual([
    [3, KIND.read, 0b101, 0],
    [3, KIND.write, 0, 0x80000000],
    [TOP_PAGE, KIND.read, 0xffffffff, 0xffffffff],
  ]);
});

test('divides ranges beyond 2^32 records into exact columns', () => {
  const edges = evenEdges(2 ** 33, 2 ** 33 + 1000, 10);
  expect([...edges]).toEqual(Array.from({ length: 11 }, (_, i) => 8_589_934_592 + i * 100));
  expect(columnOf(edges, 8_589_934_592 + 99)).toBe(0);
  expect(columnOf(edges, 8_589_934_592 + 100)).toBe(1);
  expect(columnOf(edges, 8_589_934_592 + 999)).toBe(9);
});

test('puts each record into the column of its share', () => {
  for (const [records, columns] of [
    [1, 6],
    [7, 10],
    [58, 100],
    [71, 7],
    [16_666, 7],
    [1000, 999],
  ] as const) {
    const edges = evenEdges(5, 5 + records, columns);
    const wrong = Array.from({ length: records }, (_, i) => i).filter(
      (i) => columnOf(edges, 5 + i) !== Number((BigInt(i) * BigInt(columns)) / BigInt(records)),
    );
    expect([edges[0], edges.at(-1), wrong], `${records} in ${columns}`).toEqual([5, 5 + records, []]);
  }
  expect([...evenEdges(70, 70, 0)]).toEqual([70]);
  // Records times columns exceeds 2^53 here: the middle column begins at the middle record.
  expect(evenEdges(0, 2 ** 52 + 2, 16_384)[8192]).toBe(2 ** 51 + 1);
});

test('puts each address into its row of the 64-bit address space', () => {
  const plan = planRows([{ low: '0x0', high: '0x10000000000000000', rows: 16 }], true, 1);
  if (!plan.ok) throw new Error(plan.error.message);
  const grid: CellGrid = { edges: Float64Array.of(0, 1), ...plan.value.grid, kinds: -1 };
  for (const [address, row] of [
    [0n, 0],
    [0x0fffffffffffffffn, 0],
    [0x1000000000000000n, 1],
    [0x7fffffffffffffffn, 7],
    [0x8000000000000000n, 8],
    [0xffffffffffffffffn, 15],
  ] as const) {
    expect(rowOf(grid, lowHalf(address), highHalf(address)), address.toString(16)).toBe(row);
  }
});

test('begins, divides and ends long bands at exact bytes, not at page bounds', () => {
  const bands = [
    { low: '0x1800', high: '0xffffffff80001801', rows: 3 },
    { low: '0xffffffff80001801', high: '0xffffffff80001802', rows: 1 },
  ] as const;
  const plan = planRows(bands, true, 1);
  if (!plan.ok) throw new Error(plan.error.message);
  expect(plan.value.bands.map(({ low, high }) => [low, high])).toEqual(bands.map(({ low, high }) => [low, high]));
  const grid: CellGrid = { edges: Float64Array.of(0, 1), ...plan.value.grid, kinds: -1 };
  for (const [address, row] of [
    [0x0n, -1],
    [0x17ffn, -1],
    [0x1800n, 0],
    // A third of 0xffffffff80000001 bytes is 0x55555555_2aaaaaab, two thirds 0xaaaaaaaa_55555556, both rounded up.
    [0x555555552aaac2aan, 0],
    [0x555555552aaac2abn, 1],
    [0xaaaaaaaa55556d55n, 1],
    [0xaaaaaaaa55556d56n, 2],
    [0xffffffff80001800n, 2],
    [0xffffffff80001801n, 3],
    [0xffffffff80001802n, -1],
    [0xffffffff80001fffn, -1],
  ] as const) {
    expect(rowOf(grid, lowHalf(address), highHalf(address)), address.toString(16)).toBe(row);
  }
});

test('converts pages of 64-bit addresses both ways', () => {
  for (const address of [0n, 0xffffffffn, 0x100000000n, 0xffff800000001000n, 0xffffffffffffffffn]) {
    expect(pageOf(lowHalf(address), highHalf(address))).toBe(Number(address >> 12n));
    expect(pageToAddress(addressToPage(address))).toBe((address >> 12n) << 12n);
  }
});

function scanAt(position: number, records: number): BlockScan {
  return {
    position,
    exitPosition: position + 1000,
    exit: {},
    records,
    kinds: new Float64Array(18),
    natives: [],
    timeFirst: Number.NaN,
    timeHighest: Number.NaN,
    diagnostics: [],
    find: [],
    heat: new Uint8Array(0),
    touches: [],
    registers: new Uint8Array(0),
    flow: undefined,
    effects: new Uint8Array(0),
    parts: undefined,
    valued: false,
    contradictions: { bytes: 0, record: -1, earlier: -1 },
  };
}

/** Rows of page, kind, count, first and last record. */
function accesses(rows: readonly (readonly [number, number, number, number, number])[]): AccessRows {
  return {
    length: rows.length,
    words: Int32Array.from(
      rows.flatMap(([page, kind, count, first, last]) => [
        pairHighOf(page),
        pairLowOf(page, kind),
        1,
        0,
        count,
        first,
        last,
      ]),
    ),
    lowest: { low: 0, high: 0 },
    highest: { low: 0, high: 0 },
  };
}

function tile(rows: readonly (readonly [number, number, number])[]): HeatTile {
  return {
    shift: 12,
    length: rows.length,
    cell: Float64Array.from(rows, ([cell]) => cell),
    kind: Uint8Array.from(rows, ([, kind]) => kind),
    counts: Float64Array.from(rows, ([, , count]) => count),
  };
}
