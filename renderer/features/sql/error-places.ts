/** Finds the places in a statement that a message names, of SQLite or of the engine. */
import { nameOf, sqlTokens } from '../../../shared/sql/tokens.ts';

export interface TextSpan {
  readonly from: number;
  readonly to: number;
}

const NAMED = [
  /^no such (?:column|table|function|table-valued function|collation sequence): "?([^"]+?)"?(?: - .*)?$/,
  /^ambiguous column name: (.+)$/,
  /^wrong number of arguments to function (\w+)\(\)$/,
  /^too many arguments on (\w+)\(\)/,
  /^misuse of (?:aggregate|window function)(?: function)?:? (\w+)\(\)$/,
  /^use (\w+)\(/,
  /^(\w+): /,
];

/** Returns the spans that a message is about; empty if it names nothing in the statement. */
export function errorPlaces(message: string, sql: string): readonly TextSpan[] {
  const text = message.replace(/^sql: /, '');
  if (text === 'incomplete input') return endOf(sql);
  const character = / at character (\d+) (?:is not SQL|is not closed|closes nothing)$/.exec(text)?.[1];
  if (character !== undefined)
    return sqlTokens(sql)
      .filter(({ start }) => start === Number(character) - 1)
      .map(({ start, end }) => ({ from: start, to: end }));
  const quoted = /^(?:near|unrecognized token:) "([\s\S]+?)"(?:: syntax error)?$/.exec(text)?.[1];
  if (quoted !== undefined) {
    const places = occurrences(sql, quoted);
    // The word may be right elsewhere.
    return places.length === 1 ? places : [];
  }
  const name = NAMED.flatMap((form) => form.exec(text)?.[1] ?? [])[0];
  return name === undefined ? [] : occurrences(sql, name.split('.').at(-1)!);
}

/** The last character that is not blank. */
function endOf(sql: string): readonly TextSpan[] {
  const end = sql.trimEnd().length;
  return end === 0 ? [] : [{ from: end - 1, to: end }];
}

/** Returns the spans of a name, or of other characters. A name in a string or a comment does not count, nor does a single character there. */
function occurrences(sql: string, wanted: string): readonly TextSpan[] {
  const lower = wanted.toLowerCase();
  const tokens = sqlTokens(sql);
  const named = tokens.filter(
    (token) => nameOf(token) === lower || (token.type !== 'comment' && token.text.toLowerCase() === lower),
  );
  if (named.length > 0 || /^\w+$/.test(wanted)) return named.map(({ start, end }) => ({ from: start, to: end }));
  const hidden = tokens.filter(({ type }) => type === 'text' || type === 'comment');
  const places: TextSpan[] = [];
  for (let from = sql.indexOf(wanted); from >= 0; from = sql.indexOf(wanted, from + 1)) {
    const isHidden = wanted.length === 1 && hidden.some(({ start, end }) => start <= from && from < end);
    if (!isHidden) places.push({ from, to: from + wanted.length });
  }
  return places;
}
