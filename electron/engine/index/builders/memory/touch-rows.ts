/** Turns the accesses of a block into rows per page: the last access and last write of each byte, and the resulting values. */
import type { PageNumber } from '../../../../../shared/base/units.ts';
import type { DensePages } from '../accesses/dense-pages.ts';
import { createLineSorter } from '../accesses/line-sorter.ts';
import { SPAN_HIGH, SPAN_LOW } from '../../../collections/byte-sets.ts';
import { CHUNK_BYTES, clearPageMasks, createPageMasks, encodePageMasks, useLine } from './page-masks.ts';
import { PageRowWriter, type PageRow } from '../page-rows.ts';
import { createTouchWriter, LESS_SHIFT, putLine, START_SHIFT, TOUCH } from './page-touches.ts';
import {
  ACCESS_LESS,
  ACCESS_WRITE,
  replayLine,
  TOUCH_SHIFT,
  type Accesses,
  type Contradictions,
  type Found,
} from './replay.ts';

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
  /** Builds the rows of one block. The object is reused: its buffers are larger than the rows of most blocks. */
  let touchRows: PageRow[] = [];
  let maskRows: PageRow[] = [];
  const touchWriter = new PageRowWriter((row) => touchRows.push(row));
  const maskWriter = new PageRowWriter((row) => maskRows.push(row));
  const sorter = createLineSorter();
  /** By access: 1 if it read a byte first. */
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
      if (valued) {
        const readFirst = replayLine(accesses, sorted, from, to, line & 63, masks, leftWords, found);
        addValuedLine(accesses, sorted, from, to, line & 63, readFirst);
      } else addLine(accesses, sorted, from, to, line & 63);
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
    { addresses: places, bits: ofAccess, records: recordOf }: Accesses,
    sorted: Int32Array,
    from: number,
    to: number,
    line: number,
  ): void {
    const { what, records: ofTouch } = touches.line;
    let tLow = 0;
    let tHigh = 0;
    let wLow = 0;
    let wHigh = 0;
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
      const keeps = (low & ~tLow) | (high & ~tHigh) | (low & ~wLow & writes) | (high & ~wHigh & writes);
      tLow |= low;
      tHigh |= high;
      wLow |= low & writes;
      wHigh |= high & writes;
      if (keeps === 0) continue;
      what[length] = (its >>> TOUCH_SHIFT) | (start << START_SHIFT) | (less << LESS_SHIFT);
      ofTouch[length] = recordOf[access]!;
      length++;
    }
    const half = line * 2;
    masks.touched[half] = tLow;
    masks.touched[half + 1] = tHigh;
    masks.written[half] = wLow;
    masks.written[half + 1] = wHigh;
    putLine(touches, line, length, undefined);
  }

  /** Adds a replayed line: its result is known, so accesses before the last ones are skipped. */
  function addValuedLine(
    { addresses: places, bits: ofAccess, records: recordOf, valueAt: valueOf, firsts: isFirst, values }: Accesses,
    sorted: Int32Array,
    from: number,
    to: number,
    line: number,
    readFirst: number,
  ): void {
    const { what, records: ofTouch, valueAt: valueOfTouch } = touches.line;
    const half = line * 2;
    // Bytes whose last access is still to come: any; a write; one that gave it a value or took it.
    let tLow = masks.touched[half]!;
    let tHigh = masks.touched[half + 1]!;
    let wLow = masks.written[half]!;
    let wHigh = masks.written[half + 1]!;
    let eLow = wLow | masks.known[half]!;
    let eHigh = wHigh | masks.known[half + 1]!;
    let firsts = readFirst;
    let length = 0;
    for (let i = from; i < to; i++) {
      const access = sorted[i]!;
      const its = ofAccess[access]!;
      const start = places[access]! & 63;
      const less = its & ACCESS_LESS;
      const low = SPAN_LOW[start * 65 + less + 1]!;
      const high = SPAN_HIGH[start * 65 + less + 1]!;
      const writes = -((its >>> TOUCH_SHIFT) & 1);
      const effect = its < ACCESS_WRITE ? 0 : -1;
      const first = isFirst[access]!;
      // First reads are kept to report which records others contradict.
      const keeps =
        (low & (tLow | (wLow & writes) | (eLow & effect))) |
        (high & (tHigh | (wHigh & writes) | (eHigh & effect))) |
        first;
      if (keeps === 0) continue;
      tLow &= ~low;
      tHigh &= ~high;
      wLow &= ~(low & writes);
      wHigh &= ~(high & writes);
      eLow &= ~(low & effect);
      eHigh &= ~(high & effect);
      firsts -= first;
      what[length] = (its >>> TOUCH_SHIFT) | (first * TOUCH.first) | (start << START_SHIFT) | (less << LESS_SHIFT);
      ofTouch[length] = recordOf[access]!;
      valueOfTouch[length] = valueOf[access]!;
      length++;
      if ((tLow | tHigh | wLow | wHigh | eLow | eHigh | firsts) === 0) break;
    }
    putLine(touches, line, length, values);
  }
}

/** Where the accesses to the line of the first one end. */
function lineEnd(places: Uint32Array, sorted: Int32Array, from: number, length: number): number {
  const line = places[sorted[from]!]! >>> 6;
  let to = from + 1;
  while (to < length && places[sorted[to]!]! >>> 6 === line) to++;
  return to;
}
