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
import { createLastAnswer } from './last-answer.ts';

/** A million elements are the pages of 600 MB of touched memory, and one megabyte of the index. */
const lastPages = createLastAnswer<Answer<'pages'>>('pages', 1 << 20);

export function pages(trace: Trace, args: Pick<Arguments<'pages'>, 'size'>): Promise<Result<Answer<'pages'>>> {
  return lastPages(trace, { size: args.size }, () => ok(pagesNow(trace, args)));
}

function pagesNow(trace: Trace, { size }: Pick<Arguments<'pages'>, 'size'>): Answer<'pages'> {
  const scale = size / PAGE_BYTES;
  const sums = createPageSums(Math.max(256, trace.ingest.distinctPages ?? 0));
  const { index, ingest } = trace;
  for (let run = 0; run < ingest.pageRuns; run++)
    for (const entry of decodePageRow(index.blob(NODE.pages, 0, run))) sums.add(Math.floor(entry.page / scale), entry);
  for (const entry of ingest.livePages()) sums.add(Math.floor(entry.page / scale), entry);
  return { size, ...sums.ascending(), reach: reachOf(trace) };
}

/** Merges the entries of each page. `room`: expected number of pages. */
function createPageSums(room: number) {
  const rowOf = new Map<PageNumber, number>();
  /** By kind; only kinds that occur have a column, since touching memory for the first time costs more than counting. */
  const sums = KINDS.map((): Float64Array<ArrayBuffer> | undefined => undefined);
  let firsts = new Float64Array(room);
  let lasts = new Float64Array(room);

  return {
    /** Adds an entry to a page, which may be larger than that of the entry. */
    add(page: PageNumber, { counts, kinds: its, first, last }: PageEntry): void {
      const row = rowOf.get(page) ?? made(page, first);
      for (let rest = its; rest !== 0; rest &= rest - 1) {
        const kind = lowestBit(rest);
        const column = (sums[kind] ??= new Float64Array(firsts.length));
        column[row]! += counts[kind]!;
      }
      if (first < firsts[row]!) firsts[row] = first;
      if (last > lasts[row]!) lasts[row] = last;
    },
    ascending(): Omit<PageColumns, 'size' | 'reach'> {
      const numbers = Float64Array.from(rowOf.keys()).sort();
      const present = sums.flatMap((column, code) => (column === undefined ? [] : [{ code, column }]));
      const counts = new Float64Array(numbers.length * present.length);
      const first = new Float64Array(numbers.length);
      const last = new Float64Array(numbers.length);
      for (let place = 0; place < numbers.length; place++) {
        const row = rowOf.get(numbers[place]!)!;
        for (let k = 0; k < present.length; k++) counts[place * present.length + k] = present[k]!.column[row]!;
        first[place] = firsts[row]!;
        last[place] = lasts[row]!;
      }
      return { numbers, kinds: present.map(({ code }) => kindName(code)), counts, first, last };
    },
  };

  function made(page: PageNumber, first: RecordNumber): number {
    const row = rowOf.size;
    if (row === firsts.length) {
      for (const [kind, column] of sums.entries()) sums[kind] = column && grown(column);
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
