/** The masks of the blocks of a group, joined into the group's, with what blocks contradict of earlier ones. */
import type { PageNumber, RecordNumber } from '../../../../../shared/base/units.ts';
import { bitCount, lowest, SPAN_HIGH, SPAN_LOW } from '../../../collections/byte-sets.ts';
import { mergeMasks } from './merge-masks.ts';
import { nextPage, openPageRow, PageRowWriter, type PageRow } from '../page-rows.ts';
import { nextTouch, readTouches, TOUCH, type TouchReader } from './page-touches.ts';
import type { Contradictions } from './replay.ts';
import type { BlockTouchRows } from './touch-rows.ts';

export interface JoinedMasks {
  /** Undefined if a block has none. */
  readonly rows: readonly PageRow[] | undefined;
  /** Records count from the group's start. */
  readonly contradictions: Contradictions;
}

/** `firsts`: where each block's records begin, counted from the group's start. */
export function joinMasks(blocks: readonly (BlockTouchRows | undefined)[], firsts: readonly number[]): JoinedMasks {
  const contradictions = { bytes: 0, record: -1, earlier: -1 };
  const known = blocks.filter((rows) => rows !== undefined);
  if (known.length < blocks.length) return { rows: undefined, contradictions };
  const rows: PageRow[] = [];
  const writer = new PageRowWriter((row) => rows.push(row));
  const merge = mergeMasks(
    known.map(({ masks }) => masks[Symbol.iterator]() as Iterator<PageRow, undefined>),
    writer,
    (child, page, line, low, high) => {
      contradictions.bytes += bitCount(low) + bitCount(high);
      // Later blocks have later records.
      if (contradictions.record >= 0 && firsts[child]! > contradictions.record) return;
      const reader = firstReader(known[child]!.touches, page, line, low, high);
      if (reader === undefined) return;
      const record = firsts[child]! + reader.record;
      if (contradictions.record >= 0 && contradictions.record <= record) return;
      contradictions.record = record;
      contradictions.earlier = lastEffect(known.slice(0, child), firsts, page, line, reader.byte);
    },
  );
  while (merge.next().done !== true);
  return { rows, contradictions };
}

/** The first record of a block that read one of the bytes first, and that byte. */
function firstReader(
  rows: readonly PageRow[],
  page: PageNumber,
  line: number,
  low: number,
  high: number,
): { record: RecordNumber; byte: number } | undefined {
  let found: { record: RecordNumber; byte: number } | undefined;
  for (const access of touchesOf(rows, page)) {
    if (access.line !== line || (access.flags & TOUCH.first) === 0) continue;
    const at = access.start * 65 + access.size;
    const itsLow = SPAN_LOW[at]! & low;
    const itsHigh = SPAN_HIGH[at]! & high;
    if ((itsLow | itsHigh) === 0 || (found !== undefined && found.record <= access.record)) continue;
    found = { record: access.record, byte: lowest(itsLow, itsHigh) };
  }
  return found;
}

/** The last record of some blocks that left a byte its value, counted from the first block's start; -1 if there is none. */
function lastEffect(
  blocks: readonly BlockTouchRows[],
  firsts: readonly number[],
  page: PageNumber,
  line: number,
  byte: number,
): RecordNumber {
  for (let block = blocks.length - 1; block >= 0; block--) {
    for (const access of touchesOf(blocks[block]!.touches, page)) {
      const covers = access.line === line && access.start <= byte && byte < access.start + access.size;
      if (covers && (access.flags & (TOUCH.write | TOUCH.value)) !== 0) return firsts[block]! + access.record;
    }
  }
  return -1;
}

/** The accesses that rows report a page: the same object for each. */
function* touchesOf(
  rows: Iterable<Pick<PageRow, 'low' | 'bytes'>>,
  page: PageNumber,
): Generator<TouchReader, undefined> {
  for (const { low, bytes } of rows) {
    if (low > page) return undefined;
    const cursor = openPageRow(bytes, low);
    do {
      if (cursor.page !== page) continue;
      const reader = readTouches(bytes, cursor.start, cursor.end);
      while (nextTouch(reader)) yield reader;
      return undefined;
    } while (cursor.page < page && nextPage(cursor));
  }
  return undefined;
}
