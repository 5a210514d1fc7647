/**
 * The blocks of a trace as columns in memory, and as segments in the index: where each block's bytes and records lie, in
 * which state its decoder starts, what it counted. Some 200 bytes a block: a few megabytes for a trace of 64 GB.
 */
import type { State } from '../../../../shared/format/format.ts';
import { KINDS } from '../../../../shared/records/record.ts';
import type { BlockNumber, ByteOffset, RecordNumber } from '../../../../shared/base/units.ts';
import type { BlockScan } from '../block-scan.ts';
import type { Entry } from '../blocks.ts';
import { pack, type Packed } from './packing.ts';
import { IndexDamaged } from '../../collections/varint.ts';

/** Blocks of a segment: the unit of commits, so that an interrupted build loses less than a segment. */
export const SEGMENT_BLOCKS = 64;

export interface BlockRow {
  readonly position: ByteOffset;
  readonly exitPosition: ByteOffset;
  readonly records: number;
  readonly timeFirst: number | null;
  readonly timeHighest: number | null;
  readonly kinds: readonly number[];
  /** Diagnostics counted in the block. */
  readonly bad: number;
  /** Index into the segment's list of distinct states. */
  readonly state: State;
}

export interface BlockTable {
  readonly length: number;
  /** Records of all blocks together. */
  readonly records: RecordNumber;
  /** Where the last block ends. */
  readonly bytes: ByteOffset;
  append(scan: BlockScan, state: State): void;
  /** Forgets the blocks from `length` on. */
  truncate(length: number): void;
  row(block: BlockNumber): BlockRow;
  entry(block: BlockNumber): Entry;
  firstRecord(block: BlockNumber): RecordNumber;
  /** The block that holds record n, 0 <= n < records. */
  blockOfRecord(n: RecordNumber): BlockNumber;
  /** The block whose bytes include the offset, or the last one that starts before it. */
  blockOfOffset(offset: ByteOffset): BlockNumber;
  /** Bit k set: the block has records of KINDS[k]. */
  kindsPresent(block: BlockNumber): number;
  encodeSegment(segment: number): Packed;
  appendSegment(payload: Uint8Array): void;
}

export function createBlockTable(): BlockTable {
  const rows: BlockRow[] = [];
  // firsts[b] = number of block b's first record; one more entry for the end.
  const firsts: RecordNumber[] = [0];
  const present: number[] = [];

  const table: { -readonly [K in keyof BlockTable]: BlockTable[K] } = {
    length: 0,
    records: 0,
    bytes: 0,
    append(scan, state): void {
      push({
        position: scan.position,
        exitPosition: scan.exitPosition,
        records: scan.records,
        timeFirst: Number.isNaN(scan.timeFirst) ? null : scan.timeFirst,
        timeHighest: Number.isNaN(scan.timeHighest) ? null : scan.timeHighest,
        kinds: [...scan.kinds],
        bad: scan.diagnostics.reduce((sum, diagnostic) => sum + diagnostic.count, 0),
        state: sameAsLast(state),
      });
    },
    truncate(length): void {
      rows.length = length;
      present.length = length;
      firsts.length = length + 1;
      measure();
    },
    row: (block) => rows[block]!,
    entry: (block) => ({ position: rows[block]!.position, state: rows[block]!.state }),
    firstRecord: (block) => firsts[block]!,
    blockOfRecord: (n) => lastNotAbove(rows.length, (block) => firsts[block]!, n),
    blockOfOffset: (offset) => lastNotAbove(rows.length, (block) => rows[block]!.position, offset),
    kindsPresent: (block) => present[block]!,
    encodeSegment(segment): Packed {
      const start = segment * SEGMENT_BLOCKS;
      return pack(Buffer.from(JSON.stringify(rows.slice(start, start + SEGMENT_BLOCKS))));
    },
    appendSegment(payload): void {
      const read: unknown = JSON.parse(Buffer.from(payload).toString());
      if (!Array.isArray(read)) throw new IndexDamaged('a segment is not a list');
      // Sealed content: it is what encodeSegment wrote.
      for (const row of read as BlockRow[]) push({ ...row, state: sameAsLast(row.state) });
    },
  };
  return table;

  function measure(): void {
    table.length = rows.length;
    table.records = firsts[rows.length]!;
    table.bytes = rows.at(-1)?.exitPosition ?? 0;
  }

  function push(row: BlockRow): void {
    firsts.push(firsts[rows.length]! + row.records);
    rows.push(row);
    present.push(KINDS.reduce((bits, _, code) => (row.kinds[code]! > 0 ? bits | (1 << code) : bits), 0));
    measure();
  }

  /** Most blocks share their entry state with the block before: keep one object. */
  function sameAsLast(state: State): State {
    const last = rows.at(-1)?.state;
    return last !== undefined && JSON.stringify(last) === JSON.stringify(state) ? last : state;
  }
}

/** The last index in [0, length) whose key is not above the wanted one; of equal keys the last. */
function lastNotAbove(length: number, key: (index: number) => number, wanted: number): number {
  let low = 0;
  let high = length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (key(middle) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}
