/**
 * Checks a statement before SQLite sees it: SQLite executes some PRAGMAs while it prepares them, and ATTACH would open files. Writes numbers
 * above 2^63 as SQL over a trace has them, and conditions on record numbers and addresses as arguments of tables.
 */
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { toSql } from '../../../../shared/sql/integer.ts';
import { SQL_TABLES, sqlTable } from '../../../../shared/sql/schema.ts';
import { nameOf } from '../../../../shared/sql/tokens.ts';
import { eachLevel, tokenize, type Insertion, type Token } from './tokens.ts';
import { tableConditions } from './table-conditions.ts';

export interface Prepared {
  /** The statement to execute. */
  readonly sql: string;
  /** Lower-case names of all columns that it can refer to; undefined if it may refer to any. */
  readonly names: ReadonlySet<string> | undefined;
}

/** Returns the statement to execute. Fails with `usage` for anything but one statement that reads. */
export function prepareStatement(sql: string): Result<Prepared> {
  // SQLite stops at this character.
  if (sql.includes('\0')) return fail('usage', 'sql: the statement contains a NUL character');
  const read = tokenize(sql);
  if (!read.ok) return read;
  const all = read.value;
  const end = all.findIndex(({ text, type }) => type === 'sign' && text === ';');
  const tokens = end < 0 ? all : all.slice(0, end);
  if (tokens.length === 0) return fail('usage', 'sql: the statement is empty; give a SELECT');
  if (end >= 0 && all.slice(end).some(({ text }) => text !== ';'))
    return fail('usage', 'sql: give one statement; there is more after the first semicolon');
  const words = tokens.slice(0, 4).map(({ word }) => word);
  const first = words[0] === 'EXPLAIN' ? words.slice(words[1] === 'QUERY' ? 3 : 1) : words;
  if (!['SELECT', 'WITH', 'VALUES'].includes(first[0] ?? ''))
    return fail(
      'usage',
      `sql: a statement begins with SELECT, WITH or VALUES, and not with '${tokens[0]!.text}': a trace can only be read`,
    );
  const nulls = nullArgument(tokens);
  if (nulls !== undefined) return fail('usage', nulls);
  const quoted = quotedAddress(tokens);
  if (quoted !== undefined) return fail('usage', quoted);
  const numbers = largeNumbers(tokens);
  if (!numbers.ok) return numbers;
  const changed = apply(sql.slice(0, end < 0 ? sql.length : all[end]!.start), numbers.value);
  const again = tokenize(changed);
  if (!again.ok) return again;
  return ok({ sql: apply(changed, tableConditions(again.value)), names: namesIn(again.value) });
}

function apply(sql: string, insertions: readonly Insertion[]): string {
  let changed = sql;
  for (const { at, over, text } of insertions.toSorted((a, b) => b.at - a.at))
    changed = changed.slice(0, at) + text + changed.slice(at + over);
  return changed;
}

/**
 * Returns all names in a statement. An asterisk stands for columns, unless it counts rows, and NATURAL compares columns without naming
 * them.
 */
function namesIn(tokens: readonly Token[]): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  const found = { any: false };
  eachLevel(tokens, (level) => {
    for (const [i, token] of level.entries()) {
      const name = nameOf(token);
      if (name !== undefined) names.add(name);
      const counts = level.length === 1 && token.text === '*';
      if (token.word === 'NATURAL' || (token.text === '*' && !counts)) found.any = true;
      if (token.inner?.length === 1 && token.inner[0]!.text === '*' && nameOf(level[i - 1]) !== 'count')
        found.any = true;
    }
  });
  return found.any ? undefined : names;
}

/** A table returns no rows if an argument is NULL, which people expect to mean "any". */
function nullArgument(tokens: readonly Token[]): string | undefined {
  let found: string | undefined;
  eachLevel(tokens, (level) => {
    for (const [i, token] of level.entries()) {
      const table = token.inner && sqlTable(nameOf(level[i - 1]) ?? '');
      if (table && token.inner.some(({ word }) => word === 'NULL'))
        found = `sql: NULL as an argument of ${table.name} selects nothing; leave it out, or give conditions such as WHERE ${table.parameters.at(-1)?.name ?? 'n'} = ...`;
    }
  });
  return found;
}

/** Names of columns with addresses and values. */
const ADDRESSES: ReadonlySet<string> = new Set(
  SQL_TABLES.flatMap(({ columns, parameters }) =>
    [...columns, ...parameters].flatMap(({ name, type }) => (type === 'address' || type === 'value' ? [name] : [])),
  ),
);
const COMPARES = new Set(['=', '==', '<>', '!=', '<', '<=', '>', '>=']);

/** An address below 2^63 is a number, and no number equals a text, which people who quote an address do not expect. */
function quotedAddress(tokens: readonly Token[]): string | undefined {
  let found: string | undefined;
  eachLevel(tokens, (level) => {
    for (const [i, { type, text }] of level.entries()) {
      if (type !== 'text' || !/^'0x[0-9a-f]{1,16}'$/i.test(text) || BigInt(text.slice(1, -1)) >= 2n ** 63n) continue;
      const before = level[i - 1];
      const isAfter = before !== undefined && (COMPARES.has(before.text) || before.word === 'BETWEEN');
      const isBefore = COMPARES.has(level[i + 1]?.text ?? '');
      const name = isAfter ? level[i - 2] : isBefore ? level[i + (level[i + 3]?.text === '.' ? 4 : 2)] : undefined;
      if (ADDRESSES.has(nameOf(name) ?? ''))
        found = `sql: ${text} is text, and ${name!.text} is a number; write ${text.slice(1, -1)} without quotes`;
    }
  });
  return found;
}

/** SQLite reads hexadecimal literals above 2^63 as negative numbers, and decimal ones as inexact. */
function largeNumbers(tokens: readonly Token[]): Result<readonly Insertion[]> {
  const insertions: Insertion[] = [];
  let problem: string | undefined;
  eachLevel(tokens, (level) => {
    for (const [i, { type, text, start }] of level.entries()) {
      if (type !== 'number' || !/^(0x[0-9a-f]+|\d+)$/i.test(text)) continue;
      const value = BigInt(text);
      if (value >= 2n ** 64n) problem = `sql: ${text} has more than 64 bits`;
      if (value < 2n ** 63n) continue;
      // The smallest integer, -2^63.
      if (value === 2n ** 63n && !/x/i.test(text) && level[i - 1]?.text === '-') continue;
      insertions.push({ at: start, over: text.length, text: `'${String(toSql(value))}'` });
    }
  });
  return problem === undefined ? ok(insertions) : fail('usage', problem);
}
