/**
 * Facts about records, fetched in chunks as the records come into view and kept in an LRU cache. A chunk that was short because the
 * index had not reached its end is fetched again later.
 */
import { createLru } from '../../../shared/base/lru.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { Range } from '../cursor.svelte.ts';

export interface Chunks<T> {
  /** Returns the chunk that contains a record if it is cached. A component that reads it updates when it arrives. */
  readonly at: (n: RecordNumber) => T | undefined;
  /** Fetches missing chunks of ranges, and cancels other fetches. `reach` is the number of indexed records. */
  readonly want: (ranges: readonly Range[], reach: RecordNumber) => void;
  readonly clear: () => void;
}

export type FetchChunk<T> = (from: RecordNumber, count: number, signal: AbortSignal) => Promise<Result<T>>;

const KEPT = 40;

export function createChunks<T>(size: number, fetch: FetchChunk<T>): Chunks<T> {
  const chunks = createLru<number, { readonly value: T; readonly to: RecordNumber }>(KEPT);
  let running: readonly { readonly chunk: number; readonly controller: AbortController }[] = [];
  /** Failed chunks and the end that was requested: the same request would fail again. */
  const refused = new Map<number, RecordNumber>();
  let arrivals = $state(0);

  function request(chunk: number, to: RecordNumber): void {
    const own = { chunk, controller: new AbortController() };
    running = [...running, own];
    void fetch(chunk * size, to - chunk * size, own.controller.signal).then((result) => {
      if (!running.includes(own)) return;
      running = running.filter((other) => other !== own);
      if (result.ok) chunks.set(chunk, { value: result.value, to });
      else refused.set(chunk, to);
      arrivals += 1;
    });
  }

  function stop(unwanted: (chunk: number) => boolean): void {
    for (const { chunk, controller } of running) if (unwanted(chunk)) controller.abort();
    running = running.filter(({ chunk }) => !unwanted(chunk));
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
          if (!running.some((other) => other.chunk === chunk)) request(chunk, full);
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
