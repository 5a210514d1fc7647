/**
 * Find rows: which lines of which pages were touched by which kinds of access, in a block or in a range of blocks.
 *
 * A row is a sorted run of pages. Per page: the distance to the page before, then for each kind one entry
 * `kind | more << 5 | form << 6` and its lines: a single one (1 byte), a run (start, length - 1), a list (count - 1,
 * lines) or the 64 bits raw. `more` says that the page has another kind.
 */
import { LINES_PER_PAGE, type PageNumber } from '../../../../shared/base/units.ts';
import { ByteReader, IndexDamaged } from '../../collections/varint.ts';
import { bitCount, trailingZeros } from '../../collections/byte-sets.ts';
import { KIND_BITS, pageOfHalves, pairHighOf, pairLowOf, ROW, WORD, type AccessRows } from './accesses/access-rows.ts';

/** Entries of a find row, sorted by page, then kind; one bit per line as in AccessColumns. */
export interface FindColumns {
  readonly length: number;
  readonly page: Float64Array;
  readonly kind: Uint8Array;
  readonly lineLow: Uint32Array;
  readonly lineHigh: Uint32Array;
}

export interface FindRow {
  readonly low: PageNumber;
  /** Last page of the row. */
  readonly high: PageNumber;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Bytes of a row before it is compressed: few enough that a question reads little it does not need. */
const ROW_BYTES = 15_800;
const MORE = 1 << 5;
const FORM_SHIFT = 6;
const SINGLE = 0;
const RUN = 1;
const LIST = 2;
const RAW = 3;

export interface FindRowWriter {
  /** Entries come sorted by page, then kind; each pair once; at least one line. */
  push(page: PageNumber, kind: number, lineLow: number, lineHigh: number): void;
  /** Pushes all rows: the same as pushing each, in half the time. */
  pushRows(rows: AccessRows): void;
  finish(): void;
}

/** Bytes that a page's distance and one entry take at most. */
const MOST_ENTRY_BYTES = 32;

/** Cuts the pushed entries into rows of some ROW_BYTES and hands each over as soon as it is whole. */
export function createFindRowWriter(emit: (row: FindRow) => void): FindRowWriter {
  // A row ends where a page ends, so it may be longer than ROW_BYTES by the entries of one page.
  const bytes = new Uint8Array(ROW_BYTES + 64 * MOST_ENTRY_BYTES);
  let length = 0;
  let low = 0;
  let page = -1;
  /** Where the head of the last entry lies: it learns only from the next one whether its page has more. */
  let head = 0;

  return {
    push(nextPage, kind, lineLow, lineHigh): void {
      if (nextPage === page) bytes[head] = bytes[head]! | MORE;
      else {
        if (length >= ROW_BYTES) finishRow();
        if (length === 0) low = page = nextPage;
        length = writeDistance(bytes, length, nextPage - page);
        page = nextPage;
      }
      head = length;
      length = writeEntry(bytes, length, kind, lineLow, lineHigh);
    },
    pushRows({ length: rows, words }): void {
      // The writer's own variables are touched only where a row ends, and page numbers are made only of far ones: what most
      // rows go through is arithmetic on small whole numbers.
      let at = length;
      let lastHead = head;
      let lastHigh = page < 0 ? -1 : pairHighOf(page);
      let lastLow = page < 0 ? -1 : pairLowOf(page, 0) >>> KIND_BITS;
      const end = rows * ROW;
      for (let word = 0; word < end; word += ROW) {
        const pairLow = words[word + WORD.pairLow]!;
        const high = words[word]!;
        const lowPage = pairLow >>> KIND_BITS;
        if (lowPage === lastLow && high === lastHigh) bytes[lastHead] = bytes[lastHead]! | MORE;
        else {
          const isNear = high === lastHigh && lowPage - lastLow < 128;
          if (at >= ROW_BYTES) {
            length = at;
            page = pageOfHalves(lastHigh, lastLow);
            finishRow();
            at = 0;
          }
          if (at === 0) {
            low = pageOfHalves(high, lowPage);
            bytes[at++] = 0;
          } else if (isNear) bytes[at++] = lowPage - lastLow;
          else at = writeDistance(bytes, at, pageOfHalves(high, lowPage) - pageOfHalves(lastHigh, lastLow));
          lastHigh = high;
          lastLow = lowPage;
        }
        lastHead = at;
        at = writeEntry(bytes, at, pairLow & 31, words[word + WORD.linesLow]!, words[word + WORD.linesHigh]!);
      }
      length = at;
      head = lastHead;
      if (rows > 0) page = pageOfHalves(lastHigh, lastLow);
    },
    finish(): void {
      if (length > 0) finishRow();
      page = -1;
    },
  };

  function finishRow(): void {
    emit({ low, high: page, bytes: bytes.slice(0, length) });
    length = 0;
  }
}

/** A LEB128 number, 0 <= distance < 2^53; returns where it ends. */
function writeDistance(bytes: Uint8Array, at: number, distance: number): number {
  let end = at;
  let rest = distance;
  while (rest >= 128) {
    bytes[end++] = (rest % 128) + 128;
    rest = Math.floor(rest / 128);
  }
  bytes[end++] = rest;
  return end;
}

/** Returns where the entry ends. */
function writeEntry(bytes: Uint8Array, at: number, kind: number, low: number, high: number): number {
  if (high === 0 && (low & (low - 1)) === 0) return writeSingle(bytes, at, kind, trailingZeros(low));
  if (low === 0 && (high & (high - 1)) === 0) return writeSingle(bytes, at, kind, 32 + trailingZeros(high));
  const count = bitCount(low) + bitCount(high);
  if (count >= 8) {
    const start = low === 0 ? 32 + trailingZeros(high) : trailingZeros(low);
    const end = high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high);
    if (end - start === count) {
      bytes[at] = kind | (RUN << FORM_SHIFT);
      bytes[at + 1] = start;
      bytes[at + 2] = count - 1;
      return at + 3;
    }
    bytes[at] = kind | (RAW << FORM_SHIFT);
    for (let i = 0; i < 4; i++) {
      bytes[at + 1 + i] = low >>> (8 * i);
      bytes[at + 5 + i] = high >>> (8 * i);
    }
    return at + 9;
  }
  bytes[at] = kind | (LIST << FORM_SHIFT);
  bytes[at + 1] = count - 1;
  let end = at + 2;
  for (let rest = low; rest !== 0; rest &= rest - 1) bytes[end++] = trailingZeros(rest);
  for (let rest = high; rest !== 0; rest &= rest - 1) bytes[end++] = 32 + trailingZeros(rest);
  return end;
}

