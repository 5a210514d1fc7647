/** Masks of several stretches of the trace, one after the other, joined into those of all together, page by page. */
import type { PageNumber } from '../../../shared/units.ts';
import {
  addPageMasks,
  CHUNK_BYTES,
  clearPageMasks,
  createMaskReader,
  createPageMasks,
  encodePageMasks,
} from './page-masks.ts';
import { nextPage, openPageRow, type PageCursor, type PageRow, type PageRowWriter } from './page-rows.ts';

/** A child of a merge: its rows in order. */
export type MaskStream = Iterator<Pick<PageRow, 'low' | 'bytes'>, undefined>;

/**
 * `child` first read bytes of a line with other values than the children before it had left there: bit i of the 64 stands
 * for byte i.
 */
export type Contradicted = (child: number, page: PageNumber, line: number, low: number, high: number) => void;

/** Bytes of a line: bit i of the 64 is byte i. */
export interface LineBytes {
  readonly page: PageNumber;
  readonly line: number;
  readonly low: number;
  readonly high: number;
}

/** Yields after every few hundred pages, so that a long merge can be cut into slices. */
export function* mergeMasks(
  children: readonly MaskStream[],
  writer: PageRowWriter,
  contradicted: Contradicted,
): Generator<undefined, void> {
  const cursors = children.map((child) => openNext(child));
  const pages = Float64Array.from(cursors, (cursor) => cursor?.page ?? Number.POSITIVE_INFINITY);
  const masks = createPageMasks();
  const reader = createMaskReader();
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let merged = 1; ; merged++) {
    let page = Number.POSITIVE_INFINITY;
    let only = -1;
    for (let child = 0; child < pages.length; child++) {
      if (pages[child]! < page) {
        page = pages[child]!;
        only = child;
      } else if (pages[child] === page) only = -1;
    }
    if (page === Number.POSITIVE_INFINITY) break;
    const cursor = cursors[only];
    if (cursor !== undefined) {
      writer.page(page, cursor.bytes, cursor.start, cursor.end);
      step(only);
    } else {
      clearPageMasks(masks);
      for (let child = 0; child < pages.length; child++) {
        if (pages[child] !== page) continue;
        const its = cursors[child]!;
        reader.bytes = its.bytes;
        reader.at = its.start;
        reader.end = its.end;
        addPageMasks(masks, reader, (line, low, high) => {
          contradicted(child, page, line, low, high);
        });
        step(child);
      }
      writer.page(page, chunk, 0, encodePageMasks(masks, chunk, 0));
    }
    if (merged % 256 === 0) yield undefined;
  }
  writer.finish();

  function step(child: number): void {
    let cursor = cursors[child];
    if (cursor !== undefined && !nextPage(cursor)) cursor = cursors[child] = openNext(children[child]!);
    pages[child] = cursor?.page ?? Number.POSITIVE_INFINITY;
  }
}

function openNext(child: MaskStream): PageCursor | undefined {
  const next = child.next();
  return next.done === true ? undefined : openPageRow(next.value.bytes, next.value.low);
}
