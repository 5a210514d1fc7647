/** Accesses per page, from the runs of the page table: what was flushed to the index and what is still in memory. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Answer, Arguments, PageRow } from '../../../shared/api.ts';
import { kindName, type Kind } from '../../../shared/record.ts';
import { ok, type Result } from '../../../shared/result.ts';
import { PAGE_BYTES, pageToAddress, toHex, type PageNumber } from '../../../shared/units.ts';
import { createPageSet } from '../builders/page-set.ts';
import { decodePageRow, eachPage, type PageEntry } from '../builders/pages.ts';
import { NODE, type IndexFile } from '../store/index-file.ts';
import { reachOf, type Trace } from '../trace.ts';

interface Sum {
  readonly counts: Float64Array;
  first: number;
  last: number;
}

export function pages(trace: Trace, { size }: Pick<Arguments<'pages'>, 'size'>): Result<Answer<'pages'>> {
  const scale = size / PAGE_BYTES;
  const sums = new Map<PageNumber, Sum>();
  for (const { page: itsPage, counts, first, last } of allEntries(trace)) {
    const page = Math.floor(itsPage / scale);
    const sum = sums.get(page);
    if (sum === undefined) sums.set(page, { counts: counts.slice(), first, last });
    else {
      for (let kind = 0; kind < counts.length; kind++) sum.counts[kind] = sum.counts[kind]! + counts[kind]!;
      sum.first = Math.min(sum.first, first);
      sum.last = Math.max(sum.last, last);
    }
  }
  const rows = [...sums]
    .sort(([a], [b]) => a - b)
    .map(([page, { counts, first, last }]): PageRow => ({
      page: toHex(pageToAddress(page) * BigInt(scale)),
      kinds: byName(counts),
      first,
      last,
    }));
  return ok({ pages: rows, reach: reachOf(trace) });
}

function byName(counts: Float64Array): Partial<Record<Kind, number>> {
  const kinds: Partial<Record<Kind, number>> = {};
  counts.forEach((count, code) => {
    if (count > 0) kinds[kindName(code)] = count;
  });
  return kinds;
}

/** Distinct pages that accesses start in, over all flushed runs; gives way to questions between rows. */
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
