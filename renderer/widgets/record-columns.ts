/** Columns of a list of records and their widths in characters. Widths only grow while a person scrolls. */
import type { RecordView } from '../../shared/records/record.ts';
import { group } from '../../shared/base/numbers.ts';

/** All columns in their order at first. */
export const COLUMNS = ['number', 'time', 'cpu', 'address', 'symbol', 'native', 'opcode', 'depth', 'text'] as const;
export type Column = (typeof COLUMNS)[number];

/** Width of each column in characters; 0 if it is absent. */
export interface Columns extends Readonly<Record<Column, number>> {
  /** Longer symbols are shortened. */
  readonly symbol: number;
  /** Names of kinds have up to 21 characters and are shortened if there is not enough room. */
  readonly native: number;
  /** Smallest width: the column takes the width that the others leave. */
  readonly text: number;
}

/** Changes that a person makes to the columns, by their names. Unknown names are ignored. */
export interface ColumnChoice {
  /** Columns without an entry follow in their order at first. */
  readonly order: readonly string[];
  /** A column without an entry is shown if there is room for it. */
  readonly shown: Readonly<Record<string, boolean>>;
  /** Widths in characters. */
  readonly widths: Readonly<Record<string, number>>;
}

export const NO_CHOICE: ColumnChoice = { order: [], shown: {}, widths: {} };

/** Returns all columns in their order. */
export function orderOf({ order }: ColumnChoice): readonly Column[] {
  const named = order.flatMap((name) => COLUMNS.find((column) => column === name) ?? []);
  return [...new Set([...named, ...COLUMNS])];
}

const TEXT_LEAST = 26;

export const NO_COLUMNS: Columns = {
  number: 6,
  time: 0,
  cpu: 0,
  address: 0,
  symbol: 0,
  native: 4,
  opcode: 0,
  depth: 0,
  text: TEXT_LEAST,
};

/** A row of the list that is not a record: an instruction that ran between two records. */
export interface Ran {
  readonly address: string;
  readonly symbol?: string;
}

/** Facts about visible rows that their records do not contain. */
export interface Seen {
  readonly ran?: readonly Ran[];
  /** Call depths. */
  readonly depths?: readonly number[];
  /** Number of characters in the text column of a row. */
  readonly text?: number;
}

/** Returns columns that are wide enough for more records. @param rows length of the whole list */
export function widen(
  columns: Columns,
  records: readonly RecordView[],
  rows: number,
  { ran = [], depths = [], text = 0 }: Seen = {},
): Columns {
  let { time: times, cpu, address, symbol, native, opcode, depth } = columns;
  for (const record of records) {
    if (record.time !== undefined) times = Math.max(times, 4, group(record.time).length);
    if (record.cpu !== undefined && record.cpu !== 0) cpu = Math.max(cpu, 3, String(record.cpu).length);
    native = Math.max(native, record.native.length);
    if (record.opcode !== undefined) opcode = Math.max(opcode, 6, record.opcode.length - 2);
  }
  for (const line of [...records, ...ran]) {
    if (line.address !== undefined) address = Math.max(address, evenly(line.address.length - 2) + 2);
    if (line.symbol !== undefined) symbol = Math.max(symbol, 8, Math.min(SYMBOL_MOST, line.symbol.length));
  }
  for (const own of depths) depth = Math.max(depth, DEPTH_LEAST, String(own).length + 1);
  return {
    number: Math.max(columns.number, group(Math.max(0, rows - 1)).length),
    time: times,
    cpu,
    address,
    symbol,
    native,
    opcode,
    depth,
    text: Math.max(columns.text, Math.min(TEXT_MOST, text)),
  };
}

const SYMBOL_MOST = 40;
const SYMBOL_LEAST = 12;
const NATIVE_LEAST = 10;
const DEPTH_LEAST = 3;
/** Largest width of the text column for which other columns are dropped. */
const TEXT_MOST = 50;

export function sameColumns(a: Columns, b: Columns): boolean {
  return COLUMNS.every((column) => a[column] === b[column]);
}

/** Rounds a number of digits up to 8, 12 or 16, so that the addresses of a trace line up. */
function evenly(digits: number): number {
  return digits <= 8 ? 8 : digits <= 12 ? 12 : 16;
}

/** Columns whose values other panes show for the chosen record, the first to drop first. */
const DROPPED = ['opcode', 'time', 'symbol', 'native'] as const satisfies readonly Column[];

/**
 * Returns the columns that fit into a list of `width` CSS pixels (0 = not measured yet), with the changes of a person. If the text column
 * would become too narrow, columns are dropped that no person wanted.
 */
export function fitting(columns: Columns, width: number, choice: ColumnChoice = NO_CHOICE): Columns {
  let fitted = chosen(columns, choice);
  if (width === 0) return fitted;
  const characters = (width - PADDING) / CHARACTER;
  for (const column of DROPPED) {
    if (characters >= leastWidth(fitted)) break;
    if (choice.shown[column] !== true) fitted = { ...fitted, [column]: 0 };
  }
  const spare = characters - leastWidth(fitted);
  return withWidths(narrowed(fitted, Math.max(0, spare)), choice);
}

/** Returns the columns without hidden ones, with the widths that a person gave them. */
function chosen(columns: Columns, choice: ColumnChoice): Columns {
  const hidden = COLUMNS.filter((column) => choice.shown[column] === false && column !== 'number' && column !== 'text');
  const left = { ...columns, ...Object.fromEntries(hidden.map((column) => [column, 0])) };
  return withWidths(left, choice);
}

