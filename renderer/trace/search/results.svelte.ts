/**
 * All matches of a search: their number, where in the trace they are, and the first ones as rows of a list, as they are found. While
 * the index grows, newly indexed records are searched as well.
 */
import type { Client, Criteria, FoundAll, Reach } from '../../../shared/requests/requests.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { createRows, type Rows } from '../questions/rows.svelte.ts';

/** Number of matches in each column of a part of the trace. */
export type Matches = Pick<FoundAll, 'edges' | 'counts'>;

export interface Results {
  /** Criteria of the last search; null if there was none. */
  readonly criteria: Criteria | null;
  readonly found: number;
  /** First matches: row k of the list is record numbers[k]. */
  readonly numbers: Float64Array;
  readonly matches: readonly Matches[];
  readonly rows: Rows;
  readonly running: boolean;
  /** Searched fraction of the trace or range, 0 to 1. */
  readonly done: number;
  /** A person stopped the search before its end. */
  readonly stopped: boolean;
  readonly failure: string;
  readonly search: (criteria: Criteria) => void;
  readonly stop: () => void;
  readonly clear: () => void;
  /** Continues with records indexed since the last search. */
  readonly follow: () => void;
}

/** Largest number of rows in the list. */
const MOST_LISTED = 100_000;
/** Number of marks over the width of a chart. */
const COLUMNS = 800;
/** Factor by which the index grows before a search continues. */
const GROWTH = 1.25;

interface Part {
  readonly found: number;
  readonly numbers: Float64Array;
  readonly matches: readonly Matches[];
}

const NOTHING: Part = { found: 0, numbers: new Float64Array(0), matches: [] };

export function createResults(client: Client, trace: string, reach: () => Reach): Results {
  let criteria = $state.raw<Criteria | null>(null);
  let shown = $state.raw<Part>(NOTHING);
  let searchedTo = $state(0);
  let at = $state(0);
  let running = $state(false);
  let stopped = $state(false);
  let failure = $state('');
  let rows = $state.raw(newRows());
  let controller: AbortController | undefined;

  function newRows(): Rows {
    return createRows(async (from, count, signal) => {
      const result = await client.request('recordsAt', { trace, numbers: numbersAt(from, count) }, { signal });
      return result.ok ? { ok: true, value: result.value.records } : result;
    });
  }

  function numbersAt(from: number, count: number): RecordNumber[] {
    return [...shown.numbers.subarray(from, from + count)];
  }

  function end(): number {
    return Math.min(criteria?.to ?? Number.POSITIVE_INFINITY, reach().records);
  }

  function forget(): void {
    controller?.abort();
    controller = undefined;
    rows.stop();
    rows = newRows();
    shown = NOTHING;
    running = false;
    stopped = false;
    failure = '';
  }

  /** Searches from the end of the last searched part. */
  async function run(): Promise<void> {
    if (criteria === null) return;
    const own = new AbortController();
    controller = own;
    running = true;
    const before = shown;
    const requested = {
      trace,
      ...criteria,
      from: searchedTo,
      columns: COLUMNS,
      most: MOST_LISTED - before.numbers.length,
    };
    const result = await client.request('findAll', requested, {
      signal: own.signal,
      onEvent: (event) => {
        if (controller !== own) return;
        at = event.at;
        shown = added(before, event);
      },
    });
    if (controller !== own) return;
    controller = undefined;
    running = false;
    if (!result.ok) {
      failure = result.error.message;
      return;
    }
    shown = added(before, result.value);
    searchedTo = Math.max(searchedTo, result.value.reach.records);
    at = searchedTo;
    follow();
  }

  function follow(): void {
    if (criteria === null || running || stopped || failure !== '' || end() <= searchedTo) return;
    if (reach().complete || end() >= searchedTo * GROWTH) void run();
  }

  return {
    get criteria() {
      return criteria;
    },
    get found() {
      return shown.found;
    },
    get numbers() {
      return shown.numbers;
    },
    get matches() {
      return shown.matches;
    },
    get rows() {
      return rows;
    },
    get running() {
      return running;
    },
    get done() {
      const from = criteria?.from ?? 0;
      return end() <= from ? 1 : Math.min(1, Math.max(0, (at - from) / (end() - from)));
    },
    get stopped() {
      return stopped;
    },
    get failure() {
      return failure;
    },
    search(wanted) {
      forget();
      criteria = wanted;
      searchedTo = wanted.from ?? 0;
      at = searchedTo;
      void run();
    },
    stop() {
      if (!running) return;
      controller?.abort();
      controller = undefined;
      running = false;
      stopped = true;
    },
    clear() {
      forget();
      criteria = null;
    },
    follow,
  };
}

function added(before: Part, { found, numbers, edges, counts }: Omit<FoundAll, 'reach'>): Part {
  const all = new Float64Array(before.numbers.length + numbers.length);
  all.set(before.numbers);
  all.set(numbers, before.numbers.length);
  return { found: before.found + found, numbers: all, matches: [...before.matches, { edges, counts }] };
}
