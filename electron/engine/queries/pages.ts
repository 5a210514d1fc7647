/** Accesses per page, from the runs of the page table: what was flushed to the index and what is still in memory. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Answer, Arguments, PageRow } from '../../../shared/api.ts';
import { kindName, type Kind } from '../../../shared/record.ts';
import { ok, type Result } from '../../../shared/result.ts';
import { PAGE_BYTES, pageToAddress, toHex, type PageNumber } from '../../../shared/units.ts';
import { decodePageRow, type PageEntry, type PageTable } from '../builders/pages.ts';
import { NODE, type IndexFile } from '../store/index-file.ts';
import { reachOf, type Trace } from '../trace.ts';

interface Sum {
  readonly kinds: Partial<Record<Kind, number>>;
  first: number;
  last: number;
}

export function pages(trace: Trace, { size }: Pick<Arguments<'pages'>, 'size'>): Result<Answer<'pages'>> {
  const scale = size / PAGE_BYTES;
  const sums = new Map<PageNumber, Sum>();
  for (const entry of allEntries(trace.index, trace.ingest.pageRuns, trace.ingest.livePages)) {
    const page = Math.floor(entry.page / scale);
    const kind = kindName(entry.kind);
    const sum = sums.get(page);
    if (sum === undefined) sums.set(page, { kinds: { [kind]: entry.count }, first: entry.first, last: entry.last });
    else {
      sum.kinds[kind] = (sum.kinds[kind] ?? 0) + entry.count;
      sum.first = Math.min(sum.first, entry.first);
      sum.last = Math.max(sum.last, entry.last);
    }
  }
  const rows: PageRow[] = [...sums]
    .sort(([a], [b]) => a - b)
    .map(([page, { kinds, first, last }]) => ({
      page: toHex(pageToAddress(page) * BigInt(scale)),
      kinds,
      first,
      last,
    }));
  return ok({ pages: rows, reach: reachOf(trace) });
}

/** Distinct pages that accesses start in, over all flushed runs; gives way to questions between runs. */
export async function countPages(index: IndexFile, runs: number): Promise<number> {
  let known = new Float64Array(0);
  for (let run = 0; run < runs; run++) {
    known = union(known, decodePageRow(index.blob(NODE.pages, 0, run)));
    await breathe();
  }
  return known.length;
}

/** Both sorted; entries may repeat a page. */
function union(known: Float64Array, entries: Generator<PageEntry, undefined>): Float64Array<ArrayBuffer> {
  const added: PageNumber[] = [];
  let at = 0;
  for (const { page } of entries) {
    while (at < known.length && known[at]! < page) at++;
    if (known[at] !== page && added.at(-1) !== page) added.push(page);
  }
  const all = new Float64Array(known.length + added.length);
  all.set(known);
  all.set(added, known.length);
  return added.length === 0 ? all : all.sort();
}

function* allEntries(index: IndexFile, runs: number, live: PageTable): Generator<PageEntry, undefined> {
  for (let run = 0; run < runs; run++) yield* decodePageRow(index.blob(NODE.pages, 0, run));
  yield* live.entries();
  return undefined;
}
