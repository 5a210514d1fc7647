/** What a block's accesses come to, as the rows of its pages: who touched and wrote each byte last, and what the bytes hold then. */
import type { PageNumber } from '../../../shared/units.ts';
import { ACCESS_LESS, TOUCH_SHIFT } from './access-bits.ts';
import type { DensePages } from './dense-pages.ts';
import { createLineSorter } from './line-sorter.ts';
import { SPAN_HIGH, SPAN_LOW } from './masks.ts';
import { CHUNK_BYTES, clearPageMasks, createPageMasks, encodePageMasks, useLine } from './page-masks.ts';
import { PageRowWriter, type PageRow } from './page-rows.ts';
import { createTouchWriter, LESS_SHIFT, putLine, START_SHIFT, TOUCH } from './page-touches.ts';
import { replayLine, type Accesses, type Contradictions, type Found } from './replay.ts';

export interface BlockTouchRows {
  readonly touches: readonly PageRow[];
  readonly masks: readonly PageRow[];
}

export interface TouchRowWriter {
  /**
   * The rows of the accesses kept[0..count), the newest first, in pages as `pages` numbers them. `valued`: some have values, and
   * `contradictions` says which of those differ from what was known.
   */
  write(
    accesses: Omit<Accesses, 'firsts'>,
    kept: Int32Array,
    count: number,
    valued: boolean,
    pages: DensePages,
  ): { readonly rows: BlockTouchRows; readonly contradictions: Contradictions };
}

export function createTouchRowWriter(): TouchRowWriter {
  const masks = createPageMasks();
  const leftWords = new Int32Array(masks.values.buffer);
  const chunk = new Uint8Array(CHUNK_BYTES);
  const touches = createTouchWriter();
  /** Of a block. What fills them is kept: its room is larger than most blocks' rows. */
  let touchRows: PageRow[] = [];
  let maskRows: PageRow[] = [];
  const touchWriter = new PageRowWriter((row) => touchRows.push(row));
  const maskWriter = new PageRowWriter((row) => maskRows.push(row));
  const sorter = createLineSorter();
  /** By access: 1 where it read a byte first. */
  let firsts = new Uint8Array(0);

  return {
    write(accesses, kept, count, valued, pages) {
      if (valued && firsts.length < accesses.addresses.length) firsts = new Uint8Array(accesses.addresses.length);
      const found: Found = { bytes: 0, record: -1, earlier: -1 };
      touchRows = [];
      maskRows = [];
      addPages({ ...accesses, firsts }, sorter(accesses.addresses, kept, count), count, valued, pages, found);
      touchWriter.finish();
      maskWriter.finish();
      return { rows: { touches: touchRows, masks: maskRows }, contradictions: found };
    },
  };

  /** `sorted`: accesses by line, newest first in each. */
  function addPages(
    accesses: Accesses,
    sorted: Int32Array,
    count: number,
    valued: boolean,
    pages: DensePages,
    found: Found,
  ): void {
    const { addresses } = accesses;
    clearPageMasks(masks);
    touches.length = 0;
    let page = -1;
    for (let from = 0; from < count;) {
      const line = addresses[sorted[from]!]! >>> 6;
      const to = lineEnd(addresses, sorted, from, count);
      if (line >>> 6 !== page) {
        if (page >= 0) finishPage(pages.page(page));
        page = line >>> 6;
      }
      useLine(masks, line & 63);
      if (valued) replayLine(accesses, sorted, from, to, line & 63, masks, leftWords, found);
      addLine(accesses, sorted, from, to, line & 63, valued);
      from = to;
    }
    if (page >= 0) finishPage(pages.page(page));
  }

  function finishPage(page: PageNumber): void {
    touchWriter.page(page, touches.bytes, 0, touches.length);
    maskWriter.page(page, chunk, 0, encodePageMasks(masks, chunk, 0));
    touches.length = 0;
    clearPageMasks(masks);
  }

  function addLine(
    { addresses: places, bits: ofAccess, records: recordOf, valueAt: valueOf, firsts: isFirst, values }: Accesses,
    sorted: Int32Array,
    from: number,
    to: number,
    line: number,
    valued: boolean,
  ): void {
    const { what, records: ofTouch, valueAt: valueOfTouch } = touches.line;
    let tLow = 0;
    let tHigh = 0;
    let wLow = 0;
    let wHigh = 0;
    // Bytes that a later access gave a value or took it.
    let eLow = 0;
    let eHigh = 0;
    let length = 0;
    for (let i = from; i < to; i++) {
      const access = sorted[i]!;
      const its = ofAccess[access]!;
      const start = places[access]! & 63;
      const less = its & ACCESS_LESS;
      const low = SPAN_LOW[start * 65 + less + 1]!;
      const high = SPAN_HIGH[start * 65 + less + 1]!;
      // All bits where it writes, else none: what an access does is hard to guess.
      const writes = -((its >>> TOUCH_SHIFT) & 1);
      let keeps = (low & ~tLow) | (high & ~tHigh) | (low & ~wLow & writes) | (high & ~wHigh & writes);
      tLow |= low;
      tHigh |= high;
      wLow |= low & writes;
      wHigh |= high & writes;
      let flags = its >>> TOUCH_SHIFT;
      if (valued) {
        if (flags !== 0) {
          keeps |= (low & ~eLow) | (high & ~eHigh);
          eLow |= low;
          eHigh |= high;
        }
        // First reads are kept to tell which records others contradict.
        if (isFirst[access] === 1) {
          flags |= TOUCH.first;
          keeps = 1;
        }
        valueOfTouch[length] = valueOf[access]!;
      }
      if (keeps === 0) continue;
      what[length] = flags | (start << START_SHIFT) | (less << LESS_SHIFT);
      ofTouch[length] = recordOf[access]!;
      length++;
    }
    const half = line * 2;
    masks.touched[half] = tLow;
    masks.touched[half + 1] = tHigh;
    masks.written[half] = wLow;
    masks.written[half + 1] = wHigh;
    putLine(touches, line, length, valued ? values : undefined);
  }
}

/** Where the accesses to the line of the first one end. */
function lineEnd(places: Uint32Array, sorted: Int32Array, from: number, length: number): number {
  const line = places[sorted[from]!]! >>> 6;
  let to = from + 1;
  while (to < length && places[sorted[to]!]! >>> 6 === line) to++;
  return to;
}
