/** Rows and columns of tables that show numbers of two runs, A and B, and their change. */

export interface ChangedRow {
  /** Identity that stays over orders. */
  readonly key: string;
  readonly name: string;
  /** Tooltip; by default the name. */
  readonly title?: string;
  /** Depth in a tree. */
  readonly level?: number;
  /** Undefined for rows without children. */
  readonly isOpen?: boolean;
}

export interface ChangeColumn<Row> {
  readonly id: string;
  readonly title: string;
  /** Tooltip of the heading. */
  readonly what: string;
  /** The number that sorts; undefined in a run without the row. */
  readonly of: (row: Row) => number | undefined;
  /** The text if it is not the number. */
  readonly textOf?: (row: Row) => string;
  /** Tooltip of a cell. */
  readonly titleOf?: (row: Row) => string;
  /** A change is written with its sign, and sorted by its size. */
  readonly isChange?: true;
}

/** Returns rows in the order of a column: large numbers and changes first, names rising, or the other way round if reversed. */
export function inOrder<Row extends { readonly name: string }>(
  rows: readonly Row[],
  columns: readonly ChangeColumn<Row>[],
  order: string,
  isReversed: boolean,
): readonly Row[] {
  const sign = isReversed ? -1 : 1;
  const column = columns.find(({ id }) => id === order);
  const byName = (a: Row, b: Row): number => (a.name < b.name ? -1 : Number(a.name > b.name));
  if (!column) return rows.toSorted((a, b) => sign * byName(a, b));
  const measure = (row: Row): number => {
    const value = column.of(row) ?? -1;
    return column.isChange === true ? Math.abs(value) : value;
  };
  return rows.toSorted((a, b) => sign * (measure(b) - measure(a)) || byName(a, b));
}