function writeSingle(bytes: Uint8Array, at: number, kind: number, line: number): number {
  bytes[at] = kind | (SINGLE << FORM_SHIFT);
  bytes[at + 1] = line;
  return at + 2;
}

export function decodeFindRow(bytes: Uint8Array, low: PageNumber): FindColumns {
  const reader = new ByteReader(bytes);
  // An entry takes at least two bytes.
  const most = (bytes.length >> 1) + 1;
  const page = new Float64Array(most);
  const kind = new Uint8Array(most);
  const lineLow = new Uint32Array(most);
  const lineHigh = new Uint32Array(most);
  let length = 0;
  let at = low;
  while (!reader.done) {
    at += reader.varint();
    let head: number;
    do {
      head = reader.byte();
      page[length] = at;
      kind[length] = head & 31;
      readLines(reader, head >> FORM_SHIFT, lineLow, lineHigh, length);
      length++;
    } while ((head & MORE) !== 0);
  }
  return { length, page, kind, lineLow, lineHigh };
}

export interface FindEntry {
  readonly page: PageNumber;
  readonly kind: number;
  /** A bit for each line, as in FindColumns. */
  readonly lineLow: number;
  readonly lineHigh: number;
}

/**
 * Calls `visit` for each entry of a row that is of a page in [first, last], until it returns true; returns whether it did. Others
 * are passed over. `low`: the row's first page.
 */
export function someFindEntry(
  bytes: Uint8Array,
  low: PageNumber,
  first: PageNumber,
  last: PageNumber,
  visit: (entry: FindEntry) => boolean,
): boolean {
  const reader = new ByteReader(bytes);
  let page = low;
  while (!reader.done) {
    page += reader.varint();
    if (page > last) return false;
    let head: number;
    do {
      head = reader.byte();
      const form = head >> FORM_SHIFT;
      if (page < first) {
        const rest = form === LIST ? reader.byte() + 1 : FORM_BYTES[form]!;
        reader.position += rest;
      } else {
        oneLow[0] = oneHigh[0] = 0;
        readLines(reader, form, oneLow, oneHigh, 0);
        if (visit({ page, kind: head & 31, lineLow: oneLow[0], lineHigh: oneHigh[0] })) return true;
      }
    } while ((head & MORE) !== 0);
  }
  return false;
}

