/**
 * An empty database in memory with the tables and functions of a trace. Each table asks the engine for its rows, page by page. The database
 * has no file, so that statements, which are checked before (queries/sql/statement.ts), can reach nothing but these.
 */
import Database from 'better-sqlite3';
import { assert } from '../../../shared/base/result.ts';
import { fromSql, hexOfSql, toSql } from '../../../shared/sql/integer.ts';
import { SQL_TABLES, sqlTable, type SqlTable, type SqlType } from '../../../shared/sql/schema.ts';
import type { Ask, Cell, Column, Page, Reply, ResultColumn, SqlResult, Statement } from './protocol.ts';

export interface Questions {
  /** Sends a question and returns its number. */
  send(ask: Ask): number;
  /** Waits for the answer. Throws if the question failed. */
  wait(id: number): Reply;
}

/** Rows of the first page of a table, and of later ones. Statements often need only a few. */
const FIRST_ROWS = 64;
const MOST_ROWS = 8192;
/** Characters of a whole result. */
const MOST_TEXT = 64 * 1024 * 1024;

export interface SqlDatabase {
  run(statement: Statement): SqlResult;
}

export function createDatabase(questions: Questions): SqlDatabase {
  const db = new Database(':memory:');
  // Sorting never writes to the disk.
  db.pragma('temp_store = MEMORY');
  db.defaultSafeIntegers(true);
  let cursors = 0;
  for (const table of SQL_TABLES) addTable(db, table, questions, () => ++cursors);
  addFunctions(db, questions);
  return { run: (statement) => run(db, statement) };
}

function addTable(db: Database.Database, table: SqlTable, { send, wait }: Questions, next: () => number): void {
  const types = table.columns.map(({ type }) => type);
  db.table(table.name, {
    columns: table.columns.map(({ name }) => name),
    parameters: table.parameters.map(({ name }) => name),
    safeIntegers: true,
    *rows(...args: unknown[]) {
      const cursor = next();
      const given = args.map((arg, i) => parameter(table, i, arg));
      let page = pageOf(wait(send({ table: table.name, args: given, cursor, most: FIRST_ROWS })));
      for (let most = FIRST_ROWS; ;) {
        // Large pages are requested before their predecessors are used up.
        const ahead = !page.last && most > FIRST_ROWS ? send({ cursor, most: MOST_ROWS }) : undefined;
        const cells = page.columns.map((column, c) => cellsOf(types[c]!, column));
        for (let i = 0; i < page.count; i++) yield cells.map((cell) => cell(i));
        if (page.last) return;
        most = Math.min(MOST_ROWS, most * 8);
        page = pageOf(wait(ahead ?? send({ cursor, most })));
      }
    },
  });
}

function pageOf(reply: Reply): Page {
  assert('columns' in reply, 'a table has pages');
  return reply;
}

type Value = bigint | number | string | null;

/** Returns a function from the row of a page to the cell of one of its columns. */
function cellsOf(type: SqlType, column: Column): (row: number) => Value {
  if (column === undefined) return () => null;
  if (column instanceof Float64Array)
    return (row) => {
      const number = column[row]!;
      return Number.isInteger(number) ? BigInt(number) : Number.isNaN(number) ? null : number;
    };
  if ('codes' in column) return (row) => column.texts[column.codes[row]! - 1] ?? null;
  return (row) => toCell(type, column[row]);
}

/** Checks an argument of a table. An absent one is undefined; SQLite itself returns no rows if one is NULL. */
function parameter({ name: table, parameters }: SqlTable, i: number, arg: unknown): Cell {
  const { name, type } = parameters[i]!;
  if (arg === undefined) return undefined;
  if (type === 'record') {
    if (typeof arg === 'bigint') return Number(arg);
    if (typeof arg === 'number') return name === 'to_n' ? Math.ceil(arg) : Math.floor(arg);
    throw new Error(`${table}: ${name} must be a record number`);
  }
  if (type === 'address') {
    const address = fromSql(arg);
    if (address === undefined || address >= 2n ** 64n)
      throw new Error(`${table}: ${name} must be an address such as 0x1000`);
    return address;
  }
  if (typeof arg === 'string') return arg;
  // A function may be given by its address.
  const number = fromSql(arg);
  if (number !== undefined) return hexOfSql(number);
  throw new Error(`${table}: ${name} must be text`);
}

