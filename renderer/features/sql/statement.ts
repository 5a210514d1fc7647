/** Words, tables and parameters of a statement that is not executed. It may be unfinished. */
import { sqlTable, type SqlTable } from '../../../shared/sql/schema.ts';

/** Character that stands for those of texts and comments. */
export const HIDDEN = '\0';

export interface Word {
  readonly text: string;
  readonly from: number;
}

/** Returns the statement with the characters of texts and comments replaced, so that all others keep their places. */
export function withoutTexts(sql: string): string {
  let plain = '';
  let at = 0;
  while (at < sql.length) {
    const end = endOfText(sql, at);
    plain += end === at ? sql.charAt(at) : HIDDEN.repeat(end - at);
    at = Math.max(end, at + 1);
  }
  return plain;
}

/** Returns the end of the text or comment that begins at a place; the place itself if none does. */
function endOfText(sql: string, at: number): number {
  const closing = sql[at] === "'" ? "'" : sql.startsWith('--', at) ? '\n' : sql.startsWith('/*', at) ? '*/' : undefined;
  if (closing === undefined) return at;
  const end = sql.indexOf(closing, at + (closing === '*/' ? 2 : 1));
  if (end < 0) return sql.length;
  return closing === '\n' ? end : end + closing.length;
}

/** Returns names, numbers and signs. Parameters keep their colon. */
export function wordsOf(plain: string): readonly Word[] {
  return Array.from(plain.matchAll(/:?\w+|[^\s\w\0]/g), ({ 0: text, index }) => ({ text, from: index }));
}

/** Returns the names of the parameters of a statement, in their order. */
export function parametersOf(sql: string): readonly string[] {
  const names = wordsOf(withoutTexts(sql)).flatMap(({ text }) => (/^:\w/.test(text) ? [text.slice(1)] : []));
  return [...new Set(names)];
}

/** Returns the tables that a statement names, with the name under which each of its columns is found. */
export function tablesOf(plain: string): readonly { readonly table: SqlTable; readonly alias: string }[] {
  const words = wordsOf(plain);
  return words.flatMap(({ text }, i) => {
    const table = sqlTable(text);
    if (table === undefined) return [];
    let next = i + 1;
    if (words[next]?.text === '(') next = afterBrackets(words, next);
    if (words[next]?.text.toLowerCase() === 'as') next += 1;
    const name = words[next]?.text ?? '';
    return [{ table, alias: /^[a-z_]\w*$/i.test(name) && !AFTER_TABLE.has(name.toLowerCase()) ? name : table.name }];
  });
}

/** Words that may follow a table and are no alias. */
const AFTER_TABLE = new Set(
  'where join on group order limit left inner cross natural outer union except intersect having using'.split(' '),
);

/** Returns the index of the word after a pair of brackets. */
function afterBrackets(words: readonly Word[], open: number): number {
  let depth = 0;
  for (let i = open; i < words.length; i += 1) {
    if (words[i]!.text === '(') depth += 1;
    if (words[i]!.text === ')') depth -= 1;
    if (depth === 0) return i + 1;
  }
  return words.length;
}

/** Returns the place where the name or number that ends at a place begins. */
export function wordStart(text: string, end: number): number {
  let from = end;
  while (from > 0 && /\w/.test(text.charAt(from - 1))) from -= 1;
  return from;
}
