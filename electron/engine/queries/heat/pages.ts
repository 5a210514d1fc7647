/** Counts accesses per page from the runs of the page table, both flushed to the index and still in memory. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Answer, Arguments, PageColumns } from '../../../../shared/requests/requests.ts';
import { kindName, KINDS } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { PAGE_BYTES, type PageNumber, type RecordNumber } from '../../../../shared/base/units.ts';
import { createPageSet } from '../../index/builders/accesses/page-set.ts';
import { decodePageRow, eachPage, lowestBit, type PageEntry } from '../../index/builders/pages.ts';
import { NODE, type IndexFile } from '../../index/store/index-file.ts';
import { reachOf, type Trace } from '../../trace.ts';

export function pages(trace: Trace, { size }: Pick<Arguments<'pages'>, 'size'>): Result<Answer<'pages'>> {
  const scale = size / PAGE_BYTES;
  const sums = createPageSums(Math.max(256, trace.ingest.distinctPages ?? 0));
  const { index, ingest } = trace;
  for (let run = 0; run < ingest.pageRuns; run++)
    for (const entry of decodePageRow(index.blob(NODE.pages, 0, run))) sums.add(Math.floor(entry.page / scale), entry);
  for (const entry of ingest.livePages()) sums.add(Math.floor(entry.page / scale), entry);
  return ok({ size, ...sums.ascending(), reach: reachOf(trace) });
}

/** Merges the entries of each page. `room`: expected number of pages. */
function createPageSums(room: number) {
  const kinds = KINDS.length;
  const rowOf = new Map<PageNumber, number>();
  let present = 0;
  let sums = new Float64Array(room * kinds);
  let firsts = new Float64Array(room);
  let lasts = new Float64Array(room);

  return {
    /** Adds an entry to a page, which may be larger than that of the entry. */
    add(page: PageNumber, { counts, kinds: its, first, last }: PageEntry): void {
      const row = rowOf.get(page) ?? made(page, first);
      present |= its;
      for (let rest = its; rest !== 0; rest &= rest - 1) {
        const kind = lowestBit(rest);
        sums[row * kinds + kind]! += counts[kind]!;
      }
      if (first < firsts[row]!) firsts[row] = first;
      if (last > lasts[row]!) lasts[row] = last;
    },
    ascending(): Omit<PageColumns, 'size' | 'reach'> {
      const numbers = Float64Array.from(rowOf.keys()).sort();
      const codes = [...KINDS.keys()].filter((code) => (present & (1 << code)) !== 0);
      const counts = new Float64Array(numbers.length * codes.length);
      const first = new Float64Array(numbers.length);
      const last = new Float64Array(numbers.length);
      for (let place = 0; place < numbers.length; place++) {
        const row = rowOf.get(numbers[place]!)!;
        for (let k = 0; k < codes.length; k++) counts[place * codes.length + k] = sums[row * kinds + codes[k]!]!;
        first[place] = firsts[row]!;
        last[place] = lasts[row]!;
      }
      return { numbers, kinds: codes.map(kindName), counts, first, last };
    },
  };

  function made(page: PageNumber, first: RecordNumber): number {
    const row = rowOf.size;
    if (row === firsts.length) {
      sums = grown(sums);
      firsts = grown(firsts);
      lasts = grown(lasts);
    }
    rowOf.set(page, row);
    firsts[row] = first;
    return row;
  }
}

function grown(column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * column.length);
  larger.set(column);
  return larger;
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
