/** Pages of a block by number, where their addresses do not fit 32 bits: what is gone through by line then has addresses of 32 bits all the same. */
import { assert } from '../../../../../shared/base/result.ts';
import type { PageNumber } from '../../../../../shared/base/units.ts';
import { createPageIds, type PageIds } from './page-ids.ts';

export interface DensePages {
  /** Whether pages are numbered; else they stand for themselves. */
  used(): boolean;
  /** Numbers the pages of the first `count` addresses, which fit 32 bits, and changes the addresses to lie in them. */
  begin(addresses: Uint32Array, count: number): void;
  /** The address, in the page of that number. */
  address(low: number, high: number): number;
  /** Numbers the pages in their own order, and changes the first `count` addresses. */
  rank(addresses: Uint32Array, count: number): void;
  /** The page of a number. */
  page(id: number): PageNumber;
  /** Pages stand for themselves again. */
  clear(): void;
}

/** Addresses of 32 bits have room for so many. */
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
