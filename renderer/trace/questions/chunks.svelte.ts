/**
 * What is known of records beside the records themselves: fetched in chunks as they come into sight, kept while they are among the
 * last used. A chunk that was short because the index had not come further is asked for again once it has.
 */
import { createLru } from '../../../shared/base/lru.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { Range } from '../cursor.svelte.ts';

export interface Chunks<T> {
  /** What is known of the chunk that has a record; reading it makes a component follow its arrival. */
  readonly at: (n: RecordNumber) => T | undefined;
  /** Fetches what is missing of some ranges, and cancels what is not wanted any more; `reach`: so many records are indexed. */
  readonly want: (ranges: readonly Range[], reach: RecordNumber) => void;
  readonly clear: () => void;
}

export type FetchChunk<T> = (from: RecordNumber, count: number, signal: AbortSignal) => Promise<Result<T>>;

const KEPT = 40;

export function createChunks<T>(size: number, fetch: FetchChunk<T>): Chunks<T> {
  const chunks = createLru<number, { readonly value: T; readonly to: RecordNumber }>(KEPT);
  let underWay: readonly { readonly chunk: number; readonly controller: AbortController }[] = [];
  /** How much was asked for of chunks that cannot be had: asking again each time they are in sight would not help. */
  const refused = new Map<number, RecordNumber>();
  let arrivals = $state(0);

  function request(chunk: number, to: RecordNumber): void {
    const own = { chunk, controller: new AbortController() };
    underWay = [...underWay, own];
    void fetch(chunk * size, to - chunk * size, own.controller.signal).then((result) => {
      if (!underWay.includes(own)) return;
      underWay = underWay.filter((other) => other !== own);
      if (result.ok) chunks.set(chunk, { value: result.value, to });
      else refused.set(chunk, to);
      arrivals += 1;
    });
  }

  function stop(unwanted: (chunk: number) => boolean): void {
    for (const { chunk, controller } of underWay) if (unwanted(chunk)) controller.abort();
    underWay = underWay.filter(({ chunk }) => !unwanted(chunk));
  }

  return {
    at: (n) => (arrivals >= 0 ? chunks.get(Math.floor(n / size))?.value : undefined),
    want(ranges, reach) {
      const wanted = ranges.map(({ from, to }) => {
        const end = Math.min(to, reach);
        return { end, first: Math.floor(from / size), last: Math.floor(Math.max(from, end - 1) / size) };
      });
      stop((chunk) => wanted.every(({ first, last }) => chunk < first || chunk > last));
      for (const { end, first, last } of wanted) {
        for (let chunk = first; chunk <= last && chunk * size < end; chunk += 1) {
          const full = Math.min(reach, (chunk + 1) * size);
          if ((chunks.get(chunk)?.to ?? -1) >= Math.min(end, full) || refused.get(chunk) === full) continue;
          if (!underWay.some((other) => other.chunk === chunk)) request(chunk, full);
        }
      }
    },
    clear() {
      stop(() => true);
      chunks.clear();
      refused.clear();
      arrivals += 1;
    },
  };
}
