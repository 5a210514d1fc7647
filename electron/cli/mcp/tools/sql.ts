/** The tool about everything else. */
import { SQL_ROWS_MOST, SQL_SECONDS, type SqlAnswer } from '../../../../shared/requests/sql/sql.ts';
import type { Hex } from '../../../../shared/base/units.ts';
import { ok } from '../../../../shared/base/result.ts';
import { SQL_FUNCTIONS, SQL_TABLES } from '../../../../shared/sql/schema.ts';
import { both, listed } from '../findings.ts';
import { text, tool } from '../tool.ts';

/** Rows of one statement; more are found by a narrower one. */
const ROWS = 2000;

export const sql = tool({
  name: 'sql',
  title: 'SQL over the trace',
  description:
    'One SELECT of SQLite over tables of the trace, for questions that no other tool answers: counting, grouping, joining. Give conditions on n, ' +
    `address, kind, register or function: without them every record is read, and the statement ends after ${SQL_SECONDS} seconds. ` +
    `Functions: ${SQL_FUNCTIONS.map((one) => one.call).join(', ')}. Tables: ` +
    `${SQL_TABLES.map(({ name, columns }) => `${name}(${columns.map((column) => column.name).join(', ')})`).join('; ')}.`,
  arguments: {
    sql: text('a SELECT, without a semicolon at its end'),
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: SQL_ROWS_MOST,
      description: `at most so many rows, ${ROWS} by default`,
    },
  },
  required: ['sql'],
  async run({ sql: statement, limit = ROWS }, trace, { cursor, call }) {
    const found = await trace.request('sql', { trace: trace.id, sql: statement, limit }, { signal: call.signal });
    if (!found.ok) return found;
    const about = {
      evidence: 'computed from the records of the trace',
      ...(found.value.more && { note: `The result has more than ${limit} rows; the rest is left out.` }),
    };
    return ok(listed(about, 'rows', rowsOf(found.value), cursor));
  },
});

/** Returns an object for each row. A name that occurs again gets a number. */
function rowsOf({ columns, rows }: SqlAnswer): object[] {
  const names: string[] = [];
  for (const { name } of columns) {
    let own = name;
    for (let number = 2; names.includes(own); number++) own = `${name} ${number}`;
    names.push(own);
  }
  return rows.map((row) => Object.fromEntries(row.map((cell, k) => [names[k]!, isHex(cell) ? both(cell) : cell])));
}

function isHex(cell: string | number | null): cell is Hex {
  return typeof cell === 'string' && /^0x[\da-f]+$/.test(cell);
}
