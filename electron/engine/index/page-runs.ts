/**
 * The accesses since the last commit of a build. They become the find rows of the next node of level 2 and, at the commit, one page
 * run: accesses per page and kind with the first and last record.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { AccessRows } from './builders/accesses/access-rows.ts';
import { createAccessSum } from './builders/accesses/access-sum.ts';
import { createPageSet, type PageSet } from './builders/accesses/page-set.ts';
import { encodePageRun, pagesOf, type PageEntry } from './builders/pages.ts';
import { NODE, type IndexFile } from './store/index-file.ts';
import { pack } from './store/packing.ts';

export interface PageRuns {
  /** Number of rows of all runs that were written. */
  readonly rows: number;
  /** Accesses since the last run. */
  pending(): AccessRows;
  pendingPages(): Iterable<PageEntry>;
  /** Adds the accesses of a group, whose records count from `firstRecord`. */
  add(accesses: AccessRows, firstRecord: RecordNumber): void;
  /** Writes the pending accesses as a run. The next run starts at record `nextRecord`. */
  write(nextRecord: RecordNumber): Promise<void>;
  /** Number of distinct pages of all runs; undefined if some runs were written by another build, or there are too many pages to count here. */
  distinctPages(): number | undefined;
  /** Discards the pending accesses. `rows` rows were written before, and the next run starts at record `nextRecord`. */
  restart(rows: number, nextRecord: RecordNumber): void;
}

/** Maximum size of the set of distinct pages, about ten megabytes. */
const MOST_PAGE_WORDS = 2 ** 17;

export function createPageRuns(index: IndexFile, firstRows: number): PageRuns {
  const accesses = createAccessSum();
  let from: RecordNumber = 0;
  let pageSet: PageSet | undefined;
  const runs = {
    rows: firstRows,
    pending: () => accesses.rows(),
    pendingPages: () => pagesOf(accesses.rows(), from),
    add(added: AccessRows, firstRecord: RecordNumber): void {
      accesses.add(added, firstRecord - from);
    },
    async write(nextRecord: RecordNumber): Promise<void> {
      const rows = accesses.rows();
      pageSet?.addStarts(rows);
      if ((pageSet?.words() ?? 0) > MOST_PAGE_WORDS) pageSet = undefined;
      let written = runs.rows;
      for (const row of encodePageRun(rows, from)) {
        index.putBlob(NODE.pages, 0, written++, pack(row));
        await breathe();
      }
      // Together, so that no request counts an access twice.
      runs.rows = written;
      accesses.clear();
      from = nextRecord;
    },
    distinctPages: () => pageSet?.count(),
    restart(rows: number, nextRecord: RecordNumber): void {
      runs.rows = rows;
      pageSet = rows === 0 ? createPageSet() : undefined;
      accesses.clear();
      from = nextRecord;
    },
  };
  return runs;
}
