/**
 * Numbers for the pages of a block or group, for traces whose page numbers do not fit. `PageIds` numbers pages in the order in which they
 * are met. `DensePages` maps addresses into numbered pages, so that 64-bit addresses become 32-bit ones.
 */
import { assert } from '../../../../../shared/base/result.ts';
import type { PageNumber } from '../../../../../shared/base/units.ts';

export interface PageIds {
  /** Pages, by number. */
  readonly pages: readonly PageNumber[];
  idOf(page: PageNumber): number;
}

/** `most`: upper bound of the number of pages. */
export function createPageIds(most: number): PageIds {
  const ids = new Map<PageNumber, number>();
  const pages: PageNumber[] = [];
  return {
    pages,
    idOf(page) {
      let id = ids.get(page);
      if (id === undefined) {
        id = pages.length;
        assert(id < most, 'fewer pages are touched than can be numbered');
        pages.push(page);
        ids.set(page, id);
      }
      return id;
    },
  };
}

export interface DensePages {
  /** True if pages are numbered. Otherwise page numbers are used as they are. */
  used(): boolean;
  /** Starts to number pages, and maps the first `count` addresses (of 32 bits) into numbered pages. */
  begin(addresses: Uint32Array, count: number): void;
  /** Maps an address into its numbered page. */
  address(low: number, high: number): number;
  /** Renumbers pages in ascending order, and changes the first `count` addresses accordingly. */
  rank(addresses: Uint32Array, count: number): void;
  /** Returns the page with a number. */
  page(id: number): PageNumber;
  /** Ends the numbering. */
  clear(): void;
}

/** Number of pages in 32-bit addresses. */
const MOST_PAGES = 2 ** 20;

export function createDensePages(): DensePages {
  let ids: PageIds | undefined;
  let pages: readonly PageNumber[] = [];
  return {
    used: () => ids !== undefined,
    begin(addresses, count) {
      ids = createPageIds(MOST_PAGES);
      pages = ids.pages;
      for (let i = 0; i < count; i++) addresses[i] = address(addresses[i]!, 0);
    },
    address,
    rank(addresses, count) {
      const order = pages.map((_, id) => id).sort((a, b) => pages[a]! - pages[b]!);
      const rank = new Uint32Array(order.length);
      order.forEach((id, place) => {
        rank[id] = place;
      });
      for (let i = 0; i < count; i++) addresses[i] = rank[addresses[i]! >>> 12]! * 4096 + (addresses[i]! & 4095);
      pages = order.map((id) => pages[id]!);
    },
    page: (id) => (ids === undefined ? id : pages[id]!),
    clear() {
      ids = undefined;
      pages = [];
    },
  };

  function address(low: number, high: number): number {
    assert(ids !== undefined, 'pages are numbered');
    return ids.idOf(high * 2 ** 20 + (low >>> 12)) * 4096 + (low & 4095);
  }
}
