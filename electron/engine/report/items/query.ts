/** Report part with the rows of a SELECT. `verify` executes the statement again. */
import { queryName } from '../../../../present/text/part-names.ts';
import { counted, group } from '../../../../shared/base/numbers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { visible } from '../../../../shared/base/visible.ts';
import type { ReportPart } from '../../../../shared/report/plan.ts';
import type { SqlAnswer } from '../../../../shared/requests/sql/sql.ts';
import { knownAnswer } from '../../queries/known-answers.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { code, type Block, type Cell } from '../blocks.ts';
import type { Item, QueryData } from '../document.ts';
import { sourceOf } from '../sources.ts';
import { line } from '../words.ts';

export type QueryPart = Extract<ReportPart, { readonly kind: 'query' }>;

const MOST = 20;
/** A report may take longer than a person waits for a pane. */
const SECONDS = 600;
const TITLE = 200;

export async function makeQuery(trace: Trace, part: QueryPart, task: Task): Promise<Result<Item>> {
  const { sql: statement, set = {}, most = MOST } = part;
  const args = { sql: statement, set, limit: most };
  const execute = async (): Promise<Result<SqlAnswer>> => {
    const { sql } = await import('../../queries/sql/sql.ts');
    return sql(trace, { ...args, seconds: SECONDS }, task);
  };
  const found = await (OF_MORE.test(statement) ? execute() : knownAnswer(trace, 'sql', args, execute));
  if (!found.ok) return found;
  const source = sourceOf(trace, 'sql', args);
  if (!source.ok) return source;
  const { columns, rows, more } = found.value;
  return ok({
    kind: 'query',
    title: line(queryName(part), TITLE),
    sources: [source.value],
    data: { sql: statement, set, columns, rows, more },
  });
}

/** Words of statements whose answer depends on more than the trace. */
const OF_MORE = /\b(notes|random\w*|now|current_\w+)\b/i;

export function queryBlocks({ sql, set, columns, rows, more }: QueryData): Block[] {
  const values = Object.entries(set);
  const isNumber = columns.map((_, c) => rows.every((row) => row[c] === null || typeof row[c] === 'number'));
  const shown = counted(rows.length, 'row');
  return [
    { block: 'prose', text: fenced(sql), heading: 3 },
    ...(values.length === 0
      ? []
      : [
          {
            block: 'facts',
            rows: values.map(([name, value]) => [visible(`:${name}`), code(visible(value))] as const),
          } as const,
        ]),
    rows.length === 0
      ? { block: 'say', text: 'The statement selects no rows.' }
      : {
          block: 'table',
          caption: more ? `The first ${shown}; there are more` : rows.length === 1 ? shown : `All ${shown}`,
          columns: columns.map(({ name }, c) => ({ title: visible(name), right: isNumber[c]! })),
          rows: rows.map((row) => ({ cells: row.map((value, c) => cellOf(value, columns[c]?.type)) })),
        },
  ];
}

function cellOf(value: string | number | null, type: string | undefined): string | Cell {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return Number.isInteger(value) ? group(value) : String(value);
  const text = visible(value);
  return type === 'address' || type === 'value' ? code(text) : { text, foreign: true };
}

/** Returns Markdown that shows a statement as it is. */
function fenced(sql: string): string {
  const longest = Math.max(2, ...(sql.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}sql\n${sql.trim()}\n${fence}\n`;
}
