/** A span of addresses, with tests of the index pyramids for accesses to any byte of the span. */
import { addressToPage, highHalf, lowHalf, type PageNumber } from '../../../../shared/base/units.ts';
import { someFindEntry, type FindEntry } from '../../index/builders/find.ts';
import { SPAN_HIGH, SPAN_LOW } from '../../collections/byte-sets.ts';
import { createMaskReader, nextMasks, type MaskReader } from '../../index/builders/memory/page-masks.ts';
import { nextPage, openPageRow } from '../../index/builders/page-rows.ts';
import { nextTouch, readTouches, type TouchReader } from '../../index/builders/memory/page-touches.ts';
import { NODE, type IndexFile } from '../../index/store/index-file.ts';
import type { RowStream } from '../../index/store/node-rows.ts';

/** A span of addresses. Both ends are inclusive. */
export interface Span {
  readonly low: bigint;
  readonly high: bigint;
  readonly lowLow: number;
  readonly lowHigh: number;
  readonly highLow: number;
  readonly highHigh: number;
  readonly firstPage: PageNumber;
  readonly lastPage: PageNumber;
}

const LAST_ADDRESS = 0xffffffffffffffffn;

/**
 * Makes a span that ends at the last address at most. The upper half of a larger number would be that of a small address, so that no record
 * would lie in the span.
 */
export function spanOf(low: bigint, end: bigint): Span {
  const high = end > LAST_ADDRESS ? LAST_ADDRESS : end;
  return {
    low,
    high,
    lowLow: lowHalf(low),
    lowHigh: highHalf(low),
    highLow: lowHalf(high),
    highHigh: highHalf(high),
    firstPage: addressToPage(low),
    lastPage: addressToPage(high),
  };
}

/** First and last byte of the span in a line that the span touches. */
function firstByte(span: Span, page: PageNumber, line: number): number {
  return page === span.firstPage && line === ((span.lowLow >>> 6) & 63) ? span.lowLow & 63 : 0;
}

function lastByte(span: Span, page: PageNumber, line: number): number {
  return page === span.lastPage && line === ((span.highLow >>> 6) & 63) ? span.highLow & 63 : 63;
}

function hasLine(span: Span, page: PageNumber, line: number): boolean {
  if (page === span.firstPage && line < ((span.lowLow >>> 6) & 63)) return false;
  return page !== span.lastPage || line <= ((span.highLow >>> 6) & 63);
}

/** Returns the bytes of the span in a line, as a bit set. The returned object is reused by the next call. */
export function bytesInLine(
  span: Span,
  page: PageNumber,
  line: number,
): { readonly low: number; readonly high: number } {
  if (!hasLine(span, page, line)) return NONE;
  const from = firstByte(span, page, line);
  const at = from * 65 + lastByte(span, page, line) - from + 1;
  set.low = SPAN_LOW[at]!;
  set.high = SPAN_HIGH[at]!;
  return set;
}

const NONE = { low: 0, high: 0 };
const set = { low: 0, high: 0 };

/** Calls `visit` for each line in the mask rows, on the pages of the span, until it returns true. Returns true if it did. */
export function someMasks(
  rows: RowStream,
  span: Pick<Span, 'firstPage' | 'lastPage'>,
  visit: (page: PageNumber, masks: MaskReader) => boolean,
): boolean {
  const reader = createMaskReader();
  return somePage(rows, span, (page, bytes, start, end) => {
    reader.bytes = bytes;
    reader.at = start;
    reader.end = end;
    while (nextMasks(reader)) if (visit(page, reader)) return true;
    return false;
  });
}

/** Same for each access in the touch rows of a block, the newest of each line first. */
export function someTouches(
  rows: RowStream,
  span: Pick<Span, 'firstPage' | 'lastPage'>,
  visit: (page: PageNumber, touch: TouchReader) => boolean,
): boolean {
  return somePage(rows, span, (page, bytes, start, end) => {
    const reader = readTouches(bytes, start, end);
    while (nextTouch(reader)) if (visit(page, reader)) return true;
    return false;
  });
}

function somePage(
  rows: RowStream,
  { firstPage, lastPage }: Pick<Span, 'firstPage' | 'lastPage'>,
  visit: (page: PageNumber, bytes: Uint8Array, start: number, end: number) => boolean,
): boolean {
  for (let next = rows.next(); next.done !== true; next = rows.next()) {
    const cursor = openPageRow(next.value.bytes, next.value.low);
    do {
      if (cursor.page > lastPage) return false;
      if (cursor.page >= firstPage && visit(cursor.page, cursor.bytes, cursor.start, cursor.end)) return true;
    } while (nextPage(cursor));
  }
  return false;
}

/** Returns false if the find pyramid rules out records of these kinds (a bit for each) that touch the lines of the span. */
export function mayTouch(index: IndexFile, level: number, node: number, span: Span, kinds: number): boolean {
  const { firstPage, lastPage } = span;
  const rows = index.rows(NODE.find, level, node, firstPage, lastPage);
  if (rows === undefined) return true;
  const touches = ({ page, kind, lineLow, lineHigh }: FindEntry): boolean => {
    if ((kinds & (1 << kind)) === 0) return false;
    const from = page === firstPage ? (span.lowLow >>> 6) & 63 : 0;
    const to = page === lastPage ? (span.highLow >>> 6) & 63 : 63;
    const lines = from * 65 + to - from + 1;
    return ((lineLow & SPAN_LOW[lines]!) | (lineHigh & SPAN_HIGH[lines]!)) !== 0;
  };
  for (let next = rows.next(); next.done !== true; next = rows.next())
    if (someFindEntry(next.value.bytes, next.value.low, firstPage, lastPage, touches)) return true;
  return false;
}