/** Converts a cell of a query to a value of SQLite. */
function toCell(type: SqlType, cell: Cell): Value {
  if (cell === undefined || cell === null) return null;
  switch (type) {
    case 'address':
    case 'value':
      return toSql(BigInt(cell));
    case 'time':
      return typeof cell === 'number' && !Number.isInteger(cell) ? cell : time(cell);
    case 'record':
    case 'integer':
      return typeof cell === 'number' && !Number.isInteger(cell) ? cell : BigInt(cell);
    case 'text':
      return String(cell);
  }
}

/** Times with a fraction, or of more than 64 bits, are as near as a double is. */
function time(cell: string | number | bigint): bigint | number {
  if (typeof cell === 'string' && !/^-?\d+$/.test(cell)) {
    const near = Number(cell);
    return Number.isSafeInteger(near) ? BigInt(near) : near;
  }
  const number = BigInt(cell);
  return BigInt.asIntN(64, number) === number ? number : Number(number);
}

function addFunctions(db: Database.Database, { send, wait }: Questions): void {
  const ask = (name: string, args: readonly Cell[]): Cell => {
    const reply = wait(send({ function: name, args }));
    assert('value' in reply, 'a function has a value');
    return reply.value;
  };
  const options = { deterministic: true, safeIntegers: true, varargs: true };
  /** Defines a function that is NULL if an argument is. */
  const define = (
    name: string,
    usage: string,
    [least, most]: readonly [number, number],
    answer: (...args: unknown[]) => unknown,
  ): void => {
    db.function(name, options, (...args: unknown[]) => {
      if (args.length < least || args.length > most) throw new Error(`use ${usage}`);
      if (args.some((arg) => arg === null)) return null;
      return answer(...args) ?? null;
    });
  };
  const record = (usage: string, n: unknown): number => {
    if (typeof n !== 'bigint' || n < 0n) throw new Error(`${usage}: n must be a record number`);
    return Number(n);
  };
  const address = (usage: string, given: unknown): bigint => {
    const found = fromSql(given);
    if (found === undefined || found >= 2n ** 64n) throw new Error(`${usage}: not an address: ${String(given)}`);
    return found;
  };
  const bytes = (usage: string, given: unknown, most: number): number => {
    if (typeof given !== 'bigint' || given < 1n || given > BigInt(most))
      throw new Error(`${usage}: length must be 1 to ${String(most)}`);
    return Number(given);
  };
  const unsigned = (cell: Cell): unknown => (cell === undefined || cell === null ? null : toSql(BigInt(cell)));

  define('mem_at', 'mem_at(n, address, length)', [3, 3], (n, at, length) =>
    ask('mem_at', [record('mem_at', n), address('mem_at', at), bytes('mem_at', length, 4096)]),
  );
  define('int_at', "int_at(n, address, length [, 'big'])", [3, 4], (n, at, length, order = 'little') => {
    if (order !== 'little' && order !== 'big') throw new Error("int_at: the order must be 'little' or 'big'");
    const text = ask('mem_at', [record('int_at', n), address('int_at', at), bytes('int_at', length, 8)]);
    if (typeof text !== 'string' || text.includes('?')) return null;
    const digits = order === 'big' ? text : (text.match(/../g) ?? []).reverse().join('');
    return toSql(BigInt(`0x${digits}`));
  });
  define('reg_at', 'reg_at(n, name [, cpu])', [2, 3], (n, name, cpu) => {
    if (typeof name !== 'string') throw new Error("reg_at: name must be text such as 'r0'");
    if (cpu !== undefined && typeof cpu !== 'bigint') throw new Error('reg_at: cpu must be a number');
    return unsigned(ask('reg_at', [record('reg_at', n), name, cpu === undefined ? undefined : Number(cpu)]));
  });
  define('last_write', 'last_write(n, address [, length])', [2, 3], (n, at, length = 1n) => {
    const found = ask('last_write', [
      record('last_write', n),
      address('last_write', at),
      bytes('last_write', length, 65_536),
    ]);
    return found === undefined || found === null ? null : BigInt(found);
  });
  define('stack_at', 'stack_at(n)', [1, 1], (n) => ask('stack_at', [record('stack_at', n)]));
  define('sym', 'sym(address)', [1, 1], (at) => ask('sym', [address('sym', at)]));
  define('line', 'line(address)', [1, 1], (at) => ask('line', [address('line', at)]));
  define('address_of', 'address_of(symbol)', [1, 1], (name) => {
    if (typeof name !== 'string') throw new Error('address_of: the symbol must be text');
    return unsigned(ask('address_of', [name]));
  });

  define('hex', 'hex(x)', [1, 1], (x) => {
    if (Buffer.isBuffer(x)) return x.toString('hex');
    const number = fromSql(x);
    if (number === undefined) throw new Error(`hex: not a whole number: ${String(x)}`);
    return hexOfSql(typeof x === 'string' ? toSql(number) : number);
  });
  define('unsigned', 'unsigned(x)', [1, 1], (x) => toSql(address('unsigned', x)));
  define('plus', 'plus(address, k)', [2, 2], (a, b) =>
    toSql(BigInt.asUintN(64, address('plus', a) + address('plus', b))),
  );
  define('minus', 'minus(a, b)', [2, 2], (a, b) => BigInt.asIntN(64, address('minus', a) - address('minus', b)));
  define('align', 'align(address, size)', [2, 2], (a, size) => {
    if (typeof size !== 'bigint' || size < 1n || (size & (size - 1n)) !== 0n)
      throw new Error('align: size must be a power of two');
    return toSql(address('align', a) & ~(size - 1n));
  });
}