/** Bytes of an entry behind its head; of a list its first one says how many. */
const FORM_BYTES = [1, 2, 0, 8];
const oneLow = new Uint32Array(1);
const oneHigh = new Uint32Array(1);

function readLines(reader: ByteReader, form: number, lineLow: Uint32Array, lineHigh: Uint32Array, at: number): void {
  switch (form) {
    case SINGLE:
      addLine(lineLow, lineHigh, at, reader.byte());
      return;
    case RUN: {
      const start = reader.byte();
      const end = start + reader.byte();
      for (let line = start; line <= end; line++) addLine(lineLow, lineHigh, at, line);
      return;
    }
    case LIST: {
      const count = reader.byte() + 1;
      for (let i = 0; i < count; i++) addLine(lineLow, lineHigh, at, reader.byte());
      return;
    }
    default:
      lineLow[at] = reader.u32();
      lineHigh[at] = reader.u32();
  }
}

function addLine(lineLow: Uint32Array, lineHigh: Uint32Array, at: number, line: number): void {
  if (line >= LINES_PER_PAGE) throw new IndexDamaged('a line lies outside its page');
  if (line < 32) lineLow[at] = (lineLow[at]! | (1 << line)) >>> 0;
  else lineHigh[at] = (lineHigh[at]! | (1 << (line - 32))) >>> 0;
}

/** A child of a merge: its rows in order, decoded one at a time. */
export type FindStream = Iterator<FindColumns, undefined>;

/** Decodes the rows of a node one at a time. */
export function* decodeFindRows(
  rows: Iterator<{ readonly low: PageNumber; readonly bytes: Uint8Array }, undefined>,
): Generator<FindColumns, undefined> {
  for (let next = rows.next(); next.done !== true; next = rows.next())
    yield decodeFindRow(next.value.bytes, next.value.low);
  return undefined;
}

/**
 * Merges children into one sorted stream of entries with their lines joined. Yields after every few thousand entries, so that
 * a long merge can be cut into slices.
 */
export function* mergeFind(children: readonly FindStream[], writer: FindRowWriter): Generator<undefined, void> {
  const columns: FindColumns[] = [];
  // The entry that each child has next, side by side: finding the least is what a merge does most.
  const at = new Int32Array(children.length);
  const pages = new Float64Array(children.length).fill(Number.POSITIVE_INFINITY);
  const kinds = new Int32Array(children.length);
  children.forEach((_, child) => {
    nextRow(child);
  });
  for (let sinceYield = 0; ;) {
    let page = Number.POSITIVE_INFINITY;
    let kind = 32;
    for (let child = 0; child < pages.length; child++) {
      const its = pages[child]!;
      if (its < page || (its === page && kinds[child]! < kind)) {
        page = its;
        kind = kinds[child]!;
      }
    }
    if (page === Number.POSITIVE_INFINITY) break;
    let low = 0;
    let high = 0;
    for (let child = 0; child < pages.length; child++) {
      if (pages[child] !== page || kinds[child] !== kind) continue;
      const row = columns[child]!;
      const index = at[child]!;
      low |= row.lineLow[index]!;
      high |= row.lineHigh[index]!;
      const next = index + 1;
      if (next < row.length) {
        at[child] = next;
        pages[child] = row.page[next]!;
        kinds[child] = row.kind[next]!;
      } else nextRow(child);
    }
    writer.push(page, kind, low >>> 0, high >>> 0);
    if (++sinceYield === 4096) {
      sinceYield = 0;
      yield undefined;
    }
  }
  writer.finish();

  /** Moves a child to its next row that has entries, or past all pages when it has ended. */
  function nextRow(child: number): void {
    for (;;) {
      const next = children[child]!.next();
      if (next.done === true) {
        pages[child] = Number.POSITIVE_INFINITY;
        return;
      }
      if (next.value.length === 0) continue;
      columns[child] = next.value;
      at[child] = 0;
      pages[child] = next.value.page[0]!;
      kinds[child] = next.value.kind[0]!;
      return;
    }
  }
}
