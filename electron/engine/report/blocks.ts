/** Content of a report part, independent of HTML and Markdown. All texts are plain, and the writers escape them. */
import { visible } from '../../../shared/base/visible.ts';
import type { Drawing } from './document.ts';

export type Block =
  /** Names and values, one pair per line. */
  | { readonly block: 'facts'; readonly rows: readonly (readonly [name: string, value: string | Cell])[] }
  | TableBlock
  /** Markdown written by a user. */
  | { readonly block: 'prose'; readonly text: string; readonly heading: number }
  /** A sentence of the program. */
  | { readonly block: 'say'; readonly text: string }
  | { readonly block: 'heading'; readonly text: string }
  /** Properties of a note in one line. */
  | {
      readonly block: 'labels';
      readonly colour: string;
      readonly texts: readonly string[];
      readonly tags: readonly string[];
    }
  /** Many short names with values, such as registers. */
  | { readonly block: 'grid'; readonly label: string; readonly cells: readonly GridCell[] }
  | {
      readonly block: 'figure';
      readonly drawing: Drawing;
      readonly title: string;
      readonly description: string;
      readonly caption?: string;
    };

export interface TableBlock {
  readonly block: 'table';
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

export interface Column {
  readonly title: string;
  readonly right?: boolean;
}

export interface Row {
  readonly cells: readonly (string | Cell)[];
  /** `here`: the subject of the table. `effect`: belongs to the preceding row. */
  readonly mark?: 'here' | 'effect' | undefined;
}

export interface Cell {
  readonly text: string;
  /** Shown in a monospaced font. */
  readonly code?: boolean;
  /** From the trace or a user, in any script. */
  readonly foreign?: boolean;
  /** 0 to 1: length of a bar under the number. */
  readonly bar?: number;
}

export interface GridCell {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly strong: boolean;
}

export function code(text: string): Cell {
  return { text, code: true };
}

/** Returns notes of an answer as sentences, safe to read. */
export function sentences(notes: readonly string[]): Block[] {
  return notes.map((text): Block => ({ block: 'say', text: visible(text) }));
}

/** Removes columns that are empty in every row. */
export function filledColumns(table: TableBlock): TableBlock {
  const isFilled = table.columns.map((_, i) =>
    table.rows.some(({ cells }) => {
      const cell = cells[i] ?? '';
      return (typeof cell === 'string' ? cell : cell.text) !== '';
    }),
  );
  return {
    ...table,
    columns: table.columns.filter((_, i) => isFilled[i]),
    rows: table.rows.map((row) => ({ ...row, cells: row.cells.filter((_, i) => isFilled[i]) })),
  };
}
