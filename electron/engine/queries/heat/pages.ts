/** Counts accesses per page from the runs of the page table, both flushed to the index and still in memory. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Answer, Arguments, PageColumns } from '../../../../shared/requests/requests.ts';
import { kindName, KINDS } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { PAGE_BYTES, type PageNumber, type RecordNumber } from '../../../../shared/base/units.ts';
import { createPageSet } from '../../index/builders/accesses/page-set.ts';
import { decodePageRow, eachPage, type PageEntry } from '../../index/builders/pages.ts';
import { NODE, type IndexFile } from '../../index/store/index-file.ts';
import { reachOf, type Trace } from '../../trace.ts';

export function pages(trace: Trace, { size }: Pick<Arguments<'pages'>, 'size'>): Result<Answer<'pages'>> {
  const scale = size / PAGE_BYTES;
  const sums = createPageSums(Math.max(256, trace.ingest.distinctPages ?? 0));
  for (const { page, counts, first, last } of allEntries(trace))
    sums.add(Math.floor(page / scale), counts, first, last);
  return ok({ size, ...sums.ascending(), reach: reachOf(trace) });
}

/** Merges the entries of each page. `room`: expected number of pages. */
function createPageSums(room: number) {
  const kinds = KINDS.length;
  const rowOf = new Map<PageNumber, number>();
  const present = new Uint8Array(kinds);
  let sums = new Float64Array(room * kinds);
  let firsts = new Float64Array(room);
  let lasts = new Float64Array(room);

  return {
    add(page: PageNumber, counts: Float64Array, first: RecordNumber, last: RecordNumber): void {
      const row = rowOf.get(page) ?? made(page, first);
      for (let kind = 0; kind < kinds; kind++) {
        if (counts[kind] === 0) continue;
        present[kind] = 1;
        sums[row * kinds + kind]! += counts[kind]!;
      }
      firsts[row] = Math.min(firsts[row]!, first);
      lasts[row] = Math.max(lasts[row]!, last);
    },
    ascending(): Omit<PageColumns, 'size' | 'reach'> {
      const numbers = Float64Array.from(rowOf.keys()).sort();
      const codes = [...present.keys()].filter((code) => present[code] === 1);
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

function* allEntries({ index, ingest }: Trace): Generator<PageEntry, undefined> {
  for (let run = 0; run < ingest.pageRuns; run++) yield* decodePageRow(index.blob(NODE.pages, 0, run));
  yield* ingest.livePages();
  return undefined;
}
