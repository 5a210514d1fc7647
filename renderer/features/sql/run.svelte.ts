/** Executes statements over a trace, one at a time. The last answer outlives the pane. */
import type { Failure } from '../../../shared/base/result.ts';
import { SQL_ROWS, type SqlAnswer } from '../../../shared/requests/sql/sql.ts';
import { attached } from '../../trace/attached.svelte.ts';
import type { TraceBase } from '../../trace/trace-base.ts';

export interface SqlStatement {
  readonly sql: string;
  readonly set: Readonly<Record<string, string>>;
  /** Upper limit of the rows. */
  readonly limit: number;
}

export interface SqlRun {
  /** The last statement that was answered, its answer, and how long it took. */
  readonly last: { readonly statement: SqlStatement; readonly answer: SqlAnswer; readonly seconds: number } | undefined;
  /** The last statement that failed, until another one is answered. */
  readonly failed: { readonly statement: SqlStatement; readonly error: Failure } | undefined;
  /** Statement that is being executed. */
  readonly running: SqlStatement | undefined;
  /** Rows that the running statement has read; null for the first half second. */
  readonly read: number | null;
  readonly run: (statement: Omit<SqlStatement, 'limit'>, limit?: number) => void;
  readonly cancel: () => void;
  /** Forgets answers and failures. */
  readonly clear: () => void;
}

/** A person waits for as long as they like, and may cancel at any time. */
const SECONDS = 3600;
/** Milliseconds before progress is shown. */
const GLANCE = 500;

export const sqlRun = attached((trace: TraceBase): SqlRun => {
  let last = $state.raw<SqlRun['last']>();
  let failed = $state.raw<SqlRun['failed']>();
  let running = $state.raw<SqlStatement | undefined>();
  let read = $state<number | null>(null);
  let controller: AbortController | undefined;

  function cancel(): void {
    controller?.abort();
    controller = undefined;
    running = undefined;
    read = null;
  }

  async function execute(statement: SqlStatement): Promise<void> {
    const own = new AbortController();
    controller = own;
    running = statement;
    const start = performance.now();
    const timer = setTimeout(() => {
      if (controller === own) read ??= 0;
    }, GLANCE);
    const result = await trace.client.request(
      'sql',
      { trace: trace.id, ...statement, seconds: SECONDS },
      {
        signal: own.signal,
        onEvent: ({ rows }) => {
          if (controller === own && read !== null) read = rows;
        },
      },
    );
    clearTimeout(timer);
    if (controller !== own) return;
    cancel();
    if (result.ok) {
      last = { statement, answer: result.value, seconds: (performance.now() - start) / 1000 };
      failed = undefined;
    } else failed = { statement, error: result.error };
  }

  return {
    get last() {
      return last;
    },
    get failed() {
      return failed;
    },
    get running() {
      return running;
    },
    get read() {
      return read;
    },
    run({ sql, set }, limit = SQL_ROWS) {
      cancel();
      void execute({ sql, set, limit });
    },
    cancel,
    clear() {
      last = undefined;
      failed = undefined;
    },
  };
});