function withWidths(columns: Columns, { widths }: ColumnChoice): Columns {
  const set = COLUMNS.filter((column) => column !== 'text' && columns[column] > 0);
  return { ...columns, ...Object.fromEntries(set.map((column) => [column, widths[column] ?? columns[column]])) };
}

/**
 * Distributes spare width. Symbols get half of it, or everything that the names of kinds (their longest name) and the text (most
 * instructions) do not need. Names of kinds come before the text, because a text is readable from its beginning.
 */
function narrowed(columns: Columns, spare: number): Columns {
  const forText = Math.max(0, TEXT_GOOD - columns.text);
  const forKinds = Math.max(0, columns.native - NATIVE_LEAST);
  const forSymbols = Math.floor(Math.max(spare / 2, spare - forText - forKinds));
  const symbol = Math.min(columns.symbol, SYMBOL_LEAST + forSymbols);
  const left = Math.floor(spare - Math.max(0, symbol - SYMBOL_LEAST));
  return { ...columns, symbol, native: Math.min(columns.native, NATIVE_LEAST + left) };
}

const TEXT_GOOD = 44;
/** CSS pixels of a character, and of the margins of a row. */
export const CHARACTER = 7.25;
const PADDING = 27;
/** Space between two columns, in characters. */
const GAP = 1.5;

/** Returns the width of a column in characters, without the space after it. */
function trackOf(column: Column, columns: Columns): number {
  return column === 'native' && columns.native > 0 ? columns.native + 2 : columns[column];
}

/** Returns the space after a column, in characters. A mark follows the number of a record, and the title of depths is wider than they are. */
function gapOf(column: Column): number {
  return column === 'number' ? GAP + 1 : column === 'depth' ? GAP + 1 : GAP;
}

function leastWidth(columns: Columns): number {
  const least = {
    ...columns,
    symbol: Math.min(columns.symbol, SYMBOL_LEAST),
    native: Math.min(columns.native, NATIVE_LEAST),
  };
  return columns.text + othersWidth(least);
}

/** Returns the width in characters of all columns except the text. */
function othersWidth(columns: Columns): number {
  return COLUMNS.filter((column) => column !== 'text').reduce((sum, column) => {
    const width = trackOf(column, columns);
    return sum + (width > 0 ? width + gapOf(column) : 0);
  }, 0);
}

/** Returns the number of characters that fit into the text column of a list of `width` CSS pixels. */
export function textRoom(columns: Columns, width: number): number {
  if (width === 0) return columns.text;
  return Math.max(TEXT_LEAST, (width - PADDING) / CHARACTER - othersWidth(columns));
}

/** Returns the columns that are present, in their order. */
export function present(columns: Columns, order: readonly Column[] = COLUMNS): readonly Column[] {
  return order.filter((column) => columns[column] > 0);
}

/** Returns the value of `grid-template-columns`. */
export function template(columns: Columns, order: readonly Column[] = COLUMNS): string {
  const fixed = (width: number): string => `${width + GAP}ch`;
  return present(columns, order)
    .map((column) => {
      if (column === 'text') return `minmax(${columns.symbol > 0 ? `${TEXT_LEAST}ch` : '0'}, 1fr)`;
      // If space is short, the symbol column shrinks in favour of the text.
      if (column === 'symbol')
        return `minmax(${Math.min(columns.symbol, SYMBOL_LEAST) + GAP}ch, ${fixed(columns.symbol)})`;
      return `${trackOf(column, columns) + gapOf(column)}ch`;
    })
    .join(' ');
}

/** Smallest and largest width of a column that a person can give it. */
export const NARROWEST = 2;
export const WIDEST = 120;

/** Returns the choice with another width of a column. */
export function withWidth(choice: ColumnChoice, column: Column, width: number): ColumnChoice {
  const within = Math.min(WIDEST, Math.max(NARROWEST, Math.round(width)));
  return { ...choice, widths: { ...choice.widths, [column]: within } };
}

/** Returns the choice with the width of a column that its records need. */
export function withoutWidth(choice: ColumnChoice, column: Column): ColumnChoice {
  return { ...choice, widths: Object.fromEntries(Object.entries(choice.widths).filter(([name]) => name !== column)) };
}

export function withShown(choice: ColumnChoice, column: Column, shown: boolean): ColumnChoice {
  return { ...choice, shown: { ...choice.shown, [column]: shown } };
}

/** Returns the choice with a column moved past its neighbour of the present ones; undefined if it is at that end. */
export function withMoved(
  choice: ColumnChoice,
  column: Column,
  by: 1 | -1,
  shown: readonly Column[],
): ColumnChoice | undefined {
  const neighbour = shown[shown.indexOf(column) + by];
  if (neighbour === undefined) return undefined;
  const others = orderOf(choice).filter((other) => other !== column);
  const at = others.indexOf(neighbour) + (by > 0 ? 1 : 0);
  return { ...choice, order: [...others.slice(0, at), column, ...others.slice(at)] };
}

/** Titles of columns in headers and menus. */
export const COLUMN_TITLES: Readonly<Record<Column, string>> = {
  number: 'Record',
  time: 'Time',
  cpu: 'CPU',
  address: 'Address',
  symbol: 'Symbol',
  native: 'Kind',
  opcode: 'Opcode',
  depth: 'Depth',
  text: 'Text and effects',
};
