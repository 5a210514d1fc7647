/**
 * Nodes that consist of rows by page. The node itself is a directory: the page range of each row and the id of the row's body. A
 * node with a single short row contains the row itself.
 */
import type { PageNumber } from '../../../../shared/base/units.ts';
import { ByteReader, ByteWriter } from '../../collections/varint.ts';
import { asPacked, pack, unpack, type Packed } from './packing.ts';

export interface StoredRow {
  /** First page of the row. */
  readonly low: PageNumber;
  readonly bytes: Uint8Array;
}

export type RowStream = Iterator<StoredRow, undefined>;

export interface RowWriter {
  /** Adds a row. Rows must come in the order of their pages. */
  row(low: PageNumber, high: PageNumber, packed: Packed): void;
  finish(): void;
}

/** Maximum length of a single row that is stored in the node itself. */
const INLINE_BYTES = 2048;

/** `putBody` stores a row and returns its id; `putNode` stores the directory. */
export function createRowWriter(putBody: (packed: Packed) => number, putNode: (packed: Packed) => void): RowWriter {
  const rows: { low: PageNumber; high: PageNumber; body: number }[] = [];
  let only: { low: PageNumber; high: PageNumber; packed: Packed } | undefined;
  return {
    row(low, high, packed): void {
      if (rows.length === 0 && only === undefined && packed.length <= INLINE_BYTES) {
        only = { low, high, packed };
        return;
      }
      if (only !== undefined) {
        rows.push({ low: only.low, high: only.high, body: putBody(only.packed) });
        only = undefined;
      }
      rows.push({ low, high, body: putBody(packed) });
    },
    finish(): void {
      const out = new ByteWriter(1024);
      out.varint(only === undefined ? rows.length + 1 : 0);
      let previous = 0;
      for (const { low, high, body } of only === undefined ? rows : [{ ...only, body: 0 }]) {
        out.varint(low - previous);
        out.varint(high - low);
        out.varint(body);
        previous = low;
      }
      if (only !== undefined) for (const byte of only.packed) out.byte(byte);
      putNode(only === undefined ? pack(out.take()) : asPacked(out.take()));
    },
  };
}

/** Number of rows of a node. */
export function countRows(directory: Uint8Array): number {
  return Math.max(1, new ByteReader(directory).varint() - 1);
}

/** Yields the rows that overlap the pages [low, high], in order. `bodyOf` reads a row by its id. */
export function* rowsBetween(
  directory: Uint8Array,
  low: PageNumber,
  high: PageNumber,
  bodyOf: (id: number) => Uint8Array,
): Generator<StoredRow, undefined> {
  const reader = new ByteReader(directory);
  const count = reader.varint();
  if (count === 0) {
    const first = reader.varint();
    const last = first + reader.varint();
    reader.varint();
    if (first <= high && last >= low) yield { low: first, bytes: unpack(directory.subarray(reader.position)) };
    return undefined;
  }
  let first = 0;
  for (let i = 1; i < count; i++) {
    first += reader.varint();
    const last = first + reader.varint();
    const body = reader.varint();
    if (first > high) return undefined;
    if (last < low) continue;
    yield { low: first, bytes: bodyOf(body) };
  }
  return undefined;
}
