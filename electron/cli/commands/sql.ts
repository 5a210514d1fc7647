/** `sql`: the answer to one SELECT over a trace; `recipes`: statements for frequent questions. */
import { csvLine } from '../../../shared/base/csv.ts';
import { group } from '../../../shared/base/numbers.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import {
  SQL_ROWS,
  SQL_ROWS_MOST,
  SQL_SECONDS,
  SQL_SECONDS_MOST,
  type SqlAnswer,
} from '../../../shared/requests/sql/sql.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { RECIPES, recipeNamed, type Recipe } from '../../../shared/sql/recipes.ts';
import { SQL_FUNCTIONS, SQL_TABLES } from '../../../shared/sql/schema.ts';
import type { TableColumn } from '../../parquet/table-file.ts';
import { VERSION } from '../../program.ts';
import { resultPlace } from '../../result-file.ts';
import { command, type Context } from '../command.ts';
import { writeResult } from '../figure-file.ts';
import { assignments, flag, number, oneOf, path as pathOption, word } from '../options/options.ts';
import { suggestion } from '../parse.ts';
import { createTable } from '../print/table.ts';
import { filesRead, withTrace } from '../trace.ts';

const FORMS = ['table', 'csv', 'json', 'parquet'] as const;

const sql = command({
  name: 'sql',
  text: 'The answer to a SELECT over the records of a trace, its calls, accesses, coverage and notes',
  notes: `--schema lists tables and functions; \`tracebench recipes\` lists statements for frequent questions; docs/sql.md explains both.
Conditions on n and address limit what is read: WHERE n BETWEEN 5 AND 9, or records(5, 10). Others are tested row by row.
Addresses and values from 0x8000000000000000 are text, so they compare rightly, but calculate with plus(), minus() and align().
Nothing can be changed. A statement that takes too long, or uses a gigabyte of memory, is stopped.`,
  trace: 'optional',
  operands: ['[TRACE]', '[SQL]'],
  forms: Object.fromEntries(FORMS.map((form) => [form, ['--as', form]])),
  options: {
    schema: flag('print the tables, columns and functions'),
    recipe: word('NAME', 'run this recipe instead of SQL', 'the name of a recipe'),
    set: assignments('the value of a parameter :NAME of the statement or recipe; repeatable'),
    as: oneOf(
      'FORM',
      `print as ${FORMS.join(', ')}; table by default, json with --json; --format FORM is the same`,
      FORMS,
    ),
    output: pathOption('FILE', 'the file of --as parquet', 'o'),
    limit: number('K', whole(1, SQL_ROWS_MOST), `at most this many rows, ${group(SQL_ROWS)} by default`),
    timeout: number('S', whole(1, SQL_SECONDS_MOST), `stop after this many seconds, ${SQL_SECONDS} by default`),
  },
  async run(context, { schema, recipe: name, set, as, output, limit, timeout }) {
    const { common, out, operands, trace: path } = context;
    const text = operands['SQL'];
    const form = as ?? (common.json ? 'json' : 'table');
    if (schema === true) {
      await (form === 'json'
        ? out.json({ tables: SQL_TABLES, functions: SQL_FUNCTIONS })
        : out.write(schemaText(out.colour)));
      return ok(undefined);
    }
    if (path === '') return fail('usage', 'sql: name a trace file and give a statement');
    if ((text === undefined) === (name === undefined))
      return fail('usage', 'sql: give a statement such as "SELECT count(*) FROM records", or --recipe NAME');
    const recipe = name === undefined ? undefined : recipeNamed(name);
    if (name !== undefined && recipe === undefined) {
      const names = RECIPES.map((one) => one.name);
      return fail(
        'usage',
        `sql: there is no recipe '${name}'${suggestion(name, names)}; \`tracebench recipes\` lists them`,
      );
    }
    if ((form === 'parquet') !== (output !== undefined))
      return fail('usage', 'sql: --as parquet and -o FILE belong together; other forms are printed');
    if (output !== undefined) {
      const place = await resultPlace(output, filesRead(context));
      if (!place.ok) return place;
    }
    const values = recipe === undefined ? ok(set ?? {}) : valuesOf(recipe, set ?? {});
    if (!values.ok) return values;
    return withTrace(context, async (trace) => {
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      const answer = await trace.request('sql', {
        trace: trace.id,
        sql: recipe?.sql ?? text!,
        set: values.value,
        ...(limit !== undefined && { limit }),
        ...(timeout !== undefined && { seconds: timeout }),
      });
      if (!answer.ok) return answer;
      if (output === undefined) await print(context, answer.value, form);
      else {
        const written = await writeResult(context, await parquetOf(answer.value), output);
        if (!written.ok) return written;
      }
      if (answer.value.more)
        context.notify(`there are more than ${group(answer.value.rows.length)} rows; --limit K prints more`);
      return ok(undefined);
    });
  },
});

