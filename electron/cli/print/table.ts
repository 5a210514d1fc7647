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
      let headed = true;
      for (const [c, column] of columns.entries()) {
        let longest = 0;
        for (const row of rows) longest = Math.max(longest, cellOf(column, row).length);
        if (longest === 0) continue;
        if (widths[c] === 0) headed = false;
        widths[c] = Math.max(widths[c]!, longest, column.title.length);
      }
      const shown = columns.map((column, c) => ({ column, width: widths[c]! })).filter(({ width }) => width > 0);
      const heading = lineOf(shown, ({ title }) => title);
      const parts = headed ? [] : [`${colour ? styleText('bold', heading, { validateStream: false }) : heading}\n`];
      // Joining a few lines at a time copies their pieces while these are young, which spares the garbage collector much work.
      for (let first = 0; first < rows.length; first += JOINED) {
        const some = rows
          .slice(first, first + JOINED)
          .map((row) => `${lineOf(shown, (column) => cellOf(column, row))}\n`);
        parts.push(some.join(''));
      }
      return parts.join('');
    },
  };
}

interface Shown<Row> {
  readonly column: Column<Row>;
  readonly width: number;
}

function lineOf<Row>(shown: readonly Shown<Row>[], cell: (column: Column<Row>) => string): string {
  let text = '';
  for (const { column, width } of shown) {
    if (text !== '') text += '  ';
    const content = cell(column);
    const blanks = blanksOf(width - content.length);
    text += column.right === true ? blanks + content : content + blanks;
  }
  return text.endsWith(' ') ? text.trimEnd() : text;
}

/** Is called twice for each cell: keeping a million cells takes the garbage collector longer. */
function cellOf<Row>(column: Column<Row>, row: Row): string {
  return printable(column.text(row));
}

/** Strings that exist already pad three times as fast as padStart. */
const BLANKS = Array.from({ length: 32 }, (_, count) => ' '.repeat(count));

function blanksOf(count: number): string {
  return BLANKS[count] ?? ' '.repeat(count);
}

/** Lines that are joined at once. */
const JOINED = 64;

/** Names and values, one pair per line; pairs without a value are left out. */
export function facts(rows: readonly (readonly [name: string, value: string | undefined])[], colour: boolean): string {
  const given = rows.filter(([, value]) => value !== undefined);
  const width = given.reduce((most, [name]) => Math.max(most, name.length), 0);
  const bold = (text: string) => (colour ? styleText('bold', text, { validateStream: false }) : text);
  return given.map(([name, value]) => `${bold(name.padEnd(width))}  ${printable(value ?? '')}\n`).join('');
}