function run(db: Database.Database, { sql, set, limit }: Statement): SqlResult {
  const statement = db.prepare(sql);
  if (!statement.reader || !statement.readonly) throw new Error('only statements that read are allowed');
  statement.raw(true).safeIntegers(true);
  const columns = statement.columns().map(({ name, table, column }): ResultColumn => {
    const type = sqlTable(table ?? '')?.columns.find((its) => its.name === column)?.type;
    return { name, ...(type !== undefined && { type }) };
  });
  const rows: (string | number | null)[][] = [];
  let text = 0;
  let more = false;
  const given = Object.fromEntries(Object.entries(set).map(([name, value]) => [name, parameterValue(value)]));
  const iterator = statement.iterate(given) as IterableIterator<readonly unknown[]>;
  for (const row of iterator) {
    if (rows.length === limit) {
      more = true;
      break;
    }
    const cells = row.map((cell, c) => toAnswer(cell, columns[c]!.type));
    text += cells.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0);
    if (text > MOST_TEXT) throw new Error('the result has more than 64 million characters; select less');
    rows.push(cells);
  }
  return { columns, rows, more };
}

/** `--set n=0x10` is a number, everything else is text. */
function parameterValue(text: string): bigint | string {
  if (/^-\d{1,18}$/.test(text)) return BigInt(text);
  const number = /^(0x[0-9a-f]{1,16}|\d{1,20})$/i.test(text) ? BigInt(text) : undefined;
  return number !== undefined && number < 2n ** 64n ? toSql(number) : text;
}

function toAnswer(cell: unknown, type: string | undefined): string | number | null {
  if (cell === null) return null;
  if (typeof cell === 'bigint') {
    if (type === 'address' || type === 'value') return hexOfSql(cell);
    return cell >= Number.MIN_SAFE_INTEGER && cell <= Number.MAX_SAFE_INTEGER ? Number(cell) : String(cell);
  }
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : String(cell);
  if (Buffer.isBuffer(cell)) return `x'${cell.toString('hex')}'`;
  return typeof cell === 'string' ? cell : '';
}
