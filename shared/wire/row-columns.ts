/**
 * Long lists of flat objects as columns: 100,000 edges as JSON take 10 MB and hold up the page that parses them; their numbers
 * need no parsing, and their texts are few. `packRows` and `unpackRows` undo one another: what comes out has the same fields with
 * the same values; only their order is that of the columns.
 */

export interface PackedRows {
  readonly count: number;
  readonly columns: readonly PackedColumn[];
}

export interface PackedColumn {
  readonly key: string;
  /** Of `text` the numbers are places in `texts`. */
  readonly kind: 'number' | 'boolean' | 'text';
  /** By row; NaN where the row does not have the field. */
  readonly values: Float64Array;
  /** Each once. */
  readonly texts: readonly string[];
}

/** Shorter lists are as fast as JSON. */
const FEWEST = 256;
/** A list of so many different fields is no table. */
const MOST_COLUMNS = 32;

type Scalar = number | string | boolean;

/** undefined if it is not such a list: JSON carries it. */
export function packRows(list: readonly unknown[]): PackedRows | undefined {
  if (list.length < FEWEST) return undefined;
  const kinds = kindsOf(list);
  if (kinds === undefined) return undefined;
  const rows = list as readonly Readonly<Record<string, Scalar | undefined>>[];
  const columns = [...kinds].map(([key, kind]): PackedColumn => {
    const places = new Map<string, number>();
    const values = new Float64Array(rows.length).fill(Number.NaN);
    for (let row = 0; row < rows.length; row++) {
      const value = rows[row]![key];
      if (typeof value === 'string') {
        const place = places.get(value) ?? places.size;
        if (place === places.size) places.set(value, place);
        values[row] = place;
      } else if (value !== undefined) values[row] = Number(value);
    }
    return { key, kind, values, texts: [...places.keys()] };
  });
  return { count: rows.length, columns };
}

/** Returns the common fields of all rows; undefined if a row has a non-scalar field, or fields differ in kind. */
function kindsOf(list: readonly unknown[]): ReadonlyMap<string, PackedColumn['kind']> | undefined {
  const kinds = new Map<string, PackedColumn['kind']>();
  for (const row of list) {
    if (typeof row !== 'object' || row === null || Object.getPrototypeOf(row) !== Object.prototype) return undefined;
    for (const key in row) {
      const kind = kindOf((row as Readonly<Record<string, unknown>>)[key]);
      if (kind === 'none') continue;
      const known = kinds.get(key);
      if (kind === undefined || (known !== undefined && known !== kind)) return undefined;
      if (known !== undefined) continue;
      if (kinds.size === MOST_COLUMNS || key === '__proto__') return undefined;
      kinds.set(key, kind);
    }
  }
  return kinds;
}

function kindOf(value: unknown): PackedColumn['kind'] | 'none' | undefined {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? 'number' : undefined;
    case 'string':
      return 'text';
    case 'boolean':
      return 'boolean';
    case 'undefined':
      return 'none';
    default:
      return undefined;
  }
}

export function unpackRows({ count, columns }: PackedRows): Row[] {
  // Fields that all rows have are there from the start, each with a value of its kind: rows are then objects of one shape.
  const everywhere = columns.filter(({ values }) => !values.includes(Number.NaN));
  const shape: Row = Object.fromEntries(everywhere.map(({ key, kind, texts }) => [key, EMPTY[kind] ?? texts[0]!]));
  const rows = new Array<Row>(count);
  for (let row = 0; row < count; row++) rows[row] = { ...shape };
  for (const column of columns) FILL[column.kind](rows, column);
  return rows;
}

type Row = Record<string, Scalar>;

const EMPTY = { number: 0, boolean: false, text: undefined } as const;

/** One loop for each kind, so that V8 knows what it stores. */
const FILL = { number: fillNumbers, boolean: fillBooleans, text: fillTexts } as const;

function fillNumbers(rows: readonly Row[], { key, values }: PackedColumn): void {
  for (let row = 0; row < rows.length; row++) {
    const value = values[row]!;
    // A small whole number is stored as one: as a double it would be a field of another sort, and change the shape of its row.
    if (!Number.isNaN(value)) rows[row]![key] = (value | 0) === value ? value | 0 : value;
  }
}

function fillBooleans(rows: readonly Row[], { key, values }: PackedColumn): void {
  for (let row = 0; row < rows.length; row++) {
    const value = values[row]!;
    if (!Number.isNaN(value)) rows[row]![key] = value !== 0;
  }
}

function fillTexts(rows: readonly Row[], { key, values, texts }: PackedColumn): void {
  for (let row = 0; row < rows.length; row++) {
    const value = values[row]!;
    if (!Number.isNaN(value)) rows[row]![key] = texts[value | 0]!;
  }
}
