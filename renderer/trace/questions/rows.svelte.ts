/**
 * Records by number, for lists: fetched in chunks and kept in an LRU cache. A chunk that was short because the index had not reached
 * its end is fetched again later.
 */
import { createLru } from '../../../shared/base/lru.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import type { Failure, Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { Range } from '../cursor.svelte.ts';

export interface Rows {
  /** Returns the record if it is cached. A component that reads it updates when it arrives. */
  readonly at: (n: RecordNumber) => RecordView | undefined;
  /** Fetches missing records of [from, to) for a component; this replaces its earlier range. Cancels fetches that no component needs. */
  readonly want: (component: string, from: RecordNumber, to: RecordNumber) => void;
  /** The same for several ranges. */
  readonly wantAll: (component: string, ranges: readonly Range[]) => void;
  /** One more than the highest record received so far, which may be beyond the index. */
  readonly known: RecordNumber;
  readonly error: Failure | undefined;
  readonly stop: () => void;
}

export type FetchRecords = (
  from: RecordNumber,
  count: number,
  signal: AbortSignal,
) => Promise<Result<readonly RecordView[]>>;

const CHUNK = 200;
/** Enough for a tall list of records that are far apart: each row needs up to two chunks. */
const KEPT_CHUNKS = 200;

export function createRows(fetch: FetchRecords): Rows {
  /** Chunk number -> its records. */
  const chunks = createLru<number, readonly RecordView[]>(KEPT_CHUNKS);
  let underWay: readonly Request[] = [];
  let wanted: readonly WantedChunks[] = [];
  let arrivals = $state(0);
  let known = $state(0);
  let error = $state.raw<Failure | undefined>();

  function request(chunk: number): void {
    const own: Request = { chunk, controller: new AbortController() };
    underWay = [...underWay, own];
    void fetch(chunk * CHUNK, CHUNK, own.controller.signal).then((result) => {
      if (!underWay.includes(own)) return;
      underWay = underWay.filter((other) => other !== own);
      if (!result.ok) {
        error = result.error;
        return;
      }
      chunks.set(chunk, result.value);
      error = undefined;
      arrivals += 1;
      known = Math.max(known, chunk * CHUNK + result.value.length);
    });
  }

  function stop(unwanted: (chunk: number) => boolean): void {
    for (const { chunk, controller } of underWay) if (unwanted(chunk)) controller.abort();
    underWay = underWay.filter(({ chunk }) => !unwanted(chunk));
  }

  function wantAll(component: string, ranges: readonly Range[]): void {
    const own = ranges.map(({ from, to }): WantedChunks => ({
      component,
      to,
      first: Math.floor(from / CHUNK),
      last: Math.floor(Math.max(from, to - 1) / CHUNK),
    }));
    wanted = [...wanted.filter((other) => other.component !== component), ...own];
    stop((chunk) => wanted.every(({ first, last }) => chunk < first || chunk > last));
    for (const { first, last, to } of own) {
      for (let chunk = first; chunk <= last; chunk += 1) {
        const count = Math.min(to, (chunk + 1) * CHUNK) - chunk * CHUNK;
        const held = chunks.get(chunk)?.length ?? -1;
        if (held < count && !underWay.some((other) => other.chunk === chunk)) request(chunk);
      }
    }
  }

  return {
    at(n) {
      const chunk = Math.floor(n / CHUNK);
      return arrivals >= 0 ? chunks.get(chunk)?.[n - chunk * CHUNK] : undefined;
    },
    want: (component, from, to) => wantAll(component, [{ from, to }]),
    wantAll,
    get known() {
      return known;
    },
    get error() {
      return error;
    },
    stop: () => stop(() => true),
  };
}

interface WantedChunks {
  readonly component: string;
  readonly first: number;
  readonly last: number;
  readonly to: RecordNumber;
}

interface Request {
  readonly chunk: number;
  readonly controller: AbortController;
}