const recipes = command({
  name: 'recipes',
  text: 'Statements of SQL for frequent questions, for `tracebench sql TRACE --recipe NAME --set KEY=VALUE`',
  trace: 'none',
  operands: ['[NAME]'],
  options: {},
  async run(context) {
    const { common, out, operands } = context;
    const name = operands['NAME'];
    const recipe = name === undefined ? undefined : recipeNamed(name);
    if (name !== undefined && recipe === undefined) {
      const names = RECIPES.map((one) => one.name);
      return fail(
        'usage',
        `recipes: there is no recipe '${name}'${suggestion(name, names)}; \`tracebench recipes\` lists them`,
      );
    }
    if (common.json) await out.json(recipe ?? RECIPES);
    else await out.write(recipe === undefined ? listText(out.colour) : recipeText(recipe));
    return ok(undefined);
  },
});

export const sqlCommands = [sql, recipes];

/** Returns the values of a recipe's parameters, with its defaults. */
function valuesOf(recipe: Recipe, given: Readonly<Record<string, string>>): Result<Readonly<Record<string, string>>> {
  const names = recipe.parameters.map(({ name }) => name);
  const other = Object.keys(given).find((name) => !names.includes(name));
  if (other !== undefined) {
    const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    return fail('usage', `sql: the recipe ${recipe.name} has no parameter '${other}'; ${known}`);
  }
  const missing = recipe.parameters.find(({ name, by }) => by === undefined && given[name] === undefined);
  if (missing !== undefined)
    return fail('usage', `sql: the recipe ${recipe.name} needs --set ${missing.name}=VALUE: ${missing.text}`);
  const defaults = recipe.parameters.flatMap(({ name, by }) => (by === undefined ? [] : [[name, by] as const]));
  return ok({ ...Object.fromEntries(defaults), ...given });
}

type Cell = SqlAnswer['rows'][number][number];

async function print({ out }: Context, { columns, rows }: SqlAnswer, form: (typeof FORMS)[number]): Promise<void> {
  if (form === 'json') {
    await out.json({ columns, rows });
  } else if (form === 'csv') {
    await out.write(csvLine(columns.map(({ name }) => name)));
    for (const row of rows) await out.write(csvLine(row.map((cell) => cell ?? undefined)));
  } else {
    const isNumber = columns.map((_, c) => rows.every((row) => row[c] === null || typeof row[c] === 'number'));
    const table = createTable<readonly Cell[]>(
      columns.map(({ name }, c) => ({
        title: name,
        right: isNumber[c]!,
        // An empty column is not shown at all.
        text: (row) => (row[c] === null ? '-' : String(row[c])),
      })),
      out.colour,
    );
    await out.write(rows.length === 0 ? 'No rows.\n' : table.lines(rows));
  }
}

/** Addresses and values are unsigned; columns of the others have the types of their cells. */
async function parquetOf({ columns, rows }: SqlAnswer): Promise<Uint8Array> {
  const table = columns.map(({ name, type }, c): TableColumn => {
    const cells = rows.map((row) => row[c] ?? null);
    const isUnsigned =
      (type === 'address' || type === 'value') && cells.every((cell) => cell === null || UNSIGNED.test(String(cell)));
    return isUnsigned
      ? { name, type: 'uint64', values: cells.map((cell) => (cell === null ? null : BigInt(cell))) }
      : { name, values: cells };
  });
  const { parquetFile } = await import('../../parquet/table-file.ts');
  return parquetFile(table, `tracebench ${VERSION}`);
}

const UNSIGNED = /^0x[\da-f]{1,16}$/;

function schemaText(colour: boolean): string {
  const columns = (title: string) =>
    createTable<readonly [string, string, string]>(
      [
        { title, text: ([name]) => `  ${name}` },
        { title: 'type', text: ([, type]) => type },
        { title: 'contents', text: ([, , text]) => text },
      ],
      colour,
    );
  const tables = SQL_TABLES.map(({ name, text, parameters, columns: its }) => {
    const call = parameters.length === 0 ? name : `${name}(${parameters.map((one) => one.name).join(', ')})`;
    const rows = [...its, ...parameters.map((one) => ({ ...one, text: `hidden: ${one.text}` }))];
    return `${call}: ${text}\n${columns('  column').lines(rows.map((one) => [one.name, one.type, one.text]))}`;
  });
  const functions = createTable<(typeof SQL_FUNCTIONS)[number]>(
    [
      { title: 'function', text: ({ call }) => call },
      { title: 'result', text: ({ text }) => text },
    ],
    colour,
  );
  return `${tables.join('\n')}\n${functions.lines(SQL_FUNCTIONS)}`;
}

function listText(colour: boolean): string {
  return createTable<Recipe>(
    [
      { title: 'recipe', text: ({ name }) => name },
      {
        title: 'parameters',
        text: ({ parameters }) => parameters.map(({ name, by }) => (by === undefined ? name : `[${name}]`)).join(' '),
      },
      { title: 'question', text: ({ text }) => text },
    ],
    colour,
  ).lines(RECIPES);
}

function recipeText({ name, text, parameters, sql: statement }: Recipe): string {
  const lines = parameters.map(
    (one) => `-- :${one.name} ${one.text}${one.by === undefined ? '' : ` (${one.by} by default)`}\n`,
  );
  return `-- ${name}: ${text}\n${lines.join('')}${statement}\n`;
}
