/**
 * Finds conditions on columns of tables that limit which rows a table must produce, such as `n BETWEEN 5 AND 9`, and adds them as conditions
 * on the hidden columns, `from_n = 5 AND to_n = 10`, which the tables receive as arguments. The original conditions stay, so a limit
 * that is too wide is harmless. SQLite gives a table only conditions of the form `hidden column = value`.
 *
 * Only a plain shape is recognized: conditions that AND joins in the WHERE of the SELECT that names the table, without outer joins. A limit
 * on a table is then right whatever the rest of the statement is, because rows outside of it cannot satisfy the WHERE.
 */
import { sqlTable, type SqlTable } from '../../../../shared/sql/schema.ts';
import { nameOf } from '../../../../shared/sql/tokens.ts';
import { eachLevel, type Insertion, type Token } from './tokens.ts';

export function tableConditions(tokens: readonly Token[]): readonly Insertion[] {
  const insertions: Insertion[] = [];
  const named = commonTables(tokens);
  eachLevel(tokens, (level) => {
    for (const select of selectsOf(level)) insertions.push(...limitsOf(select, named));
  });
  return insertions;
}

/** Returns names that WITH defines, which hide tables. */
function commonTables(tokens: readonly Token[]): ReadonlySet<string> {
  const names = new Set<string>();
  eachLevel(tokens, (level) => {
    for (const [i, { word }] of level.entries()) {
      if (word !== 'AS') continue;
      const before = level[i - 1]?.inner === undefined ? level[i - 1] : level[i - 2];
      const name = nameOf(before);
      const after =
        level[i + 1]?.word === 'NOT'
          ? level[i + 3]
          : level[i + 1]?.word === 'MATERIALIZED'
            ? level[i + 2]
            : level[i + 1];
      if (name !== undefined && after?.inner !== undefined) names.add(name);
    }
  });
  return names;
}

interface Select {
  /** Tokens between FROM and the next clause, and between WHERE and the next clause. */
  readonly from: readonly Token[];
  readonly where: readonly Token[];
}

const AFTER_FROM = new Set(['WHERE', 'GROUP', 'HAVING', 'WINDOW', 'ORDER', 'LIMIT']);
const COMPOUND = new Set(['UNION', 'INTERSECT', 'EXCEPT']);

/** Returns the SELECTs of a level that have a FROM and a WHERE. */
function selectsOf(level: readonly Token[]): Select[] {
  const selects: Select[] = [];
  let from: Token[] | undefined;
  let where: Token[] | undefined;
  let into: Token[] | undefined;
  const end = (): void => {
    if (from !== undefined && where !== undefined && where.length > 0) selects.push({ from, where });
    from = where = into = undefined;
  };
  for (const token of level) {
    if (token.word === 'SELECT' || COMPOUND.has(token.word)) end();
    else if (token.word === 'FROM' && from === undefined) into = from = [];
    else if (token.word === 'FROM' && into !== undefined)
      into.push(token); // IS DISTINCT FROM
    else if (token.word === 'WHERE' && from !== undefined && where === undefined) into = where = [];
    else if (AFTER_FROM.has(token.word)) into = undefined;
    else into?.push(token);
  }
  end();
  return selects;
}

interface Item {
  readonly table: SqlTable;
  /** The name by which columns refer to it, in lower case. */
  readonly name: string;
}

const OUTER = new Set(['LEFT', 'RIGHT', 'FULL', 'OUTER', 'NATURAL', 'USING']);
const NO_ALIAS = new Set(['ON', 'JOIN', 'CROSS', 'INNER', 'INDEXED', 'NOT', ...OUTER]);

function limitsOf({ from, where }: Select, hidden: ReadonlySet<string>): Insertion[] {
  if (from.some(({ word }) => OUTER.has(word))) return [];
  const { items, count } = itemsOf(from, hidden);
  const conditions = conjuncts(where);
  if (items.length === 0 || conditions === undefined) return [];
  const found = items.flatMap((item) => limitsOn(item, conditions, count === 1));
  if (found.length === 0) return [];
  const last = where.at(-1)!;
  return [
    { at: where[0]!.start, over: 0, text: '(' },
    { at: last.end, over: 0, text: `\n) AND ${found.join(' AND ')}` },
  ];
}

/** Returns the tables in a FROM that are named without arguments, and the number of all items in it. */
function itemsOf(
  from: readonly Token[],
  hidden: ReadonlySet<string>,
): { readonly items: Item[]; readonly count: number } {
  const items: Item[] = [];
  let count = 0;
  for (let i = 0; i < from.length; i++) {
    const isStart = i === 0 || from[i - 1]!.text === ',' || from[i - 1]!.word === 'JOIN';
    if (!isStart) continue;
    count++;
    const name = nameOf(from[i]);
    const table = name === undefined || hidden.has(name) ? undefined : sqlTable(name);
    if (table === undefined || from[i + 1]?.text === '.' || from[i + 1]?.inner !== undefined) continue;
    const at = from[i + 1]?.word === 'AS' ? i + 2 : i + 1;
    const alias = NO_ALIAS.has(from[at]?.word ?? '') ? undefined : nameOf(from[at]);
    items.push({ table, name: alias ?? table.name });
  }
  return { items, count };
}

