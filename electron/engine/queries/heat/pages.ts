/** Counts accesses per page from the runs of the page table, both flushed to the index and still in memory. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Answer, Arguments, PageRow } from '../../../../shared/requests/requests.ts';
import { kindName, KINDS, type Kind } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { PAGE_BYTES, pageToAddress, toHex, type PageNumber } from '../../../../shared/base/units.ts';
import { createPageSet } from '../../index/builders/accesses/page-set.ts';
import { decodePageRow, eachPage, type PageEntry } from '../../index/builders/pages.ts';
import { NODE, type IndexFile } from '../../index/store/index-file.ts';
import { reachOf, type Trace } from '../../trace.ts';

export function pages(trace: Trace, { size }: Pick<Arguments<'pages'>, 'size'>): Result<Answer<'pages'>> {
  const scale = size / PAGE_BYTES;
  const sums = createPageSums();
  for (const { page, counts, first, last } of allEntries(trace))
    sums.add({ page: Math.floor(page / scale), counts, first, last });
  const rows: PageRow[] = [];
  for (const { page, counts, first, last } of sums.ascending())
    rows.push({ page: toHex(pageToAddress(page) * BigInt(scale)), kinds: byName(counts), first, last });
  return ok({ pages: rows, reach: reachOf(trace) });
}

/** Merges the entries of each page. Columns are used because there may be a million pages. */
function createPageSums() {
  const kinds = KINDS.length;
  const rowOf = new Map<PageNumber, number>();
  let counts = new Float64Array(256 * kinds);
  let first = new Float64Array(256);
  let last = new Float64Array(256);

  return {
    add(entry: PageEntry): void {
      const row = rowOf.get(entry.page) ?? made(entry);
      for (let kind = 0; kind < kinds; kind++) counts[row * kinds + kind]! += entry.counts[kind]!;
      first[row] = Math.min(first[row]!, entry.first);
      last[row] = Math.max(last[row]!, entry.last);
    },
    *ascending(): Generator<PageEntry, undefined> {
      for (const page of Float64Array.from(rowOf.keys()).sort()) {
        const row = rowOf.get(page)!;
        yield { page, counts: counts.subarray(row * kinds, (row + 1) * kinds), first: first[row]!, last: last[row]! };
      }
      return undefined;
    },
  };

  function made(entry: PageEntry): number {
    const row = rowOf.size;
    if (row === first.length) {
      counts = grown(counts);
      first = grown(first);
      last = grown(last);
    }
    rowOf.set(entry.page, row);
    first[row] = entry.first;
    return row;
  }
}

function grown(column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * column.length);
  larger.set(column);
  return larger;
}

/** Converts counts in the order of KINDS to counts by name. */
function byName(counts: Float64Array): Partial<Record<Kind, number>> {
  const kinds: Partial<Record<Kind, number>> = {};
  for (let code = 0; code < counts.length; code++) if (counts[code]! > 0) kinds[kindName(code)] = counts[code]!;
  return kinds;
}

/** Counts the distinct pages in which accesses start, over all flushed runs. Yields to other requests between rows. */
export async function countPages(index: IndexFile, runs: number): Promise<number> {
  const seen = createPageSet();
  for (let run = 0; run < runs; run++) {
    eachPage(index.blob(NODE.pages, 0, run), seen.add);
    await breathe();
  }
  return seen.count();
}

function* allEntries({ index, ingest }: Trace): Generator<PageEntry, undefined> {
  for (let run = 0; run < ingest.pageRuns; run++) yield* decodePageRow(index.blob(NODE.pages, 0, run));
  yield* ingest.livePages();
  return undefined;
}
