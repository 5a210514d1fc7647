/** Aligned tables. Hidden characters in cells are made visible. Long tables are printed in parts that keep the column widths. */
import { styleText } from 'node:util';
import { printable } from './printable.ts';

export interface Column<Row> {
  readonly title: string;
  readonly right?: boolean;
  text(row: Row): string;
}

export interface Table<Row> {
  /** Returns the lines of the next rows. A heading precedes the first rows, and rows with a column that was empty so far. */
  lines(rows: readonly Row[]): string;
}

export function createTable<Row>(columns: readonly Column<Row>[], colour: boolean): Table<Row> {
  /** 0 for a column without a value so far, which is not shown. */
  const widths = columns.map(() => 0);
  return {
    lines(rows) {
      const cells = rows.map((row) => columns.map((column) => printable(column.text(row))));
      let headed = true;
      for (const [c, { title }] of columns.entries()) {
        const longest = cells.reduce((most, row) => Math.max(most, row[c]!.length), 0);
        if (longest === 0) continue;
        if (widths[c] === 0) headed = false;
        widths[c] = Math.max(widths[c]!, longest, title.length);
      }
      const shown = [...columns.keys()].filter((c) => widths[c]! > 0);
      const pad = (text: string, c: number) =>
        columns[c]!.right === true ? text.padStart(widths[c]!) : text.padEnd(widths[c]!);
      const line = (texts: readonly string[]) =>
        shown
          .map((c) => pad(texts[c]!, c))
          .join('  ')
          .trimEnd();
      const heading = line(columns.map(({ title }) => title));
      const styled = colour ? styleText('bold', heading, { validateStream: false }) : heading;
      return [...(headed ? [] : [styled]), ...cells.map(line)].map((text) => `${text}\n`).join('');
    },
  };
}

/** Names and values, one pair per line; pairs without a value are left out. */
export function facts(rows: readonly (readonly [name: string, value: string | undefined])[], colour: boolean): string {
  const given = rows.filter(([, value]) => value !== undefined);
  const width = given.reduce((most, [name]) => Math.max(most, name.length), 0);
  const bold = (text: string) => (colour ? styleText('bold', text, { validateStream: false }) : text);
  return given.map(([name, value]) => `${bold(name.padEnd(width))}  ${printable(value ?? '')}\n`).join('');
}
