/**
 * Records by number for lists: fetched in chunks, kept while they are among the last used. A chunk that was short because
 * the index had not come further is asked for again once it has.
 */
import type { RecordView } from '../../shared/record.ts';
import type { Failure, Result } from '../../shared/result.ts';
import type { RecordNumber } from '../../shared/units.ts';

export interface Rows {
  /** The record, if it is here; reading it makes a component follow its arrival. */
  at(n: RecordNumber): RecordView | undefined;
  /** Fetches what of [from, to) is missing; what was asked for before and is not wanted any more is cancelled. */
  want(from: RecordNumber, to: RecordNumber): void;
  readonly error: Failure | undefined;
  stop(): void;
}

export type FetchRecords = (
  from: RecordNumber,
  count: number,
  signal: AbortSignal,
) => Promise<Result<readonly RecordView[]>>;

export const CHUNK = 200;
const KEPT_CHUNKS = 60;

export function createRows(fetch: FetchRecords): Rows {
  /** Chunk number -> its records; the map's order is the order of use. */
  const chunks = new Map<number, readonly RecordView[]>();
  const underWay = new Map<number, AbortController>();
  let arrivals = $state(0);
  let error = $state.raw<Failure | undefined>();

  function request(chunk: number): void {
    const controller = new AbortController();
    underWay.set(chunk, controller);
    void fetch(chunk * CHUNK, CHUNK, controller.signal).then((result) => {
      if (underWay.get(chunk) !== controller) return;
      underWay.delete(chunk);
      if (result.ok) keep(chunk, result.value);
      else error = result.error;
    });
  }

  function keep(chunk: number, records: readonly RecordView[]): void {
    chunks.delete(chunk);
    chunks.set(chunk, records);
    for (const oldest of chunks.keys()) {
      if (chunks.size <= KEPT_CHUNKS) break;
      chunks.delete(oldest);
    }
    error = undefined;
    arrivals += 1;
  }

  function stop(): void {
    for (const controller of underWay.values()) controller.abort();
    underWay.clear();
  }

  return {
    at(n) {
      const chunk = Math.floor(n / CHUNK);
      return arrivals >= 0 ? chunks.get(chunk)?.[n - chunk * CHUNK] : undefined;
    },
    want(from, to) {
      const first = Math.floor(from / CHUNK);
      const last = Math.floor(Math.max(from, to - 1) / CHUNK);
      for (const [chunk, controller] of underWay) {
        if (chunk >= first && chunk <= last) continue;
        controller.abort();
        underWay.delete(chunk);
      }
      for (let chunk = first; chunk <= last; chunk += 1) {
        const held = chunks.get(chunk);
        const wanted = Math.min(to, (chunk + 1) * CHUNK) - chunk * CHUNK;
        if (held && held.length >= wanted) {
          chunks.delete(chunk);
          chunks.set(chunk, held);
        } else if (!underWay.has(chunk)) {
          request(chunk);
        }
      }
    },
    get error() {
      return error;
    },
    stop,
  };
}