/** Splits the tokens of a WHERE at its ANDs; undefined if OR or CASE makes that wrong. */
function conjuncts(where: readonly Token[]): readonly (readonly Token[])[] | undefined {
  if (where.some(({ word }) => word === 'OR' || word === 'CASE')) return undefined;
  const parts: Token[][] = [[]];
  let between = false;
  for (const token of where) {
    if (token.word === 'BETWEEN') between = true;
    if (token.word === 'AND' && !between) {
      parts.push([]);
      continue;
    }
    if (token.word === 'AND') between = false;
    parts.at(-1)!.push(token);
  }
  return parts;
}

interface Limit {
  readonly least?: string;
  /** Inclusive. */
  readonly most?: string;
  /** True if both are the only value. */
  readonly equal?: true;
}

function limitsOn({ table, name }: Item, conditions: readonly (readonly Token[])[], alone: boolean): string[] {
  const hidden = (parameter: string): boolean => table.parameters.some((its) => its.name === parameter);
  const prefix = `"${name.replaceAll('"', '""')}".`;
  const found: string[] = [];
  // A statement that gives a hidden column itself means that one.
  const isGiven = (parameter: string): boolean =>
    conditions.some((tokens) => tokens.some((token) => nameOf(token) === parameter));
  const add = (parameter: string, value: string | undefined): void => {
    if (value !== undefined && hidden(parameter) && !isGiven(parameter)) found.push(`${prefix}${parameter} = ${value}`);
  };
  const on = (column: string): readonly Limit[] =>
    conditions.flatMap((tokens) => {
      if (!table.columns.some((its) => its.name === column)) return [];
      const limit = limitOf(tokens, name, column, alone);
      return limit === undefined ? [] : [limit];
    });
  const first = (limits: readonly Limit[], end: 'least' | 'most'): string | undefined =>
    limits.find((limit) => limit[end] !== undefined)?.[end];
  const records = on('n');
  const most = first(records, 'most');
  add('from_n', first(records, 'least'));
  add('to_n', most === undefined ? undefined : after(most));
  if (hidden('low')) {
    const addresses = on('address');
    add('low', first(addresses, 'least'));
    add('high', first(addresses, 'most'));
  }
  for (const column of ['kind', 'register', 'function'] as const)
    add(`of_${column}`, on(column).find(({ equal, least }) => equal === true && least!.startsWith("'"))?.least);
  return found;
}

/** Returns the record after a constant. Every number is less than text, so text limits nothing, and arithmetic on it would be wrong. */
function after(constant: string): string {
  if (/^\d/.test(constant)) return `${constant} + 1`;
  return `iif(typeof(${constant}) IN ('integer', 'real'), ${constant} + 1, ${String(Number.MAX_SAFE_INTEGER)})`;
}

const MIRRORED: Readonly<Record<string, string>> = { '=': '=', '==': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/** Returns the limit that one condition sets on a column: `n < 5`, `5 > r.n` or `n BETWEEN 1 AND 5`, with literals or named parameters. */
function limitOf(tokens: readonly Token[], item: string, column: string, alone: boolean): Limit | undefined {
  const qualified = nameOf(tokens[0]) === item && tokens[1]?.text === '.' && nameOf(tokens[2]) === column;
  if (qualified || (alone && nameOf(tokens[0]) === column)) {
    const [sign, value, and, end, ...rest] = tokens.slice(qualified ? 3 : 1);
    if (sign?.word === 'BETWEEN' && isConstant(value) && and?.word === 'AND' && isConstant(end) && rest.length === 0)
      return { least: value.text, most: end.text };
    if (sign?.word === 'IN' && value?.inner !== undefined && and === undefined) return listed(value.inner);
    return and === undefined && isConstant(value) ? compared(sign?.text, value.text) : undefined;
  }
  const [value, sign, ...rest] = tokens;
  if (!isConstant(value) || sign === undefined) return undefined;
  const isColumn =
    (alone && rest.length === 1 && nameOf(rest[0]) === column) ||
    (rest.length === 3 && nameOf(rest[0]) === item && rest[1]!.text === '.' && nameOf(rest[2]) === column);
  return isColumn ? compared(MIRRORED[sign.text], value.text) : undefined;
}

/** Returns the limits that a list of numbers sets. */
function listed(list: readonly Token[]): Limit | undefined {
  const values = list.filter((_, i) => i % 2 === 0);
  const isList = list.every((token, i) =>
    i % 2 === 0 ? token.type === 'number' && isConstant(token) : token.text === ',',
  );
  if (!isList || list.length % 2 === 0) return undefined;
  const numbers = values.map(({ text }) => BigInt(text)).sort((a, b) => (a < b ? -1 : 1));
  return { least: String(numbers[0]), most: String(numbers.at(-1)) };
}

/** Bounds are inclusive, also of `<` and `>`: a parameter may be no whole number. */
function compared(sign: string | undefined, value: string): Limit | undefined {
  switch (sign) {
    case '=':
    case '==':
      return { least: value, most: value, equal: true };
    case '<':
    case '<=':
      return { most: value };
    case '>':
    case '>=':
      return { least: value };
    default:
      return undefined;
  }
}

function isConstant(token: Token | undefined): token is Token {
  if (token === undefined) return false;
  if (token.type === 'number') return /^(0x[0-9a-f]+|\d+)$/i.test(token.text);
  return token.type === 'text' ? !/^x/i.test(token.text) : token.type === 'parameter' && !token.text.startsWith('?');
}
