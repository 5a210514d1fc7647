/**
 * Rows of page chunks: what a node knows of each page is a chunk of bytes that means the same in every node, so that a merge
 * copies it where only one child has the page.
 *
 * A row is a sorted run of pages: their number; per page the distance to the page before (to the row's first page) and the
 * length of its chunk; the chunks.
 */
import type { PageNumber } from '../../../../shared/base/units.ts';
import { ByteWriter, IndexDamaged } from '../../collections/varint.ts';

export interface PageRow {
  readonly low: PageNumber;
  /** Last page of the row. */
  readonly high: PageNumber;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Bytes of a row before it is compressed: few enough that a question reads little it does not need. */
const ROW_BYTES = 15_000;

/**
 * Cuts pages into rows of some ROW_BYTES and hands each over as soon as it is whole. A class, because many are made: methods of
 * classes are compiled once for all of them.
 */
export class PageRowWriter {
  readonly #emit: (row: PageRow) => void;
  readonly #head = new ByteWriter(1024);
  #body = new Uint8Array(ROW_BYTES * 2);
  #length = 0;
  #pages = 0;
  #low = 0;
  #high = 0;

  constructor(emit: (row: PageRow) => void) {
    this.#emit = emit;
  }

  /** Pages come in order. The chunk is bytes[start, end), not empty. */
  page(page: PageNumber, bytes: Uint8Array, start: number, end: number): void {
    if (this.#length >= ROW_BYTES) this.finish();
    if (this.#pages === 0) this.#low = this.#high = page;
    this.#head.varint(page - this.#high);
    this.#head.varint(end - start);
    const length = this.#length + end - start;
    if (length > this.#body.length) {
      const larger = new Uint8Array(length * 2);
      larger.set(this.#body.subarray(0, this.#length));
      this.#body = larger;
    }
    copy(this.#body, this.#length, bytes, start, end);
    this.#length = length;
    this.#high = page;
    this.#pages++;
  }

  /** Hands over what is left. */
  finish(): void {
    if (this.#pages === 0) return;
    const entries = this.#head.take();
    this.#head.varint(this.#pages);
    const count = this.#head.take();
    const bytes = new Uint8Array(count.length + entries.length + this.#length);
    bytes.set(count);
    bytes.set(entries, count.length);
    bytes.set(this.#body.subarray(0, this.#length), count.length + entries.length);
    this.#emit({ low: this.#low, high: this.#high, bytes });
    this.#pages = this.#length = 0;
  }
}

/** Chunks are short: a loop is quicker than a view for each. */
function copy(to: Uint8Array, at: number, bytes: Uint8Array, start: number, end: number): void {
  if (end - start > 256) to.set(bytes.subarray(start, end), at);
  else for (let i = start; i < end; i++) to[at + i - start] = bytes[i]!;
}

/** Goes through the pages of a row in order. */
export interface PageCursor {
  readonly bytes: Uint8Array;
  /** The page it stands at, and its chunk bytes[start, end). */
  page: PageNumber;
  start: number;
  end: number;
  /** Pages behind this one. */
  left: number;
  /** Where the next page's entry lies. */
  entry: number;
}

/** Stands at the row's first page. `low`: that page, as the row was emitted. */
export function openPageRow(bytes: Uint8Array, low: PageNumber): PageCursor {
  const cursor: PageCursor = { bytes, page: low, start: 0, end: 0, left: 0, entry: 0 };
  cursor.left = varintAt(cursor);
  const first = cursor.entry;
  for (let i = 0; i < cursor.left; i++) {
    varintAt(cursor);
    varintAt(cursor);
  }
  cursor.end = cursor.entry;
  cursor.entry = first;
  nextPage(cursor);
  return cursor;
}

/** False, and nothing more to read, behind the last page. */
export function nextPage(cursor: PageCursor): boolean {
  if (cursor.left === 0) return false;
  cursor.left--;
  cursor.page += varintAt(cursor);
  cursor.start = cursor.end;
  cursor.end += varintAt(cursor);
  if (cursor.end > cursor.bytes.length) throw new IndexDamaged('a chunk ends behind its row');
  return true;
}

function varintAt(cursor: PageCursor): number {
  const { bytes } = cursor;
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    if (cursor.entry >= bytes.length) throw new IndexDamaged('a row ends early');
    const byte = bytes[cursor.entry++]!;
    if (byte < 128) return value + byte * scale;
    value += (byte - 128) * scale;
  }
}
