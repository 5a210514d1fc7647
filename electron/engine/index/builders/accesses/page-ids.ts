/** Numbers for pages in the order in which they are met, where page numbers themselves are too large. */
import { assert } from '../../../../../shared/base/result.ts';
import type { PageNumber } from '../../../../../shared/base/units.ts';

export interface PageIds {
  /** The pages by number. */
  readonly pages: readonly PageNumber[];
  idOf(page: PageNumber): number;
}

/** `most`: more pages than that there cannot be. */
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
