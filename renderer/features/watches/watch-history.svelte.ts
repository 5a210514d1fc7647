/** The changes of one watched thing in a range, fetched page by page. */
import { csvLine } from '../../../shared/base/csv.ts';
import { group } from '../../../shared/base/numbers.ts';
import type { Failure } from '../../../shared/base/result.ts';
import type { Contents, HistoryRow, WatchSubject } from '../../../shared/requests/watches.ts';
import type { Range } from '../../trace/cursor.svelte.ts';
import type { TraceBase } from '../../trace/trace-base.ts';

export interface History {
  readonly rows: readonly HistoryRow[];
  /** Contents before the range; undefined until the first page is there. */
  readonly start: Contents | undefined;
  /** Writes of the same value after the last change, once all changes are there. */
  readonly rewrites: number;
  /** There are further changes to fetch. */
  readonly hasMore: boolean;
  readonly busy: boolean;
  /** Completed fraction of a page that takes more than half a second; null otherwise. */
  readonly done: number | null;
  readonly stopped: boolean;
  readonly error: Failure | undefined;
  /** Starts again with another range. */
  readonly ask: (range: Range) => void;
  /** Fetches the next page, unless one is under way or a person stopped it. */
  readonly more: () => void;
  /** Continues after a stop or a failure. */
  readonly retry: () => void;
  readonly cancel: () => void;
  /** Ends the work: no component shows it any more. */
  readonly stop: () => void;
  /** Returns all changes of the range as CSV; undefined, after saying why, if that fails. */
  readonly csv: (
    head: readonly string[],
    cells: (row: HistoryRow) => readonly (string | number | undefined)[],
  ) => Promise<string | undefined>;
}

/** Changes of a page, and of a page for CSV. */
const PAGE = 200;
const LARGE_PAGE = 1000;
/** Changes that the page writes as CSV: more would not fit in its memory. */
const MOST_CSV = 200_000;
/** Milliseconds until progress is shown. */
const GLANCE = 500;

export function createHistory(trace: TraceBase, subject: () => WatchSubject): History {
  let rows = $state.raw<readonly HistoryRow[]>([]);
  let start = $state<Contents | undefined>();
  let rewrites = $state(0);
  let next = $state<number | null>(0);
  let busy = $state(false);
  let done = $state<number | null>(null);
  let stopped = $state(false);
  let error = $state.raw<Failure | undefined>();
  let range: Range = { from: 0, to: 0 };
  let controller: AbortController | undefined;

  function halt(): void {
    controller?.abort();
    controller = undefined;
    busy = false;
    done = null;
  }

  async function fetchPage(): Promise<void> {
    const from = next;
    if (from === null || busy) return;
    const own = new AbortController();
    controller = own;
    busy = true;
    const began = performance.now();
    const result = await trace.client.request(
      'watchHistory',
      { trace: trace.id, subject: subject(), from, to: range.to, most: PAGE },
      {
        signal: own.signal,
        onEvent({ at }) {
          if (own.signal.aborted || performance.now() - began < GLANCE) return;
          done = Math.min(1, Math.max(0, (at - from) / Math.max(1, range.to - from)));
        },
      },
    );
    if (controller !== own) return;
    halt();
    if (!result.ok) {
      error = result.error;
      return;
    }
    const page = result.value;
    if (rows.length === 0 && from === range.from) start = page.start;
    // Writes before the first change of this page were counted with the previous page.
    const [first, ...others] = page.changes;
    rows = [...rows, ...(first ? [{ ...first, rewrites: first.rewrites + rewrites }, ...others] : [])];
    rewrites = first ? page.rewrites : rewrites + page.rewrites;
    next = page.next;
  }

  return {
    get rows() {
      return rows;
    },
    get start() {
      return start;
    },
    get rewrites() {
      return rewrites;
    },
    get hasMore() {
      return next !== null;
    },
    get busy() {
      return busy;
    },
    get done() {
      return done;
    },
    get stopped() {
      return stopped;
    },
    get error() {
      return error;
    },
    ask(wanted) {
      halt();
      range = wanted;
      [rows, start, rewrites, next, stopped, error] = [[], undefined, 0, wanted.from, false, undefined];
      void fetchPage();
    },
    more() {
      if (!stopped && !error) void fetchPage();
    },
    retry() {
      [stopped, error] = [false, undefined];
      void fetchPage();
    },
    cancel() {
      halt();
      stopped = true;
    },
    stop: halt,
    async csv(head, cells) {
      let text = csvLine(head);
      let carried = 0;
      let count = 0;
      for (let from: number | null = range.from; from !== null;) {
        const part: Awaited<ReturnType<typeof fetchLarge>> = await fetchLarge(from);
        if (!part.ok) {
          trace.say(part.error.message);
          return undefined;
        }
        const { changes } = part.value;
        count += changes.length;
        if (count > MOST_CSV) {
          trace.say(`There are more than ${group(MOST_CSV)} changes. Zoom in first.`);
          return undefined;
        }
        text += changes
          .map((row, index) => csvLine(cells(index === 0 ? { ...row, rewrites: row.rewrites + carried } : row)))
          .join('');
        carried = changes.length > 0 ? part.value.rewrites : carried + part.value.rewrites;
        from = part.value.next;
      }
      return text;
    },
  };

  function fetchLarge(from: number) {
    return trace.client.request('watchHistory', {
      trace: trace.id,
      subject: subject(),
      from,
      to: range.to,
      most: LARGE_PAGE,
    });
  }
}
