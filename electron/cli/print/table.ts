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
      // One array, row by row: a table may have a million cells.
      const cells = new Array<string>(rows.length * columns.length);
      const longest = columns.map(() => 0);
      for (let row = 0; row < rows.length; row++) fill(cells, row * columns.length, rows[row]!, longest);
      let headed = true;
      for (const [c, { title }] of columns.entries()) {
        if (longest[c] === 0) continue;
        if (widths[c] === 0) headed = false;
        widths[c] = Math.max(widths[c]!, longest[c]!, title.length);
      }
      const shown = [...columns.keys()].filter((c) => widths[c]! > 0);
      const parts: string[] = [];
      if (!headed) {
        const titles = columns.map(({ title }) => title);
        const heading = line(titles, 0, shown);
        parts.push(colour ? styleText('bold', heading, { validateStream: false }) : heading, '\n');
      }
      // Joining a few lines at a time copies their pieces while these are young, which spares the garbage collector much work.
      for (let first = 0; first < cells.length; first += JOINED * columns.length)
        parts.push(joined(cells, first, Math.min(cells.length, first + JOINED * columns.length), shown));
      return parts.join('');
    },
  };

  /** Writes the cells of a row to `cells`, starting at `first`. */
  function fill(cells: string[], first: number, row: Row, longest: number[]): void {
    for (let c = 0; c < columns.length; c++) {
      const cell = printable(columns[c]!.text(row));
      if (cell.length > longest[c]!) longest[c] = cell.length;
      cells[first + c] = cell;
    }
  }

  function joined(cells: readonly string[], first: number, end: number, shown: readonly number[]): string {
    const lines: string[] = [];
    for (let at = first; at < end; at += columns.length) lines.push(line(cells, at, shown), '\n');
    return lines.join('');
  }

  /** Returns the line of the cells that start at `first`. */
  function line(cells: readonly string[], first: number, shown: readonly number[]): string {
    let text = '';
    for (let place = 0; place < shown.length; place++) {
      const c = shown[place]!;
      if (place > 0) text += '  ';
      const cell = cells[first + c]!;
      const blanks = blanksOf(widths[c]! - cell.length);
      text += columns[c]!.right === true ? blanks + cell : cell + blanks;
    }
    return text.endsWith(' ') ? text.trimEnd() : text;
  }
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
