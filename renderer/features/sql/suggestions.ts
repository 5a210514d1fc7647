/** Completion of a statement: tables, columns, functions, parameters, recipes and words of SQL. */
import { RECIPES, type Recipe } from '../../../shared/sql/recipes.ts';
import { SQL_FUNCTIONS, SQL_TABLES, type SqlTable } from '../../../shared/sql/schema.ts';
import { nameOf, sqlTokens } from '../../../shared/sql/tokens.ts';
import { parametersOf, tablesOf, wordsOf, wordStart } from './statement.ts';

export interface Suggestion {
  readonly label: string;
  readonly kind: 'table' | 'column' | 'function' | 'parameter' | 'recipe' | 'keyword';
  /** Short, beside the label. */
  readonly detail: string;
  /** A phrase. */
  readonly text: string;
  /** Inserted text, if not the label. */
  readonly insert?: string;
  readonly recipe?: Recipe;
}

export interface Suggestions {
  /** Place where the completed word begins. */
  readonly from: number;
  readonly all: readonly Suggestion[];
}

/** Returns what may stand at a place; undefined within texts, comments and quoted names. */
export function suggestionsAt(sql: string, at: number): Suggestions | undefined {
  const within = sqlTokens(sql).find(({ start, end }) => start < at && at <= end)?.type;
  if (within === 'text' || within === 'comment' || within === 'quoted') return undefined;
  const from = wordStart(sql, at);
  if (sql[from - 1] === ':') return { from, all: parameters(sql, sql.slice(from, at)) };
  const before = wordsOf(sql).filter(({ end }) => end <= from);
  const last = before.at(-1);
  const tables = tablesOf(sql);
  if (last?.text === '.' && last.end === from) {
    const name = nameOf(before.at(-2));
    const named = tables.find(({ alias, table }) => alias === name || table.name === name);
    return { from, all: named ? columns([named.table]) : [] };
  }
  if (['from', 'join'].includes(nameOf(last) ?? '')) return { from, all: TABLES };
  const named = [...new Set(tables.map(({ table }) => table))];
  const all = [...columns(named.length > 0 ? named : SQL_TABLES), ...FUNCTIONS, ...TABLES, ...KEYWORDS];
  const start = /^\s*[\w-]*$/.exec(sql);
  return start ? { from: sql.length - sql.trimStart().length, all: [...RECIPE_NAMES, ...all] } : { from, all };
}

const TABLES: readonly Suggestion[] = SQL_TABLES.map(({ name, text, parameters: own }) => ({
  label: name,
  kind: 'table',
  detail: own.length === 0 ? '' : `(${own.map((one) => one.name).join(', ')})`,
  text,
}));

const FUNCTIONS: readonly Suggestion[] = SQL_FUNCTIONS.map(({ name, call, text }) => ({
  label: name,
  kind: 'function',
  detail: call.slice(name.length),
  text,
  insert: `${name}(`,
}));

/** Words of statements that read. */
const KEYWORDS: readonly Suggestion[] = (
  'SELECT DISTINCT FROM WHERE AND OR NOT IN BETWEEN LIKE GLOB IS NULL AS JOIN LEFT CROSS ON USING GROUP BY HAVING ORDER ' +
  'ASC DESC LIMIT OFFSET UNION ALL INTERSECT EXCEPT WITH RECURSIVE VALUES CASE WHEN THEN ELSE END CAST FILTER OVER ' +
  'PARTITION ROWS EXISTS'
)
  .split(' ')
  .map((label) => ({ label, kind: 'keyword', detail: '', text: '' }));

const RECIPE_NAMES: readonly Suggestion[] = RECIPES.map((recipe) => ({
  label: recipe.name,
  kind: 'recipe',
  detail: 'recipe',
  text: recipe.text,
  recipe,
}));

/** Columns of the same name are one suggestion. Hidden ones, which are arguments, follow. */
function columns(tables: readonly SqlTable[]): readonly Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const { name: table, columns: own, parameters: hidden } of tables)
    for (const { name, type, text } of [...own, ...hidden]) {
      const isHidden = hidden.some((one) => one.name === name);
      if (!found.has(name))
        found.set(name, {
          label: name,
          kind: 'column',
          detail: tables.length === 1 ? type : `${type}, ${table}`,
          text: isHidden ? `argument of ${table}: ${text}` : text,
        });
    }
  return [...found.values()];
}

/** @param typed the name that is being typed, which is a parameter already */
function parameters(sql: string, typed: string): readonly Suggestion[] {
  const known = new Map(RECIPES.flatMap((recipe) => recipe.parameters.map((one) => [one.name, one.text] as const)));
  const names = new Set([...parametersOf(sql).filter((name) => name !== typed), ...known.keys()]);
  return [...names].map((name) => ({ label: name, kind: 'parameter', detail: '', text: known.get(name) ?? '' }));
}
