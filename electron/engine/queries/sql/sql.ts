/** Executes a statement of SQL over a trace: the records as far as they are indexed, and what follows from them. */
import { group } from '../../../../shared/base/numbers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { sqlTable } from '../../../../shared/sql/schema.ts';
import type { SqlAnswer, SqlArguments, SqlProgress } from '../../../../shared/requests/sql/sql.ts';
import { SQL_ROWS, SQL_SECONDS } from '../../../../shared/requests/sql/sql.ts';
import type { Ask, Cell, Reply } from '../../sql/protocol.ts';
import { withoutProgress, type Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { FUNCTIONS } from './functions.ts';
import { runStatement } from './runner.ts';
import { prepareStatement } from './statement.ts';
import { columnsOf } from './columns.ts';
import type { Rows, TableQuestion } from './rows.ts';
import { TABLES } from './tables.ts';

export async function sql(
  trace: Trace,
  { sql: text, set = {}, limit = SQL_ROWS, seconds = SQL_SECONDS }: Omit<SqlArguments, 'trace'>,
  task: Task<SqlProgress>,
): Promise<Result<SqlAnswer>> {
  const reach = reachOf(trace);
  const statement = prepareStatement(text);
  if (!statement.ok) return statement;
  let isOver = false;
  const read = new Map<string, number>();
  const own: Task = {
    ...withoutProgress(task),
    // Questions of a statement that ended end, too.
    cancelled: () => isOver || task.cancelled(),
  };
  const { names } = statement.value;
  const uses = (column: string): boolean => names === undefined || names.has(column);
  const answer = createAnswers(trace, own, uses, (table, rows) => {
    read.set(table, (read.get(table) ?? 0) + rows);
    task.progress(() => ({ rows: [...read.values()].reduce((sum, its) => sum + its, 0) }));
  });
  const hint = (): string => {
    const parts = [...read].map(([table, rows]) => `${group(rows)} rows of ${table}`);
    return parts.length === 0 ? '' : `, when it had read ${parts.join(' and ')}`;
  };
  const found = await runStatement(
    { statement: { sql: statement.value.sql, set, limit }, seconds, answer, hint },
    task,
  );
  isOver = true;
  return found.ok ? ok({ ...found.value, reach }) : found;
}

/** Rows of a table that were not requested yet. */
interface Open {
  readonly table: string;
  readonly rows: Rows;
  readonly waiting: (readonly Cell[])[];
  done: boolean;
}

/** Returns a function that answers the questions of one statement. */
function createAnswers(
  trace: Trace,
  task: Task,
  uses: TableQuestion['uses'],
  noteRead: (table: string, rows: number) => void,
): (ask: Ask) => Promise<Result<Reply>> {
  const open = new Map<number, Open>();

  return async (ask) => {
    if ('function' in ask) {
      const value = await FUNCTIONS[ask.function]!(trace, ask.args, task);
      return value.ok ? ok({ value: value.value }) : value;
    }
    if ('table' in ask) {
      const rows = TABLES[ask.table]!({ trace, task, first: ask.most + 1, uses }, ask.args);
      open.set(ask.cursor, { table: ask.table, rows, waiting: [], done: false });
    }
    return page(ask.cursor, ask.most);
  };

  async function page(cursor: number, most: number): Promise<Result<Reply>> {
    const its = open.get(cursor)!;
    while (!its.done && its.waiting.length <= most) {
      const next = await its.rows.next();
      if (next.done !== true) {
        for (const row of next.value) its.waiting.push(row);
        continue;
      }
      if (!next.value.ok) return next.value;
      its.done = true;
    }
    const rows = its.waiting.splice(0, most);
    const last = its.done && its.waiting.length === 0;
    if (last) open.delete(cursor);
    noteRead(its.table, rows.length);
    return ok({ ...columnsOf(sqlTable(its.table)!, rows), last });
  }
}
