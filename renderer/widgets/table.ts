/** A table as data, for copying and saving it as CSV. Rows are made when they are wanted, because tables can be long. */
import { csvLine, type CsvCell } from '../../shared/base/csv.ts';

export interface Table {
  /** Name of a saved file, without its extension: `branch-edges`. */
  readonly name: string;
  readonly head: readonly string[];
  readonly count: number;
  readonly row: (index: number) => readonly CsvCell[];
  /** Returns all rows as CSV if the page does not hold them; undefined, after saying why, if that fails. */
  readonly fetch?: () => Promise<string | undefined>;
}

/** Returns the index of the row of a RowGrid that contains an element. */
export function rowAt(element: Element): number | undefined {
  const row = element.closest<HTMLElement>('[data-row]')?.dataset['row'];
  return row === undefined ? undefined : Number(row);
}

/** Returns one row of a table as CSV, below the head. */
export function rowCsv(table: Table, index: number): string {
  return csvLine(table.head) + csvLine(table.row(index));
}

/** Returns a table as CSV; undefined if its rows could not be fetched. */
export async function tableCsv(table: Table): Promise<string | undefined> {
  if (table.fetch) return table.fetch();
  return csvLine(table.head) + Array.from({ length: table.count }, (_, index) => csvLine(table.row(index))).join('');
}
