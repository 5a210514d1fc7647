/** Kinds of the columns of a result, by the schema and by their cells. */
import type { Hex } from '../../../shared/base/units.ts';
import { group } from '../../../shared/base/numbers.ts';
import { SQL_TABLES } from '../../../shared/sql/schema.ts';
import type { SqlAnswer } from '../../../shared/requests/sql/sql.ts';
import type { Table } from '../../widgets/table.ts';

export type SqlCell = SqlAnswer['rows'][number][number];

export interface ResultColumn {
  readonly name: string;
  /** `record`: numbers of records, which rows jump to. `address`: places in memory. `number`: other numbers, and NULL. */
  readonly kind: 'record' | 'address' | 'number' | 'text';
  /** Longest text of a cell, in characters. */
  readonly width: number;
}

const RECORDS = namesOf('record');
const ADDRESSES = namesOf('address');

function namesOf(type: string): ReadonlySet<string> {
  return new Set(
    SQL_TABLES.flatMap(({ columns, parameters }) =>
      [...columns, ...parameters].flatMap((one) => (one.type === type ? [one.name] : [])),
    ),
  );
}

export function resultColumns({ columns, rows }: Pick<SqlAnswer, 'columns' | 'rows'>): readonly ResultColumn[] {
  return columns.map(({ name, type }, c) => {
    let width = name.length;
    let [numbers, addresses, known] = [0, 0, 0];
    for (const row of rows) {
      const cell = row[c] ?? null;
      width = Math.max(width, cellText(cell).length);
      if (cell === null) continue;
      known += 1;
      if (typeof cell === 'number') numbers += 1;
      else if (/^0x[\da-f]{1,16}$/.test(cell)) addresses += 1;
    }
    const isAll = (count: number): boolean => known > 0 && count === known;
    return { name, kind: kindOf(name, type, isAll(numbers), isAll(addresses)), width };
  });
}

/** A column without a type is an expression: `min(n) AS first_n` has the name of what it contains. */
function kindOf(
  name: string,
  type: string | undefined,
  isNumbers: boolean,
  isAddresses: boolean,
): ResultColumn['kind'] {
  const own = name.toLowerCase();
  if (isNumbers && (type === 'record' || (type === undefined && (RECORDS.has(own) || /_n$/.test(own)))))
    return 'record';
  if (isAddresses && (type === 'address' || (type === undefined && ADDRESSES.has(own)))) return 'address';
  return isNumbers ? 'number' : 'text';
}

/** Returns the text of a cell on the screen. Numbers of records and times are long, and are grouped. */
export function cellText(cell: SqlCell): string {
  if (cell === null) return 'NULL';
  return typeof cell === 'number' && Number.isInteger(cell) ? group(cell) : String(cell).replaceAll(/\s+/g, ' ');
}

/** Returns the record that a row jumps to: that of its first column with one. */
export function recordOf(row: readonly SqlCell[], columns: readonly ResultColumn[]): number | undefined {
  for (const [c, { kind }] of columns.entries()) {
    const cell = row[c];
    if (kind === 'record' && typeof cell === 'number' && Number.isInteger(cell) && cell >= 0) return cell;
  }
  return undefined;
}

export function addressIn(row: readonly SqlCell[], columns: readonly ResultColumn[]): Hex | undefined {
  const c = columns.findIndex(({ kind }, at) => kind === 'address' && row[at] !== null);
  return c < 0 ? undefined : (String(row[c]) as Hex);
}

export function resultTable({ columns, rows }: Pick<SqlAnswer, 'columns' | 'rows'>): Table {
  return {
    name: 'query',
    head: columns.map(({ name }) => name),
    count: rows.length,
    row: (index) => rows[index]!.map((cell) => cell ?? undefined),
  };
}
