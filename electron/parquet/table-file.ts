/** A whole Parquet file from the columns of a table in memory, such as the result of a query. */
import type { ColumnType } from '../../shared/requests/tables/row-group.ts';
import { dictionaryColumn, setValue, type DictionaryColumn, type Value } from './column.ts';
import { encodeGroup } from './encode-group.ts';
import { footer, MAGIC, type PlacedGroup } from './footer.ts';

export interface TableColumn {
  readonly name: string;
  /** One value a row; null if it has none. */
  readonly values: readonly (Value | null)[];
  /** By default what its values are. A column of `uint64` has bigints from 0 to 2^64 - 1. */
  readonly type?: 'uint64';
}

const GROUP_ROWS = 250_000;

/**
 * Returns the bytes of the file. Columns of whole numbers of 64 bits have the type INT64, of other numbers DOUBLE, of bytes BYTE_ARRAY; all
 * other columns, also those with values of several types, hold text. `about`: texts by their keys.
 */
export function parquetFile(
  columns: readonly TableColumn[],
  createdBy: string,
  about: Readonly<Record<string, string>> = {},
): Uint8Array {
  const types = columns.map(({ values, type }) => type ?? typeOf(values));
  const create = (): DictionaryColumn[] => columns.map(({ name }, i) => dictionaryColumn(name, types[i]!));
  const rows = columns[0]?.values.length ?? 0;
  const pieces: Uint8Array[] = [MAGIC];
  const groups: PlacedGroup[] = [];
  let offset = MAGIC.length;
  for (let from = 0; from < rows; from += GROUP_ROWS) {
    const count = Math.min(GROUP_ROWS, rows - from);
    const filled = create();
    for (const [i, { values }] of columns.entries()) {
      for (let row = 0; row < count; row++) {
        const value = values[from + row] ?? null;
        if (value !== null) setValue(filled[i]!, row, stored(value, types[i]!));
      }
    }
    const { bytes, chunks } = encodeGroup(filled, count);
    pieces.push(bytes);
    groups.push({ offset, rows: count, chunks });
    offset += bytes.length;
  }
  pieces.push(footer({ columns: create().map(({ spec }) => spec), groups, about, createdBy }));
  return Buffer.concat(pieces);
}

function typeOf(values: readonly (Value | null)[]): ColumnType {
  let [whole, numbers, bytes, booleans] = [true, true, true, true];
  for (const value of values) {
    if (value === null) continue;
    whole &&= typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value);
    numbers &&= typeof value === 'number' || (typeof value === 'bigint' && BigInt.asIntN(53, value) === value);
    bytes &&= value instanceof Uint8Array;
    booleans &&= typeof value === 'boolean';
  }
  if (values.every((value) => value === null)) return 'text';
  return whole ? 'int64' : numbers ? 'double' : bytes ? 'bytes' : booleans ? 'boolean' : 'text';
}

function stored(value: Value, type: ColumnType): Value {
  switch (type) {
    case 'int64':
      return BigInt(value as number | bigint);
    case 'double':
      return Number(value);
    case 'text':
      return typeof value === 'string'
        ? value
        : value instanceof Uint8Array
          ? Buffer.from(value).toString('hex')
          : String(value);
    default:
      return value;
  }
}
