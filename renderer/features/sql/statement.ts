/** Tables and parameters of a statement that is not executed. It may be unfinished. */
import { sqlTable, type SqlTable } from '../../../shared/sql/schema.ts';
import { nameOf, sqlTokens, type SqlToken } from '../../../shared/sql/tokens.ts';

/** Returns the names of the parameters of a statement, in their order. */
export function parametersOf(sql: string): readonly string[] {
  const names = sqlTokens(sql).flatMap(({ type, text }) => (type === 'parameter' ? [text.slice(1)] : []));
  return [...new Set(names.filter((name) => /^\D/.test(name)))];
}

/** Returns the tables that a statement names, with the name in lower case under which each of its columns is found. */
export function tablesOf(sql: string): readonly { readonly table: SqlTable; readonly alias: string }[] {
  const tokens = wordsOf(sql);
  return tokens.flatMap((token, i) => {
    const table = sqlTable(nameOf(token) ?? '');
    if (table === undefined) return [];
    let next = i + 1;
    if (tokens[next]?.text === '(') next = afterBrackets(tokens, next);
    if (nameOf(tokens[next]) === 'as') next += 1;
    const alias = nameOf(tokens[next]);
    const isAlias = alias !== undefined && (tokens[next]!.type === 'quoted' || !AFTER_TABLE.has(alias));
    return [{ table, alias: isAlias ? alias : table.name }];
  });
}

/** Returns the tokens of a statement without blanks and comments. */
export function wordsOf(sql: string): readonly SqlToken[] {
  return sqlTokens(sql).filter(({ type }) => type !== 'blank' && type !== 'comment');
}

/** Words that may follow a table and are no alias. */
const AFTER_TABLE = new Set(
  'where join on group order limit left inner cross natural outer union except intersect having using'.split(' '),
);

/** Returns the index of the token after a pair of brackets. */
function afterBrackets(tokens: readonly SqlToken[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i += 1) {
    if (tokens[i]!.text === '(') depth += 1;
    if (tokens[i]!.text === ')') depth -= 1;
    if (depth === 0) return i + 1;
  }
  return tokens.length;
}

/** Returns the place where the name or number that ends at a place begins. */
export function wordStart(text: string, end: number): number {
  let from = end;
  while (from > 0 && /\w/.test(text.charAt(from - 1))) from -= 1;
  return from;
}
