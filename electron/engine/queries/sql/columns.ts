/** Turns rows into columns of few objects, because each object costs time on its way to another process and thread. */
import type { SqlTable } from '../../../../shared/sql/schema.ts';
import type { Cell, Column, Page } from '../../sql/protocol.ts';

/** Texts of a column that may repeat. */
const MOST_TEXTS = 1024;

export function columnsOf({ columns }: SqlTable, rows: readonly (readonly Cell[])[]): Omit<Page, 'last'> {
  return {
    count: rows.length,
    columns: columns.map(({ type }, c) => columnOf(type === 'text', rows, c)),
  };
}

function columnOf(isText: boolean, rows: readonly (readonly Cell[])[], c: number): Column {
  if (rows.every((row) => row[c] === undefined || row[c] === null)) return undefined;
  return (isText ? texts(rows, c) : numbers(rows, c)) ?? rows.map((row) => row[c]);
}

function numbers(rows: readonly (readonly Cell[])[], c: number): Float64Array | undefined {
  const column = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const cell = rows[i]![c];
    if (cell === undefined || cell === null) column[i] = Number.NaN;
    else if (typeof cell === 'bigint' || typeof cell === 'string') {
      // Longer digits are no safe integers.
      const number = typeof cell === 'string' && cell.length > 18 ? Number.NaN : Number(cell);
      if (!Number.isSafeInteger(number)) return undefined;
      column[i] = number;
    } else if (Number.isNaN(cell)) return undefined;
    else column[i] = cell;
  }
  return column;
}

function texts(rows: readonly (readonly Cell[])[], c: number): Column {
  const known = new Map<string, number>();
  const codes = new Uint16Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const cell = rows[i]![c];
    if (cell === undefined || cell === null) continue;
    const text = String(cell);
    const code = known.get(text) ?? known.size + 1;
    if (code > MOST_TEXTS) return undefined;
    known.set(text, code);
    codes[i] = code;
  }
  return { texts: [...known.keys()], codes };
}
