/** Masks of several stretches of the trace, one after the other, joined into those of all together, page by page. */
import type { PageNumber } from '../../../../../shared/base/units.ts';
import {
  addPageMasks,
  CHUNK_BYTES,
  clearPageMasks,
  createMaskReader,
  createPageMasks,
  encodePageMasks,
} from './page-masks.ts';
import { nextPage, openPageRow, type PageCursor, type PageRow, type PageRowWriter } from '../page-rows.ts';

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

/** Yields after every few hundred pages, so that a long merge can be cut into slices. Without a writer it only looks for what is contradicted. */
export function* mergeMasks(
  children: readonly MaskStream[],
  writer: PageRowWriter | undefined,
  contradicted: Contradicted,
): Generator<undefined, void> {
  const merge = new PageMerge(children, writer, contradicted);
  while (merge.pages(256)) yield undefined;
  writer?.finish();
}

/** A class and no closures: those would be compiled again for every merge. */
class PageMerge {
  readonly #children: readonly MaskStream[];
  readonly #writer: PageRowWriter | undefined;
  readonly #cursors: (PageCursor | undefined)[];
  /** The page that each child stands at; infinite behind its last. */
  readonly #pages: Float64Array;
  readonly #masks = createPageMasks();
  readonly #reader = createMaskReader();
  readonly #chunk = new Uint8Array(CHUNK_BYTES);
  readonly #contradicted: (line: number, low: number, high: number) => void;
  /** The child and the page that are being added. */
  #child = 0;
  #page = 0;

  constructor(children: readonly MaskStream[], writer: PageRowWriter | undefined, contradicted: Contradicted) {
    this.#children = children;
    this.#writer = writer;
    this.#cursors = children.map((child) => openNext(child));
    this.#pages = Float64Array.from(this.#cursors, (cursor) => cursor?.page ?? Number.POSITIVE_INFINITY);
    this.#contradicted = (line, low, high) => {
      contradicted(this.#child, this.#page, line, low, high);
    };
  }

  /** Merges so many pages; false if there are no more. */
  pages(count: number): boolean {
    const pages = this.#pages;
    for (let merged = 0; merged < count; merged++) {
      let page = Number.POSITIVE_INFINITY;
      let only = -1;
      for (let child = 0; child < pages.length; child++) {
        if (pages[child]! < page) {
          page = pages[child]!;
          only = child;
        } else if (pages[child] === page) only = -1;
      }
      if (page === Number.POSITIVE_INFINITY) return false;
      const cursor = this.#cursors[only];
      if (cursor !== undefined) {
        this.#writer?.page(page, cursor.bytes, cursor.start, cursor.end);
        this.#step(only);
      } else this.#join(page);
    }
    return true;
  }

  #join(page: PageNumber): void {
    const masks = this.#masks;
    const reader = this.#reader;
    clearPageMasks(masks);
    this.#page = page;
    for (let child = 0; child < this.#pages.length; child++) {
      if (this.#pages[child] !== page) continue;
      const cursor = this.#cursors[child]!;
      reader.bytes = cursor.bytes;
      reader.at = cursor.start;
      reader.end = cursor.end;
      this.#child = child;
      addPageMasks(masks, reader, this.#contradicted);
      this.#step(child);
    }
    this.#writer?.page(page, this.#chunk, 0, encodePageMasks(masks, this.#chunk, 0));
  }

  #step(child: number): void {
    let cursor = this.#cursors[child];
    if (cursor !== undefined && !nextPage(cursor)) cursor = this.#cursors[child] = openNext(this.#children[child]!);
    this.#pages[child] = cursor?.page ?? Number.POSITIVE_INFINITY;
  }
}

function openNext(child: MaskStream): PageCursor | undefined {
  const next = child.next();
  return next.done === true ? undefined : openPageRow(next.value.bytes, next.value.low);
}
